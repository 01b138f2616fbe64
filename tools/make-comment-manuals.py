#!/usr/bin/python3
"""Writes the manual pages whose texts are comments of sources, to docs or OUTPUT_FOLDER.

    tools/make-comment-manuals.py [OUTPUT_FOLDER]

libwarpld.3 has the contracts of the functions, which are comments of include/warpld.h. The page of
a small program is the first comment of its source. A test compares the pages with the sources.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HEADER = REPOSITORY / "include" / "warpld.h"
FOLDER = REPOSITORY / "docs"
PROGRAMS = {
    "warpld-overlay": ("tools/warpld-overlay", "make a CUDA toolkit whose linker is warpld"),
    "warpld-nvcc": ("tools/warpld-nvcc", "link device code for nvcc -dlink"),
    "warpld-ptx-helper": ("src/ptx_helper/main.c", "compile PTX with a library, for warpld"),
}
COMMENT = r"/\*((?:(?!\*/).)*)\*/"
# The title of a section of the header, between two lines of dashes.
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
    """The paragraphs of a comment. Indented lines and lists keep their lines."""
    output = []
    for block in "\n".join(lines_of(comment)).split("\n\n"):
        lines = block.split("\n")
        output.append(".PP")
        if is_literal(lines[1:] or lines) and len(lines) > 1 or is_literal(lines):
            output += [".nf", *(escaped(line) for line in lines), ".fi"]
        else:
            output.append(escaped(" ".join(line.strip() for line in lines)))
    return output


def version() -> str:
    match = re.search(r'WARPLD_VERSION +"([\d.]+)"', HEADER.read_text(encoding="utf-8"))
    assert match
    return match[1]


def declarations(header: str) -> list[tuple[str, str, str]]:
    """For each function, in the order of the header: the title of its section, the function with
    its parameters, and its comment."""
    found = []
    section = "Version"
    pattern = rf"{SECTION}|{COMMENT}\s*^WARPLD_API ([^;]+);|^WARPLD_API ([^;]+);"
    for match in re.finditer(pattern, header, re.DOTALL | re.MULTILINE):
        title, comment, function, bare = match.groups()
        section = title or section
        if function or bare:
            text = re.sub(r"\s+", " ", function or bare) + ";"
            found.append((section, text, comment or ""))
    return found


def library_page() -> str:
    """The page libwarpld.3: the first comment of the header, and the contract of each function."""
    header = HEADER.read_text(encoding="utf-8")
    about = first_comment(header).split("\n", 2)[2]
    output = [
        f'.TH LIBWARPLD 3 "" "warpld {version()}" "Library Functions"',
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


def first_comment(source: str) -> str:
    """The first comment of a file. In a script, the # at the start of each line is removed."""
    if not source.startswith("#!"):
        match = re.match(COMMENT, source, re.DOTALL)
        assert match
        return match[1]
    lines = source.split("\n")[1:]
    end = next(index for index, line in enumerate(lines) if not line.startswith("#"))
    return "\n".join(re.sub(r"^# ?", "", line) for line in lines[:end])


def program_page(name: str) -> str:
    file, about = PROGRAMS[name]
    comment = first_comment((REPOSITORY / file).read_text(encoding="utf-8"))
    lines = [re.sub(r"^ {2,}", "    ", line) for line in lines_of(comment)]
    usage = [line.strip() for line in lines if line.startswith(f"    {name} ")]
    usage = usage or [f"{name} OPTION..."]
    text = "\n".join(line for line in lines if line.strip() not in usage)
    output = [
        f'.TH {name.upper()} 1 "" "warpld {version()}" "User Commands"',
        ".SH NAME",
        f"{escaped(name)} \\- {about}",
        ".SH SYNOPSIS",
        ".nf",
        *(f".B {escaped(line)}" for line in usage),
        ".fi",
        ".SH DESCRIPTION",
        *paragraphs(re.sub(r"\n{3,}", "\n\n", text)),
        ".SH SEE ALSO",
        ".BR warpld (1)",
    ]
    return "\n".join(output) + "\n"


def main() -> int:
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    (output / "libwarpld.3").write_text(library_page(), encoding="utf-8")
    for name in PROGRAMS:
        (output / f"{name}.1").write_text(program_page(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
