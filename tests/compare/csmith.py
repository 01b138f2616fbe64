#!/usr/bin/env python3
"""Compares warpld with nvlink over random C programs that another compiler compiled to PTX.

csmith writes the programs, clang (17 or later) compiles them to PTX, and ptxas compiles the PTX to
objects. Both linkers link the objects, and the outputs are compared as compare.py does it. In
Debian, the tools are in the packages csmith and clang-19.
"""

from __future__ import annotations

import functools
import sys

import csmith_program
from harness import argument_parser, compare_all, find_tools

ARCHES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a")


def main() -> int:
    parser = argument_parser(__doc__, ARCHES)
    parser.add_argument("--clang", default="clang-19", help="the compiler of C")
    args = parser.parse_args()
    comparer = find_tools(args, "ptxas", "csmith", args.clang)
    if not comparer:
        return 2
    make = functools.partial(
        csmith_program.generate_csmith,
        args.seed,
        arches=tuple(args.arch.split(",")),
        clang=args.clang,
    )
    return compare_all(args, make, csmith_program, comparer, csmith_program.FEATURES)


if __name__ == "__main__":
    sys.exit(main())
