"""Known faults of nvlink about functions."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from cubin import STB_GLOBAL, STB_LOCAL, STB_WEAK, STT_FUNC, Cubin
from fault import INSTRUCTION, NAME_TABLES, SYMBOL_TABLES, Case, Difference, unchanged_cubin


def aliases(cubin: Cubin) -> dict[str, str]:
    """Maps the name of each alias, a function symbol of size 0, to the name of its function."""
    functions = [s for s in cubin.symbols if s.type == STT_FUNC and s.section]
    aliased = {(s.section, s.value): s.name for s in functions if s.size}
    return {
        s.name: aliased[s.section, s.value]
        for s in functions
        if not s.size and s.binding == STB_GLOBAL and (s.section, s.value) in aliased
    }


def weak_functions(cubin: Cubin) -> set[str]:
    return {
        s.name
        for s in cubin.symbols
        if s.type == STT_FUNC and s.binding == STB_WEAK and s.section and s.size
    }


def aliases_of_weak_functions(inputs: list[Path]) -> dict[str, str]:
    cubins = [unchanged_cubin(path) for path in inputs]
    weak = set().union(*(weak_functions(cubin) for cubin in cubins))
    found = {name: base for cubin in cubins for name, base in aliases(cubin).items()}
    return {name: base for name, base in found.items() if name in weak}


def is_of_lost_code(difference: Difference, alias: str, base: str) -> bool:
    section, entry, field = (difference[key] for key in ("section", "entry", "field"))
    theirs, ours = difference["a"], difference["b"]
    if section == f".text.{alias}":
        return entry == "section" and theirs == "PROGBITS, 0 bytes" and ours is None
    if section == f".nv.info.{base}":
        return entry == "section" and theirs is None
    if section in NAME_TABLES:
        left = {f".text.{alias}", f".nv.info.{alias}"}
        return (theirs in left and ours is None) or (theirs, ours) == (None, f".nv.info.{base}")
    if section in SYMBOL_TABLES:
        places = (f".text.{alias}", f".text.{base}")
        return (entry, field) == (alias, "section") and (theirs, ours) == places
    is_list = section is not None and section.startswith((".rel.", ".rela."))
    return is_list and field == "symbol" and (theirs, ours) == (alias, base)


RESOLVED = re.compile(r"(?:\.nv\.merc)?\.nv\.resolvedrela\.text\.([^#]+)(?:#\d+)?")


def repeated_static_functions(inputs: list[Path]) -> set[str]:
    names = Counter(
        symbol.name
        for path in inputs
        for symbol in unchanged_cubin(path).symbols
        if symbol.type == STT_FUNC and symbol.binding == STB_LOCAL and symbol.section
    )
    return {name for name, count in names.items() if count > 1}


def lists_of_static_functions(case: Case) -> bool:
    """Whether the only difference is that nvlink, with --preserve-relocs, lists the resolved
    relocations of all static functions of one name in the section of the first of these
    functions."""
    names = repeated_static_functions(case.inputs)

    def is_of_list(difference: Difference) -> bool:
        found = RESOLVED.fullmatch(difference["section"] or "")
        name = RESOLVED.fullmatch(difference["a"] or difference["b"] or "")
        is_name = difference["section"] in NAME_TABLES and name and name[1] in names
        is_count = (difference["section"], difference["field"]) == ("ELF header", "sections")
        return bool(found and found[1] in names) or bool(is_name) or is_count

    return bool(names) and all(is_of_list(difference) for difference in case.differences)


OPERATION, NOP = 0x1FF, 0x118  # the bits of the operation code, and the code of NOP


def is_yield_with_value(theirs: bytes, ours: bytes, value: int) -> bool:
    a, b = int.from_bytes(theirs, "little"), int.from_bytes(ours, "little")
    return b & OPERATION == NOP and a == b & ~OPERATION | (NOP + value) & OPERATION


def code_of(path: Path) -> list[bytes]:
    sections = unchanged_cubin(path).sections
    return [bytes(section.data) for section in sections if section.name.startswith(".text.")]


def yields_with_value(case: Case) -> bool:
    """Whether the only difference is that nvlink has added the value of symbol 0 to the operation
    codes of NOP instructions."""
    value = unchanged_cubin(case.theirs).symbols[0].value
    if not value or not all((d["section"] or "").startswith(".text.") for d in case.differences):
        return False
    pairs = [
        (a[at : at + INSTRUCTION], b[at : at + INSTRUCTION])
        for a, b in zip(code_of(case.theirs), code_of(case.ours))
        for at in range(0, len(a), INSTRUCTION)
    ]
    return all(a == b or is_yield_with_value(a, b, value) for a, b in pairs)


def code_lost_to_an_alias(case: Case) -> bool:
    """Whether an alias in one object supersedes a weak function of the same name in another object,
    and all differences concern the alias or the weak function. nvlink keeps references to the
    removed code of the weak function."""
    pairs = aliases_of_weak_functions(case.inputs)
    return bool(pairs) and all(
        any(is_of_lost_code(difference, *pair) for pair in pairs.items())
        for difference in case.differences
    )
