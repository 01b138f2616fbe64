#!/usr/bin/python3
"""Runs the golden links with a memory checker: for `make check-valgrind` and `make check-msan`.

    tests/memory_links.py [--checker valgrind|msan] [--build FOLDER] [--step N]

Both checkers find uses of uninitialized memory. valgrind's memcheck also finds accesses outside of
allocated blocks, and leaks. For memcheck the script runs the warpld of `make torture-programs`. It
is linked dynamically, so that memcheck sees its allocations. For MemorySanitizer the script runs
the warpld in the folder --build, which must be built with SANITIZE=memory.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
GOLDEN = REPOSITORY / "tests" / "golden"
ERROR = 99
# The exit statuses of warpld itself. Any other status comes from the checker or from a signal.
STATUSES = (0, 1, 255)
VALGRIND = [
    "valgrind",
    "-q",
    f"--error-exitcode={ERROR}",
    "--leak-check=full",
    "--errors-for-leak-kinds=definite",
]


def finding(checked: list[str | Path], folder: Path) -> str:
    """Links a golden folder. Returns what the checker reports, or an empty text."""
    with tempfile.TemporaryDirectory() as place:
        words = [*(folder / "link").read_text().split(), "--threads=1", "-o", f"{place}/output"]
        variables = {**os.environ, "MSAN_OPTIONS": f"exitcode={ERROR}"}
        done = subprocess.run(
            [*checked, *words], cwd=folder, env=variables, capture_output=True, text=True
        )
    lines = [line for line in done.stderr.splitlines() if line.startswith(("==", "valgrind: "))]
    if done.returncode in STATUSES and not lines:
        return ""
    return "\n".join([f"{folder.name}: status {done.returncode}", *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checker", choices=("valgrind", "msan"), default="valgrind")
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    parser.add_argument("--step", type=int, default=1, help="every N-th link only")
    given = parser.parse_args()
    build = given.build.absolute()
    valgrind = [*VALGRIND, build / "tests" / "torture" / "warpld"]
    checked = valgrind if given.checker == "valgrind" else [build / "warpld"]
    folders = sorted(path.parent for path in GOLDEN.glob("*/link"))[:: given.step]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        texts = pool.map(lambda folder: finding(checked, folder), folders)
        found = [text for text in texts if text]
    print(
        "\n".join([*found, f"{len(folders)} links with {given.checker}, {len(found)} with errors"])
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
