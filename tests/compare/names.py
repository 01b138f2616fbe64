#!/usr/bin/env python3
"""Compares warpld with nvlink over random programs whose files define the same names.

The linkers differ most often in what a superseded or discarded copy leaves in the output.
names_program.py describes the programs, compare.py what is compared.
"""

from __future__ import annotations

import functools
import sys

import names_program
from harness import argument_parser, compare_all, find_tools

ARCHES = ("sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a")


def main() -> int:
    args = argument_parser(__doc__, ARCHES).parse_args()
    comparer = find_tools(args, "ptxas")
    if not comparer:
        return 2
    arches = tuple(args.arch.split(","))
    make = functools.partial(names_program.generate_names, args.seed, arches=arches)
    return compare_all(args, make, names_program, comparer, ())


if __name__ == "__main__":
    sys.exit(main())
