#!/usr/bin/python3
"""Writes docs/libwarpld.3, the manual page of the library, from the comments of its header.

    tools/make-library-manual.py [OUTPUT]

So the contract of each function is written in include/warpld.h only; a test compares the page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HEADER = REPOSITORY / "include" / "warpld.h"
PAGE = REPOSITORY / "docs" / "libwarpld.3"
COMMENT = r"/\*((?:(?!\*/).)*)\*/"
# What the sections of the header are called there, between lines of dashes.
SECTION = r"/\* -{20,} \*/\n/\* (.*?) +\*/"


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def lines_of(comment: str) -> list[str]:
    """The text of a comment without the stars that begin its lines."""
    return [re.sub(r"^ ?\* ?", "", line).rstrip() for line in comment.strip().split("\n")]


def is_literal(lines: list[str]) -> bool:
    return all(line.startswith(("    ", "- ", "  ")) for line in lines)


def paragraphs(comment: str) -> list[str]:
    """Indented lines and lists keep their lines."""
    output = []
    for block in "\n".join(lines_of(comment)).split("\n\n"):
        lines = block.split("\n")
        output.append(".PP")
        if is_literal(lines[1:] or lines) and len(lines) > 1 or is_literal(lines):
            output += [".nf", *(escaped(line) for line in lines), ".fi"]
        else:
            output.append(escaped(" ".join(line.strip() for line in lines)))
    return output


def declarations(header: str) -> list[tuple[str, str, str]]:
    """Section, function with its parameters, and comment, in the order of the header."""
    found = []
    section = "Version"
    pattern = rf"{SECTION}|{COMMENT}\s*WARPLD_API ([^;]+);|WARPLD_API ([^;]+);"
    for match in re.finditer(pattern, header, re.DOTALL):
        title, comment, function, bare = match.groups()
        section = title or section
        if function or bare:
            text = re.sub(r"\s+", " ", function or bare) + ";"
            found.append((section, text, comment or ""))
    return found


def page() -> str:
    header = HEADER.read_text(encoding="utf-8")
    match = re.search(r'WARPLD_VERSION +"([\d.]+)"', header)
    introduction = re.match(COMMENT, header, re.DOTALL)
    assert match and introduction
    about = introduction[1].split("\n", 2)[2]
    output = [
        f'.TH LIBWARPLD 3 "" "warpld {match[1]}" "Library Functions"',
        ".SH NAME",
        "libwarpld \\- link CUDA device code in memory",
        ".SH SYNOPSIS",
        ".nf",
        ".B #include <warpld.h>",
        ".fi",
        ".PP",
        "Link with the flags that",
        ".B pkg\\-config \\-\\-cflags \\-\\-libs warpld",
        "prints.",
        ".SH DESCRIPTION",
        *paragraphs(about),
        ".SH FUNCTIONS",
    ]
    last = ""
    for section, function, comment in declarations(header):
        if section != last:
            output.append(f".SS {escaped(section)}")
            last = section
        output += [".PP", f".B {escaped(function)}", *paragraphs(comment)]
    output += [".SH SEE ALSO", ".BR warpld (1), cubintool (1)"]
    return "\n".join(output) + "\n"


def main() -> int:
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    output.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
