"""What docs/coverage.md names exists: functions, golden links, tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from source_tree import REPOSITORY

PAGE = REPOSITORY / "docs" / "coverage.md"
NONE = "-"
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| mechanism |")
]
FEWEST_WORDS = 4  # of a reason


def names_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def defines(path: Path, name: str) -> bool:
    """A function of C or Python; what is called with a line's end is no definition."""
    pattern = {
        ".py": rf"^def {name}\(",
        ".c": rf"^(?!\s)[^;\n]*\b{name}\([^;]*?\)\s*\{{",
        ".h": rf"^(?!\s)[^;\n]*\b{name}\([^;]*?\)\s*\{{",
    }.get(path.suffix)
    return bool(pattern and re.search(pattern, path.read_text(), re.MULTILINE))


def problem_of(name: str) -> str | None:
    file, _, function = name.partition(":")
    path = REPOSITORY / file
    if not path.exists():
        return f"{file} does not exist"
    if path.is_dir():
        return None if (path / "link").is_file() else f"{file} is no golden link"
    if not function:
        return f"{file}: which function?"
    return None if defines(path, function) else f"{file} does not define {function}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_row_names_what_there_is(row: list[str]) -> None:
    assert len(row) == 3, row
    _, place, shown = row
    if place == NONE:
        assert len(shown.split()) >= FEWEST_WORDS, "why is there no place?"
        assert not names_in(shown)
        return
    places, tests = names_in(place), names_in(shown)
    assert places
    assert tests
    assert all(name.startswith("src/") for name in places), places
    assert all(name.startswith("tests/") for name in tests), tests
    assert [p for p in map(problem_of, places + tests) if p] == []


def test_rows_are_different() -> None:
    mechanisms = [row[0] for row in ROWS]
    assert len(set(mechanisms)) == len(mechanisms)


@pytest.mark.parametrize(
    "name",
    [
        "src/link/none.c:merge",
        "src/link/merge/merge.c",
        "src/link/merge/merge.c:merge_sort",
        "src/link/merge/merge.c:assert",
        "tests/golden",
        "tests/tidy/test_coverage.py:test_nothing",
    ],
)
def test_what_is_missing_is_noticed(name: str) -> None:
    assert problem_of(name)
