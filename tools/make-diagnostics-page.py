#!/usr/bin/python3
"""Writes docs/diagnostics.md, every message with its cause and its remedy, and docs/notes.md, the
notes that explain messages.

    tools/make-diagnostics-page.py [FOLDER]

The texts are rows of src/base/diagnostics.def and of the three tables in src/cli/explain, which
`warpld --explain CODE` prints as well; a test compares the pages with them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = REPOSITORY / "docs"
STRING = r'"((?:\\.|[^"\\])*)"'
SEVERITIES = {
    "NOTE": "note",
    "INFO": "info",
    "WARNING": "warning",
    "ERROR": "error",
    "FATAL": "fatal",
}
INTRODUCTION = """\
# Messages

This page lists the messages of warpld, with the cause and the remedy of each. The linker's notes,
which explain other messages, are listed in [notes.md](notes.md).

Each message has a code that does not change between releases. `warpld --explain CODE` prints what
this page says about the message. `--diagnostics-format=json` and `sarif` print the code
([messages-for-programs.md](messages-for-programs.md)), and callers of the library find it in
`struct warpld_diagnostic`.

If nvlink has a message for the same fault, warpld uses nvlink's text, so that scripts which search
for this text keep working. In the texts, `%s`, `%u` and the like stand for names and numbers.

`tools/make-diagnostics-page.py` writes this page. Its sections are those of the table of messages
(`src/base/diagnostics.def`).
"""

NOTES = """\
# Notes

A note of the linker explains the message above it ([diagnostics.md](diagnostics.md)), or reports
what the link has done. This page lists all these notes with their texts, and says when each is
printed or what it means. `warpld --explain CODE` prints the same about one note.

In the texts, `%s`, `%u` and the like stand for names and numbers. `warpld --no-notes` hides all
notes. `tools/make-diagnostics-page.py` writes this page.
"""

# The introduction of each section, by the heading in explanations.def.
SECTIONS = {
    "options": "These messages are for programs that call the library.",
    "inputs": "These messages are about one input, or about the kinds and targets of all inputs.",
    "merge of inputs": """\
These messages are printed when definitions and declarations of several inputs do not fit
together.""",
    "symbols and the program as a whole": """\
These messages are about references between inputs, and about limits of registers, stack and
memory.""",
    "what the program uses": "These messages are printed with `-v`.",
    "relocations": """\
These messages are about relocations that cannot be applied. A note after the message shows the
relocation.""",
    "unified tables": """\
These messages are about unified functions and variables, and about the index file that assigns
their offsets ([unified.md](unified.md)).""",
    "output": "These messages are about writing the output, and about the end of a link.",
    "the command": """\
These messages are for the command `warpld`: they are about its arguments, its files and the
programs that it runs. In their texts, `...` stands for what varies.""",
}


def rows(name: str, macro: str, pattern: str) -> list[tuple[str, ...]]:
    text = (REPOSITORY / "src" / name).read_text(encoding="utf-8")
    return re.findall(rf"^{macro}\({pattern}\)$", text, re.MULTILINE)


def messages() -> dict[str, tuple[str, str]]:
    """The severity and text of each code."""
    found = rows("base/diagnostics.def", "DIAGNOSTIC", rf"\w+, {STRING}, (\w+), {STRING}")
    return {code: (severity, text) for code, severity, text in found}


def sections(name: str) -> list[tuple[str, str]]:
    """The text of each comment of a table that heads a section, and the rows below it."""
    text = (REPOSITORY / "src/cli/explain" / name).read_text(encoding="utf-8")
    body = text.split("*/", 1)[1]
    parts = re.split(r"^/\* ((?s:.*?)) \*/$", body, flags=re.MULTILINE)[1:]
    comments = (re.sub(r"\s*\n \*", "", part) for part in parts[::2])
    return list(zip(comments, parts[1::2], strict=True))


def explanations() -> list[tuple[str, list[tuple[str, str, str]]]]:
    """For each heading of explanations.def, the rows below it."""
    row = re.compile(rf"^EXPLANATION\({STRING}, {STRING}, {STRING}\)$", re.MULTILINE)
    return [(heading, row.findall(rows)) for heading, rows in sections("explanations.def")]


def command_messages() -> list[tuple[str, ...]]:
    """Code, severity, text, cause and remedy of each of the command's own messages."""
    pattern = rf"{STRING}, (\w+), {STRING}, {STRING}, {STRING}"
    return rows("cli/explain/command_messages.def", "COMMAND_MESSAGE", pattern)


def entry(code: str, severity: str, text: str, cause: str, remedy: str) -> list[str]:
    return [
        f"- **{code}** ({SEVERITIES[severity]}): `{text}`",
        f"    - *Cause:* {cause} *Remedy:* {remedy}",
    ]


def page() -> str:
    texts = messages()
    lines = [INTRODUCTION]
    for heading, found in explanations():
        lines += [f"## {heading[0].upper()}{heading[1:]}\n", f"{SECTIONS[heading]}\n"]
        for code, cause, remedy in found:
            severity, text = texts[code]
            lines += entry(code, severity, text, cause, remedy)
        lines.append("")
    lines += ["## The command\n", f"{SECTIONS['the command']}\n"]
    for row in command_messages():
        lines += entry(*row)
    return "\n".join(lines).rstrip("\n") + "\n"


def page_of_notes() -> str:
    """Fails if the table of notes does not explain each note exactly once."""
    texts = {code: text for code, (severity, text) in messages().items() if severity == "NOTE"}
    lines = [NOTES.rstrip("\n")]
    row = re.compile(rf"^NOTE_EXPLANATION\({STRING}, {STRING}\)$", re.MULTILINE)
    for comment, notes in sections("note_explanations.def"):
        heading, _, introduction = comment.partition(": ")
        lines += ["", f"## {heading}", "", introduction, ""]
        for code, meaning in row.findall(notes):
            lines += [f"- **{code}**: `{texts.pop(code)}`", f"    - {meaning}"]
    assert not texts, f"note_explanations.def lacks {', '.join(texts)}"
    return "\n".join(lines) + "\n"


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    (folder / "diagnostics.md").write_text(page(), encoding="utf-8")
    (folder / "notes.md").write_text(page_of_notes(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
