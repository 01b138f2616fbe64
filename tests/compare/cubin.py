"""A relocatable cubin as data that can be changed and written again.

Sections keep their order and new ones are appended, so indices remain valid. This module shares no
code with warpld's reader, because its cubins test that reader.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")

SHT_PROGBITS, SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_REL = 1, 2, 4, 8, 9
SHT_CUDA_CONSTANT0 = 0x70000064
SHT_MERCURY_RELA = 0x70000082
SHT_RESOLVED_RELA, SHT_MERCURY_RESOLVED_RELA = 0x70000003, 0x70000088
WITH_ADDENDS = (SHT_RELA, SHT_MERCURY_RELA, SHT_RESOLVED_RELA, SHT_MERCURY_RESOLVED_RELA)
# Types of sections without bytes in the file: NOBITS, and the types of .nv.global, .nv.local,
# .nv.shared and reserved shared memory.
WITHOUT_BYTES = {SHT_NOBITS, 0x70000007, 0x70000009, 0x7000000A, 0x70000015}
SHF_INFO_LINK = 0x40

STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
STT_OBJECT, STT_FUNC, STT_SECTION = 1, 2, 3
STT_TEXTURE, STT_CUDA_OBJECT = 10, 13
STO_ENTRY = 0x10  # in Symbol.other: a kernel


@dataclass(frozen=True)
class Relocation:
    offset: int
    type: int
    symbol: int
    addend: int | None  # None: the relocation field holds it


@dataclass
class Section:
    name: str
    type: int
    flags: int = 0
    address: int = 0
    size: int = 0  # of a section without bytes in the file
    link: int = 0
    info: int = 0
    alignment: int = 1
    entry_size: int = 0
    data: bytearray = field(default_factory=bytearray)
    offset: int = 0  # in the file that was read

    def relocations(self) -> list[Relocation]:
        if self.type in WITH_ADDENDS:
            return [
                Relocation(offset, info & 0xFFFFFFFF, info >> 32, addend)
                for offset, info, addend in struct.iter_unpack("<QQq", bytes(self.data))
            ]
        return [
            Relocation(offset, info & 0xFFFFFFFF, info >> 32, None)
            for offset, info in struct.iter_unpack("<QQ", bytes(self.data))
        ]


@dataclass
class Symbol:
    name: str
    info: int
    other: int
    section: int
    value: int
    size: int

    @property
    def type(self) -> int:
        return self.info & 15

    @property
    def binding(self) -> int:
        return self.info >> 4

    def bind(self, binding: int) -> None:
        self.info = binding << 4 | self.type


def string_at(table: bytes | bytearray, offset: int) -> str:
    return bytes(table[offset : table.index(0, offset)]).decode()


class Cubin:
    def __init__(self, data: bytes):
        self.header = list(ELF_HEADER.unpack_from(data))
        offset, count, names = self.header[6], self.header[12], self.header[13]
        raw = [SECTION_HEADER.unpack_from(data, offset + 64 * i) for i in range(count)]
        self.sections = []
        for _, kind, flags, address, place, size, link, info, alignment, entry_size in raw:
            content = b"" if kind in WITHOUT_BYTES else data[place : place + size]
            self.sections.append(
                Section(
                    "",
                    kind,
                    flags,
                    address,
                    size,
                    link,
                    info,
                    alignment,
                    entry_size,
                    bytearray(content),
                    place,
                )
            )
        for section, header in zip(self.sections, raw, strict=True):
            section.name = string_at(self.sections[names].data, header[0])
        self.names_index = names
        self.symbol_table = next(s for s in self.sections if s.type == SHT_SYMTAB)
        strings = self.sections[self.symbol_table.link].data
        self.symbols = [
            Symbol(string_at(strings, name), *rest)
            for name, *rest in SYMBOL.iter_unpack(bytes(self.symbol_table.data))
        ]

    def section(self, name: str) -> Section:
        return self.sections[self.section_index(name)]

    def section_index(self, name: str) -> int:
        return next(i for i, s in enumerate(self.sections) if s.name == name)

    def has_section(self, name: str) -> bool:
        return any(s.name == name for s in self.sections)

    def symbol_index(self, name: str) -> int:
        return next(i for i, s in enumerate(self.symbols) if s.name == name)

    def section_symbol(self, section: int) -> int | None:
        """The index of a section's STT_SECTION symbol; None if there is none."""
        for i, symbol in enumerate(self.symbols):
            if symbol.type == STT_SECTION and symbol.section == section:
                return i
        return None

    def add_section(
        self, name: str, kind: int, flags: int, content: bytes | int, owner: int = 0, align: int = 4
    ) -> int:
        """Adds a section at the end, and returns its index. For a section without bytes in the
        file, `content` is its size."""
        without = kind in WITHOUT_BYTES
        section = Section(name, kind, flags, info=owner, alignment=align)
        section.size = content if isinstance(content, int) and without else 0
        section.data = bytearray(b"" if without else content)
        self.sections.append(section)
        return len(self.sections) - 1

    def add_symbol(self, name: str, section: int, value: int, size: int, **facts: int) -> int:
        """Adds a symbol at the end of the table. A LOCAL symbol may follow GLOBAL ones, because in
        objects of ptxas the table's sh_info counts all symbols. The symbol is a GLOBAL variable
        unless `facts` (binding, type, other) say otherwise.
        """
        info = facts.get("binding", STB_GLOBAL) << 4 | facts.get("type", STT_CUDA_OBJECT)
        symbol = Symbol(name, info, facts.get("other", 0), section, value, size)
        self.symbols.append(symbol)
        if symbol.binding == STB_LOCAL:
            self.symbol_table.info = len(self.symbols)
        return len(self.symbols) - 1

    def add_relocation(
        self, place: int, offset: int, kind: int, symbol: int, addend: int, explicit: bool
    ) -> None:
        """Adds an entry in front of the other relocations of the section with index `place`."""
        prefix = ".rela" if explicit else ".rel"
        name = prefix + self.sections[place].name
        entry = struct.pack("<QQ", offset, symbol << 32 | kind)
        if explicit:
            entry += struct.pack("<q", addend)
        if not self.has_section(name):
            table = self.sections.index(self.symbol_table)
            kind_of_section = SHT_RELA if explicit else SHT_REL
            self.sections.append(
                Section(name, kind_of_section, SHF_INFO_LINK, link=table, info=place, alignment=8)
            )
            self.sections[-1].entry_size = len(entry)
        self.section(name).data[:0] = entry

    def write(self) -> bytes:
        self.write_symbols()
        names = self.write_names()
        out = bytearray(ELF_HEADER.size)
        places = []
        for section in self.sections:
            out += bytes(-len(out) % max(1, section.alignment))
            places.append(len(out))
            out += section.data
        out += bytes(-len(out) % 8)
        self.header[5], self.header[6] = 0, len(out)
        self.header[10], self.header[12] = 0, len(self.sections)
        for i, (section, place) in enumerate(zip(self.sections, places, strict=True)):
            size = section.size if section.type in WITHOUT_BYTES else len(section.data)
            out += SECTION_HEADER.pack(
                names[section.name],
                section.type,
                section.flags,
                section.address,
                place if i else 0,
                size,
                section.link,
                section.info,
                section.alignment,
                section.entry_size,
            )
        ELF_HEADER.pack_into(out, 0, *self.header)
        return bytes(out)

    def write_symbols(self) -> None:
        """Writes the symbol table. Names that are in the string table keep their offsets; new names
        are appended to it."""
        strings = self.sections[self.symbol_table.link].data
        known: dict[str, int] = {"": 0}
        content = bytearray()
        for symbol in self.symbols:
            name = symbol.name
            if name not in known:
                found = strings.find(b"\0" + name.encode() + b"\0")
                known[name] = found + 1 if found >= 0 else len(strings)
                if found < 0:
                    strings += name.encode() + b"\0"
            content += SYMBOL.pack(
                known[name], symbol.info, symbol.other, symbol.section, symbol.value, symbol.size
            )
        self.symbol_table.data = content

    def write_names(self) -> dict[str, int]:
        table = bytearray(b"\0")
        names = {"": 0}
        for section in self.sections:
            if section.name not in names:
                names[section.name] = len(table)
                table += section.name.encode() + b"\0"
        self.sections[self.names_index].data = table
        return names


def read_cubin(path: Path) -> Cubin:
    return Cubin(path.read_bytes())
