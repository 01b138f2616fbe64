"""Tests cubintool diff --bytes: what it finds and ignores, and the form of its report."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from cubin_changes import Change, bytes_at, section_field, symbol_field
from cubin_file import CubinFile
from tool import CUBINS, DATA, cubintool, run

LINKED = DATA / "linked-86.cubin"
NOTE = ".note.nv.tkinfo"


def changed(change: Change, folder: Path, original: Path = LINKED) -> Path:
    file = CubinFile(original)
    change(file)
    return file.write(folder / "changed.cubin")


def differences(*words: object) -> list[str]:
    """The lines that diff --bytes prints for two files, which must differ."""
    lines = cubintool("diff", "--bytes", *words, status=1).splitlines()
    assert lines
    return lines


# --------------------------------------------------------------------------------------------------
# Nothing to find


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
@pytest.mark.parametrize(
    "options", [[], ["--bytes"], ["--strict"]], ids=["meaning", "bytes", "strict"]
)
def test_file_is_equal_to_itself(path: Path, options: list[str], tmp_path: Path) -> None:
    copy = shutil.copy(path, tmp_path / "copy")
    assert cubintool("diff", *options, path, copy) == ""


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
def test_comparison_is_symmetric(path: Path) -> None:
    for other in CUBINS:
        for options in ((), ("--strict",)):
            there = run("diff", *options, path, other).returncode
            back = run("diff", *options, other, path).returncode
            assert there == back == int(path != other)


# --------------------------------------------------------------------------------------------------
# One change each


def record_value(section: str, code: int, offset: int, data: bytes) -> Change:
    """Overwrites bytes of an attribute record; `offset` counts from the record's format byte."""

    def change(file: CubinFile) -> None:
        file.section(section).patch(file.record(section, code) + offset, data)

    return change


def relocation_symbol(section: str, entry: int, name: str) -> Change:
    def change(file: CubinFile) -> None:
        place = file.section(section).entry_size * entry + 12
        file.section(section).patch(place, struct.pack("<I", file.symbol_index(name)))

    return change


def callgraph_target(file: CubinFile) -> None:
    section = file.section(".nv.callgraph")
    at = section.data.index(struct.pack("<I", file.symbol_index("helper")))
    section.patch(at, struct.pack("<I", file.symbol_index("square")))


def callgraph_heading(file: CubinFile) -> None:
    """Removes the last heading of the call graph, and what follows it."""
    data = file.section(".nv.callgraph").data
    del data[data.index(struct.pack("<Ii", 0, -4)) :]


def prototype_string(file: CubinFile) -> None:
    offset = file.string("#ill")
    file.section(".nv.prototype").patch(12, struct.pack("<I", offset))


def renamed_section(file: CubinFile) -> None:
    names = file.section(".shstrtab").data
    at = names.index(b".nv.rel.action\0")
    names[at : at + 14] = b".nv.rel.option"


def renamed_symbol(file: CubinFile) -> None:
    strings = file.section(".strtab").data
    at = strings.index(b"\0add_five\0")
    strings[at + 1 : at + 9] = b"add_nine"


# Maps a name to a change, and to words that must all be on one line of the output of diff --bytes.
CHANGES = {
    "code byte": (
        bytes_at(".text.helper", 16, b"\x5a"),
        [".text.helper", "1 byte differ", "0x10"],
    ),
    "data byte": (bytes_at(".nv.global.init", 0, b"\x09"), [".nv.global.init", "A 07", "B 09"]),
    "symbol value": (symbol_field("zeroed", 4, 4), [".symtab: zeroed: value: A 0x0, B 0x4"]),
    "symbol size": (symbol_field("weights", 5, 8), [".symtab: weights: size: A 0x10, B 0x8"]),
    "symbol binding": (
        symbol_field("counter", 1, 0x21),
        [".symtab: counter: binding: A GLOBAL, B WEAK"],
    ),
    "symbol type": (symbol_field("weights", 1, 0x10), [".symtab: weights: type: A OBJECT"]),
    "symbol visibility": (symbol_field("zeroed", 2, 2), ["zeroed: visibility", "B HIDDEN"]),
    "symbol kind": (symbol_field("helper", 2, 0x10), [".symtab: helper: other: A -, B ENTRY"]),
    "symbol name": (renamed_symbol, [".strtab: only in B: add_nine"]),
    "relocation offset": (
        bytes_at(".rel.text.helper", 0, b"\x58"),
        [".rel.text.helper: only in B: offset=0x58"],
    ),
    "relocation type": (
        bytes_at(".rel.text.helper", 8, b"\x39"),
        [".rel.text.helper: offset=0x30: type: A R_CUDA_ABS32_LO_32, B R_CUDA_ABS32_HI_32"],
    ),
    "relocation symbol": (
        relocation_symbol(".rel.text.helper", 0, "zeroed"),
        [".rel.text.helper: offset=0x30: symbol: A operations, B zeroed"],
    ),
    "relocation addend": (
        bytes_at(".rela.text.helper", 16, b"\x20\x01"),
        [".rela.text.helper", "addend: A 0xe0, B 0x120"],
    ),
    "attribute value": (
        record_value(".nv.info", 0x2F, 8, b"\x40"),
        [".nv.info: REGCOUNT symbol=twin@.text.twin#2+0x0: value: A 0x18, B 0x40"],
    ),
    "attribute symbol": (
        record_value(".nv.info", 0x2F, 4, b"\x1a"),
        [".nv.info: only in B: REGCOUNT symbol=counter"],
    ),
    "byte attribute": (
        record_value(".nv.info._Z5firstPjcd", 0x4C, 2, b"\x03"),
        [".nv.info._Z5firstPjcd: NUM_BARRIERS: value: A 2, B 3"],
    ),
    "attribute code": (
        record_value(".nv.info._Z5firstPjcd", 0x1B, 1, b"\x5f"),
        [".nv.info._Z5firstPjcd: only in B: MERCURY_ISA_VERSION"],
    ),
    "kernel parameter": (
        record_value(".nv.info._Z5firstPjcd", 0x17, 14, b"\x11"),
        [".nv.info._Z5firstPjcd", "KPARAM_INFO index=0 ordinal=", "size"],
    ),
    "callgraph edge": (callgraph_target, [".nv.callgraph", "square"]),
    "callgraph heading": (callgraph_heading, [".nv.callgraph", "only in A: takes the address of"]),
    "prototype": (prototype_string, [".nv.prototype", "#ill"]),
    "section name": (renamed_section, [".nv.rel.action", "only in A"]),
    "section type": (section_field(".debug_frame", "type", 0x70000087), [".debug_frame: type"]),
    "section flags": (section_field(".nv.constant3", "flags", 3), [".nv.constant3: flags: A A"]),
    "section address": (section_field(".nv.constant3", "address", 64), ["address: A 0x0, B 0x40"]),
    "section alignment": (section_field(".nv.constant3", "align", 2), ["alignment: A 4, B 2"]),
    "section entry size": (section_field(".nv.constant3", "entry_size", 8), ["entry_size"]),
    "section link": (section_field(".nv.constant3", "link", 3), ["link: A -, B .symtab"]),
    "section info": (section_field(".nv.constant3", "info", 7), ["info: A -, B 0x7"]),
    "memory size": (section_field(".nv.global", "size", 44), [".nv.global: size: A 0x28, B 0x2c"]),
    "register byte": (
        lambda file: setattr(
            file.section(".text.helper"), "info", file.section(".text.helper").info + (1 << 24)
        ),
        [".text.helper: info: A helper,36 registers, B helper,37 registers"],
    ),
    "architecture": (lambda file: file.header.__setitem__(49, 89), ["sm: A 86, B 89"]),
    "header entry": (lambda file: file.header.__setitem__(24, 4), ["entry: A 0x0, B 0x4"]),
    "segment flags": (
        lambda file: setattr(file.segments[1], "flags", 4),
        ["program headers: only in B: LOAD flags=R--"],
    ),
    "segment alignment": (
        lambda file: setattr(file.segments[1], "align", 16),
        ["program headers: LOAD flags=R-X", "alignment: A 8, B 16"],
    ),
    "segment missing": (lambda file: file.segments.pop(2), ["program_headers: A 4, B 3"]),
    "segment contents": (
        lambda file: file.segments[1].held.pop(),
        ["program headers: LOAD flags=R-X", "sections"],
    ),
    "virtual architecture": (
        bytes_at(".note.nv.cuinfo", 26, b"\x50"),
        [".note.nv.cuinfo", "virtual_sm: A 75, B 80"],
    ),
    "relocation action": (
        bytes_at(".nv.rel.action", 11, b"\x12"),
        [".nv.rel.action: R_CUDA_CONST_FIELD22_37: fields: A 17@37<-0"],
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_change_is_found(name: str, tmp_path: Path) -> None:
    change, words = CHANGES[name]
    other = changed(change, tmp_path)
    lines = differences("--limit", 1000, LINKED, other)
    assert any(all(word in line for word in words) for line in lines), "\n".join(lines)
    differences("--strict", LINKED, other)


@pytest.mark.parametrize("name", CHANGES)
def test_change_is_all_that_is_found(name: str, tmp_path: Path) -> None:
    """diff reports the change and its consequences, but nothing else."""
    lines = differences("--limit", 1000, LINKED, changed(CHANGES[name][0], tmp_path))
    most = {"callgraph heading": 4, "section name": 6, "segment missing": 6, "symbol name": 15}
    assert len(lines) <= most.get(name, 3), "\n".join(lines)


def test_file_types_are_compared(tmp_path: Path) -> None:
    """The test changes a relocatable file, because an executable of another type could not be
    read."""
    original = DATA / "first-86.o.cubin"
    file = CubinFile(original)
    file.header[16] = 3
    (line,) = differences(original, file.write(tmp_path / "changed.cubin"))
    assert "ELF header: type: A REL, B" in line


def test_changes_of_the_mercury_view_are_found(tmp_path: Path) -> None:
    original = DATA / "linked-100.cubin"
    sections = json.loads(cubintool("dump", "--json", original))[0]["sections"]
    mercury = [s for s in sections if "M" in s["flags"] and s["size"]]
    assert len(mercury) > 10
    for section in mercury:
        data = bytearray(original.read_bytes())
        # The last byte of each section is contents, not part of an index that must be in range.
        data[section["offset"] + section["size"] - 1] ^= 1
        other = tmp_path / "changed.cubin"
        other.write_bytes(data)
        for options in ((), ("--strict",)):
            assert run("diff", *options, original, other).returncode in (1, 2), section["name"]


# --------------------------------------------------------------------------------------------------
# Differences without a meaning


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


# --------------------------------------------------------------------------------------------------
# Output


def test_limit(tmp_path: Path) -> None:
    a, b = DATA / "first-86.o.cubin", DATA / "second-86.o.cubin"
    every = differences("--limit", 100000, a, b)
    assert len(every) > 40
    assert differences(a, b) == every[:40] + [f"{len(every) - 40} more differences"]
    assert differences("--limit=3", a, b) == every[:3] + [f"{len(every) - 3} more differences"]
    assert differences("--limit", 0, a, b) == [f"{len(every)} more differences"]


def test_json(tmp_path: Path) -> None:
    other = changed(CHANGES["relocation symbol"][0], tmp_path)
    result = json.loads(cubintool("diff", "--bytes", "--json", LINKED, other, status=1))
    assert result == {
        "a": str(LINKED),
        "b": str(other),
        "strict": False,
        "equal": False,
        "count": 1,
        "differences": [
            {
                "section": ".rel.text.helper",
                "entry": "offset=0x30",
                "field": "symbol",
                "a": "operations",
                "b": "zeroed",
            }
        ],
    }
    same = json.loads(cubintool("diff", "--json", "--strict", LINKED, LINKED))
    assert same["equal"] is True and same["strict"] is True and same["differences"] == []


def test_unusable_files(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no ELF")
    cut = tmp_path / "cut"
    cut.write_bytes(LINKED.read_bytes()[:-2000])
    cases = ((text, "neither device code"), (cut, "("), (tmp_path / "none", "No such file"))
    for bad, message in cases:
        for words in ((LINKED, bad), (bad, LINKED)):
            done = run("diff", *words)
            assert done.returncode == 2 and message in done.stderr and done.stdout == ""
