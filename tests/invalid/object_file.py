"""Writes relocatable device ELFs that no compiler would make, with any number of functions, symbols
and records. All other fields are as ptxas 13.0.88 writes them for sm_80."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
REL = struct.Struct("<QII")

PROGBITS, SYMTAB, STRTAB, NOTE, REL_TYPE, SHNDX = 1, 2, 3, 7, 9, 18
INFO, CALLGRAPH, GLOBAL, GLOBAL_INIT, SHARED = (
    0x70000000,
    0x70000001,
    0x70000007,
    0x70000008,
    0x7000000A,
)
CONSTANT0 = 0x70000064
WRITE, ALLOC, EXECUTE, INFO_LINK, CUINFO_NOTE = 1, 2, 4, 0x40, 0x1000000
GLOBAL_BINDING, WEAK = 1, 2
FUNCTION, VARIABLE = 2, 13
KERNEL, IN_GLOBAL, IN_SHARED = 0x10, 0x20, 0x40
UNDEFINED, RESERVED, COMMON, EXTENDED = 0, 0xFF00, 0xFFF2 - 0x10000, 0xFFFF
WITHOUT_BYTES = {GLOBAL, SHARED}
DIRECT_CALLS, ADDRESS_TAKEN, INDIRECT_CALLERS, TAKES_ADDRESS = (2**32 - i for i in range(1, 5))
REGCOUNT, FRAME_SIZE, EXTERNS, MAXREG_COUNT = 0x2F, 0x11, 0x0F, 0x1B
AT_ENTRY_FRAGMENTS, LOAD_CACHE_REQUEST, NUM_MBARRIERS, REG_RECONFIG = 79, 38, 56, 84
ABS32_LO_32 = 56  # type of a relocation


@dataclass
class Section:
    name: str
    type: int
    flags: int = 0
    data: bytes | bytearray = b""
    link: int = 0
    info: int = 0
    size: int = -1  # only for sections without bytes
    align: int = 4
    entry_size: int = 0


def record(code: int, payload: bytes) -> bytes:
    """A sized attribute record."""
    return struct.pack("<BBH", 4, code, len(payload)) + payload


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def is_extended(section: int) -> bool:
    return section >= RESERVED


class Strings:
    def __init__(self) -> None:
        self.data = bytearray(1)
        self.offsets = {"": 0}

    def offset(self, text: str) -> int:
        if text not in self.offsets:
            self.offsets[text] = len(self.data)
            self.data += text.encode() + b"\0"
        return self.offsets[text]


@dataclass
class ObjectFile:
    """The contents of an object. All symbols are global or weak; the null symbol, number 0, is not
    in the list `symbols`. Sections 1 to 6 are the tables that each object has, such as .symtab."""

    architecture: int = 80
    symbols: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)
    strings: Strings = field(default_factory=Strings)
    info: bytearray = field(default_factory=bytearray)
    calls: dict[int, bytearray] = field(default_factory=dict)  # call graph pairs, by their heading
    sections: list[Section] = field(default_factory=list)

    NAMES, STRINGS, SYMBOLS, CUINFO, OBJECT_INFO, CALLS = range(1, 7)
    OWN_SECTIONS = 7

    # ---------------------------------------------------------------------------------------------
    # Making parts

    def add_section(self, section: Section) -> int:
        self.sections.append(section)
        return self.OWN_SECTIONS + len(self.sections) - 1

    def add_symbol(
        self,
        name: str,
        kind: int,
        other: int,
        section: int = UNDEFINED,
        value: int = 0,
        size: int = 0,
        binding: int = GLOBAL_BINDING,
    ) -> int:
        offset = self.strings.offset(name)
        self.symbols.append((offset, binding << 4 | kind, other, section, value, size))
        return len(self.symbols)

    def add_function(self, name: str, kernel: bool = False, binding: int = GLOBAL_BINDING) -> int:
        """Adds a function with its own code section. Returns the number of its symbol."""
        code = bytes(16)
        symbol = len(self.symbols) + 1
        section = self.add_section(
            Section(f".text.{name}", PROGBITS, ALLOC | EXECUTE, code, 3, symbol, align=16)
        )
        other = KERNEL if kernel else 0
        self.add_symbol(name, FUNCTION, other, section, size=len(code), binding=binding)
        self.info += record(REGCOUNT, words(symbol, 8)) + record(FRAME_SIZE, words(symbol, 0))
        return symbol

    def code_of(self, symbol: int) -> int:
        """The number of the section that has the function's code."""
        return self.symbols[symbol - 1][3]

    def add_attributes(self, symbol: int, data: bytes) -> int:
        return self.add_section(
            Section(".nv.info.f", INFO, INFO_LINK, data, link=3, info=self.code_of(symbol))
        )

    def add_calls(self, *pairs: tuple[int, int], heading: int = DIRECT_CALLS) -> None:
        group = self.calls.setdefault(heading, bytearray())
        for pair in pairs:
            group += words(*pair)

    # ---------------------------------------------------------------------------------------------
    # Writing

    def _cuinfo(self) -> bytes:
        content = struct.pack("<HHHH", 2, self.architecture, 130, 0)
        return struct.pack("<III", 12, len(content), 1000) + b"NVIDIA Corp\0" + content

    def _callgraph(self) -> bytes:
        headings = (DIRECT_CALLS, ADDRESS_TAKEN, INDIRECT_CALLERS, TAKES_ADDRESS)
        return b"".join(words(0, heading) + self.calls.get(heading, b"") for heading in headings)

    def _extended_indices(self) -> list[Section]:
        """The section .symtab_shndx, which has the section numbers of symbols. It is needed if
        there are 0xff00 sections or more: in 16 bits, numbers from 0xff00 on have other
        meanings."""
        if self.OWN_SECTIONS + len(self.sections) < RESERVED:
            return []
        table = words(0, *(s[3] if is_extended(s[3]) else 0 for s in self.symbols))
        return [Section(".symtab_shndx", SHNDX, data=table, link=3, entry_size=4)]

    def _own_sections(self) -> list[Section]:
        table = bytearray(SYMBOL.size)
        for name, info, other, section, value, size in self.symbols:
            number = EXTENDED if is_extended(section) else section & 0xFFFF
            table += SYMBOL.pack(name, info, other, number, value, size)
        return [
            Section(".shstrtab", STRTAB, align=1),
            Section(".strtab", STRTAB, data=self.strings.data, align=1),
            Section(".symtab", SYMTAB, data=table, link=2, info=1, align=8, entry_size=24),
            Section(".note.nv.cuinfo", NOTE, CUINFO_NOTE, self._cuinfo()),
            Section(".nv.info", INFO, data=self.info, link=3),
            Section(".nv.callgraph", CALLGRAPH, data=self._callgraph(), link=3, entry_size=8),
        ]

    def bytes(self) -> bytes:
        sections = [*self._own_sections(), *self.sections, *self._extended_indices()]
        names = Strings()
        offsets = [names.offset(section.name) for section in sections]
        sections[0].data = names.data
        body = bytearray(ELF_HEADER.size)
        headers = bytearray(SECTION_HEADER.size)
        for name, section in zip(offsets, sections, strict=True):
            empty = not section.data and section.size < 0  # its offset 0 suits any alignment
            body += bytes(0 if empty else -len(body) % max(section.align, 1))
            size = len(section.data) if section.size < 0 else section.size
            headers += SECTION_HEADER.pack(
                name,
                section.type,
                section.flags,
                0,
                0 if empty else len(body),
                size,
                section.link,
                section.info,
                section.align,
                section.entry_size,
            )
            if section.type not in WITHOUT_BYTES:
                body += section.data
        body += bytes(-len(body) % 8)
        count = len(sections) + 1
        if count >= RESERVED:  # the null section's size is the number of sections
            struct.pack_into("<Q", headers, 32, count)
        ident = b"\x7fELF\2\1\1\x41\x08"
        header = ELF_HEADER.pack(
            ident,
            1,
            190,
            1,
            0,
            0,
            len(body),
            4 | self.architecture << 8 | self.CUINFO << 24,
            64,
            0,
            0,
            64,
            count if count < RESERVED else 0,
            self.NAMES,
        )
        body[: len(header)] = header
        return bytes(body + headers)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path


def functions(kernels: int, others: int) -> tuple[ObjectFile, list[int], list[int]]:
    """Returns an object and its symbols: those of the kernels, and those of the other functions.
    Each kernel calls the first function, and each function calls the next one."""
    made = ObjectFile()
    first = [made.add_function(f"k{i}", kernel=True) for i in range(kernels)]
    second = [made.add_function(f"f{i}") for i in range(others)]
    calls = [(kernel, second[0]) for kernel in first if second]
    made.add_calls(*calls, *zip(second, second[1:], strict=False))
    return made, first, second
