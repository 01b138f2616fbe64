"""Tests what only cubintool diff --strict finds: another order, other notes of the inputs, other
padding. No comparison finds another tool note of the linker."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from cubin_changes import Change, bytes_at, changed
from cubin_file import CubinFile
from tool import LINKED, cubintool, differences

NOTE = ".note.nv.tkinfo"


# --------------------------------------------------------------------------------------------------
# Order


def reversed_entries(section: str, first: int = 0, last: int | None = None) -> Change:
    def change(file: CubinFile) -> None:
        found = file.section(section)
        size = found.entry_size
        entries = [found.data[i : i + size] for i in range(0, len(found.data), size)]
        entries[first:last] = entries[first:last][::-1]
        found.data = bytearray(b"".join(entries))

    return change


def reversed_records(section: str) -> Change:
    def change(file: CubinFile) -> None:
        found = file.section(section)
        records = [found.data[at : at + 4 + size] for at, _, size in file.records(found)]
        found.data = bytearray(b"".join(reversed(records)))

    return change


def swapped_symbols(a: str, b: str) -> Change:
    return lambda file: file.swap_symbols(file.symbol_index(a), file.symbol_index(b))


def swapped_sections(a: str, b: str) -> Change:
    return lambda file: file.swap_sections(file.section(a), file.section(b))


def swapped_functions(file: CubinFile) -> None:
    """Exchanges two static functions that have the same name, with all sections that belong to
    them."""
    for prefix in (".text.", ".nv.info.", ".rel.text."):
        file.swap_sections(file.section(prefix + "twin", 0), file.section(prefix + "twin", 1))


def swapped_twin_code(file: CubinFile) -> None:
    file.swap_sections(file.section(".text.twin", 0), file.section(".text.twin", 1))


def moved_string(file: CubinFile) -> None:
    """Makes a symbol use a second copy of its name, at the end of the string table."""
    strings = file.section(".strtab")
    index = file.symbol_index("counter")
    symbol = file.symbol(index)
    symbol[0] = len(strings.data)
    strings.data += b"counter\0"
    file.set_symbol(index, symbol)


def gap_in_file(file: CubinFile) -> None:
    file.section(".strtab").align = 1
    file.section(".shstrtab").data += b"\0"


REORDERED = {
    "relocations": reversed_entries(".rel.text.helper"),
    "relocations of debug information": reversed_entries(".rel.debug_frame"),
    "attributes": reversed_records(".nv.info"),
    "attributes of a kernel": reversed_records(".nv.info._Z5firstPjcd"),
    "edges": reversed_entries(".nv.callgraph", 1, 5),
    "prototypes": reversed_entries(".nv.prototype"),
    "global symbols": swapped_symbols("counter", "zeroed"),
    "functions": swapped_symbols("helper", "square"),
    "sections": swapped_sections(".nv.constant3", ".nv.constant0._Z6secondj"),
    "code": swapped_sections(".text.helper", ".text.square"),
    "functions of one name": swapped_functions,
    "code of functions of one name": swapped_twin_code,
    "strings": moved_string,
    "end of string table": gap_in_file,
}


@pytest.mark.parametrize("name", REORDERED)
def test_order_counts_only_in_strict_comparison(name: str, tmp_path: Path) -> None:
    other = changed(REORDERED[name], tmp_path)
    assert cubintool("diff", LINKED, other) == ""
    assert cubintool("diff", other, LINKED) == ""
    differences("--strict", LINKED, other)


def test_order_of_sections_is_named(tmp_path: Path) -> None:
    other = changed(REORDERED["code"], tmp_path)
    lines = differences("--strict", LINKED, other)
    assert any(line.startswith("section order: from section ") for line in lines)


def test_order_of_entries_is_named(tmp_path: Path) -> None:
    other = changed(REORDERED["attributes"], tmp_path)
    lines = differences("--strict", LINKED, other)
    assert any(line.startswith(".nv.info: order, from entry 0 on: ") for line in lines)


def test_functions_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """Two functions have the same name. diff must report a call that refers to the second function
    in file A and to the first one in file B."""

    def change(file: CubinFile) -> None:
        section = file.section(".rel.text.helper")
        twins = [file.symbol_index("twin", i) for i in (0, 1)]
        at = section.data.index(struct.pack("<I", twins[1]), 12)
        section.patch(at, struct.pack("<I", twins[0]))

    (line,) = differences(LINKED, changed(change, tmp_path))
    assert line.startswith(".rel.text.helper: offset=0x")
    assert line.endswith(": symbol: A twin@.text.twin#2+0x0, B twin@.text.twin#1+0x0")


# --------------------------------------------------------------------------------------------------
# The tool note


def note_of(name: str, count: int = 3) -> bytes:
    strings = b"\0" + name.encode() + b"\0" + b"version\0build\0options\0"
    strings += bytes(-len(strings) % 4)
    at = 1 + len(name) + 1
    words = struct.pack("<6I", 2, 0, 1, at, at + 8, at + 14)
    content = words + strings
    return struct.pack("<III", 12, len(content), 2000) + b"NVIDIA Corp\0" + content


def first_note_size(data: bytes) -> int:
    return 12 + 12 + int(struct.unpack_from("<I", data, 4)[0])


def with_first_note(note: bytes) -> Change:
    def change(file: CubinFile) -> None:
        section = file.section(NOTE)
        section.data[: first_note_size(section.data)] = note

    return change


@pytest.mark.parametrize("name", ["x", "warpld", "a" * 30, "a" * 133])
@pytest.mark.parametrize(
    "options", [[], ["--bytes"], ["--strict"]], ids=["meaning", "bytes", "strict"]
)
def test_tool_note_is_ignored(name: str, options: list[str], tmp_path: Path) -> None:
    """A tool note of any size is ignored, although a larger one moves everything that follows."""
    other = changed(with_first_note(note_of(name)), tmp_path)
    assert other.read_bytes() != LINKED.read_bytes()
    assert cubintool("diff", *options, LINKED, other) == ""


def test_content_of_tool_note_is_ignored(tmp_path: Path) -> None:
    other = changed(bytes_at(NOTE, 24 + 24 + 1, b"oddlnk"), tmp_path)
    assert cubintool("diff", LINKED, other) == ""
    assert cubintool("diff", "--strict", LINKED, other) == ""


def test_tool_notes_of_inputs_count_in_strict_comparison(tmp_path: Path) -> None:
    def change(file: CubinFile) -> None:
        data = file.section(NOTE).data
        at = data.index(b"ptxas\0")
        data[at : at + 5] = b"other"

    other = changed(change, tmp_path)
    assert cubintool("diff", LINKED, other) == ""
    lines = differences("--strict", LINKED, other)
    assert len(lines) == 1 and lines[0].startswith(NOTE) and "notes of the inputs" in lines[0]


def test_other_changes_are_found_after_a_note_of_another_size(tmp_path: Path) -> None:
    def change(file: CubinFile) -> None:
        with_first_note(note_of("warpld"))(file)
        file.section(".text.helper").patch(16, b"\x5a")

    other = changed(change, tmp_path)
    for options in ((), ("--strict",)):
        lines = differences(*options, LINKED, other)
        assert len(lines) == 1 and lines[0].startswith(".text.helper: 1 byte differ")


# --------------------------------------------------------------------------------------------------
# Offsets in the file, with --strict


def padding_before(name: str) -> Callable[[Path], int]:
    def place(path: Path) -> int:
        return CubinFile(path).section(name).offset - 1

    return place


@pytest.mark.parametrize("note", [None, "warpld"], ids=["same note", "other note"])
def test_padding_must_be_zero(note: str | None, tmp_path: Path) -> None:
    other = changed(with_first_note(note_of(note)) if note else lambda file: None, tmp_path)
    data = bytearray(other.read_bytes())
    data[padding_before(".text.twin")(other)] = 0x55
    other.write_bytes(data)
    assert cubintool("diff", LINKED, other) == ""
    lines = differences("--strict", LINKED, other)
    assert len(lines) <= 2 and all(line.startswith("file: ") for line in lines)


@pytest.mark.parametrize("note", [None, "warpld"], ids=["same note", "other note"])
def test_unused_space_is_found(note: str | None, tmp_path: Path) -> None:
    """One file has 16 unused bytes between the last section and the section headers."""
    other = changed(with_first_note(note_of(note)) if note else lambda file: None, tmp_path)
    data = bytearray(other.read_bytes())
    programs, headers = struct.unpack_from("<QQ", data, 32)
    data[headers:headers] = bytes(16)
    struct.pack_into("<QQ", data, 32, programs + 16, headers + 16)
    for at in (0, 3):  # the segments that hold the table of program headers itself
        struct.pack_into("<Q", data, programs + 16 + 56 * at + 8, programs + 16)
    other.write_bytes(data)
    assert cubintool("diff", LINKED, other) == ""
    lines = differences("--strict", LINKED, other)
    assert lines == ["file: section headers: gap: A 0x0, B 0x10"]
