"""Finds the parts of a device ELF and changes single fields of it."""

from __future__ import annotations

import struct
from pathlib import Path

U8, U16, U32, U64 = "<B", "<H", "<I", "<Q"

# For each field, its offset and its format for `struct`.
HEADER = {
    "class": (4, U8),
    "data": (5, U8),
    "osabi": (7, U8),
    "abi_version": (8, U8),
    "type": (16, U16),
    "machine": (18, U16),
    "phoff": (32, U64),
    "shoff": (40, U64),
    "flags": (48, U32),
    "sm": (49, U8),
    "cuinfo": (51, U8),
    "ehsize": (52, U16),
    "phnum": (56, U16),
    "shentsize": (58, U16),
    "shnum": (60, U16),
    "shstrndx": (62, U16),
}
SECTION = {
    "name": (0, U32),
    "type": (4, U32),
    "flags": (8, U64),
    "offset": (24, U64),
    "size": (32, U64),
    "link": (40, U32),
    "info": (44, U32),
    "align": (48, U64),
    "entry_size": (56, U64),
}
SYMBOL = {
    "name": (0, U32),
    "info": (4, U8),
    "other": (5, U8),
    "section": (6, U16),
    "value": (8, U64),
    "size": (16, U64),
}
SECTION_SIZE, SYMBOL_SIZE = 64, 24


class Cubin:
    def __init__(self, path: Path):
        self.data = bytearray(path.read_bytes())

    def get(self, place: int, form: str) -> int:
        return int(struct.unpack_from(form, self.data, place)[0])

    def put(self, place: int, form: str, value: int) -> None:
        struct.pack_into(form, self.data, place, value)

    def _text(self, place: int) -> str:
        return self.data[place : self.data.index(0, place)].decode()

    # ---------------------------------------------------------------------------------------------
    # Sections

    def header_at(self, index: int) -> int:
        return self.get(*HEADER["shoff"]) + SECTION_SIZE * index

    def field(self, index: int, field: str) -> int:
        offset, form = SECTION[field]
        return self.get(self.header_at(index) + offset, form)

    @property
    def section_count(self) -> int:
        return self.get(*HEADER["shnum"])

    def index(self, name: str) -> int:
        names = self.field(self.get(*HEADER["shstrndx"]), "offset")
        for index in range(1, self.section_count):
            if self._text(names + self.field(index, "name")) == name:
                return index
        raise KeyError(name)

    def contents(self, name: str) -> int:
        """Offset of the section's bytes in the file."""
        return self.field(self.index(name), "offset")

    def end(self, name: str) -> int:
        return self.contents(name) + self.field(self.index(name), "size")

    # ---------------------------------------------------------------------------------------------
    # Symbols

    def symbol_at(self, index: int) -> int:
        return self.contents(".symtab") + SYMBOL_SIZE * index

    def symbol_index(self, name: str) -> int:
        strings = self.contents(".strtab")
        count = self.field(self.index(".symtab"), "size") // SYMBOL_SIZE
        for index in range(count):
            if self._text(strings + self.get(self.symbol_at(index), U32)) == name:
                return index
        raise KeyError(name)

    # ---------------------------------------------------------------------------------------------
    # Records

    def record(self, section: str, code: int) -> int:
        """Offset in the file of the first attribute record with the code."""
        at, end = self.contents(section), self.end(section)
        while at < end:
            form, found, value = struct.unpack_from("<BBH", self.data, at)
            if found == code:
                return at
            at += 4 + (value if form == 4 else 0)
        raise KeyError(code)

    # ---------------------------------------------------------------------------------------------
    # Changes

    def set_header(self, field: str, value: int) -> None:
        self.put(*HEADER[field], value)

    def set_section(self, name: str, field: str, value: int) -> None:
        offset, form = SECTION[field]
        self.put(self.header_at(self.index(name)) + offset, form, value)

    def set_symbol(self, name: str, field: str, value: int) -> None:
        offset, form = SYMBOL[field]
        self.put(self.symbol_at(self.symbol_index(name)) + offset, form, value)

    def set_word(self, section: str, word: int, value: int) -> None:
        self.put(self.contents(section) + 4 * word, U32, value)

    def boundaries(self) -> set[int]:
        """Sizes to which a test cuts off the file: within the ELF header, at the start and in the
        middle of each section header, at or near the start of each section, in its middle and at
        its end, and one byte before the end of the file."""
        places = {0, 1, 4, 8, 16, 18, 20, 40, 48, 52, 55, 56, 63, 64, len(self.data) - 1}
        for index in range(self.section_count):
            start, size = self.field(index, "offset"), self.field(index, "size")
            places |= {start - 1, start, start + 1, start + size // 2, start + size}
            places |= {self.header_at(index), self.header_at(index) + SECTION_SIZE // 2}
        return {place for place in places if 0 <= place < len(self.data)}
