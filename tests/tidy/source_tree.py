"""The repository's files as the tidiness tests see them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from repository import REPOSITORY, listed_files

TEXT_SUFFIXES = {".c", ".h", ".def", ".py", ".sh", ".md", ".map", ".in", ".cu", ".ptx", ".1", ".3"}
TEXT_SUFFIXES |= {".mk", ".cmake", ".bash", ".fish"}
TEXT_NAMES = {"Makefile", "LICENSE", "run", ".clang-tidy", ".clang-format", ".editorconfig"}


@functools.cache
def files() -> list[Path]:
    """Every file of the repository, and new files that git does not ignore."""
    return listed_files()


def relative(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def text_files() -> list[Path]:
    return [path for path in files() if path.suffix in TEXT_SUFFIXES or path.name in TEXT_NAMES]


def under(*folders: str, suffixes: tuple[str, ...] = (".c", ".h")) -> list[Path]:
    return [
        path
        for path in files()
        if path.suffix in suffixes and relative(path).startswith(tuple(f"{f}/" for f in folders))
    ]


@functools.cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@functools.cache
def lines(path: Path) -> list[str]:
    return text(path).split("\n")


@dataclass(frozen=True)
class Function:
    path: Path
    name: str
    line: int
    length: int  # from the name's line to the closing brace

    def __str__(self) -> str:
        return f"{relative(self.path)}:{self.line}: {self.name}: {self.length} lines"


def functions(path: Path) -> list[Function]:
    """The functions of a C file. They are recognised by their braces in column 0, a format that
    `make lint` enforces."""
    found = []
    source = lines(path)
    start = None
    for number, line in enumerate(source):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            first = head_of_function(source, start)
            head = " ".join(source[first:start])
            name = re.search(r"(\w+)\s*\(", head)
            if name:
                found.append(Function(path, name.group(1), first + 1, number - first + 1))
            start = None
    return found


def head_of_function(source: list[str], brace: int) -> int:
    """The line at which the declaration above the brace begins."""
    first = brace - 1
    while first > 0 and re.match(r"\s|\)", source[first]):
        first -= 1
    return first
