"""The pages of docs/coverage name only functions, golden links and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from repository import REPOSITORY

FOLDER = REPOSITORY / "docs" / "coverage"
INDEX = FOLDER / "README.md"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path != INDEX)
HEADING = "| mechanism |"
NONE = "-"
FEWEST_WORDS = 4  # of a reason
FEWEST_ROWS = 360  # so that no row gets lost when pages are rewritten


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split(" |")]


def rows_of(page: Path) -> list[list[str]]:
    """The rows of a page's tables. A row without a first cell continues the row above it."""
    rows: list[list[str]] = []
    for line in page.read_text().splitlines():
        if not line.startswith("| ") or line.startswith(HEADING):
            continue
        row = cells(line)
        if row[0] or not rows:
            rows.append(row)
        else:
            pairs = zip(rows[-1], row, strict=True)
            rows[-1] = [f"{above} {more}".strip() for above, more in pairs]
    return rows


ROWS = [row for page in PAGES for row in rows_of(page)]


def names_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


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


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_row_names_what_there_is(row: list[str]) -> None:
    assert len(row) == 3, row
    _, place, shown = row
    if place == NONE:
        assert len(shown.split()) >= FEWEST_WORDS, "a row without a function must give a reason"
        assert not names_in(shown)
        return
    places, tests = names_in(place), [path_of(name) for name in names_in(shown)]
    assert places
    assert tests
    assert all(name.startswith("src/") for name in places), places
    assert all(name.startswith("tests/") for name in tests), tests
    assert [p for p in map(problem_of, places + tests) if p] == []


def test_rows_are_different() -> None:
    mechanisms = [row[0] for row in ROWS]
    assert len(set(mechanisms)) == len(mechanisms)


def test_no_row_is_forgotten() -> None:
    assert len(ROWS) >= FEWEST_ROWS


def test_the_index_counts_the_rows_of_each_page() -> None:
    counted = {}
    for page in PAGES:
        rows = rows_of(page)
        counted[page.name] = len(rows), sum(row[1] == NONE for row in rows)
    table = re.findall(r"\]\((\S+\.md)\) \| (\d+) \| (\d+) \|", INDEX.read_text())
    assert {name: (int(rows), int(none)) for name, rows, none in table} == counted


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
