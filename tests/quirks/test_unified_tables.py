"""Tests links with unified tables for which nvlink 13.0.88 crashes, writes bytes of its working
memory, or makes a wrong program.

* nvlink does not notice that the index file leaves out entries, or that it has ranges that overlap
  or lie outside of the table.
* Addresses that unified variables hold keep their offsets when the variables move.
* If static functions share a name, only one of their stubs is assigned its value.
* A program with one kernel loses what only unified functions call.
* Slots lose their shared memory if the first slot has none.
* nvlink looks up identifiers by a key. It does not notice that two records have the same identifier
  if one of them is the first record with its key.
* From sm_100 on native stack sizes of the slots are wrong.
* nvlink makes wrong programs from objects whose stubs, variables and records do not fit together.
  No compiler writes such objects."""

from __future__ import annotations

import io
import json
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cubin import Cubin, read_cubin
from elftools.elf.elffile import ELFFile
from quirk_link import BUILD, DATA, Link, link, relocations, symbol_value

Entry = tuple[int, int, int]  # two words of the identifier, offset
FUNCTIONS = [(1, 2, 0), (3, 4, 0x80)]
VARIABLES = [(5, 6, 0), (7, 8, 8)]
OBJECT = DATA / "unified.sm_90.cubin"
STUB = "__cuda_uf_stub_"


def index_file(functions: list[Entry], variables: list[Entry], windows: tuple[int, int]) -> bytes:
    header = struct.pack(
        "<8sIIQQQQ", b"\x7fUFTINDX", 1, 0, windows[0], len(functions), windows[1], len(variables)
    )
    return header + b"".join(struct.pack("<QQQ", *entry) for entry in [*functions, *variables])


def link_with(
    folder: Path,
    functions: list[Entry],
    variables: list[Entry] = VARIABLES,
    inputs: tuple[Path, ...] = (OBJECT,),
    windows: tuple[int, int] = (0x100, 0x10),
    architecture: str = "sm_90",
) -> Link:
    path = folder / "unified.index"
    path.write_bytes(index_file(functions, variables, windows))
    return link(folder, architecture, *inputs, options=(f"--uidx-file={path}",))


def section(cubin: Path, name: str) -> bytes:
    return bytes(ELFFile(io.BytesIO(cubin.read_bytes())).get_section_by_name(name).data())


LAST = (1 << 64) - 0x40
REFUSED = {
    "function left out": ([(1, 2, 0)], VARIABLES, "assigns no offset to 'second'"),
    "variable left out": (FUNCTIONS, [(7, 8, 8)], "assigns no offset to 'small'"),
    "functions overlap": ([(1, 2, 0), (3, 4, 0)], VARIABLES, "to 'first' and 'second'"),
    "functions overlap in part": ([(1, 2, 0), (3, 4, 0x40)], VARIABLES, "overlapping ranges"),
    "variables overlap": (FUNCTIONS, [(5, 6, 12), (7, 8, 8)], "to 'pointer' and 'small'"),
    "function behind the table": ([(1, 2, 0), (3, 4, 0x100)], VARIABLES, "outside the table"),
    "function far outside": ([(1, 2, 0), (3, 4, 1 << 40)], VARIABLES, "outside the table"),
    "function at the end of all": ([(1, 2, 0), (3, 4, LAST)], VARIABLES, "outside the table"),
    "variable outside": (FUNCTIONS, [(5, 6, 1 << 40), (7, 8, 8)], "size of uidx window"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_index_file_that_does_not_fit_is_refused(fault: str, tmp_path: Path) -> None:
    functions, variables, message = REFUSED[fault]
    result = link_with(tmp_path, functions, variables)
    assert result.status == 1
    assert message in result.messages
    assert not result.output.exists()


def test_gaps_are_bounded_and_zero(tmp_path: Path) -> None:
    apart = [(5, 6, 0), (7, 8, 0x40)]
    result = link_with(tmp_path, FUNCTIONS, apart, windows=(0x100, 0x48))
    assert (result.status, result.messages) == (0, "")
    assert section(result.output, ".nv.udt") == struct.pack("<I", 7) + bytes(0x44)
    far = [(5, 6, 0), (7, 8, 1 << 40)]
    result = link_with(tmp_path, FUNCTIONS, far, windows=(0x100, (1 << 40) + 8))
    assert result.status == 1
    assert "spreads the unified data table" in result.messages


@pytest.mark.parametrize("place", [0, 8])
def test_addresses_move_with_their_variable(place: int, tmp_path: Path) -> None:
    variables = [(5, 6, 8 - place), (7, 8, place)]
    result = link_with(tmp_path, FUNCTIONS, variables, windows=(0x100, 16 if place else 12))
    assert (result.status, result.messages) == (0, "")
    assert symbol_value(result.output, "pointer") == place
    assert relocations(result.output, ".nv.udt") == {place: "plain"}


@pytest.mark.parametrize("joined", [False, True], ids=["at once", "joined before"])
def test_stubs_of_one_name_have_their_own_values(joined: bool, tmp_path: Path) -> None:
    inputs = tuple(
        DATA / f"{name}.sm_90.cubin" for name in ("unified_static", "unified_static_too")
    )
    if joined:
        relinked = link(tmp_path, "sm_90", *inputs, options=("-r",))
        inputs = (relinked.output.rename(tmp_path / "joined.cubin"),)
    result = link_with(tmp_path, [(9, 10, 0x80), (11, 12, 0)], [], inputs, (0x100, 0))
    assert (result.status, result.messages) == (0, "")
    table = ELFFile(io.BytesIO(result.output.read_bytes())).get_section_by_name(".symtab")
    stubs = table.get_symbol_by_name(f"{STUB}local")
    assert [stub["st_value"] for stub in stubs] == [0x80, 0]


def test_what_only_unified_functions_call_is_kept(tmp_path: Path) -> None:
    result = link_with(tmp_path, FUNCTIONS)
    assert result.status == 0
    assert "helper" in relocations(result.output, ".text.second").values()


def test_slots_have_their_shared_memory(tmp_path: Path) -> None:
    functions = [(0xD, 0xE, 0), (0xF, 0x10, 0x80)]
    inputs = (DATA / "unified_shared.sm_90.cubin",)
    result = link_with(tmp_path, functions, [], inputs, (0x100, 0))
    assert (result.status, result.messages) == (0, "")
    file = ELFFile(io.BytesIO(result.output.read_bytes()))
    names = {section.name for section in file.iter_sections()}
    shared = {name for name in names if name.startswith(".nv.shared.")}
    assert shared == {".nv.shared.calling", f".nv.shared.{STUB}sharing"}


def test_equal_identifiers_are_named(tmp_path: Path) -> None:
    result = link_with(tmp_path, FUNCTIONS, VARIABLES, (OBJECT, OBJECT), (0x200, 0x20))
    assert result.status == 1
    renamed = tmp_path / "renamed.cubin"
    content = OBJECT.read_bytes()
    for name in (b"first", b"second", b"kernel", b"pointer", b"small"):
        content = content.replace(b"\0" + name + b"\0", b"\0" + name[:-1] + b"_\0")
        content = content.replace(b"stub_" + name + b"\0", b"stub_" + name[:-1] + b"_\0")
        content = content.replace(b"." + name + b"\0", b"." + name[:-1] + b"_\0")
    renamed.write_bytes(content)
    result = link_with(tmp_path, FUNCTIONS, VARIABLES, (OBJECT, renamed), (0x200, 0x20))
    assert result.status == 1
    assert "duplicate ids in uft.entry" in result.messages
    assert "'first' in" in result.messages and "'firs_' in" in result.messages


# Objects that no compiler writes ------------------------------------------------------------------


def lose_stub(cubin: Cubin) -> None:
    cubin.symbols[cubin.symbol_index(f"{STUB}second")].name = f"{STUB}other"


def record_of_function(cubin: Cubin) -> None:
    struct.pack_into("<I", cubin.section(".nv.udt.entry").data, 0, cubin.symbol_index("first"))


def symbol_without_record(cubin: Cubin) -> None:
    small = cubin.symbols[cubin.symbol_index("small")]
    cubin.add_symbol("half", small.section, small.value + 2, 2, other=small.other)
    small.size = 2


UNFIT: dict[str, tuple[Callable[[Cubin], None], str]] = {
    "record without stub": (lose_stub, "UFT stub match not found"),
    "record of no variable": (record_of_function, "'first' in"),
    "variable without record": (symbol_without_record, "that no entry covers"),
}


@pytest.mark.parametrize("fault", UNFIT)
def test_objects_that_do_not_fit_are_refused(fault: str, tmp_path: Path) -> None:
    change, message = UNFIT[fault]
    cubin = read_cubin(OBJECT)
    change(cubin)
    changed = tmp_path / "changed.cubin"
    changed.write_bytes(cubin.write())
    result = link_with(tmp_path, FUNCTIONS, inputs=(changed,))
    assert result.status == 1
    assert message in result.messages
    assert not result.output.exists()


# With code in both views --------------------------------------------------------------------------


def link_mercury(folder: Path) -> Path:
    result = link_with(
        folder,
        FUNCTIONS,
        [(5, 6, 0)],
        (DATA / "unified_mercury.sm_100.cubin",),
        (0x100, 4),
        "sm_100",
    )
    assert (result.status, result.messages) == (0, "")
    return result.output


def differences(folder: Path) -> list[dict[str, Any]]:
    """The differences between warpld's output and the recorded output of nvlink."""
    output = link_mercury(folder)
    linked = DATA / "unified_linked.cubin"
    command: list[str | Path] = [BUILD / "cubintool", "diff", "--bytes", "--json", linked, output]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: list[dict[str, Any]] = json.loads(done.stdout)["differences"]
    return found


def test_each_slot_has_its_own_stack_size(tmp_path: Path) -> None:
    """nvlink gives all slots the size of the last one, which is 0 here. The first slot needs 8."""
    found = [(d["section"], d["entry"], d["a"], d["b"]) for d in differences(tmp_path)]
    assert found == [(".nv.info", f"MIN_STACK_SIZE symbol={STUB}deep", "0x0", "0x8")]
