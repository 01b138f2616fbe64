"""warpld writes scripts for the host's linker. It asks gcc and ld for their settings. Here
stand-ins replace gcc and ld, and record how they are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Done, prepare, run

SECTIONS = (
    "SECTIONS\n{\n\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n"
    "\t__nv_relfatbin : { *(__nv_relfatbin) } \n\t.nv_fatbin : { *(.nv_fatbin) }\n}\n"
)
COMPILER = """echo compiler "$@" >> calls
echo 'Using built-in specs.' >&2
echo ' /usr/lib/gcc/collect2 -plugin x -m elf_x86_64 -z now "-dynamic-linker" y -pie -o a.out' >&2
"""
LINKER = """echo linker "$@" >> calls
printf 'GNU ld\\n  Supported emulations:\\nusing internal linker script:\\n'
printf '=========\\nthe script\\n\\n=========\\n'
"""


def make_program(folder: Path, name: str, text: str) -> None:
    path = folder / "tools" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare(tmp_path)
    make_program(tmp_path, "gcc", COMPILER)
    make_program(tmp_path, "other-compiler", COMPILER)
    make_program(tmp_path, "ld", LINKER)
    return tmp_path


def ask(folder: Path, *words: str) -> Done:
    return run(folder, *words, path=str(folder / "tools"))


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().splitlines()


def test_augmenting_script(folder: Path) -> None:
    assert ask(folder, "-ghls=lcs-aug") == Done(0, SECTIONS, [])
    assert not (folder / "calls").exists()


@pytest.mark.parametrize("words", [("-ghls=lcs-abs",), ("-ghls",)])
def test_absolute_script(words: tuple[str, ...], folder: Path) -> None:
    assert ask(folder, *words) == Done(0, "the script\n\n" + SECTIONS, [])
    assert calls(folder) == [
        "compiler -### /dev/null -m64",
        "linker --verbose -m elf_x86_64 -z now -pie",
    ]


def test_shared(folder: Path) -> None:
    ask(folder, "-ghls=lcs-abs", "-shared")
    assert calls(folder)[0] == "compiler -### /dev/null -m64 -shared"


def test_other_compiler(folder: Path) -> None:
    (folder / "tools" / "gcc").unlink()
    ask(folder, "-ghls=lcs-abs", "--host-ccbin", "tools/other-compiler")
    assert len(calls(folder)) == 2


def test_no_compiler(folder: Path) -> None:
    assert ask(folder, "-ghls=lcs-abs", "--host-ccbin=tools/missing").status == 0
    assert calls(folder) == ["linker --verbose"]


def test_options_for_the_linker(folder: Path) -> None:
    ask(folder, "-ghls=lcs-abs", "-Xlinker", "-z,now", "-Xlinker", "-m elf_i386")
    assert calls(folder) == ["linker --verbose -z now -m elf_i386"]


def test_nothing_is_for_a_shell(folder: Path) -> None:
    ask(folder, "-ghls=lcs-abs", "-Xlinker", "$(touch made);`touch made`>made")
    assert calls(folder) == ["linker --verbose $(touch made);`touch made`>made"]
    assert not (folder / "made").exists()


def test_file(folder: Path) -> None:
    (folder / "script").write_text("older")
    assert ask(folder, "-ghls=lcs-aug", "-o", "script") == Done(0, "", [])
    assert (folder / "script").read_text() == SECTIONS


@pytest.mark.parametrize("text", ["exit 1", "echo no rules", LINKER + "exit 1"])
def test_linker_that_fails(text: str, folder: Path) -> None:
    make_program(folder, "ld", text)
    (folder / "script").write_text("older")
    done = ask(folder, "-ghls=lcs-abs", "-o", "script")
    assert (done.status, done.output) == (1, "")
    assert done.messages == ["nvlink fatal   : Host linker script creation failed."]
    assert (folder / "script").read_text() == "older"
