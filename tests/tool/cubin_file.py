"""Reads a device ELF into Python objects, lets a test change them, and writes the file again.

The layout follows nvlink's rule for native files: sections in order, each at its alignment, then
section headers, then program headers. An unchanged file is written byte for byte as it was.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

HEADER_SIZE = 64
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
SYMBOL = struct.Struct("<IBBHQQ")
PAIR = struct.Struct("<Ii")

SYMTAB, STRTAB, RELA, NOTE, NOBITS, REL = 2, 3, 4, 7, 8, 9
INFO, CALLGRAPH, PROTOTYPE = 0x70000000, 0x70000001, 0x70000002
WITHOUT_BYTES = {0, NOBITS, 0x70000007, 0x70000009, 0x7000000A, 0x70000015}
INFO_LINK = 0x40
ALLOC = 2


@dataclass(eq=False)
class Section:
    name: str
    name_offset: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int
    data: bytearray = field(default_factory=bytearray)

    @property
    def has_bytes(self) -> bool:
        return self.type not in WITHOUT_BYTES

    @property
    def info_is_section(self) -> bool:
        return bool(self.flags & INFO_LINK) or self.type in (REL, RELA)

    def patch(self, offset: int, data: bytes) -> None:
        self.data[offset : offset + len(data)] = data


@dataclass(eq=False)
class Segment:
    type: int
    flags: int
    virtual: int
    physical: int
    align: int
    held: list[Section]  # empty for the segment of the table of program headers
    offset: int = 0
    file_size: int = 0
    memory_size: int = 0


def text_at(strings: bytes, offset: int) -> str:
    return strings[offset : strings.index(0, offset)].decode()


class CubinFile:
    def __init__(self, path: Path):
        self.bytes = path.read_bytes()
        self.header = bytearray(self.bytes[:HEADER_SIZE])
        program_offset, section_offset = struct.unpack_from("<QQ", self.bytes, 32)
        _, program_count, _, count, names_index = struct.unpack_from("<HHHHH", self.bytes, 54)
        self.sections = [self._section(section_offset + 64 * i) for i in range(count)]
        names = self.sections[names_index].data
        for section in self.sections:
            section.name = text_at(names, section.name_offset)
        self.segments = [
            self._segment(program_offset, program_offset + 56 * i) for i in range(program_count)
        ]

    def _section(self, at: int) -> Section:
        name, *rest = SECTION_HEADER.unpack_from(self.bytes, at)
        section = Section("", name, *rest)
        if section.has_bytes:
            section.data = bytearray(self.bytes[section.offset : section.offset + section.size])
        return section

    def _segment(self, table: int, at: int) -> Segment:
        values = PROGRAM_HEADER.unpack_from(self.bytes, at)
        kind, flags, offset, virtual, physical, file_size, _, align = values
        held = []
        if offset != table:
            held = [s for s in self.sections if self._is_held(s, flags, offset, file_size)]
        return Segment(kind, flags, virtual, physical, align, held)

    @staticmethod
    def _is_held(section: Section, flags: int, offset: int, size: int) -> bool:
        if not section.flags & ALLOC:
            return False
        if not section.has_bytes:
            return bool(flags & 2) and offset <= section.offset <= offset + size
        return offset <= section.offset < offset + size

    # ---------------------------------------------------------------------------------------------
    # Looking things up

    def section(self, name: str, occurrence: int = 0) -> Section:
        return [s for s in self.sections if s.name == name][occurrence]

    def index(self, section: Section) -> int:
        return self.sections.index(section)

    @property
    def symtab(self) -> Section:
        return self.section(".symtab")

    def symbol(self, index: int) -> list[int]:
        """The fields of a symbol: name, info, other, section, value, size."""
        return list(SYMBOL.unpack_from(self.symtab.data, SYMBOL.size * index))

    def set_symbol(self, index: int, values: list[int]) -> None:
        self.symtab.patch(SYMBOL.size * index, SYMBOL.pack(*values))

    def symbol_name(self, index: int) -> str:
        return text_at(self.section(".strtab").data, self.symbol(index)[0])

    def symbol_index(self, name: str, occurrence: int = 0) -> int:
        count = len(self.symtab.data) // SYMBOL.size
        return [i for i in range(count) if self.symbol_name(i) == name][occurrence]

    def string(self, text: str) -> int:
        """The offset of a string in .strtab. If the string is missing, it is added at the end."""
        strings = self.section(".strtab")
        entry = b"\0" + text.encode() + b"\0"
        at = strings.data.find(entry)
        if at < 0:
            strings.data += entry[1:]
            at = len(strings.data) - len(entry)
        return at + 1

    # ---------------------------------------------------------------------------------------------
    # Changing order

    def reorder_sections(self, order: list[Section]) -> None:
        """Puts the sections into a new order, and adapts all section numbers that refer to them."""
        new = {self.index(section): number for number, section in enumerate(order)}
        for section in self.sections:
            section.link = new[section.link]
            if section.info_is_section:
                section.info = new[section.info]
        for index in range(len(self.symtab.data) // SYMBOL.size):
            symbol = self.symbol(index)
            if symbol[3] < 0xFF00:
                symbol[3] = new[symbol[3]]
                self.set_symbol(index, symbol)
        flags, names = self.u32(48), struct.unpack_from("<H", self.header, 62)[0]
        struct.pack_into("<I", self.header, 48, flags & 0xFFFFFF | new[flags >> 24] << 24)
        struct.pack_into("<H", self.header, 62, new[names])
        self.sections = order

    def swap_sections(self, a: Section, b: Section) -> None:
        swapped = {a: b, b: a}
        self.reorder_sections([swapped.get(section, section) for section in self.sections])

    def swap_symbols(self, a: int, b: int) -> None:
        """Exchanges two symbols, and adapts all symbol numbers that refer to them."""
        first, second = self.symbol(a), self.symbol(b)
        self.set_symbol(a, second)
        self.set_symbol(b, first)
        new = {a: b, b: a}
        for section in self.sections:
            if section.type in (REL, RELA):
                self._renumber(section, range(12, len(section.data), section.entry_size), new)
            elif section.type == CALLGRAPH:
                self._renumber_callgraph(section, new)
            elif section.type == PROTOTYPE:
                self._renumber(section, range(0, len(section.data), 8), new)
            elif section.type == INFO:
                self._renumber(section, self._info_symbol_places(section), new)
            elif section.flags & 4:
                section.info = new.get(section.info & 0xFFFFFF, section.info & 0xFFFFFF) | (
                    section.info & 0xFF000000
                )

    @staticmethod
    def _renumber(section: Section, places: Iterable[int], new: dict[int, int]) -> None:
        for place in places:
            (number,) = struct.unpack_from("<I", section.data, place)
            struct.pack_into("<I", section.data, place, new.get(number, number))

    def _renumber_callgraph(self, section: Section, new: dict[int, int]) -> None:
        heading = 0
        for at in range(0, len(section.data), 8):
            first, second = PAIR.unpack_from(section.data, at)
            if first == 0 and second < 0:
                heading = second
                continue
            places = (at, at + 4) if heading in (-1, -4) else (at,)
            self._renumber(section, places, new)

    def _info_symbol_places(self, section: Section) -> Iterator[int]:
        first, every = {0x0A, 0x11, 0x12, 0x23, 0x2F}, {0x0F}
        for at, code, size in self.records(section):
            if code in first:
                yield at + 4
            elif code in every:
                yield from range(at + 4, at + 4 + size, 4)

    @staticmethod
    def records(section: Section) -> Iterator[tuple[int, int, int]]:
        """The offset, the code and the size of the payload of each attribute record."""
        at = 0
        while at < len(section.data):
            form, code, value = struct.unpack_from("<BBH", section.data, at)
            size = value if form == 4 else 0
            yield at, code, size
            at += 4 + size

    def record(self, name: str, code: int, occurrence: int = 0) -> int:
        """Offset of a record."""
        found = [at for at, c, _ in self.records(self.section(name)) if c == code]
        return found[occurrence]

    # ---------------------------------------------------------------------------------------------
    # Header fields and writing

    def u32(self, offset: int) -> int:
        return int(struct.unpack_from("<I", self.header, offset)[0])

    def write(self, path: Path) -> Path:
        body = bytearray(self.header)
        for section in self.sections[1:]:
            if section.has_bytes:
                section.size = len(section.data)
            body += bytes(-len(body) % max(section.align, 1))
            section.offset = len(body)
            body += section.data
        body += bytes(-len(body) % 8)
        section_offset = len(body)
        for section in self.sections:
            body += SECTION_HEADER.pack(
                section.name_offset,
                section.type,
                section.flags,
                section.address,
                section.offset,
                section.size,
                section.link,
                section.info,
                section.align,
                section.entry_size,
            )
        program_offset = len(body) if self.segments else 0
        for segment in self.segments:
            self._place_segment(segment, program_offset)
            body += PROGRAM_HEADER.pack(
                segment.type,
                segment.flags,
                segment.offset,
                segment.virtual,
                segment.physical,
                segment.file_size,
                segment.memory_size,
                segment.align,
            )
        struct.pack_into("<QQ", body, 32, program_offset, section_offset)
        struct.pack_into("<H", body, 56, len(self.segments))
        path.write_bytes(body)
        return path

    def _place_segment(self, segment: Segment, table: int) -> None:
        if not segment.held:
            segment.offset = table
            segment.file_size = segment.memory_size = 56 * len(self.segments)
            return
        first = min(segment.held, key=self.index)
        last = max(segment.held, key=self.index)
        segment.offset = first.offset
        segment.file_size = last.offset + len(last.data) - first.offset
        memory = 0
        for section in sorted(segment.held, key=self.index):
            if not section.has_bytes:
                memory += -memory % max(section.align, 1) + section.size
        segment.memory_size = segment.file_size + memory
