"""The list of passes in src/link/link.c agrees with the other files that name them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from repository import REPOSITORY
from source_tree import functions, relative, text, under

LINK = REPOSITORY / "src/link"
DESIGN = REPOSITORY / "docs/design.md"
ROW = re.compile(r"^    PASS\w*\((.*?)\),\n(?! {5})", re.MULTILINE | re.DOTALL)
NOTHING = "nothing more"


@dataclass(frozen=True)
class Pass:
    function: str
    needs: frozenset[str]
    makes: str
    freezes: frozenset[str]

    @property
    def name(self) -> str:
        return self.function.removeprefix("pass_")


def arguments_of(row: str) -> list[str]:
    """The arguments of a row of a table. None of them contains a comma."""
    return [" ".join(argument.split()) for argument in row.split(",")]


def read_row(row: str) -> Pass:
    function, _, needs, makes, freezes = arguments_of(row)
    return Pass(
        function,
        frozenset(re.findall(r"NEED\((\w+)\)", needs)),
        makes,
        frozenset(re.findall(r"FREEZE\((\w+)\)", freezes)),
    )


PASSES = [read_row(row) for row in ROW.findall(text(LINK / "link.c"))]
STAGES = set(re.findall(r"^    STAGE_(\w+),", text(LINK / "model/link_context.h"), re.MULTILINE))
THINGS = set(re.findall(r"^FROZEN\((\w+),", text(LINK / "frozen.def"), re.MULTILINE))
DEFINITIONS = {
    function.name: function.path
    for path in under("src/link", suffixes=(".c",))
    for function in functions(path)
    if function.name.startswith("pass_")
}


def head_of(path: Path) -> str:
    """The first comment of a file as one line."""
    comment = text(path).split("*/")[0]
    return re.sub(r"\s+", " ", re.sub(r"\n \*", " ", comment))


def words_in(part: str, known: set[str]) -> set[str]:
    return {word for word in re.findall(r"[A-Z][A-Z_]+", part) if word in known}


def test_rows_were_read() -> None:
    assert len(PASSES) > 30
    assert len({row.makes for row in PASSES}) == len(PASSES)
    assert {row.makes for row in PASSES} | {"COUNT"} >= STAGES
    assert set.union(*(set(row.freezes) for row in PASSES)) == THINGS


def test_the_design_lists_the_passes_in_order() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", text(DESIGN), re.MULTILINE)
    assert rows == [row.name for row in PASSES]


def test_a_need_is_made_by_an_earlier_pass() -> None:
    made: set[str] = set()
    for row in PASSES:
        assert row.needs <= made, row.function
        made.add(row.makes)


def test_exactly_the_passes_have_the_prefix() -> None:
    assert sorted(DEFINITIONS) == sorted(row.function for row in PASSES)


@pytest.mark.parametrize("row", PASSES, ids=[row.name for row in PASSES])
def test_head_says_what_the_row_says(row: Pass) -> None:
    head = head_of(DEFINITIONS[row.function])
    found = re.search(r"Requires: (.*?)\. Makes: (.*?)\. Frozen after: (.*?)\.", head)
    assert found, "no lines Requires, Makes and Frozen after"
    requires, makes, frozen = found.groups()
    assert words_in(requires, STAGES) == row.needs
    assert words_in(makes, STAGES) == {row.makes}
    assert words_in(frozen, THINGS) == row.freezes
    assert row.freezes or frozen == NOTHING


def prototypes(header: Path) -> list[str]:
    return re.findall(r"^void (pass_\w+)\(", text(header), re.MULTILINE)


def test_prototypes_stand_in_the_order_of_the_list() -> None:
    headers = sorted(LINK.glob("*/*_passes.h"))
    order = [row.function for row in PASSES]
    declared = [name for header in headers for name in prototypes(header)]
    assert sorted(declared) == sorted(order)
    for header in headers:
        names = prototypes(header)
        assert names == sorted(names, key=order.index), relative(header)
        assert {DEFINITIONS[name].parent for name in names} == {header.parent}


def test_no_pass_calls_another() -> None:
    names = "|".join(row.function for row in PASSES)
    problems = []
    for path in under("src", suffixes=(".c", ".h")):
        for line in text(path).split("\n"):
            if re.search(rf"\b(?:{names})\(", line) and not line.startswith("void pass_"):
                problems.append(f"{relative(path)}: {line.strip()}")
    assert problems == []


def test_static_functions_of_the_linker_have_names_of_their_own() -> None:
    """Names are unique so that a search for a name finds one function."""
    homes: dict[str, set[str]] = {}
    for path in under("src/link"):
        for name in re.findall(r"^static [^;={(]*?\b(\w+)\([^;{]*?\)\s*\{", text(path), re.M):
            homes.setdefault(name, set()).add(relative(path))
    assert len(homes) > 500
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
