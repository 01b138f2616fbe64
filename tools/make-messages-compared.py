#!/usr/bin/python3
"""Writes docs/messages-compared.md: what nvlink and warpld print for broken builds.

    tools/make-messages-compared.py [BUILD]

The builds are in tests/notes/broken/builds. A line "== TITLE" starts a build. A line "@ NAME" or
"@ NAME TARGET" starts a source file, which is compiled with -arch=sm_90 or with nvcc's argument
TARGET. Lines such as "$ link ARGUMENTS" are the steps of the build. Sources whose names begin with
"whole" are compiled without -rdc=true. The script needs nvcc and nvlink on the PATH.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
BUILDS = REPOSITORY / "tests" / "notes" / "broken" / "builds"
PAGE = REPOSITORY / "docs" / "messages-compared.md"
ARCHITECTURE = "-arch=sm_90"
LONGEST_ROW = 200
HEAD = """# What broken builds print

This page shows what nvlink and warpld print for builds that fail or that warn. Each section is one
such build: the heading names the fault, and the block has the command line and the messages of both
linkers. `tests/notes/broken/builds` has the sources of the files.

warpld prints nvlink's messages, but with readable names. Lines that begin with `warpld note`
explain the message above them. These notes, and some warnings and errors, exist in warpld only.
`--no-notes` hides the notes.

`tools/make-messages-compared.py` writes this page, with nvlink 13.0.88.
"""


@dataclass
class Broken:
    title: str
    files: dict[str, list[str]] = field(default_factory=dict)
    targets: dict[str, str] = field(default_factory=dict)
    steps: list[list[str]] = field(default_factory=list)


def read_builds() -> list[Broken]:
    found: list[Broken] = []
    for line in BUILDS.read_text().splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "==":
            found.append(Broken(rest))
        elif mark == "@":
            name, *target = rest.split()
            lines = found[-1].files.setdefault(name, [])
            found[-1].targets.update({name: word for word in target})
        elif mark == "$":
            found[-1].steps.append(rest.split())
        else:
            lines.append(line)
    return found


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr + done.stdout


def shown(command: str, output: str) -> list[str]:
    """The command and its output as lines. A line that is too long continues on the next,
    indented."""
    rows = [f"$ {command}"]
    for line in output.splitlines():
        while len(line) > LONGEST_ROW:
            cut = line.rfind(" ", 0, LONGEST_ROW)
            cut = cut if cut > LONGEST_ROW // 2 else LONGEST_ROW
            rows.append(line[:cut])
            line = "    " + line[cut:].lstrip()
        rows.append(line)
    return rows


def build(broken: Broken, folder: Path, warpld: Path) -> list[str]:
    for name, lines in broken.files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
        kind = [] if name.startswith("whole") else ["-rdc=true"]
        if name.endswith(".cu"):
            target = broken.targets.get(name, ARCHITECTURE)
            run(folder, "nvcc", target, *kind, "-c", name)
    rows: list[str] = []
    for verb, *words in broken.steps:
        if verb == "archive":
            run(folder, "ar", "rcD", *words)
        elif verb == "shared":
            run(folder, "nvcc", ARCHITECTURE, "-shared", "-Xcompiler=-fPIC", "-o", *words)
        else:
            for tool, program in (("nvlink", "nvlink"), ("warpld", str(warpld))):
                said = run(folder, program, ARCHITECTURE, *words, "-o", "out.cubin")
                command = " ".join([tool, ARCHITECTURE, *words, "-o", "out.cubin"])
                rows += [*shown(command, said), ""]
    return rows[:-1]


def main() -> None:
    warpld = Path(sys.argv[1] if len(sys.argv) > 1 else REPOSITORY / "build").absolute() / "warpld"
    text = [HEAD]
    for number, broken in enumerate(read_builds(), 1):
        with tempfile.TemporaryDirectory() as folder:
            rows = build(broken, Path(folder), warpld)
        text.append("\n".join([f"## {number}. {broken.title}\n", "```text", *rows, "```\n"]))
    PAGE.write_text("\n".join(text))


if __name__ == "__main__":
    main()
