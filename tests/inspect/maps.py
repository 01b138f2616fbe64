"""Runs warpld with options that report about a link, and reads the map that --map writes."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
EXAMPLE = REPOSITORY / "examples" / "two-files" / "data"
LINE = re.compile(r" *(-|[0-9a-f]+) +(-|[0-9a-f]+) +([0-9a-f]+) +(-|[0-9a-f]+) (\S+) +")
NAME_COLUMNS = 24


def run(*words: object, folder: Path = EXAMPLE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BUILD / "warpld"), *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )


@dataclass
class Line:
    address: int | None
    offset: int | None
    size: int
    alignment: int | None
    space: str
    text: str  # the three columns of names

    @property
    def is_whole(self) -> bool:
        """Whether the line shows a whole section or table, rather than a part of one. Such a line
        has a name in the first of the three columns."""
        return not self.text.startswith(" ")

    @property
    def is_part(self) -> bool:
        blank = " " * (NAME_COLUMNS + 1)
        return self.text.startswith(blank) and not self.text.startswith(2 * blank)


@dataclass
class Map:
    lines: list[Line] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    kernels: list[str] = field(default_factory=list)

    def parts(self) -> list[tuple[Line, list[Line]]]:
        """Each section or table of the file, with the parts that it consists of."""
        found: list[tuple[Line, list[Line]]] = []
        for line in self.lines:
            if line.is_whole:
                found.append((line, []))
            elif line.is_part:
                found[-1][1].append(line)
        return found


def number(text: str) -> int | None:
    return None if text == "-" else int(text, 16)


def read_line(text: str) -> Line:
    found = LINE.match(text)
    assert found, text
    address, offset, size, alignment, space = found.groups()
    # Three columns of names begin after the column of the space, which has a fixed width.
    start = found.start(5) + len("constant ")
    return Line(
        number(address), number(offset), int(size, 16), number(alignment), space, text[start:]
    )


def read_map(text: str) -> Map:
    pieces, totals, kernels = text.split("\n\n")
    found = Map([read_line(line) for line in pieces.splitlines()[2:]])
    for line in totals.splitlines()[1:]:
        size, _, space = line.split()
        found.totals[space] = int(size)
    found.kernels = kernels.splitlines()[1:]
    return found
