#!/usr/bin/python3
"""Draws comments, messages and paragraphs at random, for a reader who is new to the project.

    tools/draw-texts.py SEED [COMMENTS MESSAGES PARAGRAPHS]

Prints 40 comments with the lines around them, 20 messages and 20 paragraphs of the documents,
each with its file and line. The same seed draws the same texts of the same tree. A text that needs
a second reading is rewritten, and so are others of its kind.
"""

from __future__ import annotations

import random
import re
import sys
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
    "src/cli/options/help.def",
    "src/tool/options.def",
)
COMMENT_OF_C = re.compile(r"(?<!\w)/\*.*?\*/", re.DOTALL)  # "/usr/lib/*" begins none
COMMENT_OF_PYTHON = re.compile(r'^ *"""(?s:.*?)"""|^(?: *# .*\n)+', re.MULTILINE)
MESSAGE = re.compile(r'^[A-Z_]+\(.*".* .*".*$', re.MULTILINE)
PARAGRAPH = re.compile(r"(?:^(?!#|\|?[-: |]+\|$|<!--).+\n)+", re.MULTILINE)


def texts(path: Path, pattern: re.Pattern[str], before: int = 0, after: int = 0) -> list[str]:
    """Each match of at least FEWEST_WORDS words, with `before` lines before it and `after` lines
    after it."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        content = without_code_blocks(content)
    lines = content.split("\n")
    found = []
    for match in pattern.finditer(content):
        if len(re.findall(r"[A-Za-z]{2,}", match.group(0))) < FEWEST_WORDS:
            continue
        first = content.count("\n", 0, match.start())
        last = content.count("\n", 0, match.end() - 1)
        shown = lines[max(first - before, 0) : last + 1 + after]
        found.append("\n".join([f"{path.relative_to(REPOSITORY)}:{first + 1}", *shown]))
    return found


def pools() -> list[list[str]]:
    comments = [
        text
        for path in listed_files("src/*.[ch]", "src/*.def", "include/*.h", "tests/*.[ch]")
        for text in texts(path, COMMENT_OF_C, after=LINES_AFTER)
    ]
    for path in listed_files("tools/*.py", "tests/*.py", "bench/*.py", "python/*.py"):
        comments += texts(path, COMMENT_OF_PYTHON, LINES_BEFORE, LINES_AFTER)
    messages = [text for name in MESSAGES for text in texts(REPOSITORY / name, MESSAGE)]
    paragraphs = [text for path in listed_files("*.md") for text in texts(path, PARAGRAPH)]
    return [comments, messages, paragraphs]


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
