"""The comparison recognises the differences that our libnvJitLink may have from NVIDIA's, and no
others.

A copy of our output in which bytes are changed stands for the output of NVIDIA's library.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from cubin import read_cubin
from debug_records import read_name
from explained import differing
from faults_client import REGISTERS, Alone, explain_refused, other_helpers
from faults_constants import DROPPED_CONSTANTS, MISALIGNED_CONSTANTS

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("WARPLD_BUILD", TESTS.parent / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"
HELPER = "__cuda_sm70_matchsync_any_b32"
HELPER_CODE = f".text.{HELPER}"
KERNEL_CODE = ".text.kernel"


def changed(path: Path, section: str, at: int) -> None:
    """Changes a byte of a section."""
    content = bytearray(path.read_bytes())
    content[read_cubin(path).section(section).offset + at] ^= 1
    path.write_bytes(content)


def register_of(path: Path, function: str) -> int:
    """The offset of the register number in the first debug record of a function."""
    data = bytes(read_cubin(path).section(REGISTERS).data)
    at = data.index(function.encode() + b"\0") + len(function) + 1 + 8
    return read_name(data, at)[1]


@dataclass
class Links:
    """Files that stand for outputs of the two libraries, `ours` and `theirs`. Each library has two
    outputs: `linked`, of a link that includes the PTX, and `alone`, of the PTX compiled alone."""

    folder: Path

    def __post_init__(self) -> None:
        warpld = [str(BUILD / "warpld"), "-arch=sm_89", "-g", str(DATA / "match.sm_89.cubin")]
        for name, option in (("linked", "-v"), ("alone", "-r")):
            ours = self.folder / f"{name}-ours.cubin"
            command = [*warpld, option, "-o", str(ours)]
            subprocess.run(command, check=True, timeout=60, stderr=subprocess.DEVNULL)
            (self.folder / f"{name}-theirs.cubin").write_bytes(ours.read_bytes())

    def change(self, name: str, section: str, at: int) -> None:
        changed(self.folder / f"{name}-theirs.cubin", section, at)

    def change_registers(self, name: str, function: str) -> None:
        path = self.folder / f"{name}-theirs.cubin"
        changed(path, REGISTERS, register_of(path, function))

    def are_explained(self, text: Path = DATA / "match.ptx") -> bool:
        linked, alone = (
            (self.folder / f"{name}-theirs.cubin", self.folder / f"{name}-ours.cubin")
            for name in ("linked", "alone")
        )
        case = differing([str(BUILD / "cubintool"), "diff"], linked[0], linked[1], [])
        assert case
        return other_helpers(case, [Alone(text, alone[0], alone[1])])


def test_other_code_of_the_compilers_function_is_recognised(tmp_path: Path) -> None:
    links = Links(tmp_path)
    for name in ("linked", "alone"):
        links.change(name, HELPER_CODE, 0x52)
    assert links.are_explained()
    for name in ("linked", "alone"):
        links.change_registers(name, HELPER)
    assert links.are_explained()


def test_only_code_that_the_library_makes_of_the_text_is(tmp_path: Path) -> None:
    links = Links(tmp_path)
    links.change("linked", HELPER_CODE, 0x52)
    assert not links.are_explained()
    links.change("alone", HELPER_CODE, 0x62)
    assert not links.are_explained()


def test_only_registers_that_the_library_makes_of_the_text_are(tmp_path: Path) -> None:
    links = Links(tmp_path)
    for name in ("linked", "alone"):
        links.change(name, HELPER_CODE, 0x52)
    links.change_registers("linked", HELPER)
    assert not links.are_explained()


@pytest.mark.parametrize("section", [KERNEL_CODE, ".debug_frame"])
def test_other_sections_are_not(section: str, tmp_path: Path) -> None:
    links = Links(tmp_path)
    for name in ("linked", "alone"):
        links.change(name, HELPER_CODE, 0x52)
        links.change(name, section, 0x22)
    assert not links.are_explained()


def test_registers_of_other_functions_are_not(tmp_path: Path) -> None:
    links = Links(tmp_path)
    for name in ("linked", "alone"):
        links.change(name, HELPER_CODE, 0x52)
        links.change_registers(name, "kernel")
    assert not links.are_explained()


def test_functions_that_a_text_names_are_not(tmp_path: Path) -> None:
    links = Links(tmp_path)
    for name in ("linked", "alone"):
        links.change(name, HELPER_CODE, 0x52)
    text = tmp_path / "text.ptx"
    text.write_text(f"{(DATA / 'match.ptx').read_text()}// {HELPER}\n")
    assert not links.are_explained(text)


OVERFLOWING = sorted((TESTS / "golden" / "constants-packed-when-they-overflow").glob("*.cubin"))
TOO_MANY = "nvlink error   : File uses too much global constant data (0x13b80 bytes, 0x10000 max)"
LINKED = ["create 0", "add 0", "add 0", "complete 0", "cubin 0", "destroy 0"]
REFUSED = ["create 0", "add 0", "add 0", "complete 6", "cubin 6", TOO_MANY, "ERROR 9: complete"]
DROPPING = ["-arch=sm_90", "-variables-used=nothing", "a.cubin", "b.cubin"]


@pytest.mark.parametrize(
    ("arguments", "theirs", "ours", "expected"),
    [
        (DROPPING, LINKED, [*REFUSED, "destroy 0"], DROPPED_CONSTANTS),
        (DROPPING[:1], LINKED, [*REFUSED, "destroy 0"], MISALIGNED_CONSTANTS),
        (DROPPING, [*REFUSED, "destroy 0"], LINKED, None),
        (DROPPING, LINKED, [*REFUSED, "destroy 10"], None),
        (DROPPING, LINKED, ["create 0", "add 0", "add 3", *REFUSED[3:], "destroy 0"], None),
        (DROPPING, LINKED, [*REFUSED, "nvlink warning : another", "destroy 0"], None),
        (DROPPING, ["create 0", "add 0", "add 0"], [*REFUSED, "destroy 0"], None),
    ],
)
def test_refused_constants(
    arguments: list[str], theirs: list[str], ours: list[str], expected: str | None
) -> None:
    assert OVERFLOWING
    inputs = [path for path in OVERFLOWING if "expected" not in path.name]
    assert explain_refused(arguments, theirs, ours, inputs) == expected
    fitting = [DATA / "alias.sm_89.cubin"]
    assert explain_refused(arguments, theirs, ours, fitting) is None
