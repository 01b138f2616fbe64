"""warpld helps people who use it for the first time, and does what nvcc expects of nvlink."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from command import BUILD, OBJECTS, REPOSITORY, prepare, run
from test_effects import link, sections
from test_grammar import TABLE
from test_message_formats import link_undefined

LISTED = re.compile(r"^  --([\w-]+)", re.M)


def test_without_arguments(tmp_path: Path) -> None:
    done = run(tmp_path, name="warpld")
    assert done.status == 1 and done.output == "" and len(done.messages) == 3
    assert "warpld --help" in done.messages[2]
    assert run(tmp_path).messages == ["nvlink fatal   : Unknown arch name '(null)'"]


def test_help_begins_with_what_people_use(tmp_path: Path) -> None:
    text = run(tmp_path, "--help", name="warpld").output
    first = text.split("\nHelp:\n")[0]
    assert LISTED.findall(first)[:2] == ["arch", "output-file"]
    assert len(LISTED.findall(first)) == 10
    assert "--help=all" in text and "[no effect]" not in text


def test_help_of_all_options(tmp_path: Path) -> None:
    """--help=all shows each option once, in groups; the last group has the options without effect.
    Under the name nvlink, --help shows all options in one list."""
    text = run(tmp_path, "--help=all", name="warpld").output
    listed = LISTED.findall(text)
    assert sorted(listed) == sorted(row[1] for row in TABLE)
    last = text.rpartition("\n\n")[2]
    without = [row[1] for row in TABLE if row[4] != "ACTS"]
    assert LISTED.findall(last) == without
    assert LISTED.findall(run(tmp_path, "--help").output) == [row[1] for row in TABLE]


@pytest.mark.parametrize("option", ["--help=all", "--help=x", "-h=all"])
def test_nvlink_has_no_help_of_all_options(option: str, tmp_path: Path) -> None:
    done = run(tmp_path, option)
    told = f"nvlink fatal   : no argument expected after '{option.split('=')[0]}'"
    assert (done.status, done.messages, done.output) == (1, [told], "")


@pytest.mark.parametrize(
    "option, note",
    [
        ("--verbos", "did you mean '--verbose'?"),
        ("-help", "did you mean '--help'?"),
        ("--kernel-used=x", "did you mean '-kernels-used'?"),
        ("--gc-sections", "'--gc-sections' is an option of ld, the host linker"),
        ("-rdc=true", "'-rdc' is an option of nvcc, the compiler"),
        ("-Wl,-z,now", "'-Wl,-z,now' is an option of gcc and clang, the host compilers"),
        (
            "-Wl,-rpath," + "x" * 100,
            "'-Wl,-rpath," + "x" * 100 + "' is an option of gcc and clang, the host compilers",
        ),
        ("--qqqqqqqqqqqq", None),
        ("-" + "x" * 100, None),
    ],
)
def test_unknown_options(option: str, note: str | None, tmp_path: Path) -> None:
    command: list[str | Path] = [BUILD / "warpld", option]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and lines[0].startswith("warpld fatal   : Unknown option '")
    assert lines[1:] == ([f"warpld note    : {note}"] if note else [])
    assert run(tmp_path, option).notes == 0


@pytest.mark.parametrize(
    "option, note",
    [
        ("-arch=90", "did you mean 'sm_90'?"),
        ("-arch=9.0a", "did you mean 'sm_90a'?"),
        ("-arch=SM_80", "did you mean 'sm_80'?"),
        ("-arch=sm_80,sm_90x", "did you mean 'sm_90'?"),
        ("-arch=native", "'native' is a value of nvcc; name a target such as sm_90"),
        ("--color=sometimes", "the values are 'auto', 'always', 'never'"),
        ("--error-limit=ten", "this is the value of option '--error-limit'"),
        ("--maxrregcount=99999999999", "this is the value of option '--maxrregcount'"),
        (
            "--disable-smem-reservation=no",
            "this is the value of option '--disable-smem-reservation'",
        ),
    ],
)
def test_values_that_no_option_accepts(option: str, note: str, tmp_path: Path) -> None:
    done = subprocess.run([BUILD / "warpld", option], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[1:]) == (1, [f"warpld note    : {note}"])
    assert run(tmp_path, option).notes == 0


def test_all_targets_are_listed_for_a_word_that_resembles_none() -> None:
    command = [str(BUILD / "warpld"), "-arch=hopper"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    note = done.stderr.splitlines()[1]
    assert note.startswith("warpld note    : the targets are sm_50, sm_52, ")
    assert ", sm_90, sm_90a, sm_100, " in note


def test_without_a_target_the_targets_of_the_inputs_are_named(tmp_path: Path) -> None:
    prepare(tmp_path)
    words = ["a.cubin", "b.cubin", "-o", "output.cubin"]
    note = "warpld note    : the inputs contain code for sm_80; name the target with -arch"
    command: list[str | Path] = [BUILD / "warpld", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["warpld fatal   : No target was named", note]
    again = run(tmp_path, *words)
    assert (again.status, again.notes) == (1, 0)
    assert again.messages == ["nvlink fatal   : Unknown arch name '(null)'"]


@pytest.mark.parametrize("name", ("warpld", "nvlink"))
@pytest.mark.parametrize(
    "option",
    ["--x\x1b[3m", "-Wl,\x1b[3m", "--time=no/\x1b[3m", "--x\x9b[3m", "-Wl,\u202e[3m"],
)
def test_control_characters_of_arguments_are_escaped(
    option: str, name: str, tmp_path: Path
) -> None:
    done = run(tmp_path, "a.cubin", "-o", "x", "-arch=sm_80", option, name=name)
    assert done.status == 1 and re.search(r"\\x(1b|9b|ae)\[3m", done.messages[0])
    assert not set("\x1b\x9b\u202e") & set("".join(done.messages))


@pytest.mark.parametrize("name", ("warpld", "nvlink"))
def test_control_characters_of_values_are_escaped(name: str, tmp_path: Path) -> None:
    """The values are the name of the tool, and the folder for saved inputs."""
    prepare(tmp_path)
    words = ["a.cubin", "b.cubin", "-o", "x", "-arch=sm_80", "--verbose"]
    done = run(tmp_path, *words, "--save-inputs=d\x1b[3m", "--tool-name=t\x1b[3m", name=name)
    printed = "\n".join(done.messages)
    assert done.status == 0 and "\x1b" not in printed
    assert r"t\x1b[3m info" in printed and r"run d\x1b[3m/link.sh" in printed


def test_names_in_the_table_of_times_are_escaped(tmp_path: Path) -> None:
    text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry first() { ret; }\n"
    (tmp_path / "p\n\x1b.ptx").write_text(text)
    compiler = tmp_path / "ptxas"
    compiler.write_text(f"#!/bin/sh\ncp {OBJECTS}/first.sm_80.cubin elf.o\n")
    compiler.chmod(0o755)
    words = ["p\n\x1b.ptx", "-o", "x", "-arch=sm_80", "--time=-", f"--ptxas-path={compiler}"]
    done = run(tmp_path, *words, "-allow-undefined-globals", name="warpld")
    assert r"p\x0a\x1b.ptx , ptxas , p\x0a\x1b.ptx ,  , sm_80 , " in done.output


def test_output_on_standard_output(tmp_path: Path) -> None:
    link(tmp_path)
    words: list[str | Path] = [BUILD / "warpld", "-arch=sm_80", "a.cubin", "b.cubin", "-o", "-"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (tmp_path / "output.cubin").read_bytes()
    more = ["-v", "--stats", "--dump-callgraph", "--trace=all"]
    again = subprocess.run([*words, *more], cwd=tmp_path, capture_output=True, timeout=60)
    link(tmp_path, *more, name="warpld")
    assert again.stdout == (tmp_path / "output.cubin").read_bytes()
    both = run(tmp_path, *words[1:], "--time=-", name="warpld")
    assert both.status == 1 and both.output == ""
    assert not (tmp_path / "-").exists()
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            lost = subprocess.run(words, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
        assert lost.returncode == 1
        assert lost.stderr == b"warpld fatal   : Cannot write to standard output\n"


def test_nvlink_makes_a_file_of_that_name(tmp_path: Path) -> None:
    prepare(tmp_path)
    assert run(tmp_path, "-arch=sm_80", "a.cubin", "b.cubin", "-o", "-").output == ""
    assert (tmp_path / "-").exists()


# The name that the command goes by ----------------------------------------------------------------


def test_as_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option --as decides whether warpld behaves as nvlink. Without that option, a program
    named nvlink obeys the variable WARPLD_AS. If that variable is not set, or if the
    program has another name, the name decides."""
    monkeypatch.delenv("WARPLD_AS", raising=False)

    def tool(name: str, *words: str) -> str:
        return link_undefined(tmp_path, *words, name=name).messages[0].split()[0]

    assert (tool("nvlink"), tool("warpld")) == ("nvlink", "warpld")
    assert (tool("nvlink", "--as=warpld"), tool("warpld", "--as=nvlink")) == ("warpld", "nvlink")
    monkeypatch.setenv("WARPLD_AS", "warpld")
    assert (tool("nvlink"), tool("nvlink", "--as=nvlink")) == ("warpld", "nvlink")
    monkeypatch.setenv("WARPLD_AS", "nvlink")
    assert tool("warpld") == "warpld"


def test_a_link_of_nothing_succeeds_for_callers_of_nvlink(tmp_path: Path) -> None:
    """nvcc calls the linker for every target, whether the inputs have code for it or not."""
    prepare(tmp_path)
    line = ["-arch=sm_90", "a.cubin", "-o", "output.cubin"]
    statuses = [
        run(tmp_path, *line, *words, name=name).status
        for name, words in (("nvlink", ()), ("nvlink", ("--as=warpld",)), ("warpld", ()))
    ]
    assert statuses[:2] in ([0, 0], [1, 1]) and statuses[2] != 0


def test_the_library_ignores_the_variable(tmp_path: Path) -> None:
    sources = [*(REPOSITORY / "src").rglob("*.c")]
    users = [p for p in sources if "WARPLD_AS" in p.read_text() and "cli" not in p.parts]
    assert sources and users == []


def test_outputs_are_the_same(tmp_path: Path) -> None:
    link(tmp_path)
    plain = sections(tmp_path)
    link(tmp_path, "--as=warpld")
    assert sections(tmp_path) == plain
    assert os.path.getsize(tmp_path / "output.cubin")
