#!/usr/bin/env python3
"""Compares the cubins of a device link (--device-link) for two targets with those of single links.

The programs and containers are those of containers.py. warpld does all links. The cubins must have
the same sections except for the note that records the command line. A device link must fail if and
only if one of the single links fails, and then it must not write any output.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections import Counter
from pathlib import Path

from containers import ARCHES, REGISTERED, each_program, make
from elftools.elf.elffile import ELFFile
from harness import argument_parser
from packing import OPTIONS_FILE, pack
from toolchain import CompileError, Compiler, run

# The second targets of the device links.
TARGETS = ("sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_103", "sm_120", "sm_121")
# Options that --device-link refuses, because they apply to a single link only.
SINGLE = ("-r", "-dump-callgraph", "-dump-callgraph-no-demangle", "-dot", "-trace", "-time")
REGISTER = "--register-link-binaries"


def contents(path: Path) -> list[tuple[str, int, bytes]]:
    """Name, flags and contents of each section except the note that records the command line."""
    sections = ELFFile(io.BytesIO(path.read_bytes())).iter_sections()
    kept = (one for one in sections if one.name != ".note.nv.tkinfo")
    return [(one.name, one["sh_flags"], one.data()) for one in kept]


def compare(linker: Path, words: list[str], targets: list[str], folder: Path) -> str:
    """Returns the result of comparing the device link with the single links. The results "differs"
    and "status" are failures."""
    own = ("-arch=", REGISTER)
    plain = ["--allow-empty", *(word for word in words if not word.startswith(own))]
    single = [
        [f"-arch={target}", *plain, f"{REGISTER}={REGISTERED}", "-o", f"{target}.s"]
        for target in targets
    ]
    several = ["--device-link", f"--arch={','.join(targets)}", "--cubin", *plain, "-o", "%a.d"]
    failed = [run([str(linker), *arguments], folder).returncode != 0 for arguments in single]
    has_failed = run([str(linker), *several], folder).returncode != 0
    if has_failed != any(failed):
        return "status"
    made = [folder / f"{target}.d" for target in targets]
    if has_failed:
        return "status" if any(path.exists() for path in made) else "refused by both"
    same = all(contents(path) == contents(path.with_suffix(".s")) for path in made)
    return "same" if same else "differs"


def compare_program(
    index: int, args: argparse.Namespace, linker: Path, compiler: Compiler
) -> tuple[int, str]:
    program = make(index, args.seed, tuple(args.arch.split(",")))
    with tempfile.TemporaryDirectory(prefix="device-links-") as scratch:
        folder = Path(scratch)
        called = folder / "ours" / "warpld"
        called.parent.mkdir()
        called.symlink_to(linker)
        try:
            words, _ = pack(program, compiler, folder)
        except CompileError:
            return index, "not compiled"
        listed = folder / OPTIONS_FILE
        in_file = listed.read_text().split() if listed.exists() else []
        if any(word in SINGLE for word in [*words, *in_file]) or REGISTER in " ".join(in_file):
            return index, "options about a single link"
        others = [target for target in TARGETS if target != program.arch]
        targets = [program.arch, others[index % len(others)]]
        return index, compare(called, words, targets, folder)


def main() -> int:
    args = argument_parser(__doc__, ARCHES).parse_args()
    results = each_program(args, compare_program)
    if results is None:
        return 2
    for index, what in results:
        if what in ("differs", "status"):
            print(f"{args.seed}-{index}: {what}")
    for what, count in sorted(Counter(what for _, what in results).items()):
        print(f"{what:28} {count}")
    return 1 if any(what in ("differs", "status") for _, what in results) else 0


if __name__ == "__main__":
    sys.exit(main())
