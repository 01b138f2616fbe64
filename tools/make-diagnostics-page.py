#!/usr/bin/python3
"""Writes docs/diagnostics.md, every message with its cause and its remedy, and docs/notes.md, the
notes that explain messages.

    tools/make-diagnostics-page.py [FOLDER]

The texts are rows of src/base/diagnostics.def, src/cli/explain/explanations.def and
src/cli/explain/command_messages.def, which `warpld --explain CODE` prints as well; a test compares
the pages with them.
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

Each message of warpld has a code that does not change between releases. `warpld --explain CODE`
prints what this page says about it. Callers of the library find the code in
`struct warpld_diagnostic`, and `--diagnostics-format=json` or `sarif` print it
([messages-for-programs.md](messages-for-programs.md)). If nvlink has a message, warpld
uses the same text, so that scripts which look for it keep working; notes below a message explain
it ([notes.md](notes.md)). In the texts `%s` and the like stand for names and numbers.

The sections are those of the table of messages (`src/base/diagnostics.def`). This page is made by
`tools/make-diagnostics-page.py`.
"""

NOTES = """\
# Notes

Notes explain the message before them ([diagnostics.md](diagnostics.md)), or say what the link has
done. This page is made by `tools/make-diagnostics-page.py`.
"""


def rows(name: str, macro: str, pattern: str) -> list[tuple[str, ...]]:
    text = (REPOSITORY / "src" / name).read_text(encoding="utf-8")
    return re.findall(rf"^{macro}\({pattern}\)$", text, re.MULTILINE)


def messages() -> dict[str, tuple[str, str]]:
    """The severity and text of each code."""
    found = rows("base/diagnostics.def", "DIAGNOSTIC", rf"\w+, {STRING}, (\w+), {STRING}")
    return {code: (severity, text) for code, severity, text in found}


def explanations() -> list[tuple[str, list[tuple[str, str, str]]]]:
    """For each heading of explanations.def, the rows below it."""
    text = (REPOSITORY / "src/cli/explain/explanations.def").read_text(encoding="utf-8")
    body = text.split("*/", 1)[1]
    parts = re.split(r"^/\* (.*) \*/$", body, flags=re.MULTILINE)[1:]
    row = re.compile(rf"^EXPLANATION\({STRING}, {STRING}, {STRING}\)$", re.MULTILINE)
    return [(parts[i], row.findall(parts[i + 1])) for i in range(0, len(parts), 2)]


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
        lines.append(f"## {heading[0].upper()}{heading[1:]}\n")
        for code, cause, remedy in found:
            severity, text = texts[code]
            lines += entry(code, severity, text, cause, remedy)
        lines.append("")
    lines.append("## The command\n")
    for row in command_messages():
        lines += entry(*row)
    return "\n".join(lines).rstrip("\n") + "\n"


def page_of_notes() -> str:
    texts = messages()
    notes = sorted(code for code, (severity, _) in texts.items() if severity == "NOTE")
    lines = [NOTES, *(f"- **{code}**: `{texts[code][1]}`" for code in notes)]
    return "\n".join(lines) + "\n"


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    (folder / "diagnostics.md").write_text(page(), encoding="utf-8")
    (folder / "notes.md").write_text(page_of_notes(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
