"""A relocation that makes no sense causes an error, which states its file and offset.

nvlink 13.0.88 crashes on some of these relocations, and reports the others without file and
offset."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from quirk_link import DATA, link

OBJECT = DATA / "second.sm_90.cubin"
SECTION = ".rela.nv.constant3"
MERCURY_OBJECT = DATA / "kernel_address.sm_100.cubin"
MERCURY_SECTION = ".nv.merc.rela.nv.global.init"
SAME_SECTION = "PC relative branch address should be in the same section"
NO_FUNCTION = "function descriptor of something that is not a function"
FUNC_DESC_64, PCREL_IMM24_26, UNIFIED, NONE_LAST = 35, 40, 102, 116
MERCURY_ABS64, BEYOND_ALL = 0x10002, 0x20000
MERCURY_NONE, MERCURY_NONE_LAST = 0x10000, 0x10040


def retargeted(number: int, target: str) -> bytes:
    """A copy of the object in which the first relocation of the constant table has this type and
    target."""
    content = bytearray(OBJECT.read_bytes())
    with OBJECT.open("rb") as stream:
        elf = ELFFile(stream)
        entries = elf.get_section_by_name(SECTION)
        names = [symbol.name for symbol in elf.get_section_by_name(".symtab").iter_symbols()]
        place = entries["sh_offset"]
    struct.pack_into("<II", content, place + 8, number, names.index(target))
    return bytes(content)


@pytest.mark.parametrize("number", (BEYOND_ALL, BEYOND_ALL << 8 | FUNC_DESC_64))
@pytest.mark.parametrize("target", ("constant_table", "variable", ""))
def test_a_type_of_no_view_is_damage(number: int, target: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(retargeted(number, target))
    result = link(tmp_path, "sm_90", bad)
    assert result.status == 1 and not result.output.exists()
    assert "unknown relocation type (relocation-type)" in result.messages


@pytest.mark.parametrize(
    "number, target, message",
    [
        (FUNC_DESC_64, "constant_table", NO_FUNCTION),
        (FUNC_DESC_64, "variable", NO_FUNCTION),
        (FUNC_DESC_64, "__UFT_OFFSET", NO_FUNCTION),
        (FUNC_DESC_64, ".nv.reservedSmem.offset0", NO_FUNCTION),
        (PCREL_IMM24_26, "constant_table", SAME_SECTION),
        (MERCURY_ABS64, "constant_table", "unexpected NVRS"),
        (UNIFIED, "__UFT", "reference to deleted symbol"),
    ],
)
def test_message_names_the_location(number: int, target: str, message: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(retargeted(number, "" if target == "(none)" else target))
    result = link(tmp_path, "sm_90", bad)
    assert result.status == 1
    assert message in result.messages
    assert "bad.cubin:(.nv.constant3+0x" in result.messages
    assert f"against '{target}'" in result.messages
    assert not result.output.exists()


def test_a_native_type_that_does_not_exist_is_damage(tmp_path: Path) -> None:
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(retargeted(NONE_LAST, "constant_table"))
    result = link(tmp_path, "sm_90", bad)
    assert result.status == 1
    assert f"section {SECTION}: unknown relocation type" in result.messages
    assert not result.output.exists()


@pytest.mark.parametrize("number", [MERCURY_NONE, MERCURY_NONE_LAST, MERCURY_NONE_LAST + 1])
def test_a_mercury_type_that_no_object_may_have_is_damage(number: int, tmp_path: Path) -> None:
    content = bytearray(MERCURY_OBJECT.read_bytes())
    with MERCURY_OBJECT.open("rb") as stream:
        entries = ELFFile(stream).get_section_by_name(MERCURY_SECTION)
    struct.pack_into("<I", content, entries["sh_offset"] + 8, number)
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(content)
    result = link(tmp_path, "sm_100", bad)
    assert result.status == 1
    assert f"section {MERCURY_SECTION}: unknown relocation type" in result.messages
    assert not result.output.exists()
