"""Checks the whole text of messages. Other tests check only parts of these messages."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("WARPLD_BUILD", TESTS.parent / "build")).absolute()
MESSAGES = {
    "explained/data -arch=sm_103 second.sm_100.cubin": [
        "warpld fatal   : Input file 'second.sm_100.cubin' contains code for sm_100, which cannot"
        " be translated for 'sm_103'; compile it for that target"
    ],
    "golden/too-many-surfaces": [
        "warpld fatal   : More than 32 surfaces used in entry function 'kernel_a'",
        "warpld note    : each kernel that uses one is assigned all 33 surfaces: its own"
        " and those of the whole program",
    ],
    "golden/global-symbol-in-shared-memory-of-kernel": [
        "warpld fatal   : Internal error: entry data cannot be GLOBAL",
        "warpld note    : a.cubin:(.nv.shared.j): 'mine' is a GLOBAL symbol in the"
        " memory of one kernel, where symbols must be LOCAL",
    ],
    "quirks/data -arch=sm_80 common_value.sm_80.cubin weak_value.sm_80.cubin": [
        "warpld error   : Common symbol 'value' in file 'common_value.sm_80.cubin' would replace"
        " the contents of the weak definition in 'weak_value.sm_80.cubin'",
    ],
    "golden -arch=sm_80 whole-programs-of-kernels/a.cubin older-objects/a.cubin": [
        "warpld fatal   : linking with -ewp objects requires using current toolkit",
    ],
}


@pytest.mark.parametrize("link", MESSAGES)
def test_words(link: str, tmp_path: Path) -> None:
    name, *words = link.split()
    line = TESTS / name / "link"
    words = (line.read_text().split() if line.exists() else []) + words
    command: list[str | Path] = [BUILD / "warpld", *words, "-o", tmp_path / "output.cubin"]
    done = subprocess.run(command, cwd=TESTS / name, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines() == MESSAGES[link]
    assert done.returncode == 1 and not (tmp_path / "output.cubin").exists()


WARNINGS = {
    "kernel-without-register-record-sm90": [
        "warpld warning : Input file 'a.cubin' may be damaged, and was linked anyway:"
        " section .text.k: function has no REGCOUNT (no-register-count)"
    ],
    "relocations-of-weak-undefined-variables": [
        f"warpld warning : Weak variable 'weak{number}' is not defined in any input;"
        " its address is left to the driver"
        for number in (1, 2, 3, 5, 6)
    ]
    + [
        "warpld warning : An input may be damaged: a relocation in section '.rela.nv.global.init'"
        " of the output has lost its symbol (relocation-no-symbol)"
    ],
    "target-note-of-another-owner-sm80": [
        "warpld warning : Input file 'a.cubin' may be damaged, and was linked anyway: section"
        " .note.nv.cuinfo: section of CUDA's notes has a note of another vendor (note-vendor)"
    ],
}


@pytest.mark.parametrize("golden", WARNINGS)
def test_what_nvlink_lets_pass_is_a_warning(golden: str, tmp_path: Path) -> None:
    folder = TESTS / "golden" / golden
    for name, messages in [("warpld", WARNINGS[golden]), ("nvlink", [])]:
        words = [*(folder / "link").read_text().split(), f"--as={name}"]
        command: list[str | Path] = [BUILD / "warpld", *words, "-o", tmp_path / "out"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.splitlines()) == (0, messages)


def without_type(source: Path, name: str) -> bytes:
    """A copy of the object in which the symbol of the variable `name` has no type. In the output,
    relocations against the variable lose their symbol."""
    content = bytearray(source.read_bytes())
    with source.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        names = [entry.name for entry in table.iter_symbols()]
        content[table["sh_offset"] + names.index(name) * table["sh_entsize"] + 4] &= 0xF0
    return bytes(content)


def inputs_that_lose_a_symbol(folder: Path, others: int) -> list[Path]:
    """Writes two inputs with relocations that lose their symbol in the output, and `others` further
    inputs. If these are many, the output is so large that threads write it directly to the output
    file."""
    golden = TESTS / "golden" / "initialisers-with-addresses"
    paths = [folder / f"{number:04}.cubin" for number in range(2 + others)]
    paths[0].write_bytes(without_type(golden / "a.cubin", "near"))
    paths[1].write_bytes((golden / "b.cubin").read_bytes())
    kernel = (TESTS.parent / "examples" / "demo" / "data" / "saxpy.sm_80.cubin").read_bytes()
    for number, path in enumerate(paths[2:]):
        path.write_bytes(kernel.replace(b"saxpy_", b"s%04d_" % number))
    return paths


def test_a_listed_relocation_that_loses_its_symbol_is_reported(tmp_path: Path) -> None:
    golden = TESTS / "golden" / "attributes-of-several-kernels"
    damaged = tmp_path / "a.cubin"
    damaged.write_bytes(without_type(golden / "a.cubin", "far"))
    command: list[str | Path] = [BUILD / "warpld", "-arch=sm_80", damaged, golden / "b.cubin"]
    command += ["--preserve-relocs", "-o", tmp_path / "output.cubin"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    section = "a relocation in section '.nv.resolvedrela.text.first' of the output"
    assert done.returncode == 0 and f"{section} has lost its symbol" in done.stderr


@pytest.mark.parametrize("others", [0, 500])
def test_a_lost_symbol_ends_as_other_warnings_that_are_errors(others: int, tmp_path: Path) -> None:
    output = tmp_path / "output.cubin"
    command: list[str | Path] = [BUILD / "warpld", "-arch=sm_80", "-r", "-o", output]
    command += inputs_that_lose_a_symbol(tmp_path, others)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert (output.stat().st_size > 1 << 20) == bool(others)
    output.unlink()
    done = subprocess.run([*command, "-Werror"], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "lost its symbol" not in line] == []
    assert done.returncode == 255 and done.stderr and not output.exists()


def link_damaged(
    folder: Path, name: str, offset: int, byte: int
) -> subprocess.CompletedProcess[str]:
    """Links a golden input in which one byte is changed."""
    content = bytearray((TESTS / "golden" / "unknown-stack-of-a-function" / "a.cubin").read_bytes())
    content[offset] = byte
    (folder / "a.cubin").write_bytes(content)
    command: list[str | Path] = [
        BUILD / "warpld",
        f"--as={name}",
        "-arch=sm_80",
        "a.cubin",
        "-o",
        "out",
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
def test_a_function_that_is_marked_as_a_kernel_is_a_warning(name: str, tmp_path: Path) -> None:
    """If a function that no input defines is marked as a kernel, warpld warns. nvlink 13.0.88 does
    not."""
    message = "Kernel 'vprintf' is not defined in any input; 'a.cubin' may be damaged"
    with (TESTS / "golden" / "unknown-stack-of-a-function" / "a.cubin").open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        names = [entry.name for entry in table.iter_symbols()]
        offset = table["sh_offset"] + names.index("vprintf") * table["sh_entsize"] + 5
    done = link_damaged(tmp_path, name, offset, 0x10)
    wanted = [f"warpld warning : {message}"] if name == "warpld" else []
    assert [line for line in done.stderr.splitlines() if "amaged" in line] == wanted
    assert done.returncode == 0


def give_another_owner(golden: str, section: str, owner: str, folder: Path) -> None:
    """Writes `a.cubin` in `folder`, a copy of an input of a golden link. In the copy, sh_info of
    `section` says that the section belongs to `owner`."""
    source = TESTS / "golden" / golden
    content = bytearray(source.read_bytes())
    with source.open("rb") as stream:
        file = ELFFile(stream)
        header = file["e_shoff"] + file.get_section_index(section) * file["e_shentsize"]
        index = file.get_section_index(owner)
    content[header + 44 : header + 48] = index.to_bytes(4, "little")  # sh_info
    (folder / "a.cubin").write_bytes(content)


@pytest.mark.parametrize(
    ("golden", "section", "owner", "words"),
    [
        # The relocations of code now belong to constants. The link itself also makes relocations
        # for these constants (of image handles), so two sections of the output have the same name.
        (
            "kernels-used-names-one-memory-of-others/a.cubin",
            ".rel.text.callee",
            ".nv.constant0.in_table",
            [],
        ),
        # In relocatable outputs, sections of local memory keep their names.
        ("local-memory-by-symbols/b.cubin", ".nv.local.j", ".text.dd", ["-r"]),
    ],
    ids=["relocations of code that belong to constants", "local memory"],
)
def test_a_section_that_is_named_after_another_owner(
    golden: str, section: str, owner: str, words: list[str], tmp_path: Path
) -> None:
    """warpld links such an input and warns, because nvlink links it, too."""
    give_another_owner(golden, section, owner, tmp_path)
    command: list[str | Path] = [BUILD / "warpld", "-arch=sm_80", *words, "a.cubin", "-o", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        0,
        "warpld warning : Input file 'a.cubin' may be damaged, and was linked anyway: section"
        f" {section}: name does not match the section that this one belongs to (owner-name)\n",
    )
