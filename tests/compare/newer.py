#!/usr/bin/env python3
"""Compares warpld with --allow-newer-toolkit over random programs of a later CUDA 13.

The programs are those of compare.py, compiled by that release's ptxas and compared with what
that release's nvlink makes of them. The release is a toolkit or any folder with ptxas and nvlink
somewhere below it, such as `pip install --no-deps --target FOLDER nvidia-cuda-nvcc==13.5.*` makes.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

import shrink_ptx
from builder import FULL, PROFILES
from generate import generate
from harness import argument_parser, compare_all, find_tools
from link_options import LINK_OPTIONS
from older import OtherCompiler, find_file
from toolchain import Comparer, Link

ARCHES = ("sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a")
# From 13.1 on its report has numbers of barriers that nobody has counted (27648, say).
BROKEN_OPTION = "-v"


class NewerComparer(Comparer):
    """The reference is another nvlink."""

    def __init__(self, ours: Path, differ: str, nvlink: Path):
        super().__init__(ours, differ)
        self.nvlink = nvlink

    def link(self, linker: str, arguments: list[str], folder: Path, output: str) -> Link:
        if linker == "nvlink":
            return super().link(str(self.nvlink), arguments, folder, output)
        return super().link(linker, ["--allow-newer-toolkit", *arguments], folder, output)


def main() -> int:
    parser = argument_parser(__doc__, ARCHES)
    parser.add_argument("--cuda13", type=Path, default=os.environ.get("CUDA13"))
    parser.add_argument("--profile", choices=tuple(PROFILES), default=FULL)
    args = parser.parse_args()
    ptxas = find_file(args.cuda13, "ptxas") if args.cuda13 else None
    nvlink = find_file(args.cuda13, "nvlink") if args.cuda13 else None
    if not ptxas or not nvlink:
        print("newer: skipped: CUDA13 names no folder with ptxas and nvlink")
        return 0
    usual = find_tools(args, "ptxas")
    if not usual:
        return 2
    make = functools.partial(
        generate,
        args.seed,
        arches=tuple(args.arch.split(",")),
        profile=args.profile,
        without=tuple(filter(None, args.without.split(","))),
        link_options=tuple(option for option in LINK_OPTIONS if option != BROKEN_OPTION),
    )
    comparer = NewerComparer(usual.ours, args.differ, nvlink)
    compiler = OtherCompiler(args.cache, ptxas, mixed=False)
    return compare_all(args, make, shrink_ptx, comparer, (), compiler)


if __name__ == "__main__":
    sys.exit(main())
