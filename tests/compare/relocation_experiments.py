"""The experiments of patch.py with relocations.

The target of a relocation is the symbol to which it refers. Symbols that the compiler does not
write are added to the object. Offsets, addends and the kind of the entry (REL or RELA) are random.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable

from cubin import (
    SHT_CUDA_CONSTANT0,
    STB_GLOBAL,
    STB_LOCAL,
    STB_WEAK,
    STT_CUDA_OBJECT,
    STT_FUNC,
    STT_OBJECT,
    STT_SECTION,
    STT_TEXTURE,
    Cubin,
    Section,
)
from experiment import FORMAT, KERNEL, NEAR, Case, find_symbol, table_rows

NATIVE, MERCURY = (
    table_rows(FORMAT / f"relocation_{view}.def", "RELOCATION") for view in ("native", "mercury")
)
SPACE_GLOBAL, SPACE_SHARED, SPACE_CONSTANT = 0x20, 0x40, 0x80
SHF_ALLOC = 2
ADDENDS = (0, 0, 1, 8, -8, 0x1234, 0x7FFFFFFF, -(1 << 63), (1 << 40) + 5)

# Targets -----------------------------------------------------------------------------------------

SYMBOL_TARGETS = {
    "function": "near",
    "undefined function": "away",
    "kernel": KERNEL,
    "dead function": "dead",
    "weak function": "fold",
    "global": "data",
    "zeroed global": "zero",
    "static global": "hidden",
    "undefined global": "far",
    "constant": "bank",
    "undefined constant": "far_bank",
    "shared": "tile",
    "shared of a function": "board",
    "extern shared": "dynamic",
    "texture": "texture",
}
SECTION_TARGETS = (
    ".text.near",
    ".text.dead",
    ".text.fold",
    ".nv.global.init",
    ".nv.global",
    ".nv.constant3",
    f".nv.constant0.{KERNEL}",
    "_shared",
    ".debug_frame",
    ".nv.callgraph",
)
# Symbols that are added to the object: binding, type, memory space, size.
ADDED_TARGETS = {
    "weak undefined function": (STB_WEAK, STT_FUNC, 0, 0),
    "weak undefined global": (STB_WEAK, STT_CUDA_OBJECT, SPACE_GLOBAL, 16),
    "weak undefined constant": (STB_WEAK, STT_CUDA_OBJECT, SPACE_CONSTANT, 16),
    "weak undefined shared": (STB_WEAK, STT_CUDA_OBJECT, SPACE_SHARED, 16),
    "weak undefined extern shared": (STB_WEAK, STT_CUDA_OBJECT, SPACE_SHARED, 0),
    "weak undefined object": (STB_WEAK, STT_OBJECT, 0, 16),
    "weak undefined variable": (STB_WEAK, STT_CUDA_OBJECT, 0, 16),
    "weak undefined texture": (STB_WEAK, STT_TEXTURE, 0, 0),
    "weak undefined untyped": (STB_WEAK, 0, 0, 0),
    "undefined untyped": (STB_GLOBAL, 0, 0, 0),
}
LINKER_TARGETS = (
    ".nv.reservedSmem.offset0",
    ".nv.reservedSmem.cap",
    ".nv.reservedSmem.begin",
    "__UFT_OFFSET",
    "__UDT_OFFSET",
    "__UFT",
    "__UDT",
    "__UFT_CANONICAL",
    "__UDT_CANONICAL",
    "__UFT_END",
    "__UDT_END",
)
# Banks 0 and 2, which belong to functions, are left out because of nvlink's faults with them
# (docs/quirks/relocations.md).
BANKS = (1, 4, 11, 25, 26)


def add_symbol(cubin: Cubin, name: str, binding: int, kind: int, other: int, size: int) -> int:
    return cubin.add_symbol(name, 0, 0, size, binding=binding, type=kind, other=other)


def linker_symbol(cubin: Cubin, name: str) -> int:
    """The index of a symbol that the linker defines. It is added if the object does not have it;
    objects from sm_90 on have most of these symbols."""
    found = find_symbol(cubin, name)
    size = 4 if name.startswith(".") else 8
    return found or add_symbol(cubin, name, STB_WEAK, STT_OBJECT, 0, size)


def untyped_symbol(cubin: Cubin, binding: int) -> int:
    added = add_symbol(cubin, "untyped", binding, 0, 0, 0)
    cubin.symbols[added].section = cubin.section_index(f".text.{NEAR}")
    cubin.symbols[added].value = 16
    return added


def bank_symbol(cubin: Cubin, bank: int, of_section: bool) -> int:
    """Adds a section for a constant bank other than 3. Returns the index of its section symbol or
    of a variable in it."""
    kind = SHT_CUDA_CONSTANT0 + bank
    section = Section(f".nv.constant{bank}", kind, SHF_ALLOC, alignment=8, data=bytearray(32))
    cubin.sections.append(section)
    if of_section:
        added = add_symbol(cubin, section.name, STB_LOCAL, STT_SECTION, 0, 0)
    else:
        added = add_symbol(cubin, "other_bank", STB_GLOBAL, STT_CUDA_OBJECT, SPACE_CONSTANT, 16)
        cubin.symbols[added].value = 8
    cubin.symbols[added].section = len(cubin.sections) - 1
    return added


def section_target(cubin: Cubin, name: str) -> int | None:
    if name == "_shared":
        names = [s.name for s in cubin.sections if "shared" in s.name]
        name = names[0] if names else name
    if not cubin.has_section(name):
        return None
    return cubin.section_symbol(cubin.section_index(name))


Target = Callable[[Cubin], int | None]
TARGETS: dict[str, Target] = {
    **{kind: functools.partial(find_symbol, name=name) for kind, name in SYMBOL_TARGETS.items()},
    **{name: functools.partial(section_target, name=name) for name in SECTION_TARGETS},
    "symbol 0": lambda cubin: 0,
    **{
        kind: functools.partial(
            add_symbol, name="added", binding=binding, kind=number, other=other, size=size
        )
        for kind, (binding, number, other, size) in ADDED_TARGETS.items()
    },
    "local untyped": functools.partial(untyped_symbol, binding=STB_LOCAL),
    "global untyped": functools.partial(untyped_symbol, binding=STB_GLOBAL),
    **{name: functools.partial(linker_symbol, name=name) for name in LINKER_TARGETS},
    **{
        f"bank {bank}": functools.partial(bank_symbol, bank=bank, of_section=False)
        for bank in BANKS
    },
    **{
        f"section of bank {bank}": functools.partial(bank_symbol, bank=bank, of_section=True)
        for bank in BANKS
    },
}

# Places ------------------------------------------------------------------------------------------

PLACES = (
    f".text.{KERNEL}",
    f".text.{NEAR}",
    ".text.dead",
    ".text.fold",
    ".nv.global.init",
    ".nv.constant3",
    f".nv.constant0.{KERNEL}",
    ".debug_frame",
)
# Sections in which a relocation may change any byte. .debug_frame is not among them, because the
# linker reads its contents.
COMMON_PLACES = (f".text.{KERNEL}", f".text.{NEAR}", ".nv.global.init", ".nv.constant3")


def draw_offset(rng: random.Random, size: int) -> int:
    offset = rng.randrange(0, (size - 16) // 8 + 1) * 8
    return offset + rng.choice((1, 4, 8)) if rng.random() < 0.1 else offset


def add_relocation(
    cubin: Cubin, rng: random.Random, kind: int, target: str, places: tuple[str, ...]
) -> bool:
    symbol = TARGETS[target](cubin)
    name = rng.choice([place for place in places if cubin.has_section(place)])
    if symbol is None:
        return False
    place = cubin.section_index(name)
    offset = draw_offset(rng, len(cubin.sections[place].data))
    explicit = rng.random() < 0.5
    if not explicit and cubin.symbols[symbol].type == STT_SECTION:
        clear_place(cubin.sections[place], offset)
    cubin.add_relocation(place, offset, kind, symbol, rng.choice(ADDENDS), explicit)
    return True


def clear_place(section: Section, offset: int) -> None:
    """Clears the relocation field. Otherwise the outputs could differ: if nvlink writes a RELA
    entry for a REL entry, it forgets the addend in the field (docs/quirks/relocations.md)."""
    end = min(offset + 8, len(section.data))
    section.data[offset:end] = bytes(end - offset)


def cases_of_types(rows: list[tuple[str, int]], targets: list[str]) -> list[Case]:
    return [
        Case(
            row,
            target,
            functools.partial(add_relocation, kind=number, target=target, places=COMMON_PLACES),
        )
        for row, number in rows
        for target in targets
    ]


# Targets whose relocations are kept for the driver, whatever the number of their type. For all
# other targets, nvlink looks up an invalid number in the memory after its tables. As a result it
# keeps 118, drops 255 and 257, and crashes on 0x20000 (docs/quirks/relocations.md).
KEPT_TARGETS = ["function", "undefined function", "dead function", "global", "zeroed global"]


def relocations() -> list[Case]:
    """Every native relocation type with every kind of target, at a random offset."""
    return cases_of_types([(f"{row[0]} {row[1]}", int(row[0])) for row in NATIVE], list(TARGETS))


def foreign_types() -> list[Case]:
    """Type numbers of the Mercury view and invalid type numbers, in a native section."""
    mercury = [(f"{row[0]} {row[1]}", int(row[0], 16)) for row in MERCURY]
    unknown = [(hex(n), n) for n in (117, 118, 200, 255, 257, 0xFFFF, 0x10041, 0x20000, 0xFFFFFFFF)]
    kept = [*cases_of_types(unknown, KEPT_TARGETS)]
    return cases_of_types([("0x74", 0x74), *mercury], list(TARGETS)) + kept


def add_at_place(cubin: Cubin, rng: random.Random, place: str, target: str) -> bool:
    kinds = [int(row[0]) for row in NATIVE if row[2] not in ("DESCRIPTOR", "PC_RELATIVE", "END")]
    if not cubin.has_section(place):
        return False
    return add_relocation(cubin, rng, rng.choice(kinds), target, (place,))


def relocation_places() -> list[Case]:
    """Relocations to every kind of target, in every section."""
    return [
        Case(place, target, functools.partial(add_at_place, place=place, target=target))
        for place in PLACES
        for target in TARGETS
    ]


# Positions ---------------------------------------------------------------------------------------


def add_near_end(cubin: Cubin, rng: random.Random, kind: int, target: str, distance: int) -> bool:
    symbol = TARGETS[target](cubin)
    name = rng.choice(COMMON_PLACES)
    if symbol is None or not cubin.has_section(name):
        return False
    place = cubin.section_index(name)
    offset = len(cubin.sections[place].data) + distance
    cubin.add_relocation(place, offset, kind, symbol, rng.choice(ADDENDS), rng.random() < 0.5)
    return True


def runs_over_end(kind: int, target: str, distance: int) -> bool:
    """Whether a linker would write the field past the end of its section. nvlink then overwrites
    what follows the section in the object's file (docs/quirks/relocations.md)."""
    size = {81: 1, 58: 0}.get(kind, 8)
    kept = target in ("global", "function") or (target == "dead function" and kind != 73)
    return distance < 0 and -distance < size and not kept


def relocation_offsets() -> list[Case]:
    """Fields that extend past the end of the section or begin after it."""
    return [
        Case(
            f"{kind} {target}",
            str(distance),
            functools.partial(add_near_end, kind=kind, target=target, distance=distance),
        )
        for kind in (2, 66, 55, 73, 81, 58, 115)
        for target in ("constant", "shared", "global", "function", "dead function")
        for distance in (-16, -9, -8, -7, -4, -1, 0, 1, 8, 16, 1 << 40)
        if not runs_over_end(kind, target, distance)
    ]


def add_two(cubin: Cubin, rng: random.Random, first: str, second: str) -> bool:
    """Adds two entries whose fields may overlap, to one relocation section or to two."""
    name = rng.choice([place for place in COMMON_PLACES if cubin.has_section(place)])
    place = cubin.section_index(name)
    offset = draw_offset(rng, len(cubin.sections[place].data))
    for target in (first, second):
        symbol = TARGETS[target](cubin)
        if symbol is None:
            return False
        kind = rng.choice((1, 2, 2, 55, 56, 59, 66, 72, 73, 76, 79, 102, 115))
        where = max(0, offset + rng.choice((0, 0, 0, 1, 4, -1)))
        explicit = rng.random() < 0.5
        cubin.add_relocation(place, where, kind, symbol, rng.choice(ADDENDS), explicit)
    return True


def relocation_pairs() -> list[Case]:
    written = ("constant", "shared", "symbol 0", ".text.near")
    targets = (*written, "global", "function", "dead function")
    return [
        Case(first, second, functools.partial(add_two, first=first, second=second))
        for first in targets
        for second in targets
    ]


def add_to_section(cubin: Cubin, rng: random.Random, place: str, target: str, size: int) -> bool:
    """Adds a relocation to a section of any kind, even one that compilers never relocate."""
    found = [i for i, s in enumerate(cubin.sections) if s.name.startswith(place)]
    symbol = TARGETS[target](cubin)
    if not found or symbol is None:
        return False
    offset = rng.choice((0, 4, 8))
    kind = 2 if size == 8 else 1
    cubin.add_relocation(found[0], offset, kind, symbol, rng.choice(ADDENDS), rng.random() < 0.5)
    return True


def relocated_sections() -> list[Case]:
    places = [
        *(".shstrtab", ".strtab", ".symtab", ".note.nv.tkinfo", ".note.nv.cuinfo", ".nv.info"),
        *(f".nv.info.{KERNEL}", ".nv.compat", ".nv.callgraph", ".nv.prototype", ".rel.text"),
        *(".rela.text", ".nv.global", "_shared", ".nv_debug.shared", ".nv.shared."),
        *(".debug_frame", ".text.first", ".nv.constant0", ".nv.constant3", ".nv.rel.action"),
    ]
    return [
        Case(
            place,
            f"{size * 8} bits, {target}",
            functools.partial(add_to_section, place=place, target=target, size=size),
        )
        for place in places
        for target in ("constant", "global", "function")
        for size in (4, 8)
    ]


RELOCATION_EXPERIMENTS: dict[str, Callable[[], list[Case]]] = {
    "relocations": relocations,
    "relocation-types": foreign_types,
    "relocation-places": relocation_places,
    "relocation-offsets": relocation_offsets,
    "relocation-pairs": relocation_pairs,
    "relocated-sections": relocated_sections,
}
