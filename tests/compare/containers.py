#!/usr/bin/env python3
"""Compares warpld with nvlink over random programs in every kind of file that carries device code.

The programs are those of compare.py. Their files become cubins, fat binaries of each compression
with images for several architectures, host objects, members of archives and of libraries that -l
finds, and PTX. Some links read their arguments from an options file. The file that
--register-link-binaries writes is compared, too.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import shrink_ptx
from generate import generate
from harness import argument_parser, compare_all, find_tools
from packing import FORMS, OPTIONS_FILE, pack
from program import Program
from toolchain import Comparer, Comparison, Compiler, Link, Verdict

ARCHES = ("sm_80", "sm_86", "sm_90", "sm_100", "sm_120")
REGISTERED = "registered"

Result = TypeVar("Result")


class ContainerComparer(Comparer[Program]):
    def link(self, linker: str, arguments: list[str], folder: Path, output: str) -> Link:
        """Runs the linker. The names that the link registers become messages, so that they are
        compared, too."""
        registered = folder / REGISTERED
        registered.unlink(missing_ok=True)
        link = super().link(linker, arguments, folder, output)
        if registered.exists():
            link.messages += registered.read_text().splitlines()
        return link

    def judge(
        self, theirs: Link, ours: Link, inputs: list[Path], arguments: list[str]
    ) -> tuple[Verdict, str]:
        """Returns the verdict. Whether a known fault explains a difference depends on the options
        of the link. Not all of them are among the arguments. So this function adds the options in
        the options file, and adds -kernels-used if host objects list the kernels that the host
        refers to, because such a list has the same effect."""
        folder = theirs.output.parent
        words = folder / OPTIONS_FILE
        arguments = [*arguments, *(words.read_text().split() if words.exists() else [])]
        files = folder.rglob("*.[ao]")
        if any(b".nvHRKE" in path.read_bytes() for path in files):
            arguments = [*arguments, "-kernels-used"]
        return super().judge(theirs, ours, inputs, arguments)

    def compare_program(self, program: Program, compiler: Compiler, folder: Path) -> Comparison:
        words, sources = pack(program, compiler, folder)
        cubins = [compiler.compile(source, program.arch) for source in sources]
        return self.compare(words, folder, cubins)


def make(index: int, seed: int, arches: tuple[str, ...]) -> Program:
    program = generate(seed, index, arches)
    program.packing = f"{seed}-{index}"
    return program


def each_program(
    args: argparse.Namespace, compare_program: Callable[..., Result]
) -> list[Result] | None:
    """The results of `compare_program`, in the order of the programs; None if a tool is missing."""
    found = find_tools(args, "ptxas", "fatbinary")
    if not found:
        return None
    work = functools.partial(
        compare_program, args=args, linker=found.ours, compiler=Compiler(args.cache)
    )
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        return list(pool.map(work, range(args.first, args.first + args.count)))


def main() -> int:
    args = argument_parser(__doc__, ARCHES).parse_args()
    found = find_tools(args, "ptxas", "fatbinary")
    if not found:
        return 2
    comparer = ContainerComparer(found.ours, args.differ)
    generator = functools.partial(make, seed=args.seed, arches=tuple(args.arch.split(",")))
    return compare_all(args, generator, shrink_ptx, comparer, FORMS)


if __name__ == "__main__":
    sys.exit(main())
