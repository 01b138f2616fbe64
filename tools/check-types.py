#!/usr/bin/python3
"""Checks the types of all Python files with mypy, for `make lint`.

    tools/check-types.py [FOLDER...]

Each folder is checked separately, because files of different folders may have the same name.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from repository import REPOSITORY, listed_files

CACHE = REPOSITORY / "build" / "mypy"
ERROR = re.compile(r"^([^:]+\.py):\d+: error: .*$", re.MULTILINE)


def shared_folders() -> list[str]:
    """The folders from which tests and programs of other folders import modules, as
    tests/conftest.py lists them."""
    text = (REPOSITORY / "tests" / "conftest.py").read_text()
    listed = text.partition("SHARED_FOLDERS = (")[2].partition(")")[0]
    return [
        "python",
        *(os.path.normpath(f"tests/{name}") for name in re.findall(r'"(.*?)"', listed)),
    ]


def python_files() -> list[str]:
    return [path.relative_to(REPOSITORY).as_posix() for path in listed_files("*.py")]


def errors_of(folder: str, files: list[str]) -> list[str]:
    """The lines that mypy prints about these files of the folder. Lines about files that they
    import are left out, because these files are checked with their own folder."""
    settings = [f"--config-file={REPOSITORY / 'tools' / 'mypy.ini'}", f"--cache-dir={CACHE}"]
    done = subprocess.run(
        ["mypy", "--no-error-summary", *settings, *files],
        cwd=REPOSITORY,
        env=os.environ | {"MYPYPATH": os.pathsep.join(shared_folders())},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    found = [match for match in ERROR.finditer(done.stdout) if match[1] in files]
    if done.returncode and not ERROR.search(done.stdout):
        sys.exit(f"check-types: {folder}:\n{done.stdout}")
    return [match[0] for match in found]


def main() -> int:
    wanted = [name.rstrip("/") for name in sys.argv[1:]]
    folders: dict[str, list[str]] = {}
    for name in python_files():
        folders.setdefault(os.path.dirname(name), []).append(name)
    if unknown := sorted(set(wanted) - set(folders)):
        sys.exit(f"check-types: no Python files in {', '.join(unknown)}")
    problems: list[str] = []
    for folder, files in folders.items():
        if not wanted or folder in wanted:
            problems += errors_of(folder, files)
    print("".join(f"{problem}\n" for problem in problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
