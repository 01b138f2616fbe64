"""How a known fault of nvlink is described; explained.py uses these descriptions."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cubin import STB_LOCAL, STB_WEAK, Cubin, Section, read_cubin

Difference = dict[str, str | None]
NAME_TABLES = (".strtab", ".shstrtab")
SYMBOL_TABLES = (".symtab", ".nv.merc.symtab")
INSTRUCTION = 16
STO_SPACE = 0xE0  # bits of st_other that hold the memory space


@dataclass(frozen=True)
class Case:
    """Two outputs that differ, their differences, and the inputs of the link."""

    differences: list[Difference]
    theirs: Path
    ours: Path
    inputs: list[Path]


@dataclass(frozen=True)
class Fault:
    name: str
    section: str  # heading of a page of docs/quirks
    accounts_for: Callable[[Case], bool]


def unchanged_cubin(path: Path) -> Cubin:
    """Returns the contents of a file. Calls for the same file share one result, so callers must not
    change it."""
    return cubin_of_time(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=64)
def cubin_of_time(path: Path, _changed: int) -> Cubin:
    return read_cubin(path)


def weak_names_of_several(inputs: list[Path]) -> set[str]:
    """Names that more than one input defines, with at least one weak definition."""
    weak: set[str] = set()
    definitions: Counter[str] = Counter()
    for path in inputs:
        defined = [s for s in unchanged_cubin(path).symbols if s.section and s.binding != STB_LOCAL]
        definitions.update({symbol.name for symbol in defined})
        weak |= {symbol.name for symbol in defined if symbol.binding == STB_WEAK}
    return {name for name in weak if definitions[name] > 1}


def differing_instructions(case: Case) -> set[tuple[str, int]]:
    """Code section and index of each instruction that differs, in the sections that the differences
    name. If only one output has a function, all of its instructions count as differing."""
    named = {plain_name(difference["section"] or "") for difference in case.differences}
    theirs, ours = unchanged_cubin(case.theirs), unchanged_cubin(case.ours)
    pairs = itertools.zip_longest(
        [s for s in theirs.sections if s.name.startswith(".text.")],
        [s for s in ours.sections if s.name.startswith(".text.")],
        fillvalue=Section("", 0),
    )
    return {
        (a.name or b.name, at // INSTRUCTION)
        for a, b in pairs
        if a.name in named or b.name in named
        for at, (x, y) in enumerate(itertools.zip_longest(a.data, b.data))
        if x != y
    }


# The parts of the file's header that follow from the number of sections.
COUNTS = ("sections", "program_headers")


def follows_sections(difference: Difference) -> bool:
    """Whether a difference is only a consequence of different sections: it is in a header of the
    file, or it is the size of a symbol table."""
    section, field = difference["section"] or "", difference["field"]
    if section in SYMBOL_TABLES:
        return field == "size" and difference["entry"] is None
    return section == "program headers" or (section == "ELF header" and field in COUNTS)


def is_in_code(difference: Difference) -> bool:
    return (difference["section"] or "").startswith(".text.") and difference["field"] == "bytes"


def plain_name(label: str) -> str:
    """The name of a section from its label, which ends in a number if sections share the name."""
    return re.sub(r"#\d+$", "", label)
