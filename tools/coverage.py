#!/usr/bin/python3
"""Prints how many lines of src/format and src/link the tests run: what `make coverage` does.

    tools/coverage.py BUILD

BUILD was made with --coverage. Golden links, containers, notes, damaged inputs and the
unit tests run; then gcov counts the lines of each file. Files below the average are listed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDERS = ("src/format", "src/link")
SUITES = ("golden", "containers", "notes", "invalid")
SHOWN = 15


def run_tests(build: Path) -> None:
    """Failures are not of interest here: `make check` finds them."""
    variables = {**os.environ, "WARPLD_BUILD": str(build)}
    folders = [f"tests/{name}" for name in SUITES]
    command = ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", *folders]
    subprocess.run(command, cwd=REPOSITORY, env=variables, check=False)
    for program in sorted((build / "tests" / "unit").glob("test_*")):
        if os.access(program, os.X_OK):
            subprocess.run([program], cwd=REPOSITORY, capture_output=True, check=False)


def lines_of(data: Path, source: str) -> tuple[int, int]:
    """How many lines of the source were run, and how many there are."""
    command = ["gcov", "-n", data]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    pattern = rf"File '{re.escape(source)}'\nLines executed:([\d.]+)% of (\d+)"
    found = re.search(pattern, done.stdout)
    count = int(found[2]) if found else 0
    return round(float(found[1]) * count / 100) if found else 0, count


def main() -> int:
    build = Path(sys.argv[1]).absolute()
    run_tests(build)
    for folder in FOLDERS:
        rows = []
        for data in sorted((build / "obj" / folder).rglob("*.gcda")):
            source = str(data.relative_to(build / "obj").with_suffix(".c"))
            rows.append((*lines_of(data, source), source))
        run, count = sum(row[0] for row in rows), sum(row[1] for row in rows)
        print(f"{folder}: {run} of {count} lines, {100 * run / count:.1f} %")
        for done, all_lines, source in sorted(rows, key=lambda row: row[0] - row[1])[:SHOWN]:
            print(f"  {all_lines - done:4} lines not run of {all_lines:4}: {source}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
