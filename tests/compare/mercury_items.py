"""The items of Mercury code; docs/mercury.md describes them."""

from __future__ import annotations

import struct
from dataclasses import dataclass

HEADER, UNIT, SHORT = 12, 16, 4


@dataclass(frozen=True)
class Item:
    count: int  # of native instructions
    content: bytes | None  # None: no bytes in the code; empty: instructions without an item
    offset: int = 0  # of the content

    @property
    def is_full(self) -> bool:
        """Whether the item holds the operands of one instruction."""
        return self.content is not None and self.content != b"" and not self.content[0] & 0x70


def read_items(code: bytes) -> list[Item]:
    number = struct.unpack_from("<I", code, 8)[0]
    words = -(-number // 32)
    mask = struct.unpack_from(f"<{words}I", code, HEADER)
    items, at = [], HEADER + 4 * words
    for index in range(number):
        if mask[index // 32] >> index % 32 & 1:
            items.append(Item(1, None))
            continue
        kind = code[at] & 0x70
        count = 1
        if kind == 0x50:
            count = code[at + 1] * 2 + (code[at] >> 7)
            full = bool(code[at] & 15)
            at += 2
            size = (code[at] & 15) * UNIT if full else 0
        else:
            size = SHORT if kind == 0x40 else (code[at] & 15) * UNIT
            count = 0 if kind == 0x30 else 1
        items.append(Item(count, code[at : at + size], at))
        at += size
    if at != len(code):
        raise ValueError("Mercury code with a remainder")
    return items
