#!/usr/bin/env python3
"""Compares warpld with nvlink over random multi-file CUDA C++ programs.

Each program is put together from templates/ by --seed and its index, compiled with nvcc, linked by
both linkers and compared as compare.py does it. nvcc takes a second or more for each file, so
compiled files are cached.
"""

from __future__ import annotations

import functools
import sys

import cpp_program
from harness import argument_parser, compare_all, find_tools, unknown_features

# Most programs are for sm_80 or sm_90, as most compiled code is.
OFTEN = ("sm_80", "sm_90") * 4
ARCHES = (*OFTEN, "sm_75", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90a")


def main() -> int:
    args = argument_parser(__doc__, ARCHES).parse_args()
    comparer = find_tools(args, "nvcc")
    templates = cpp_program.load_templates()
    if not comparer or unknown_features(args, [t.name for t in templates]):
        return 2
    make = functools.partial(
        cpp_program.generate_cpp,
        args.seed,
        arches=tuple(args.arch.split(",")),
        without=tuple(filter(None, args.without.split(","))),
        templates=templates,
    )
    return compare_all(args, make, cpp_program, comparer, [t.name for t in templates])


if __name__ == "__main__":
    sys.exit(main())
