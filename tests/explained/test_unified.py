"""Comparisons of unified tables accept the differences that nvlink's known faults cause, and no
others.

The data are three outputs of nvlink for objects of tests/quirks. In the first, nvlink writes wrong
stack sizes for slots. The program of the second has a gap between unified variables, a removed
callee of a unified function, and a variable that moves and holds an address. The program of the
third has two static functions of one name.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cubin import ELF_HEADER, SECTION_HEADER, read_cubin
from faults_unified import GAPS, LEFT_BEHIND, LOST_CALLEES, ONE_NAME, STACK_SIZES, STUB
from toolchain import Link
from unified import UnifiedComparer
from unified_programs import INDEX_FILE

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("WARPLD_BUILD", TESTS.parent / "build")).absolute()
DATA = TESTS / "quirks" / "data"
MOVED = "unified_moved"
# Maps each output of nvlink to its index file, its objects, and the faults that the output shows.
LINKS = {
    "unified_linked": ("unified", ("unified_mercury.sm_100",), {STACK_SIZES}),
    MOVED: (MOVED, ("unified.sm_90",), {GAPS, LEFT_BEHIND, LOST_CALLEES}),
    "unified_static": (
        "unified_static",
        ("unified_static.sm_90", "unified_static_too.sm_90"),
        {ONE_NAME},
    ),
}


def explain(
    name: str, folder: Path, change: Callable[[Path], None] = lambda path: None
) -> set[str]:
    """Changes a copy of nvlink's output. Returns the faults that together account for all its
    differences from our output. Returns an empty set if a difference remains."""
    index, objects, _ = LINKS[name]
    theirs = folder / "theirs.cubin"
    shutil.copyfile(DATA / f"{name}.cubin", theirs)
    change(theirs)
    shutil.copyfile(DATA / f"{index}.index", folder / INDEX_FILE)
    inputs = [folder / f"{found}.cubin" for found in objects]
    for path in inputs:
        shutil.copyfile(DATA / path.name, path)
    called_as = folder / "ours" / "nvlink"
    called_as.parent.mkdir()
    called_as.symlink_to(BUILD / "warpld")
    arch = objects[0].rpartition(".")[2]
    arguments = [f"-arch={arch}", f"-uidx={INDEX_FILE}", *(path.name for path in inputs)]
    comparer = UnifiedComparer(BUILD / "warpld", f"{BUILD / 'cubintool'} diff")
    ours = comparer.link(str(called_as), arguments, folder, "ours.cubin")
    assert (ours.status, ours.messages) == (0, [])
    found = comparer.explain_link(Link(0, [], theirs), ours, inputs, arguments)
    return set(found.split(", ")) if found else set()


@pytest.mark.parametrize("name", LINKS)
def test_faults_of_nvlink_are_named(name: str, tmp_path: Path) -> None:
    assert explain(name, tmp_path) == LINKS[name][2]


# Faults that are added to an output ---------------------------------------------------------------


def flip(path: Path, section: str, offset: int, bits: int = 1) -> None:
    data, cubin = bytearray(path.read_bytes()), read_cubin(path)
    headers = ELF_HEADER.unpack_from(data)[6] + SECTION_HEADER.size * cubin.section_index(section)
    data[SECTION_HEADER.unpack_from(data, headers)[4] + offset] ^= bits
    path.write_bytes(data)


def flip_symbol(path: Path, name: str, offset: int) -> None:
    flip(path, ".symtab", 24 * read_cubin(path).symbol_index(name) + offset)


def register_count(path: Path) -> None:
    data = bytes(read_cubin(path).section(".nv.info").data)
    flip(path, ".nv.info", data.index(bytes((4, 0x2F, 8, 0))) + 8)


def stack_size_of_one_slot(path: Path) -> None:
    cubin = read_cubin(path)
    data = bytes(cubin.section(".nv.info").data)
    slots = [i for i, symbol in enumerate(cubin.symbols) if symbol.name.startswith(STUB)]
    flip(path, ".nv.info", data.index(bytes((4, 0x12, 8, 0, slots[0]))) + 8, 16)


def frame_of_slot(path: Path) -> None:
    cubin = read_cubin(path)
    entries = cubin.section(".rela.debug_frame").relocations()
    entry = next(e for e in entries if cubin.symbols[e.symbol].name.startswith(STUB))
    flip(path, ".debug_frame", entry.offset + 8)


CHANGES = {
    "registers of a function": ("unified_linked", register_count),
    "stack size of one slot": ("unified_linked", stack_size_of_one_slot),
    "native frame of a slot": ("unified_linked", frame_of_slot),
    "code of a slot": ("unified_linked", lambda path: flip(path, ".nv.uft", 4)),
    "symbol of a slot": ("unified_linked", lambda path: flip_symbol(path, f"{STUB}deep", 16)),
    "content of a variable": (MOVED, lambda path: flip(path, ".nv.udt", 12)),
    "offset of an address": (MOVED, lambda path: flip(path, ".rela.nv.udt", 0, 4)),
    "addend of an address": (MOVED, lambda path: flip(path, ".rela.nv.udt", 16)),
    "code of the caller": (MOVED, lambda path: flip(path, ".text.second", 4)),
    "place of a variable": (MOVED, lambda path: flip_symbol(path, "small", 8)),
    "size of a static function": ("unified_static", lambda path: flip_symbol(path, "local", 16)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_other_differences_are_not_accepted(change: str, tmp_path: Path) -> None:
    name, changes = CHANGES[change]
    assert explain(name, tmp_path, changes) == set()
