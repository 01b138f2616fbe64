"""For each row of the table of messages, the file `provoked` names a link or a test. When these
tests run that link or test, it must print the message of the row."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from golden_folder import GOLDEN, GoldenFolder
from provoked_rows import REPOSITORY, Provoked, plain_line, provoked_rows, rows_of, table_rows
from recording import Recorded, run_tests

BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
TABLE = table_rows()
PROVOKED = provoked_rows()
TIMEOUT_SECONDS = 60


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    """Runs the tests of other folders that `provoked` names. Maps each of them to its messages."""
    folders: dict[str, list[str]] = defaultdict(list)
    for place in dict.fromkeys(row.place for row in PROVOKED if "::" in row.place):
        folders[place.split("/")[0]].append(place)
    found: dict[str, Recorded] = {}
    for folder, tests in folders.items():
        found |= run_tests(tests, BUILD, tmp_path_factory.mktemp(folder))
    return found


def run(command: list[object], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


def lines_of_golden(name: str, output: Path) -> list[str]:
    folder = GoldenFolder(GOLDEN / name)
    every = ["--error-limit=0", "--no-demangle"]
    done = run([BUILD / "warpld", *folder.arguments, *every, "-o", output], folder.path)
    return [plain for line in done.stderr.splitlines() if (plain := plain_line(line))]


def lines_of_unit_test(name: str) -> list[str]:
    """The messages that a unit test prints. A unit test prints only the code of a message, so the
    severity comes from the table."""
    done = run([BUILD / "tests" / "unit" / name], REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr
    severities = {row.code: row.severity for row in TABLE}
    pairs = [line.partition(": ") for line in (done.stdout + done.stderr).splitlines()]
    return [f"{severities[code]}: {text}" for code, _, text in pairs if code in severities]


def lines_of_test(test: Recorded) -> list[str]:
    if test.skipped and not test.lines:
        pytest.skip(test.skipped)
    assert not test.failed
    return test.lines


def has_lines(said: list[str], wanted: list[str]) -> bool:
    """Whether the wanted lines occur consecutively."""
    starts = range(len(said) - len(wanted) + 1)
    return any(said[start : start + len(wanted)] == wanted for start in starts)


@pytest.mark.parametrize("row", PROVOKED, ids=[row.name for row in PROVOKED])
def test_row_is_provoked(row: Provoked, recorded: dict[str, Recorded], tmp_path: Path) -> None:
    folder, _, name = row.place.partition("/")
    if folder == "golden":
        said = lines_of_golden(name, tmp_path / "output.cubin")
    elif folder == "unit":
        said = lines_of_unit_test(name)
    else:
        said = lines_of_test(recorded[row.place])
    assert has_lines(said, row.lines), said[:20]


@pytest.mark.parametrize("row", PROVOKED, ids=[row.name for row in PROVOKED])
def test_line_is_of_the_row(row: Provoked) -> None:
    """The line fits no other row, except rows with the same format string. These are distinguished
    by the preceding message."""
    *before, line = row.lines
    found = rows_of(line, TABLE)
    assert row.name in found
    if len(found) > 1:
        kind = row.name.split("_")[0]
        (earlier,) = rows_of(before[-1], TABLE)
        assert earlier.startswith(kind)
        assert [name for name in found if name.startswith(kind)] == [row.name]


def test_every_row_is_provoked_once() -> None:
    assert [row.name for row in PROVOKED] == [row.name for row in TABLE]
