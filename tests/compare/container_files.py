"""Writes files that carry device code: fat binaries, host objects, archives.

This module shares no code with warpld's readers, because its files test these readers. nvlink
accepts its files. Other tests, such as tests/containers, import this module.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PTX, CUBIN, LTO_IR = 1, 2, 8
FLAG_64_BIT, FLAG_ALWAYS = 0x1, 0x10
FLAG_ACCELERATED, FLAG_FAMILY = 0x100000, 0x200000
FATBIN_MAGIC, WRAPPER_MAGIC = 0xBA55ED50, 0x466243B1
ALIGNMENT = 8

EM_X86_64, EM_AARCH64 = 62, 183
SHT_PROGBITS, SHT_STRTAB, SHT_SYMTAB = 1, 3, 2
REFERENCES = (".nvHRKE", ".nvHRKI", ".nvHRDE", ".nvHRDI", ".nvHRCE", ".nvHRCI")


def padded(content: bytes, alignment: int = ALIGNMENT) -> bytes:
    return content + bytes(-len(content) % alignment)


@dataclass(frozen=True)
class Entry:
    """One image, stored uncompressed."""

    kind: int
    sm: int
    payload: bytes
    flags: int = FLAG_64_BIT | FLAG_ALWAYS
    options: str | None = None  # compiler options for PTX

    def write(self) -> bytes:
        payload = padded(self.payload)
        version = (0, 9) if self.kind == PTX else (8, 1)
        size, record, place = 0x40, b"", 0
        if self.options is not None:
            text = self.options.encode()
            record = padded(struct.pack("<II", size + 8, len(text)) + text + b"\0")
            place = size
        header = struct.pack(
            "<HHIQIIHHIIIQQQ",
            self.kind, 0x0101, size + len(record), len(payload), 0, place, *version, self.sm, 0, 0,
            self.flags, 0, 0,
        )  # fmt: skip
        return header + record + payload


def cubin_entry(cubin: Path, flags: int = 0) -> Entry:
    """The image of a cubin; its SM number is read from the header."""
    content = cubin.read_bytes()
    (e_flags,) = struct.unpack_from("<I", content, 48)
    return Entry(CUBIN, e_flags >> 8 & 0xFF, content, FLAG_64_BIT | FLAG_ALWAYS | flags)


def fat_binary(*entries: Entry) -> bytes:
    content = b"".join(entry.write() for entry in entries)
    return struct.pack("<IHHQ", FATBIN_MAGIC, 1, 16, len(content)) + content


@dataclass
class HostSection:
    name: str
    content: bytes
    kind: int = SHT_PROGBITS
    flags: int = 2
    link: int = 0
    alignment: int = 8
    entry_size: int = 0


@dataclass
class HostObject:
    """A host object like those that nvcc makes from fat binaries, but without code for the host."""

    code: bytes = b""  # one fat binary or several
    module_ids: tuple[str, ...] = ()
    references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # section -> names
    linked_code: bytes = b""
    machine: int = EM_X86_64
    has_segment: bool = True
    bits: int = 64  # ELF class of the file: 32 for x32

    def sections(self) -> list[HostSection]:
        found = [HostSection(".text", b"\xc3")]
        if self.has_segment:
            wrapper = struct.pack("<IIQQ", WRAPPER_MAGIC, 1, 0, 0)
            found.append(HostSection(".nvFatBinSegment", wrapper, flags=3))
        if self.code:
            found.append(HostSection("__nv_relfatbin", self.code))
        if self.linked_code:
            found.append(HostSection(".nv_fatbin", self.linked_code))
        if self.module_ids:
            ids = b"".join(text.encode() + b"\0" for text in self.module_ids)
            found.append(HostSection("__nv_module_id", ids, alignment=1))
        for name in REFERENCES:
            if name in self.references:
                texts = self.references[name] or ("",)
                content = b"".join(text.encode() + b"\0" for text in texts)
                found.append(HostSection(name, content, alignment=1))
        return found

    def write(self) -> bytes:
        return write_elf(self.sections(), self.machine, self.bits)


def write_elf(sections: list[HostSection], machine: int, bits: int = 64) -> bytes:
    """A relocatable ELF for a CPU, with these sections, string tables and an empty symbol table."""
    count = len(sections)
    symbols = HostSection(".symtab", bytes(24), SHT_SYMTAB, 0, count + 2, 8, 24)
    strings = HostSection(".strtab", b"\0", SHT_STRTAB, 0, alignment=1)
    names = HostSection(".shstrtab", b"", SHT_STRTAB, 0, alignment=1)
    table = [HostSection("", b"", 0, 0, alignment=0), *sections, symbols, strings, names]
    offsets, text = [], bytearray()
    for section in table:
        offsets.append(len(text))
        text += section.name.encode() + b"\0"
    names.content = bytes(text)
    word, header, symbol = ("Q", 64, 24) if bits == 64 else ("I", 52, 16)
    symbols.content, symbols.entry_size = bytes(symbol), symbol
    body, headers = bytearray(header), bytearray()
    for section, name in zip(table, offsets, strict=True):
        body += bytes(-len(body) % max(1, section.alignment))
        headers += struct.pack(
            "<II4WIIWW".replace("W", word),
            name, section.kind, section.flags, 0, len(body) if section.kind else 0,
            len(section.content), section.link, 1 if section is symbols else 0, section.alignment,
            section.entry_size,
        )  # fmt: skip
        body += section.content
    body += bytes(-len(body) % 8)
    struct.pack_into(
        "<16sHHI3WIHHHHHH".replace("W", word),
        body, 0, b"\x7fELF" + bytes([bits // 32, 1, 1]), 1, machine, 1, 0, 0, len(body), 0, header,
        0, 0, struct.calcsize("<II4WIIWW".replace("W", word)), len(table), len(table) - 1,
    )  # fmt: skip
    return bytes(body + headers)


def archive_member(name: str, content: bytes, stored: bool = True) -> bytes:
    header = f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(content):<10}`\n".encode()
    return header + (content + b"\n" * (len(content) % 2) if stored else b"")


def archive(members: dict[str, bytes], thin: bool = False) -> bytes:
    """An archive in the System V form. The members of a thin archive are files of these names."""
    long_names = b"".join(f"{name}/\n".encode() for name in members if thin or len(name) > 15)
    out = b"!<thin>\n" if thin else b"!<arch>\n"
    if long_names:
        out += archive_member("//", long_names)
    for name, content in members.items():
        offset = long_names.find(f"{name}/\n".encode())
        out += archive_member(f"/{offset}" if offset >= 0 else f"{name}/", content, not thin)
    return out


def bsd_archive(members: dict[str, bytes]) -> bytes:
    """An archive in the BSD form: each member begins with its name, padded with NULs."""
    out = b"!<arch>\n"
    for name, content in members.items():
        text = padded(name.encode() + b"\0", 4)
        out += archive_member(f"#1/{len(text)}", text + content)
    return out


def host(
    *cubins: Path,
    module_ids: tuple[str, ...] = (),
    references: Mapping[str, tuple[str, ...]] | None = None,
    machine: int = EM_X86_64,
    bits: int = 64,
) -> bytes:
    """A host object with a fat binary for each cubin."""
    code = b"".join(fat_binary(cubin_entry(cubin)) for cubin in cubins)
    return HostObject(code, module_ids, references or {}, machine=machine, bits=bits).write()
