"""A relocation that makes no sense ends in a message that says where it is.

nvlink 13.0.88 crashes on the first kind, and says of the others neither file nor place."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from quirk_link import DATA, link

OBJECT = DATA / "second.sm_90.cubin"
SECTION = ".rela.nv.constant3"
FUNC_DESC_64, PCREL_IMM24_26, NONE_LAST = 35, 40, 116


def retargeted(number: int) -> bytes:
    """The object, with the first relocation of the constant table given this type and a constant
    as its target."""
    content = bytearray(OBJECT.read_bytes())
    with OBJECT.open("rb") as stream:
        elf = ELFFile(stream)
        entries = elf.get_section_by_name(SECTION)
        names = [symbol.name for symbol in elf.get_section_by_name(".symtab").iter_symbols()]
        place = entries["sh_offset"]
    struct.pack_into("<II", content, place + 8, number, names.index("constant_table"))
    return bytes(content)


@pytest.mark.parametrize(
    "number, message",
    [
        (FUNC_DESC_64, "function descriptor of something that is not a function"),
        (PCREL_IMM24_26, "PC relative branch address should be in the same section"),
        (NONE_LAST, "unexpected NVRS"),
    ],
)
def test_message_names_the_place(number: int, message: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(retargeted(number))
    result = link(tmp_path, "sm_90", bad)
    assert result.status == 1
    assert message in result.messages
    assert "bad.cubin:(.nv.constant3+0x" in result.messages
    assert "against 'constant_table'" in result.messages
    assert not result.output.exists()
