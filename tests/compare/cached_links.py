#!/usr/bin/env python3
"""Compares links that use a cache folder with links that use none.

The programs and containers are those of containers.py. A program is linked without a cache, and
with an empty cache, which this link fills. Then it is linked several times with the filled cache:
with the same inputs, with copies of them in another folder, and after bytes of the cache's entries
were changed. A device link is run without and with a cache, too. Exit status, messages, output, map
and report must be the same as without a cache.

The linker must have been built with WARPLD_SMALL_SCALE, so that its cache also keeps small inputs.
`make compare-cached-links` builds and calls it.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from containers import ARCHES, each_program, make
from harness import argument_parser
from packing import OPTIONS_FILE, pack
from toolchain import CompileError, Compiler, run

DESCRIBE = ["-v", "--map=map.txt", "--report=report.json", "--print-removed"]
MADE = ("output", "map.txt", "report.json", "registered")
TAKEN = re.compile(r"^images from the cache +(\d+)$", re.MULTILINE)
# Options that --device-link refuses, because they apply to a single link only.
SINGLE = re.compile(r"^-(r|dump-callgraph.*|dot|trace|time)$")


@dataclass(frozen=True)
class Result:
    status: int
    messages: str
    files: dict[str, bytes]


def link(linker: Path, words: list[str], folder: Path, *more: str) -> Result:
    for name in MADE:
        (folder / name).unlink(missing_ok=True)
    done = run([str(linker), *words, *more, "-o", "output"], folder)
    files = {name: (folder / name).read_bytes() for name in MADE if (folder / name).exists()}
    return Result(done.returncode, done.stderr + done.stdout, files)


def images_taken(linker: Path, words: list[str], folder: Path, cache: str) -> int:
    messages = link(linker, [*words, cache, "--stats"], folder).messages
    return sum(int(number) for number in TAKEN.findall(messages))


def damage(cache: Path, rng: random.Random) -> None:
    """Changes a random byte of each entry, or cuts the entry off before this byte."""
    for entry in cache.glob("*.warpld-ptx"):
        content = bytearray(entry.read_bytes())
        at = rng.randrange(len(content))
        content[at] ^= 1 << rng.randrange(8)
        entry.write_bytes(content if rng.random() < 0.7 else content[:at])


def differences(linker: Path, words: list[str], folder: Path, rng: random.Random) -> list[str]:
    """Returns the kinds of links with a cache (cold, warm, copied, damaged) whose results differ
    from those of the link without a cache."""
    cache = folder / "cache"
    option = f"--cache-dir={cache}"
    plain = link(linker, words, folder)
    found = [kind for kind in ("cold", "warm") if link(linker, words, folder, option) != plain]
    copy = folder.with_name(f"{folder.name}-copy")
    shutil.copytree(folder, copy)
    if link(linker, words, copy, option) != link(linker, words, copy):  # other absolute paths
        found.append("copied")
    shutil.rmtree(copy)
    damage(cache, rng)
    if link(linker, words, folder, option) != plain:
        found.append("damaged")
    return found


def device_link_differs(linker: Path, words: list[str], folder: Path) -> bool:
    options = [word for word in words if not word.startswith(("-arch=", "--register-link"))]
    target = next(word for word in words if word.startswith("-arch="))
    line = ["--device-link", "--cubin", target, *options]
    plain = link(linker, line, folder)
    cached = [link(linker, line, folder, f"--cache-dir={folder / 'other'}") for _ in range(2)]
    return any(one != plain for one in cached)


def compare(linker: Path, words: list[str], folder: Path, rng: random.Random) -> Counter[str]:
    """Counts links by result. Every result other than "same" is a failure. In addition, the key
    "images" counts the images that one link took from the cache."""
    counts: Counter[str] = Counter()
    others = [word for word in words if word.endswith((".o", ".a", ".fatbin")) and "=" not in word]
    fewer = [word for word in words if word != rng.choice([*others, ""])]
    for line in (words, [*words, *DESCRIBE], fewer):
        counts.update(differences(linker, line, folder, rng) or ["same"])
    counts["images"] = images_taken(linker, words, folder, f"--cache-dir={folder / 'cache'}")
    listed = folder / OPTIONS_FILE
    if not listed.exists() and not any(SINGLE.match(word) for word in words):
        counts["device link" if device_link_differs(linker, words, folder) else "same"] += 1
    return counts


def compare_program(
    index: int, args: argparse.Namespace, linker: Path, compiler: Compiler
) -> Counter[str]:
    program = make(index, args.seed, tuple(args.arch.split(",")))
    rng = random.Random(f"{args.seed}-{index} cached")
    with tempfile.TemporaryDirectory(prefix="cached-links-") as scratch:
        folder = Path(scratch) / "inputs"
        folder.mkdir()
        called = Path(scratch) / rng.choice(("warpld", "nvlink"))
        called.symlink_to(linker)
        try:
            words, _ = pack(program, compiler, folder)
        except CompileError:
            return Counter(["not compiled"])
        counts = compare(called, words, folder, rng)
    failures = [kind for kind in counts if kind not in ("same", "images")]
    if failures:
        print(f"{args.seed}-{index}: {', '.join(failures)}")
    return counts


def main() -> int:
    args = argument_parser(__doc__, ARCHES).parse_args()
    results = each_program(args, compare_program)
    if results is None:
        return 2
    counts = sum(results, Counter[str]())
    for what, count in sorted(counts.items()):
        print(f"{what:28} {count}")
    failed = set(counts) - {"same", "images", "not compiled"}
    if not counts["images"]:
        print("no image was taken from a cache")
    return 1 if failed or not counts["images"] else 0


if __name__ == "__main__":
    sys.exit(main())
