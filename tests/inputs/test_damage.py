"""If a file that carries device code is damaged, the link fails with a message. nvlink 13.0.88
silently leaves out the code of most of these files, and exits with 0."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from container_files import (
    HostObject,
    HostSection,
    archive,
    cubin_entry,
    fat_binary,
    write_elf,
)
from cubin import STT_CUDA_OBJECT, STT_TEXTURE, read_cubin
from input_link import FATAL, FIRST, SECOND, link, put

CODE = fat_binary(cubin_entry(FIRST))
GOOD = HostObject(CODE, module_ids=("_1",)).write()
E_TYPE, E_SHOFF, E_PHNUM, E_SHSTRNDX = 16, 40, 56, 62


def with_field(content: bytes, form: str, offset: int, value: int) -> bytes:
    changed = bytearray(content)
    struct.pack_into(form, changed, offset, value)
    return bytes(changed)


def renamed(old: bytes, new: bytes) -> bytes:
    return GOOD.replace(old, new)


def member_renamed(new: bytes) -> bytes:
    """An archive whose second member has one of the names that archives use for their tables."""
    content = archive({"b.o": GOOD, "a.o": HostObject().write()})
    at = content.rindex(b"a.o/")
    return content[:at] + new.ljust(4) + content[at + 4 :]


def for_architecture(number: int) -> bytes:
    """A fat binary whose first image claims to be for this architecture."""
    return with_field(CODE, "<I", 16 + 28, number)


CUBIN = FIRST.read_bytes()
PARSED = read_cubin(FIRST)
RELOCATION_TYPE = PARSED.section(".rel.text.first").offset + 8


def with_symbol_type(name: str, kind: int) -> bytes:
    offset = PARSED.symbol_table.offset + 24 * PARSED.symbol_index(name) + 4
    return with_field(CUBIN, "<B", offset, kind)  # sets st_info: STB_LOCAL and the type


DAMAGED = {
    "architecture-0.fatbin": for_architecture(0),
    "architecture-1104.o": HostObject(for_architecture(80 ^ 1 << 10)).write(),
    "large-architecture.a": archive({"a.o": HostObject(for_architecture(80 ^ 1 << 31)).write()}),
    "relocation-22.cubin": with_field(CUBIN, "<B", RELOCATION_TYPE + 2, 0x40),
    "relocation-27.cubin": with_field(CUBIN, "<B", RELOCATION_TYPE + 3, 0x08),
    "section-texture.cubin": with_symbol_type(".text.first", STT_TEXTURE + 1),
    "parameter-texture.cubin": with_symbol_type("_param", STT_CUDA_OBJECT - 1),
    "magic.o": with_field(GOOD, "<B", 1, ord("D")),
    "segment.o": renamed(b".nvFatBinSegment", b".ntFatBinSegment"),
    "code.o": renamed(b"__nv_relfatbin", b"__nv_relfatbio"),
    "both.o": renamed(b".nvFatBinSegment", b".ntFatBinSegment").replace(b"__nv_r", b"__nw_r"),
    "three.o": renamed(b".nvFat", b".ntFat").replace(b"__nv_", b"__nw_"),
    "no-names.o": with_field(GOOD, "<H", E_SHSTRNDX, 0),
    "names-outside.o": with_field(GOOD, "<H", E_SHSTRNDX, 99),
    "moved-headers.o": with_field(GOOD, "<Q", E_SHOFF, struct.unpack_from("<Q", GOOD, 40)[0] - 8),
    "type.o": with_field(GOOD, "<H", E_TYPE, 3),
    "cut-off-type.o": with_field(GOOD, "<H", E_TYPE, 3)[:2000],
    "fat-binary-magic.o": GOOD.replace(CODE[:4], b"\x51" + CODE[1:4]),
    "fat-binary.x": b"\x51" + CODE[1:],
    "second-fat-binary.o": HostObject(CODE + b"\x51" + CODE[1:]).write(),
    "cubin.x": b"\x7fELG" + FIRST.read_bytes()[4:],
    "archive.a": archive({"a.o": GOOD}).replace(b"!<arch>", b"!<arcj>"),
    "member.a": member_renamed(b"/"),
    "nested.a": archive({"a.a": archive({"a.o": with_field(GOOD, "<B", 1, ord("D"))})}),
    "deep.a": archive({"a.o": renamed(b"__nv_relfatbin", b"__nv_relfatbio")}),
}


@pytest.mark.parametrize("program", ["warpld", "nvlink"])
@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_an_error(name: str, program: str, tmp_path: Path) -> None:
    outcome = link(tmp_path, SECOND, put(tmp_path, name, DAMAGED[name]), name=program)
    assert (outcome.status, outcome.output) == (FATAL, b"")
    assert name in outcome.lines[0] and outcome.lines[0].startswith("fatal")


def test_archives_inside_archives_are_linked(tmp_path: Path) -> None:
    expected = link(tmp_path, FIRST, SECOND).output
    inner = archive({"first.o": GOOD})
    second = HostObject(fat_binary(cubin_entry(SECOND))).write()
    outer = archive({"inner.a": inner, "second.o": second})
    for program in ("warpld", "nvlink"):
        outcome = link(tmp_path, put(tmp_path, "outer.a", outer), name=program)
        assert (outcome.status, outcome.messages) == (0, "")
        assert len(outcome.output) == len(expected)


def test_archives_are_not_read_to_any_depth(tmp_path: Path) -> None:
    content = GOOD
    for _ in range(20):
        content = archive({"a.a": content})
    outcome = link(tmp_path, SECOND, put(tmp_path, "deep.a", content))
    assert outcome.status == FATAL
    assert "too many archives are inside one another" in outcome.messages


def test_an_image_that_a_program_carries_as_data_is_no_damage(tmp_path: Path) -> None:
    """A program that loads device code itself may contain a fat binary in an array."""
    content = write_elf([HostSection(".text", b"\xc3"), HostSection(".rodata", CODE)], 62)
    outcome = link(tmp_path, SECOND, put(tmp_path, "a.o", content))
    assert (outcome.status, outcome.messages) == (0, "")


def test_text_that_names_sections_is_no_damage(tmp_path: Path) -> None:
    text = b"SECTIONS { .nvFatBinSegment : { *(.nvFatBinSegment) } __nv_relfatbin : {} }\n"
    outcome = link(tmp_path, SECOND, put(tmp_path, "script.ld", text), name="nvlink")
    assert (outcome.status, outcome.messages) == (0, "")
