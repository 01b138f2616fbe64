"""The tables of a comparison: how often each feature and each relocation type occurred."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass

from toolchain import REPOSITORY

# If a smaller percentage of the programs has a feature, a warning follows the table, because so few
# programs do not test the feature.
LEAST_PERCENT = 5.0
# Prefix of the names of deliberate mistakes. Their percentages refer to the programs with mistakes,
# not to all programs.
WRONG = "error-"


@dataclass(frozen=True)
class Tabled:
    """The properties of one program that the tables count."""

    arch: str
    features: set[str]
    relocations: Counter[int]

    @property
    def is_wrong(self) -> bool:
        return any(name.startswith(WRONG) for name in self.features)


def percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 100.0


def print_tables(programs: list[Tabled], expected: Collection[str]) -> None:
    arches = Counter(program.arch for program in programs)
    print("architectures:", ", ".join(f"{a} {n}" for a, n in sorted(arches.items())))
    right_names = {name for name in expected if not name.startswith(WRONG)}
    print_features("programs", programs, lambda name: not name.startswith(WRONG), right_names)
    wrong = [program for program in programs if program.is_wrong]
    if wrong:
        wrong_names = set(expected) - right_names
        print_features("wrong programs", wrong, lambda name: name.startswith(WRONG), wrong_names)
    print_relocations(programs)


def print_features(
    title: str,
    programs: list[Tabled],
    belongs: Callable[[str], bool],
    expected: Collection[str],
) -> None:
    counts = Counter(dict.fromkeys(expected, 0))
    for program in programs:
        counts.update(name for name in program.features if belongs(name))
    print(f"features of {len(programs)} {title}:")
    rare = []
    for name, count in sorted(counts.items()):
        share = percent(count, len(programs))
        print(f"  {name:34} {count:6} {share:6.1f} %")
        if share < LEAST_PERCENT:
            rare.append(f"warning: only {share:.1f} % of the {title} have {name}")
    for line in rare:
        print(line)


def relocation_names() -> dict[int, str]:
    """The names of the native relocation types, from warpld's table."""
    text = (REPOSITORY / "src" / "format" / "relocation_native.def").read_text()
    rows = re.findall(r"^RELOCATION\((\w+), (\w+),", text, re.MULTILINE)
    return {int(number, 0): f"R_CUDA_{name}" for number, name in rows}


def print_relocations(programs: list[Tabled]) -> None:
    counts: Counter[int] = Counter()
    objects: Counter[int] = Counter()
    for program in programs:
        counts += program.relocations
        objects.update(program.relocations.keys())
    names = relocation_names()
    print("relocation types in the inputs (entries, programs):")
    for kind, count in sorted(counts.items()):
        name = names.get(kind, "")
        share = percent(objects[kind], len(programs))
        print(f"  {kind:5} {name:34} {count:8} {objects[kind]:6} {share:6.1f} %")
