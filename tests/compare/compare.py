#!/usr/bin/env python3
"""Compares warpld with nvlink over random programs.

Each program is generated from --seed and its index, compiled with ptxas, linked by both linkers and
compared: `identical` (the same bytes but for the tool note) or `equivalent` (the same content in
any order). Of a program that is meant to be wrong, exit status and messages are compared. Programs
that fail are shrunk and kept in build/compare-failures/SEED-INDEX/.

Exit status 0 if the fractions reach --min-equivalent and --min-identical, else 1.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import os
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from builder import BASE, FEATURES, FULL
from generate import DEFAULT_ARCHES, generate
from program import Program
from relocation_types import relocation_types
from shrink import keep_failure
from toolchain import (
    CACHE,
    LINKED,
    REPOSITORY,
    Comparer,
    Comparison,
    Compiler,
    PtxasError,
    Verdict,
)


@dataclass
class Outcome:
    """What became of one program."""

    index: int
    program: Program
    comparison: Comparison | None = None  # None: ptxas refused a file
    ptxas_error: str = ""
    relocations: Counter[int] = field(default_factory=Counter)

    @property
    def verdict(self) -> Verdict | None:
        return self.comparison.verdict if self.comparison else None

    def failed(self, strict: bool) -> bool:
        good = [Verdict.IDENTICAL, Verdict.REFUSED_BY_BOTH, Verdict.NVLINK_BROKE]
        if not strict:
            good.append(Verdict.EQUIVALENT)
        return self.verdict not in good


def run_one(index: int, make, comparer: Comparer, compiler: Compiler) -> Outcome:
    outcome = Outcome(index, make(index))
    with tempfile.TemporaryDirectory(prefix="compare-") as scratch:
        try:
            outcome.comparison = comparer.compare_program(outcome.program, compiler, Path(scratch))
        except PtxasError as error:
            outcome.ptxas_error = str(error)
            return outcome
        for path in outcome.comparison.inputs:
            outcome.relocations += relocation_types(path)
    return outcome


def percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 100.0


def report(outcomes: list[Outcome], args) -> bool:
    """Prints the result; whether the thresholds are reached."""
    verdicts = Counter(o.verdict for o in outcomes if o.comparison)
    linked = sum(verdicts[v] for v in LINKED)
    identical = verdicts[Verdict.IDENTICAL]
    equivalent = identical + verdicts[Verdict.EQUIVALENT]
    unlike = verdicts[Verdict.STATUS_DIFFERS] + verdicts[Verdict.MESSAGES_DIFFER]
    rejected = sum(1 for o in outcomes if o.ptxas_error)
    broke = verdicts[Verdict.NVLINK_BROKE]
    if args.tables:
        print_tables(outcomes)
    print_failures(outcomes, args)
    print(f"left out          {broke} (nvlink ends with an internal error)")
    print(f"programs          {len(outcomes) - broke}")
    print(f"not compiled      {rejected}")
    print(f"linked by both    {linked}")
    print(f"refused by both   {verdicts[Verdict.REFUSED_BY_BOTH]}")
    print(f"status differs    {verdicts[Verdict.STATUS_DIFFERS]}")
    print(f"messages differ   {verdicts[Verdict.MESSAGES_DIFFER]}")
    print(f"equivalent        {equivalent} ({percent(equivalent, linked):.2f} %)")
    print(f"identical         {identical} ({percent(identical, linked):.2f} %)")
    enough = (
        percent(equivalent, linked) >= args.min_equivalent
        and percent(identical, linked) >= args.min_identical
    )
    return enough and unlike == 0 and percent(rejected, len(outcomes)) <= 1.0


def print_tables(outcomes: list[Outcome]) -> None:
    features: Counter[str] = Counter()
    arches: Counter[str] = Counter()
    relocations: Counter[int] = Counter()
    for outcome in outcomes:
        features.update(outcome.program.features())
        arches[outcome.program.arch] += 1
        relocations += outcome.relocations
    print("architectures:", ", ".join(f"{a} {n}" for a, n in sorted(arches.items())))
    print("features (programs):")
    for name, count in sorted(features.items()):
        print(f"  {name:32} {count}")
    print("relocation types in the inputs:")
    for kind, count in sorted(relocations.items()):
        print(f"  {kind:#7x} ({kind:3}) {count}")


def print_failures(outcomes: list[Outcome], args) -> None:
    strict = args.min_identical > 0
    for outcome in outcomes:
        if outcome.failed(strict):
            verdict = outcome.verdict.value if outcome.verdict else "ptxas failed"
            detail = outcome.comparison.first_difference if outcome.comparison else ""
            text = (detail or outcome.ptxas_error).replace("\n", "\n    ")
            print(f"{args.seed}-{outcome.index} {outcome.program.arch} {verdict}:\n    {text}")


def shrink_failures(outcomes: list[Outcome], args, comparer: Comparer, compiler: Compiler) -> None:
    strict = args.min_identical > 0
    failed = [o for o in outcomes if o.comparison and o.failed(strict)]
    for outcome in failed[: args.shrink]:
        folder = args.failures / f"{args.seed}-{outcome.index}"
        shutil.rmtree(folder, ignore_errors=True)
        keep_failure(outcome.program, outcome.comparison, comparer, compiler, folder)
        print(f"shrunk {args.seed}-{outcome.index} into {folder}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--seed", type=int, default=1)
    add("-n", "--count", type=int, default=200, help="number of programs")
    add("--first", type=int, default=0, help="index of the first program")
    add("--arch", default=",".join(DEFAULT_ARCHES), help="a program draws one of these")
    add("--profile", choices=(BASE, FULL), default=BASE)
    add("--without", default="", help="features to leave out, comma separated")
    add("--link-options", default="", help="options to draw from, comma separated: -v,-g")
    add("--ours", default=str(REPOSITORY / "build" / "warpld"), help="the linker under test")
    add("--differ", default=f"{REPOSITORY / 'build' / 'cubintool'} diff", help="command")
    add("--min-equivalent", type=float, default=100.0, help="percent of the linked programs")
    add("--min-identical", type=float, default=0.0, help="percent; above 0, others are failures")
    add("-j", "--jobs", type=int, default=os.cpu_count())
    add("--shrink", type=int, default=3, metavar="N", help="shrink the first N failures")
    add("--failures", type=Path, default=REPOSITORY / "build" / "compare-failures")
    add("--cache", type=Path, default=CACHE)
    add("--no-tables", dest="tables", action="store_false", help="only totals and failures")
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    ours = shutil.which(args.ours)
    if not ours or not shutil.which("nvlink") or not shutil.which("ptxas"):
        print("compare: needs nvlink, ptxas and the linker under test", file=sys.stderr)
        return 2
    without = tuple(filter(None, args.without.split(",")))
    unknown = set(without) - set(FEATURES)
    if unknown:
        print(f"compare: no such feature: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    make = functools.partial(
        generate,
        args.seed,
        arches=tuple(args.arch.split(",")),
        profile=args.profile,
        without=without,
        link_options=tuple(filter(None, args.link_options.split(","))),
    )
    comparer, compiler = Comparer(Path(ours).absolute(), args.differ), Compiler(args.cache)
    work = functools.partial(run_one, make=make, comparer=comparer, compiler=compiler)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        outcomes = list(pool.map(work, range(args.first, args.first + args.count)))
    enough = report(outcomes, args)
    shrink_failures(outcomes, args, comparer, compiler)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
