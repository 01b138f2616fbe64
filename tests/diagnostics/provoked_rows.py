"""Reads the file `provoked`, and finds the rows of the table of messages that fit a message.

The first line of an entry of `provoked` names a row of src/base/diagnostics.def, and a link or test
that provokes the row's message:

    golden/NAME               the golden link of that name
    FOLDER/FILE.py::FUNCTION  a test of another folder, with any of its parameters
    unit/NAME                 a unit test program, which prints "CODE: TEXT"

The indented line that follows is the message, with its severity and without folders of files. If
several rows have the same format string, only the preceding message distinguishes them. In this
case the entry has two indented lines: the preceding message, and the row's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
CONVERSION = re.compile(r"%(?:016)?(?:ll|z)?[dusx]")
FOLDERS = re.compile(r"/(?:[^\s'/]+/)+")
# The row for the message "further messages are not shown". The linker prints that message with the
# severity of the messages that are not shown, and not with the severity in the table.
ANY_SEVERITY = "TOO_MANY_MESSAGES"


@dataclass(frozen=True)
class Row:
    name: str
    code: str
    severity: str
    format: str

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(".*".join(map(re.escape, CONVERSION.split(self.format))))

    @property
    def own_words(self) -> int:
        return len(CONVERSION.sub("", self.format))

    def fits(self, line: str) -> bool:
        severity, text = line.split(": ", 1)
        good = severity == self.severity or self.name == ANY_SEVERITY
        return good and bool(self.pattern.fullmatch(text))


@dataclass
class Provoked:
    name: str
    place: str
    lines: list[str] = field(default_factory=list)


def table_rows() -> list[Row]:
    text = (REPOSITORY / "src" / "base" / "diagnostics.def").read_text()
    row = r'^DIAGNOSTIC\((\w+), "([\w-]+)", (\w+), "(.*)"\)$'
    found = re.findall(row, text, re.MULTILINE)
    assert len(found) == len(re.findall(r"^DIAGNOSTIC\(", text, re.MULTILINE))
    return [Row(name, code, level.lower(), words) for name, code, level, words in found]


def provoked_rows() -> list[Provoked]:
    found: list[Provoked] = []
    for line in (HERE / "provoked").read_text().splitlines():
        if line.startswith(" "):
            found[-1].lines.append(line.strip())
        else:
            name, place = line.split(" ")
            found.append(Provoked(name, place))
    return found


def plain_line(line: str) -> str | None:
    """A message of a linker in the form that `provoked` uses. None if the line is no message."""
    found = re.fullmatch(r"(?:warpld|nvlink) (\w+) *: (.*)", line)
    return f"{found[1]}: {FOLDERS.sub('', found[2])}" if found else None


def rows_of(line: str, rows: list[Row]) -> set[str]:
    """The names of the rows that fit the line and have the most fixed text. Without that condition,
    rows that consist of little more than %s would fit most lines."""
    fitting = [row for row in rows if row.fits(line)]
    most = max((row.own_words for row in fitting), default=0)
    return {row.name for row in fitting if row.own_words == most}
