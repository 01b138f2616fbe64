"""What a known fault of nvlink is recognised from; see explained.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cubin import STB_LOCAL, STB_WEAK, read_cubin

Difference = dict[str, str | None]


@dataclass(frozen=True)
class Case:
    """Two outputs that differ, and what they were made from."""

    differences: list[Difference]
    theirs: Path
    ours: Path
    inputs: list[Path]


@dataclass(frozen=True)
class Fault:
    name: str
    section: str  # heading in docs/quirks.md
    accounts_for: Callable[[Case], bool]


def weak_names_of_several(inputs: list[Path]) -> set[str]:
    """Names that more than one input defines, at least one of them weak."""
    weak: set[str] = set()
    definitions: Counter[str] = Counter()
    for path in inputs:
        defined = [s for s in read_cubin(path).symbols if s.section and s.binding != STB_LOCAL]
        definitions.update({symbol.name for symbol in defined})
        weak |= {symbol.name for symbol in defined if symbol.binding == STB_WEAK}
    return {name for name in weak if definitions[name] > 1}
