"""Tests cubintool diff --bytes: which changes it finds, and the form of its report."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import pytest
from cubin_changes import Change, bytes_at, changed, section_field, symbol_field
from cubin_file import CubinFile
from tool import CUBINS, DATA, LINKED, cubintool, differences, run

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
