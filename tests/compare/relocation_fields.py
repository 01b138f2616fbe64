"""Reads relocation fields of code and data, by warpld's table of relocation types."""

from __future__ import annotations

import re
from pathlib import Path

from cubin import Relocation

TABLE = Path(__file__).resolve().parents[2] / "src" / "format" / "relocation_native.def"


def read_fields() -> dict[int, list[tuple[int, int, bool, int]]]:
    """For each relocation type, its groups of bits: the first bit in the relocation field, the
    width, whether the group holds bits of the value, and which bit of the value is its first."""
    fields = {}
    for row in re.finditer(r"^RELOCATION\((\d+), (.*)\)$", TABLE.read_text(), re.MULTILINE):
        found = re.findall(r"FIELD\((\d+), (\d+), (\w+), (\d+)\)", row[2])
        fields[int(row[1])] = [(int(a), int(b), c == "VALUE", int(d)) for a, b, c, d in found]
    return fields


FIELDS = read_fields()


def bits_at(code: bytes | bytearray, offset: int) -> int:
    return int.from_bytes(code[offset : offset + 16], "little")


def value_at(code: bytes | bytearray, entry: Relocation) -> tuple[int, int]:
    """The bits of the value that the field holds, and a mask of these bits."""
    value = known = 0
    for first, width, is_value, source in FIELDS.get(entry.type, []):
        if is_value:
            mask = (1 << width) - 1
            value |= (bits_at(code, entry.offset) >> first & mask) << source
            known |= mask << source
    return value, known
