#!/usr/bin/env python3
"""Records how nvlink answers the command lines in data/lines.

usage: regenerate.py

A line of data/lines has arguments that the script adds to a valid command line. If the line begins
with `only:`, the rest of it is the complete command line. The script writes the answers to
data/answers, and the version of nvlink to data/VERSION.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from command import DATA, prepare, run_program

GOOD = ["-arch=sm_80", "a.cubin", "b.cubin", "-o", "output.cubin"]
ONLY = "only:"


def words_of(line: str) -> list[str]:
    if line.startswith(ONLY):
        return line.removeprefix(ONLY).split()
    return [*GOOD, *line.split()]


def main() -> None:
    nvlink = shutil.which("nvlink")
    if not nvlink:
        sys.exit("nvlink is not installed")
    answers = []
    for line in (DATA / "lines").read_text().splitlines():
        with tempfile.TemporaryDirectory() as scratch:
            prepare(Path(scratch))
            done = run_program(nvlink, Path(scratch), *words_of(line))
        answer = {"words": words_of(line), "status": done.status, "messages": done.messages}
        answers.append(json.dumps(answer))
    (DATA / "answers").write_text("\n".join(answers) + "\n")
    version = run_program(nvlink, DATA, "--version").output.splitlines()
    (DATA / "VERSION").write_text(f"nvlink: {version[-2]}; {version[-1]}\n")


if __name__ == "__main__":
    main()
