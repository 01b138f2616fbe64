#!/usr/bin/python3
"""Draws comments, messages and paragraphs at random, for a reader who is new to the project.

    tools/draw-texts.py SEED [COMMENTS MESSAGES PARAGRAPHS]

Prints 40 comments with the lines around them, 20 messages and 20 paragraphs of the documents,
each with its file and line. An item of a list and a row of a table count as paragraphs. They are
shown with what a reader of the page sees above them: the headings, the introduction of the list,
the header of the table. The same seed draws the same texts of the same tree. A text that needs a
second reading is rewritten, and so are others of its kind.
"""

from __future__ import annotations

import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from repository import REPOSITORY, listed_files, without_code_blocks

COUNTS = (40, 20, 20)
FEWEST_WORDS = 6
LINES_BEFORE, LINES_AFTER = 4, 14  # shown before a docstring, and after a comment
MESSAGES = (
    "src/base/diagnostics.def",
    "src/base/trace.def",
    "src/cli/explain/explanations.def",
    "src/cli/explain/command_messages.def",
    "src/cli/explain/note_explanations.def",
    "src/cli/options/help.def",
    "src/tool/options.def",
)
COMMENT_OF_C = re.compile(r"(?<!\w)/\*.*?\*/", re.DOTALL)  # "/usr/lib/*" begins none
COMMENT_OF_PYTHON = re.compile(r'^ *"""(?s:.*?)"""|^(?: *# .*\n)+', re.MULTILINE)
MESSAGE = re.compile(r"^[A-Z_]+\((?s:.*?)\)$", re.MULTILINE)
HEADING = re.compile(r"(#+) ")
NO_TEXT = re.compile(r"\|?[-: |]+\||<!--.*")  # the line below a table's header, or a marker
ITEM = re.compile(r" *(?:[-*]|\d+\.) ")


@dataclass
class Text:
    """Lines of a file, and what a reader sees above them."""

    path: Path
    line: int  # of the first one, from 1
    above: list[str]
    lines: list[str]

    def __str__(self) -> str:
        where = f"{self.path.relative_to(REPOSITORY)}:{self.line}"
        return "\n".join([where, *self.above, *self.lines])


def is_long_enough(text: str) -> bool:
    return len(re.findall(r"[A-Za-z]{2,}", text)) >= FEWEST_WORDS


def matches(path: Path, pattern: re.Pattern[str], before: int = 0, after: int = 0) -> list[Text]:
    """Each match that is long enough, with `before` lines before it and `after` lines after it."""
    content = path.read_text(encoding="utf-8")
    lines = content.split("\n")
    found = []
    for match in pattern.finditer(content):
        if is_long_enough(match.group(0)):
            first = content.count("\n", 0, match.start())
            last = content.count("\n", 0, match.end() - 1)
            shown = lines[first : last + 1 + after]
            found.append(Text(path, first + 1, lines[max(first - before, 0) : first], shown))
    return found


class Page:
    """Splits a Markdown page into paragraphs, items and rows, line by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.texts: list[Text] = []
        self.headings: list[str] = []
        self.introduction: list[str] = []  # the last paragraph before a list or table
        self.header: list[str] = []  # the first row of the table
        self.begins_new_text = True
        content = without_code_blocks(path.read_text(encoding="utf-8"))
        for number, line in enumerate(content.split("\n"), 1):
            self.add(number, line)

    def add(self, number: int, line: str) -> None:
        heading = HEADING.match(line)
        if heading:
            self.headings = [*self.headings[: len(heading[1]) - 1], line]
            self.introduction = []
        if heading or not line or NO_TEXT.fullmatch(line):
            self.begins_new_text = True
        elif line.startswith("|"):
            self.add_row(number, line)
        else:
            self.add_line(number, line)
        if not line.startswith("|"):
            self.header = []

    def add_row(self, number: int, line: str) -> None:
        if self.header:
            self.begin([*self.introduction, *self.header], number, line)
        self.header = self.header or [line]
        self.begins_new_text = True

    def add_line(self, number: int, line: str) -> None:
        if ITEM.match(line):
            self.begin([*self.introduction, *self.parent_item(line)], number, line)
        elif self.begins_new_text:
            self.begin([], number, line)
            self.introduction = self.texts[-1].lines  # grows with the paragraph
        else:
            self.texts[-1].lines.append(line)
        self.begins_new_text = False

    def parent_item(self, item: str) -> list[str]:
        """The lines of the outermost item that an indented item belongs to."""
        if item.startswith(" "):
            for text in reversed(self.texts):
                if ITEM.match(text.lines[0]) and not text.lines[0].startswith(" "):
                    return text.lines
        return []

    def begin(self, above: list[str], number: int, line: str) -> None:
        self.texts.append(Text(self.path, number, [*self.headings, *above], [line]))


def pools() -> list[list[Text]]:
    comments = [
        text
        for path in listed_files("src/*.[ch]", "src/*.def", "include/*.h", "tests/*.[ch]")
        for text in matches(path, COMMENT_OF_C, after=LINES_AFTER)
    ]
    for path in listed_files("tools/*.py", "tests/*.py", "bench/*.py", "python/*.py"):
        comments += matches(path, COMMENT_OF_PYTHON, LINES_BEFORE, LINES_AFTER)
    messages = [text for name in MESSAGES for text in matches(REPOSITORY / name, MESSAGE)]
    pages = [text for path in listed_files("*.md") for text in Page(path).texts]
    return [comments, messages, [text for text in pages if is_long_enough(" ".join(text.lines))]]


def main() -> int:
    if len(sys.argv) not in (2, 5):
        print(__doc__, file=sys.stderr)
        return 2
    counts = [int(word) for word in sys.argv[2:]] or COUNTS
    chooser = random.Random(int(sys.argv[1]))
    for pool, count in zip(pools(), counts, strict=True):
        for text in chooser.sample(pool, count):
            print(text, "--------", sep="\n\n", end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
