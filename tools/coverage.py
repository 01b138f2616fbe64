#!/usr/bin/python3
"""Prints how much of src/format, src/link and src/nvjitlink the tests run: `make coverage`.

    tools/coverage.py [--lines] BUILD [SUITE...]

BUILD is a build with --coverage. The program runs the suites, by default all that link or read
device code with the programs of BUILD. Then gcov counts the lines of each file, and its edges: the
ways that control can take at a branch. Lines and edges that never ran count, too. The output lists
the files with the most lines that were not run or, with --lines, all such lines by file. The suite
`none` runs nothing; then the counts are those of earlier runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDERS = ("src/format", "src/link", "src/nvjitlink")
UNIT, CORPUS, NONE = "unit", "corpus", "none"
# The other test folders test building, installing or documents, or run programs of other projects.
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
# These tests limit the size of files. The limit would also truncate the files in which gcov counts,
# and spoil the counts of all later runs.
LIMIT_FILES = (
    "test_a_failure_leaves_the_log",
    "test_a_file_that_becomes_too_large",
    "test_a_full_disk_is_one_warning",
    "test_text_that_does_not_fit_on_the_disk",
)
SUITES = (*FOLDERS_OF_TESTS, UNIT, CORPUS, NONE)
TESTS_FAILED = 1  # pytest's status; greater ones mean that it did not run the tests
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
    """Removes the counts of an earlier run, then runs the suites."""
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


@dataclass
class Counts:
    """The counts of one file or folder; `missed` are the numbers of lines that never ran."""

    lines: int = 0
    lines_run: int = 0
    edges: int = 0
    edges_run: int = 0
    missed: set[int] = field(default_factory=set)

    def add(self, other: Counts) -> None:
        self.lines += other.lines
        self.lines_run += other.lines_run
        self.edges += other.edges
        self.edges_run += other.edges_run


def object_counts(notes: Path, source: str) -> tuple[dict[int, int], list[int]]:
    """How often each line of the source, and each edge, ran in one object file."""
    command: list[str | Path] = [
        "gcov",
        "--stdout",
        "--json-format",
        "--branch-probabilities",
        notes,
    ]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)
    lines: dict[int, int] = {}
    edges: list[int] = []
    for file in json.loads(done.stdout)["files"]:
        for line in file["lines"] if file["file"] == source else []:
            number = line["line_number"]
            lines[number] = lines.get(number, 0) + line["count"]
            edges += [branch["count"] for branch in line["branches"]]
    return lines, edges


def counts_of(build: Path, source: str) -> Counts:
    """The counts of a source. Some sources are compiled to several objects, one for each library. A
    line that ran in any of these objects counts as run."""
    path = build / "obj" / source
    notes = [*path.parent.glob(f"{path.stem}.gcno"), *path.parent.glob(f"{path.stem}.1[0-9].gcno")]
    counts = Counts()
    all_lines: dict[int, int] = {}
    all_edges: list[list[int]] = []
    for name in sorted(notes):
        lines, edges = object_counts(name, source)
        for number, count in lines.items():
            all_lines[number] = all_lines.get(number, 0) + count
        all_edges.append(edges)
    counts.missed = {number for number, count in all_lines.items() if not count}
    counts.lines, counts.lines_run = len(all_lines), len(all_lines) - len(counts.missed)
    edges_of_objects = [sum(column) for column in zip(*all_edges)]
    counts.edges = len(edges_of_objects)
    counts.edges_run = sum(count > 0 for count in edges_of_objects)
    return counts


def show_lines(source: str, counts: Counts) -> None:
    text = (REPOSITORY / source).read_text().splitlines()
    for number in sorted(counts.missed):
        print(f"  {source}:{number}: {text[number - 1].strip()}")


def report(build: Path, folder: str, with_lines: bool) -> None:
    """Prints the sum of a folder, and its files with the most lines that were not run."""
    rows, total = [], Counts()
    for source in sorted((REPOSITORY / folder).rglob("*.c")):
        name = str(source.relative_to(REPOSITORY))
        rows.append((name, counts_of(build, name)))
        total.add(rows[-1][1])
    if not total.lines_run:
        sys.exit(f"coverage: no line of {folder} was run; {build} was not made with --coverage?")
    print(
        f"{folder}: {total.lines_run} of {total.lines} lines, "
        f"{100 * total.lines_run / total.lines:.1f} %; {total.edges_run} of {total.edges} edges, "
        f"{100 * total.edges_run / total.edges:.1f} %"
    )
    for name, counts in sorted(rows, key=lambda row: -len(row[1].missed))[:SHOWN]:
        print(f"  {len(counts.missed):4} lines not run of {counts.lines:4}: {name}")
    for name, counts in rows if with_lines else []:
        show_lines(name, counts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", action="store_true", help="list the lines that were not run")
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    given = parser.parse_args()
    unknown = set(given.suites) - set(SUITES)
    if unknown:
        parser.error(f"unknown suites: {', '.join(sorted(unknown))}")
    build = given.build.absolute()
    if given.suites != [NONE]:
        run_tests(build, given.suites or list(SUITES))
    for folder in FOLDERS:
        report(build, folder, given.lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
