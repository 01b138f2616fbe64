"""The experiments of patch.py with attributes, sections, symbols and notes.

The experiments with relocations are in relocation_experiments.py.
"""

from __future__ import annotations

import functools
import random
import struct
from collections.abc import Callable

from attribute_programs import MAKERS, graph_sources, sprinkle
from cubin import SHT_CUDA_CONSTANT0, STB_GLOBAL, STB_LOCAL, STB_WEAK, STT_FUNC, Cubin, Section
from experiment import FORMAT, KERNEL, NEAR, Case, find_symbol, table_rows
from experiments_memory import overflowing_literals, plain_types, second_sections
from relocation_experiments import RELOCATION_EXPERIMENTS, SYMBOL_TARGETS

BARRIERS_SHIFT, BARRIERS_MASK = 20, 0x7F00000
STO_MANAGED, STO_SPACE, STO_SHARED = 0x4, 0xE0, 0x40

# Attributes --------------------------------------------------------------------------------------

FORMATS = {"none": 1, "byte": 2, "half": 3, "sized": 4}
INFO_HOMES = {
    "kernel": f".nv.info.{KERNEL}",
    "function": f".nv.info.{NEAR}",
    "dead function": ".nv.info.dead",
    "object": ".nv.info",
}


def info_section(cubin: Cubin, name: str) -> Section | None:
    """Returns the attribute section with this name, which belongs to a function or to the whole
    object. Adds the section if the object lacks it. Returns None if the object has no such
    function."""
    if cubin.has_section(name):
        return cubin.section(name)
    text = name.replace(".nv.info", ".text")
    if not cubin.has_section(text):
        return None
    example = cubin.section(".nv.info")
    made = Section(name, example.type, 0x40, link=example.link, alignment=4)
    made.info = cubin.section_index(text)
    cubin.sections.append(made)
    return made


def info_record(cubin: Cubin, rng: random.Random, code: int, form: int) -> bytes:
    if form != FORMATS["sized"]:
        value = 0 if form == FORMATS["none"] else rng.choice((1, 2, 3, 7, 0x40, 0xFF))
        if form == FORMATS["half"] and rng.random() < 0.3:
            value |= 0x100
        return struct.pack("<BBH", form, code, value)
    names = [NEAR, KERNEL, "dead", "away", "data", "bank", "zero"]
    first = rng.choice(names)
    words = [find_symbol(cubin, first) or 0]
    for _ in range(rng.choice((0, 1, 1, 2))):
        words.append(rng.choice((1, 5, 0x20, find_symbol(cubin, rng.choice(names)) or 0)))
    payload = struct.pack(f"<{len(words)}I", *words)
    return struct.pack("<BBH", form, code, len(payload)) + payload


def add_attribute(cubin: Cubin, rng: random.Random, code: int, form: int, home: str) -> bool:
    section = info_section(cubin, INFO_HOMES[home])
    if section is None:
        return False
    record = info_record(cubin, rng, code, form)
    if rng.random() < 0.5:
        section.data += record
    else:
        section.data[:0] = record
    return True


def attributes() -> list[Case]:
    """Every attribute code in every format, for kernels, functions and the object."""
    return [
        Case(
            f"{row[0]} {row[1]}",
            f"{home}, {form}",
            functools.partial(add_attribute, code=int(row[0]), form=number, home=home),
        )
        for row in table_rows(FORMAT / "info_attribute.def", "ATTRIBUTE")
        for home in INFO_HOMES
        for form, number in FORMATS.items()
    ]


def inherited_attributes() -> list[Case]:
    """Cases that add random records, of one kind or of all kinds, to the functions of random call
    graphs."""
    rows = {**{kind: [kind] for kind in MAKERS}, "all kinds": list(MAKERS)}
    return [
        Case(row, str(i), functools.partial(sprinkle, kinds=kinds), graph_sources)
        for row, kinds in rows.items()
        for i in range(4 if len(kinds) == 1 else 24)
    ]


# Sections and symbols ----------------------------------------------------------------------------


def move_bank(cubin: Cubin, rng: random.Random, bank: int, with_use: bool) -> bool:
    """Moves the user constants to another bank. If `with_use` is true, code refers to them."""
    section = cubin.section(".nv.constant3")
    relocated = [s for s in cubin.sections if s.name in (".rel.nv.constant3", ".rela.nv.constant3")]
    section.type = SHT_CUDA_CONSTANT0 + bank
    section.name = f".nv.constant{bank}"
    for other in relocated:
        other.name = other.name.replace("constant3", f"constant{bank}")
    if with_use:
        text = cubin.section_index(f".text.{KERNEL}")
        symbol = cubin.symbol_index("bank")
        cubin.add_relocation(text, 16, rng.choice((38, 66, 115)), symbol, 8, True)
    return True


def constant_banks() -> list[Case]:
    return [
        Case(str(bank), use, functools.partial(move_bank, bank=bank, with_use=use == "used"))
        for bank in (1, *range(3, 27))  # 0 and 2 are those of functions (docs/quirks/constants.md)
        for use in ("unused", "used")
    ]


def set_barriers(cubin: Cubin, rng: random.Random, count: int, section: str) -> bool:
    text = cubin.section(f".text.{section}")
    text.flags = text.flags & ~BARRIERS_MASK | count << BARRIERS_SHIFT
    return True


def barriers() -> list[Case]:
    return [
        Case(str(count), name, functools.partial(set_barriers, count=count, section=name))
        for count in (0, 1, 2, 7, 15, 16, 17, 31, 64, 127)
        for name in (KERNEL, NEAR, "dead")
    ]


def change_symbol(cubin: Cubin, rng: random.Random, name: str, what: str) -> bool:
    index = find_symbol(cubin, name)
    if index is None:
        return False
    symbol = cubin.symbols[index]
    kind, _, value = what.partition(" ")
    shared = symbol.other & STO_SPACE == STO_SHARED
    if (symbol.type, what) in MEANINGLESS or (kind == "value" and not symbol.section):
        return False
    if shared and what in ("visibility 2", "visibility 3", "size -1000"):
        return False  # docs/quirks/constants.md
    if kind == "bind":
        symbol.bind({"local": STB_LOCAL, "global": STB_GLOBAL, "weak": STB_WEAK}[value])
    elif kind == "visibility":
        symbol.other = symbol.other & ~3 | int(value)
    elif kind == "managed":
        symbol.other ^= STO_MANAGED
    elif kind == "size":
        symbol.size = max(0, symbol.size + int(value))
    elif kind == "value":
        symbol.value += int(value)
    return True


# A function that is hidden or managed makes nvlink lose relocations and callees
# (docs/quirks/relocations.md).
MEANINGLESS = ((STT_FUNC, "visibility 2"), (STT_FUNC, "managed"))
SYMBOL_CHANGES = (
    "bind local",
    "bind global",
    "bind weak",
    "visibility 1",
    "visibility 2",
    "visibility 3",
    "managed",
    "size 4",
    "size -4",
    "size -1000",
    "size 4096",
    "value 4",
)


def symbols() -> list[Case]:
    names = [*SYMBOL_TARGETS.values(), "hidden"]
    return [
        Case(what, name, functools.partial(change_symbol, name=name, what=what))
        for what in SYMBOL_CHANGES
        for name in names
    ]


def set_alignment(cubin: Cubin, rng: random.Random, section: str, alignment: int) -> bool:
    if not cubin.has_section(section):
        return False
    cubin.section(section).alignment = alignment
    return True


ALIGNED_SECTIONS = (
    f".text.{KERNEL}",
    ".nv.global.init",
    ".nv.global",
    ".nv.constant3",
    f".nv.constant0.{KERNEL}",
    f".nv.shared.{KERNEL}",
    ".debug_frame",
)


def alignments() -> list[Case]:
    return [
        Case(
            str(alignment),
            name,
            functools.partial(set_alignment, section=name, alignment=alignment),
        )
        for alignment in (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 4096)
        for name in ALIGNED_SECTIONS
    ]


# Notes -------------------------------------------------------------------------------------------

CUINFO_DESCRIPTOR = 24


def set_virtual_sm(cubin: Cubin, rng: random.Random, number: int) -> bool:
    data = cubin.section(".note.nv.cuinfo").data
    struct.pack_into("<H", data, CUINFO_DESCRIPTOR + 2, number)
    return True


def virtual_targets() -> list[Case]:
    return [
        Case(str(number), "virtual SM", functools.partial(set_virtual_sm, number=number))
        for number in (0, 1, 30, 52, 60, 70, 75, 80, 86, 89, 90, 100, 120, 255, 1000, 65535)
    ]


def set_compat(cubin: Cubin, rng: random.Random, code: int, value: int) -> bool:
    """Changes the record with this code in .nv.compat, or adds one."""
    if not cubin.has_section(".nv.compat"):
        return False
    data = cubin.section(".nv.compat").data
    at = 0
    while at < len(data):
        form, found, field = struct.unpack_from("<BBH", data, at)
        if found == code and form != FORMATS["sized"]:
            struct.pack_into("<H", data, at + 2, value)
            return True
        at += 4 + (field if form == FORMATS["sized"] else 0)
    data += struct.pack("<BBH", rng.choice((2, 3)), code, value)
    return True


def compat() -> list[Case]:
    return [
        Case(f"code {code}", str(value), functools.partial(set_compat, code=code, value=value))
        for code in range(14)
        for value in (0, 1, 2, 3, 5, 6, 9, 10, 0x80, 0xFF, 0x100, 0x101, 0x102)
    ]


def memory_sections() -> list[Case]:
    return [*plain_types(), *second_sections()]


def literals() -> list[Case]:
    return list(overflowing_literals())


EXPERIMENTS: dict[str, Callable[[], list[Case]]] = {
    **RELOCATION_EXPERIMENTS,
    "attributes": attributes,
    "inherited-attributes": inherited_attributes,
    "constant-banks": constant_banks,
    "barriers": barriers,
    "symbols": symbols,
    "alignments": alignments,
    "virtual-targets": virtual_targets,
    "compat": compat,
    "memory-sections": memory_sections,
    "literals": literals,
}
