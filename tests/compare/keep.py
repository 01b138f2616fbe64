#!/usr/bin/env python3
"""Turns a folder of a shrunk failure into a permanent golden test.

usage: keep.py FOLDER NAME

Copies the sources and the link line to tests/golden/NAME, and lets nvlink make the expected output.
NAME should say which behaviour of nvlink the test records.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from toolchain import REPOSITORY

GOLDEN = REPOSITORY / "tests" / "golden"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    args = parser.parse_args()
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", args.name):
        sys.exit(f"{args.name}: a name is words of lower case letters joined by '-'")
    target = GOLDEN / args.name
    if target.exists():
        sys.exit(f"{target} exists")
    sources = sorted([*args.folder.glob("*.ptx"), *args.folder.glob("*.cu")])
    target.mkdir(parents=True)
    for source in [*sources, args.folder / "link"]:
        shutil.copy(source, target)
    subprocess.run([sys.executable, GOLDEN / "regenerate.py", args.name], check=True)
    print(target)


if __name__ == "__main__":
    main()
