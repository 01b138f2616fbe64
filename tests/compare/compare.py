#!/usr/bin/env python3
"""Compares warpld with nvlink over random programs.

Each program is generated from --seed and its index, compiled with ptxas and linked by both linkers.
Two outputs are `identical` if only their tool notes differ, and `equivalent` if they have the same
content in another order. For a program that is meant to be wrong, exit status and messages are
compared. Programs that fail are shrunk and kept in build/compare-failures/SEED-INDEX/.

Exit status 0 if the fractions reach --min-equivalent and --min-identical, else 1.
"""

from __future__ import annotations

import functools
import sys

import shrink_ptx
from builder import ERROR, FEATURES, FULL, PROFILES, arch_number
from generate import DEFAULT_ARCHES, generate
from harness import argument_parser, compare_all, find_tools, unknown_features
from link_options import LINK_OPTIONS


def main() -> int:
    parser = argument_parser(__doc__, DEFAULT_ARCHES)
    parser.add_argument(
        "--profile",
        choices=tuple(PROFILES),
        default=FULL,
        help="base: ordinary programs; debug: mostly with debug information",
    )
    parser.add_argument(
        "--link-options",
        default=",".join(LINK_OPTIONS),
        help="options to draw from, comma separated",
    )
    args = parser.parse_args()
    comparer = find_tools(args, "ptxas")
    if not comparer or unknown_features(args, FEATURES):
        return 2
    arches = tuple(args.arch.split(","))
    expected = {
        f.name
        for f in FEATURES.values()
        if f.profile == ERROR or any(f.suits(args.profile, arch_number(arch)) for arch in arches)
    }
    make = functools.partial(
        generate,
        args.seed,
        arches=arches,
        profile=args.profile,
        without=tuple(filter(None, args.without.split(","))),
        link_options=tuple(filter(None, args.link_options.split(","))),
    )
    return compare_all(args, make, shrink_ptx, comparer, expected)


if __name__ == "__main__":
    sys.exit(main())
