"""The pages of docs/coverage name only functions, golden links and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from repository import REPOSITORY

FOLDER = REPOSITORY / "docs" / "coverage"
INDEX = FOLDER / "README.md"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path != INDEX)
WITHOUT_FUNCTION = "## Mechanisms that warpld does not implement"
ITEM = re.compile(r"^- (.*?)(?=^- |^#|^$|\Z)", re.MULTILINE | re.DOTALL)
EVIDENCE = re.compile(r"(.*?) - \*Functions?:\* (.*?)\. \*Tests?:\* (.*)\.")
REASON = re.compile(r"\*\*(.*?)\*\* (.*)")
FEWEST_WORDS = 4  # of a reason
FEWEST_ITEMS = 360  # so that no item gets lost when pages are rewritten


class Item(NamedTuple):
    """A mechanism of nvlink: with functions and tests, or with a reason why there are none."""

    mechanism: str
    functions: list[str]
    tests: list[str]
    reason: str


def names_in(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def item_of(text: str, has_function: bool) -> Item:
    found = (EVIDENCE if has_function else REASON).fullmatch(text)
    assert found, text
    if has_function:
        return Item(found[1], names_in(found[2]), names_in(found[3]), "")
    return Item(found[1], [], [], found[2])


def items_of(page: Path) -> list[Item]:
    implemented, _, others = page.read_text().partition(WITHOUT_FUNCTION)
    return [
        item_of(" ".join(item.split()), has_function)
        for part, has_function in ((implemented, True), (others, False))
        for item in ITEM.findall(part)
    ]


ITEMS = [item for page in PAGES for item in items_of(page)]


def path_of(name: str) -> str:
    """The path that a name stands for. A name without a folder is that of a golden link."""
    return name if "/" in name else f"tests/golden/{name}"


def defines(path: Path, name: str) -> bool:
    """Whether a file in C or Python defines a function of that name. A call at the end of a line is
    no definition."""
    pattern = {
        ".py": rf"^def {name}\(",
        ".c": rf"^(?!\s)[^;\n]*\b{name}\([^;]*?\)\s*\{{",
        ".h": rf"^(?!\s)[^;\n]*\b{name}\([^;]*?\)\s*\{{",
    }.get(path.suffix)
    return bool(pattern and re.search(pattern, path.read_text(), re.MULTILINE))


def problem_of(name: str) -> str | None:
    file, _, function = path_of(name).partition(":")
    path = REPOSITORY / file
    if not path.exists():
        return f"{file} does not exist"
    if path.is_dir():
        return None if (path / "link").is_file() else f"{file} is no golden link"
    if not function:
        return f"{file}: which function?"
    return None if defines(path, function) else f"{file} does not define {function}"


@pytest.mark.parametrize("item", ITEMS, ids=[item.mechanism[:40] for item in ITEMS])
def test_item_names_what_there_is(item: Item) -> None:
    if item.reason:
        assert len(item.reason.split()) >= FEWEST_WORDS
        return
    tests = [path_of(name) for name in item.tests]
    assert item.functions
    assert tests
    assert all(name.startswith("src/") for name in item.functions), item.functions
    assert all(name.startswith("tests/") for name in tests), tests
    assert [p for p in map(problem_of, item.functions + tests) if p] == []


def test_items_are_different() -> None:
    mechanisms = [item.mechanism for item in ITEMS]
    assert len(set(mechanisms)) == len(mechanisms)


def test_no_item_is_forgotten() -> None:
    assert len(ITEMS) >= FEWEST_ITEMS


def test_the_index_counts_the_items_of_each_page() -> None:
    counted = {}
    for page in PAGES:
        items = items_of(page)
        counted[page.name] = len(items), sum(bool(item.reason) for item in items)
    table = re.findall(r"\]\((\S+\.md)\)[^|]*\| (\d+) \| (\d+) \|", INDEX.read_text())
    assert {name: (int(items), int(none)) for name, items, none in table} == counted


@pytest.mark.parametrize(
    "name",
    [
        "src/link/none.c:merge",
        "src/link/merge/merge.c",
        "src/link/merge/merge.c:merge_sort",
        "src/link/merge/merge.c:assert",
        "tests/golden",
        "no-such-golden-link",
        "tests/tidy/test_coverage.py:test_nothing",
    ],
)
def test_what_is_missing_is_noticed(name: str) -> None:
    assert problem_of(name)
