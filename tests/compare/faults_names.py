"""A known fault of nvlink about several definitions of one name; see explained.py."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from cubin import STB_LOCAL, STT_FUNC
from fault import (
    NAME_TABLES,
    SYMBOL_TABLES,
    Case,
    Difference,
    differing_instructions,
    follows_sections,
    is_in_code,
    unchanged_cubin,
)
from faults_constants import constant_operands
from faults_kernels import (
    concerns_sections_of,
    explain_usage,
    memory_operands,
    static_kernels_of_several,
)

TAKEN_CONSTANTS = "constants of a static function taken away"
COMPILER_BANK = ".nv.constant2."
BANK_IN_USE = re.compile(r", \d+ bytes cmem\[2\]")


def names_that_lose_constants(inputs: list[Path]) -> set[str]:
    """Names that a static function with compiler-made constants shares with at least two functions
    that are not static. If one of these two supersedes the other, nvlink takes the constants away
    from the static function."""
    local: set[str] = set()
    others: Counter[str] = Counter()
    for cubin in map(unchanged_cubin, inputs):
        functions = [s for s in cubin.symbols if s.type == STT_FUNC and s.section]
        others.update({f.name for f in functions if f.binding != STB_LOCAL})
        local |= {
            f.name
            for f in functions
            if f.binding == STB_LOCAL and cubin.has_section(COMPILER_BANK + f.name)
        }
    return {name for name in local if others[name] > 1}


def concerns_compiler_banks(difference: Difference) -> bool:
    section = difference["section"] or ""
    texts = [t for t in (difference["entry"], difference["a"], difference["b"]) if t]
    named = any(text.startswith(COMPILER_BANK) for text in texts)
    if section in SYMBOL_TABLES:
        null_symbol = difference["entry"] is not None and not difference["entry"].strip(": ")
        return follows_sections(difference) or null_symbol or named
    if section in NAME_TABLES:
        return named
    in_bank = section.startswith(COMPILER_BANK)
    return follows_sections(difference) or in_bank or is_in_code(difference)


def taken_constants(case: Case) -> bool:
    """Whether nothing differs but compiler-made constants and operands that refer to them. If
    static kernels share a name, their memory sections can differ, too, because nvlink forgets
    memory of one of them."""
    if not names_that_lose_constants(case.inputs):
        return False
    rest = [d for d in case.differences if not concerns_compiler_banks(d)]
    kernels = static_kernels_of_several(case.inputs)
    if not all(kernels and concerns_sections_of(d, kernels, set()) for d in rest):
        return False
    inputs = [unchanged_cubin(path) for path in case.inputs]
    operands = set().union(*map(constant_operands, inputs))
    if kernels:
        operands = operands.union(*map(memory_operands, inputs))
    return differing_instructions(case) <= operands


def explain_banks_in_use(theirs: list[str], ours: list[str], inputs: list[Path]) -> str | None:
    """The name of the fault if the messages differ only in the sizes of constant bank 2."""
    if theirs == ours or not names_that_lose_constants(inputs):
        return None
    their_rest, our_rest = (
        [BANK_IN_USE.sub("", line) for line in lines] for lines in (theirs, ours)
    )
    same = their_rest == our_rest or explain_usage(their_rest, our_rest, inputs)
    return TAKEN_CONSTANTS if same else None
