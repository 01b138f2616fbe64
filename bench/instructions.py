#!/usr/bin/python3
"""Counts the instructions of four fixed links with callgrind, and compares the counts with the
recorded ones. The command makes three of the links. The fourth, a small one, is made through the
library; its count includes the creation of the handle.

usage: instructions.py [--record] [--build FOLDER]

A count depends on the compiler and libc, but not on other load on the machine. If the compiler or
libc differs from the recorded one, nothing is compared. The program fails if a link needs over 2 %
more instructions than recorded. If a link needs over 2 % fewer, the program asks for a new record,
which --record makes.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
RECORD = Path(__file__).resolve().parent / "instructions.json"
TOLERANCE = 0.02
COPIES = 300


def demo(folder: Path) -> list[str]:
    data = REPOSITORY / "examples" / "demo" / "data"
    names = ("saxpy", "arithmetic", "reduction")
    return ["-arch=sm_90", *(str(data / f"{name}.sm_90.cubin") for name in names)]


def golden(folder: Path) -> list[str]:
    """One of the larger golden links."""
    link = REPOSITORY / "tests" / "golden" / "callgraph-of-all-kinds"
    words = (link / "link").read_text().split()
    return [str(link / word) if word.endswith(".cubin") else word for word in words]


def many(folder: Path) -> list[str]:
    """Many copies of the demo's kernel, each with another name of the same length."""
    words = demo(folder)
    kernel = Path(words[1]).read_bytes()
    copies = [folder / f"{index:04}.cubin" for index in range(COPIES)]
    for index, copy in enumerate(copies):
        copy.write_bytes(kernel.replace(b"saxpy_", b"s%04d_" % index))
    return ["--threads=1", words[0], *words[2:], *map(str, copies)]


LINKS = {"demo": demo, "golden": golden, "many objects": many}


def count_of(command: list[str], folder: Path) -> int:
    callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'callgrind'}"]
    done = subprocess.run(callgrind + command, capture_output=True, text=True, check=True)
    (found,) = re.findall(r"refs:\s+([\d,]+)", done.stderr)
    return int(found.replace(",", ""))


def count(warpld: Path, link: Callable[[Path], list[str]]) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        command = [str(warpld), *link(folder), "-o", str(folder / "output.cubin")]
        return count_of(command, folder)


def count_in_library(program: Path) -> int:
    """The instructions of one link: a hundredth of the difference between a run with 110 links and
    one with 10. Starting the program costs the same in both, so the difference excludes it."""
    few, more = 10, 110
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        architecture, *inputs = demo(folder)
        words = [architecture.removeprefix("-arch="), *inputs]
        counts = [count_of([str(program), str(links), *words], folder) for links in (few, more)]
    return (counts[1] - counts[0]) // (more - few)


def surroundings() -> dict[str, str]:
    done = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True)
    libc = " ".join(platform.libc_ver())
    return {"compiler": done.stdout.splitlines()[0], "libc": libc, "machine": platform.machine()}


def compare(counts: dict[str, int], recorded: dict[str, int]) -> bool:
    good = True
    for name, now in counts.items():
        change = now / recorded[name] - 1 if name in recorded else 0
        word = "more" if change > 0 else "less"
        text = f"{name:14} {now:12,} instructions, {abs(change) * 100:.1f} % {word} than recorded"
        if change > TOLERANCE:
            text += ": TOO MANY"
        elif change < -TOLERANCE:
            text += ": record it (--record)"
        good &= change <= TOLERANCE
        print(text)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        print("instructions: valgrind is not on the PATH; nothing is counted")
        return 0
    counts = {name: count(args.build / "warpld", link) for name, link in LINKS.items()}
    counts["in the library"] = count_in_library(args.build / "bench" / "library_links")
    here = surroundings()
    if args.record:
        RECORD.write_text(json.dumps(here | {"counts": counts}, indent=4) + "\n")
        print(f"wrote {RECORD}")
        return 0
    recorded = json.loads(RECORD.read_text())
    if any(recorded[key] != value for key, value in here.items()):
        print("instructions: recorded with another compiler or libc; nothing to compare")
        return 0
    return 0 if compare(counts, recorded["counts"]) else 1


if __name__ == "__main__":
    sys.exit(main())
