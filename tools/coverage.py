#!/usr/bin/python3
"""Prints how many lines of src/format and src/link the tests run: what `make coverage` does.

    tools/coverage.py BUILD [SUITE...]

BUILD was made with --coverage. The suites run, by default all that link or read device code with
the programs of BUILD; then gcov counts the lines of each file, those that never ran included. The
files with the most lines that were not run are listed; with --lines each such line, by file.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDERS = ("src/format", "src/link")
UNIT, CORPUS = "unit", "corpus"
# The other folders of tests build, install or document programs, or run those of other projects.
FOLDERS_OF_TESTS = (
    "golden",
    "command",
    "compile",
    "constants",
    "containers",
    "device_link",
    "diagnostics",
    "inputs",
    "inspect",
    "invalid",
    "library",
    "notes",
    "nvjitlink",
    "python",
    "quirks",
    "relocatable",
    "saved",
    "sections",
    "tool",
    "trace",
)
# These suites limit the size of files, which would cut off the counts and spoil all later ones.
LIMIT_FILES = (
    "test_a_file_that_becomes_too_large",
    "test_a_full_disk_is_one_warning",
    "test_text_that_does_not_fit_on_the_disk",
)
SUITES = (*FOLDERS_OF_TESTS, UNIT, CORPUS)
TESTS_FAILED = 1  # pytest's status; greater ones say that it did not run the tests
SHOWN = 15


def run_pytest(build: Path, folder: str) -> None:
    """Runs the tests of each folder separately, because modules of two folders may have the same
    name. Failures are not of interest here: `make check` finds them."""
    variables = {**os.environ, "WARPLD_BUILD": str(build)}
    chosen = ["-k", f"not ({' or '.join(LIMIT_FILES)})", f"tests/{folder}"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]
    done = subprocess.run(command, cwd=REPOSITORY, env=variables, check=False)
    if done.returncode > TESTS_FAILED or not any(build.rglob("*.gcda")):
        sys.exit(f"coverage: pytest {folder} ended with status {done.returncode}")


def run_tests(build: Path, suites: list[str]) -> None:
    """Runs the tests. Counts of an earlier run are removed first."""
    for data in build.rglob("*.gcda"):
        data.unlink()
    for folder in FOLDERS_OF_TESTS:
        if folder in suites:
            run_pytest(build, folder)
    if UNIT in suites:
        for program in sorted((build / "tests" / "unit").glob("test_*")):
            subprocess.run([program], cwd=REPOSITORY, capture_output=True, check=False)
    if CORPUS in suites:
        for corpus in sorted((REPOSITORY / "fuzz" / "corpus").iterdir()):
            program = build / "fuzz" / f"fuzz_{corpus.name}"
            files = sorted(path for path in corpus.iterdir() if path.is_file())
            subprocess.run([program, *files], capture_output=True, check=False)


def lines_of(data: Path, source: str) -> tuple[int, int]:
    """How many lines of the source were run, and how many lines it has."""
    command: list[str | Path] = ["gcov", "-n", data.with_suffix(".gcno")]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    pattern = rf"File '{re.escape(source)}'\nLines executed:([\d.]+)% of (\d+)"
    found = re.search(pattern, done.stdout)
    count = int(found[2]) if found else 0
    return round(float(found[1]) * count / 100) if found else 0, count


def report(build: Path, folder: str) -> None:
    """The sum of a folder, and its files with the most lines that were not run."""
    rows = []
    for source in sorted((REPOSITORY / folder).rglob("*.c")):
        name = str(source.relative_to(REPOSITORY))
        rows.append((*lines_of(build / "obj" / name, name), name))
    run, count = sum(row[0] for row in rows), sum(row[1] for row in rows)
    if not run:
        sys.exit(f"coverage: no line of {folder} was run; {build} was not made with --coverage?")
    print(f"{folder}: {run} of {count} lines, {100 * run / count:.1f} %")
    for done, all_lines, name in sorted(rows, key=lambda row: row[0] - row[1])[:SHOWN]:
        print(f"  {all_lines - done:4} lines not run of {all_lines:4}: {name}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    given = parser.parse_args()
    unknown = set(given.suites) - set(SUITES)
    if unknown:
        parser.error(f"unknown suites: {', '.join(sorted(unknown))}")
    build = given.build.absolute()
    run_tests(build, given.suites or list(SUITES))
    for folder in FOLDERS:
        report(build, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
