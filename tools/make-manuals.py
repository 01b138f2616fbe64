#!/usr/bin/python3
"""Writes docs/warpld.1 and docs/cubintool.1 from the output of the programs' --help.

    tools/make-manuals.py [BUILD_FOLDER [OUTPUT_FOLDER]]

The programs print --help from their option tables, so these tables are the only description of the
options. A test compares the manuals with the programs.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

ABOUT = {
    "warpld": "link CUDA device code",
    "cubintool": "read, compare and check CUDA device ELFs",
}

ALL_HELP = {"warpld": "--help=all", "cubintool": "--help"}

EXIT_STATUS = {
    "warpld": [
        ("0", "the link succeeded, or the command did what it was asked"),
        ("1", "a fatal message: an unusable input or command line, or output that was lost"),
        ("255", "errors, such as undefined symbols or exceeded limits; there is no output"),
    ],
    "cubintool": [
        ("0", "all is well: equal, clean"),
        ("1", "differences or violations were found"),
        ("2", "unusable input or usage"),
    ],
}

EXAMPLES = {
    "warpld": [
        ("Link two objects for one target:", "warpld -arch=sm_90 a.o b.o -o program.cubin"),
        (
            "Link with libraries, and print what each kernel uses:",
            "warpld -arch=sm_90 -v main.o -L lib -lkernels -o program.cubin",
        ),
        (
            "Write the output to a pipe:",
            "warpld -arch=sm_90 a.cubin -o - | sha256sum",
        ),
        (
            "Explain a message, and write messages for a program:",
            "warpld --explain undefined-reference",
        ),
        ("", "warpld -arch=sm_90 a.o -o a.cubin --diagnostics-format=json"),
        (
            "See readable names and all notes of warpld in a build with nvcc (of warpld-overlay):",
            "nvcc -arch=sm_90 -Xnvlink --as=warpld a.o b.o -o program",
        ),
    ],
    "cubintool": [
        ("Print what a cubin holds:", "cubintool dump program.cubin"),
        ("Say what changed between two builds:", "cubintool diff old.cubin new.cubin"),
        ("Compare the outputs of two linkers:", "cubintool diff --bytes theirs.cubin ours.cubin"),
    ],
}

# Sections that --help does not list.
ENVIRONMENT = {
    "warpld": [
        ("LIBRARY_PATH", "folders, separated by colons, that -l searches after those of -L"),
        ("WARPLD_AS", "if the program is called nvlink: warpld or nvlink, as --as"),
        ("NO_COLOR", "if set, messages have no colours, unless --color=always is given"),
        ("CLICOLOR_FORCE", "if set and not 0, messages have colours, also in a pipe"),
        ("CLICOLOR", "if 0, messages have no colours at a terminal either"),
        (
            "CUDA_HOME, CUDA_PATH, PATH",
            "where ptxas is searched for; the first two also for libraries",
        ),
        ("LD_LIBRARY_PATH", "folders, separated by colons, that --ptx-compiler searches, too"),
        ("TMPDIR", "folder for the temporary files of ptxas (default: /tmp)"),
        ("WARPLD_PTX_COMPILER", "as --ptx-compiler; ignored if the program is called nvlink"),
        ("WARPLD_CACHE_DIR", "as --cache-dir"),
        ("WARPLD_CACHE_URL", "as --cache-url"),
    ],
    "cubintool": [
        ("CUDA_HOME, CUDA_PATH, PATH", "where disassemble searches for nvdisasm"),
        ("TMPDIR", "folder for the file that nvdisasm reads (default: /tmp)"),
    ],
}


@dataclass
class Help:
    """The parts of a --help text."""

    usage: list[str] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    items: list[tuple[str, str]] = field(default_factory=list)  # options or commands, and what for
    groups: dict[int, str] = field(default_factory=dict)  # titles by the index of their first item


def parse(text: str) -> Help:
    """Reads the text of --help. An item is indented by two columns. Its description follows after
    at least two spaces, or on the next lines."""
    result = Help()
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        prose = []
        for line in block.split("\n"):
            item = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
            if line.startswith("Usage: "):
                result.usage.append(line.removeprefix("Usage: "))
            elif re.match(r" {4,}\S", line) and result.items:
                name, about = result.items[-1]
                result.items[-1] = (name, f"{about} {line.strip()}".strip())
            elif item:
                result.items.append((item.group(1).strip(), item.group(2) or ""))
            elif re.match(r"\w[\w ,]*:$", line):
                result.groups[len(result.items)] = line.removesuffix(":")
            else:
                prose.append(line)
        if prose and not prose[0].isspace():
            result.paragraphs.append(" ".join(filter(None, prose)))
    return result


def help_of(program: Path, *words: str) -> Help:
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True, timeout=60)
    return parse(done.stdout)


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def items(pairs: list[tuple[str, str]]) -> list[str]:
    lines = []
    for name, about in pairs:
        lines += [".TP", f".B {escaped(name)}", escaped(about)]
    return lines


def grouped_items(text: Help) -> list[str]:
    """The options in groups, each after the title of its group."""
    lines = []
    for index, pair in enumerate(text.items):
        if index in text.groups:
            lines.append(f".SS {escaped(text.groups[index])}")
        lines += items([pair])
    return lines


def examples(name: str) -> list[str]:
    lines = []
    for about, command in EXAMPLES[name]:
        lines += [".PP", escaped(about)] if about else []
        lines += [".PP", ".nf", f"    {escaped(command)}", ".fi"]
    return lines


def manual(name: str, program: Path, version: str) -> str:
    main = help_of(program, ALL_HELP[name])
    options = [pair for pair in main.items if pair[0].startswith("-")]
    commands = [pair for pair in main.items if not pair[0].startswith("-")]
    lines = [
        f'.TH {name.upper()} 1 "" "warpld {version}" "User Commands"',
        ".SH NAME",
        f"{name} \\- {ABOUT[name]}",
        ".SH SYNOPSIS",
        *(f".B {escaped(usage)}" for usage in main.usage),
        ".SH DESCRIPTION",
    ]
    for paragraph in main.paragraphs:
        lines += [".PP", escaped(paragraph)]
    if options:
        lines += [".SH OPTIONS", *grouped_items(main)]
    if commands:
        lines.append(".SH COMMANDS")
    for command, _ in commands:
        detail = help_of(program, command, "--help")
        lines.append(f".SS {escaped(command)}")
        for paragraph in detail.paragraphs:
            lines += [escaped(paragraph), ".PP"]
        lines += [f".B {escaped(usage)}" for usage in detail.usage]
        lines += items([pair for pair in detail.items if pair[0].startswith("-")])
    if ENVIRONMENT[name]:
        lines += [".SH ENVIRONMENT", *items(ENVIRONMENT[name])]
    lines += [".SH EXIT STATUS", *items(EXIT_STATUS[name])]
    lines += [".SH EXAMPLES", *examples(name)]
    others = ", ".join(f".BR {other} (1)" for other in ABOUT if other != name)
    return "\n".join([*lines, ".SH SEE ALSO", others]) + "\n"


def project_version() -> str:
    header = (REPOSITORY / "include" / "warpld.h").read_text()
    (version,) = re.findall(r'WARPLD_VERSION\s+"([\d.]+)"', header)
    return str(version)


def main() -> int:
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "build"
    output = Path(sys.argv[2]) if len(sys.argv) > 2 else REPOSITORY / "docs"
    for name in ABOUT:
        program = (build / name).absolute()
        (output / f"{name}.1").write_text(manual(name, program, project_version()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
