"""Counts the relocation types in relocatable cubins. The module has its own ELF reader."""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path

ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
SHT_RELA, SHT_REL = 4, 9
# Relocations of the Mercury view, from sm_100 on; observed in the output of ptxas 13.0.
SHT_MERCURY_RELA = 0x70000082
RELOCATION_SECTIONS = {SHT_RELA, SHT_REL, SHT_MERCURY_RELA}


def relocation_types(path: Path) -> Counter[int]:
    """How often each relocation type occurs in a cubin."""
    data = path.read_bytes()
    header = ELF_HEADER.unpack_from(data)
    section_offset, section_count = header[6], header[12]
    counts: Counter[int] = Counter()
    for index in range(section_count):
        fields = SECTION_HEADER.unpack_from(data, section_offset + index * SECTION_HEADER.size)
        kind, offset, size, entry_size = fields[1], fields[4], fields[5], fields[9]
        if kind not in RELOCATION_SECTIONS or entry_size == 0:
            continue
        for place in range(offset, offset + size, entry_size):
            info = struct.unpack_from("<Q", data, place + 8)[0]
            counts[info & 0xFFFFFFFF] += 1
    return counts
