"""Known faults of nvlink about addends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cubin import STT_SECTION
from fault import Case, Difference, unchanged_cubin
from relocation_fields import value_at


def held_values(path: Path, lists: str) -> Iterator[int]:
    """Yields the values in the relocation fields of REL entries that refer to section symbols."""
    cubin = unchanged_cubin(path)
    for section in cubin.sections:
        for entry in section.relocations() if section.name == lists else []:
            if cubin.symbols[entry.symbol].type == STT_SECTION:
                yield value_at(cubin.sections[section.info].data, entry)[0]


def is_forgotten(case: Case, difference: Difference) -> bool:
    name, (theirs, ours) = difference["section"] or "", (difference["a"], difference["b"])
    if not name.startswith(".rela.") or difference["field"] != "addend" or not theirs or not ours:
        return False
    forgotten = int(ours, 0) - int(theirs, 0)
    lists = name.replace(".rela.", ".rel.", 1)
    return forgotten > 0 and any(forgotten in held_values(path, lists) for path in case.inputs[1:])


def forgotten_addends(case: Case) -> bool:
    """Whether nothing differs but addends of entries that were REL entries in the object. The
    addend in the output must be the offset of the object's contribution plus the value that the
    relocation field holds. nvlink forgets to add that value."""
    return bool(case.differences) and all(is_forgotten(case, d) for d in case.differences)
