"""Compares many generated programs, prints a report, and keeps the programs that failed."""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic

from relocation_types import relocation_types
from shrink import Language, Made, keep_failure, kind_of_failure
from tables import Tabled, percent, print_tables
from toolchain import (
    CACHE,
    GOOD,
    LINKED,
    REPOSITORY,
    Comparer,
    Comparison,
    CompileError,
    Compiler,
    Generated,
    Verdict,
)


@dataclass
class Outcome(Generic[Made]):
    """The result of one program."""

    index: int
    program: Made
    comparison: Comparison | None = None  # None: the compiler refused a file
    compile_error: str = ""
    relocations: Counter[int] = field(default_factory=Counter)

    @property
    def verdict(self) -> Verdict | None:
        return self.comparison.verdict if self.comparison else None

    def failed(self, strict: bool) -> bool:
        return self.verdict not in GOOD and (strict or self.verdict != Verdict.EQUIVALENT)


def run_one(
    index: int, make: Callable[[int], Made], comparer: Comparer[Made], compiler: Compiler
) -> Outcome[Made]:
    outcome = Outcome(index, make(index))
    with tempfile.TemporaryDirectory(prefix="compare-") as scratch:
        try:
            outcome.comparison = comparer.compare_program(outcome.program, compiler, Path(scratch))
        except CompileError as error:
            outcome.compile_error = str(error)
            return outcome
        for path in outcome.comparison.inputs:
            outcome.relocations += relocation_types(path)
    return outcome


def report(
    outcomes: list[Outcome[Made]], args: argparse.Namespace, expected: Collection[str]
) -> bool:
    """Prints the report. Returns whether --min-equivalent and --min-identical are reached."""
    verdicts = Counter(o.verdict for o in outcomes if o.comparison)
    linked = sum(verdicts[v] for v in LINKED)
    identical = verdicts[Verdict.IDENTICAL]
    explained = verdicts[Verdict.EXPLAINED]
    equivalent = identical + verdicts[Verdict.EQUIVALENT]
    unlike = verdicts[Verdict.STATUS_DIFFERS] + verdicts[Verdict.MESSAGES_DIFFER]
    rejected = sum(1 for o in outcomes if o.compile_error)
    broke = verdicts[Verdict.NVLINK_BROKE]
    if args.tables:
        print_tables(
            [Tabled(o.program.arch, o.program.features(), o.relocations) for o in outcomes],
            expected,
        )
    print_failures(outcomes, args)
    print(f"left out          {broke} (nvlink ends with an internal error, or never)")
    print(f"programs          {len(outcomes) - broke}")
    print(f"not compiled      {rejected}")
    print(f"linked by both    {linked}")
    print(f"refused by both   {verdicts[Verdict.REFUSED_BY_BOTH]}")
    print(f"status differs    {verdicts[Verdict.STATUS_DIFFERS]}")
    print(f"messages differ   {verdicts[Verdict.MESSAGES_DIFFER]}")
    print_explained(outcomes)
    print(f"equivalent        {equivalent} ({percent(equivalent, linked):.2f} %)")
    print(f"identical         {identical} ({percent(identical, linked):.2f} %)")
    compared = linked - explained
    enough = (
        percent(equivalent, compared) >= args.min_equivalent
        and percent(identical, compared) >= args.min_identical
    )
    return enough and unlike == 0 and percent(rejected, len(outcomes)) <= 1.0


def print_explained(outcomes: list[Outcome[Made]]) -> None:
    """Prints how many programs each known fault of nvlink explains (explained.py)."""
    found = [o.comparison for o in outcomes if o.comparison]
    faults = Counter(c.first_difference for c in found if c.verdict == Verdict.EXPLAINED)
    print(f"explained         {sum(faults.values())}")
    for fault, count in sorted(faults.items()):
        print(f"  explained: {fault}  {count}")


def print_failures(outcomes: list[Outcome[Made]], args: argparse.Namespace) -> None:
    for outcome in outcomes:
        if outcome.failed(args.min_identical > 0):
            verdict = outcome.verdict.value if outcome.verdict else "compiler failed"
            detail = outcome.comparison.first_difference if outcome.comparison else ""
            text = (detail or outcome.compile_error).replace("\n", "\n    ")
            print(f"{args.seed}-{outcome.index} {outcome.program.arch} {verdict}:\n    {text}")


def failures_by_kind(
    outcomes: list[Outcome[Made]], args: argparse.Namespace
) -> dict[tuple[Verdict, str], list[Outcome[Made]]]:
    """The failed programs, grouped by what differs. The largest group comes first."""
    kinds: dict[tuple[Verdict, str], list[Outcome[Made]]] = {}
    for outcome in outcomes:
        if outcome.comparison and outcome.failed(args.min_identical > 0):
            kinds.setdefault(kind_of_failure(outcome.comparison), []).append(outcome)
    return dict(sorted(kinds.items(), key=lambda pair: -len(pair[1])))


def shrink_failures(
    outcomes: list[Outcome[Made]],
    language: Language[Made],
    args: argparse.Namespace,
    comparer: Comparer[Made],
    compiler: Compiler,
) -> None:
    """Shrinks one program of each of the most frequent kinds of failure."""
    kinds = failures_by_kind(outcomes, args)
    for (verdict, what), found in kinds.items():
        print(f"{len(found):4} x {verdict.value}: {what}")
    for found in list(kinds.values())[: args.shrink]:
        outcome = found[0]
        assert outcome.comparison
        folder = args.failures / f"{args.seed}-{outcome.index}"
        shutil.rmtree(folder, ignore_errors=True)
        keep_failure(outcome.program, language, outcome.comparison, comparer, compiler, folder)
        print(f"shrunk {args.seed}-{outcome.index} into {folder}")


def argument_parser(description: str | None, arches: tuple[str, ...]) -> argparse.ArgumentParser:
    """A parser with the options that all comparisons have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--seed", type=int, default=1)
    add("-n", "--count", type=int, default=200, help="number of programs")
    add("--first", type=int, default=0, help="index of the first program")
    add("--arch", default=",".join(arches), help="targets, one of which is chosen for each program")
    add("--without", default="", help="features to leave out, comma separated")
    add("--ours", default=str(REPOSITORY / "build" / "warpld"), help="the linker under test")
    add("--differ", default=f"{REPOSITORY / 'build' / 'cubintool'} diff", help="command")
    add("--min-equivalent", type=float, default=100.0, help="percent of the linked programs")
    add("--min-identical", type=float, default=0.0, help="percent; above 0, others are failures")
    add("-j", "--jobs", type=int, default=os.cpu_count())
    add("--shrink", type=int, default=3, metavar="N", help="shrink a failure of each of N kinds")
    add("--failures", type=Path, default=REPOSITORY / "build" / "compare-failures")
    add("--cache", type=Path, default=CACHE)
    add("--no-tables", dest="tables", action="store_false", help="only totals and failures")
    return parser


def find_tools(
    args: argparse.Namespace, *compilers: str, patched: bool = False
) -> Comparer[Generated] | None:
    """Returns the comparer. Prints an error and returns None if a tool is missing."""
    ours = shutil.which(args.ours)
    if not ours or not all(shutil.which(tool) for tool in ("nvlink", *compilers)):
        needs = ", ".join(["nvlink", *compilers])
        print(f"{Path(sys.argv[0]).stem}: needs {needs} and the linker under test", file=sys.stderr)
        return None
    return Comparer(Path(ours).absolute(), args.differ, patched)


def unknown_features(args: argparse.Namespace, features: Collection[str]) -> bool:
    unknown = {name for name in args.without.split(",") if name} - set(features)
    if unknown:
        name = Path(sys.argv[0]).stem
        print(f"{name}: no such feature: {', '.join(sorted(unknown))}", file=sys.stderr)
    return bool(unknown)


def compare_all(
    args: argparse.Namespace,
    make: Callable[[int], Made],
    language: Language[Made] | None,
    comparer: Comparer[Made],
    expected: Collection[str],
    compiler: Compiler | None = None,
) -> int:
    """Compares the programs that `args` selects. Returns the exit status.

    The report warns of features in `expected` that few of the programs have. `language` knows the
    parts of a program that the shrinker can drop; without it failures are not shrunk."""
    compiler = compiler or Compiler(args.cache)
    work = functools.partial(run_one, make=make, comparer=comparer, compiler=compiler)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        outcomes = list(pool.map(work, range(args.first, args.first + args.count)))
    enough = report(outcomes, args, expected)
    if language:
        shrink_failures(outcomes, language, args, comparer, compiler)
    return 0 if enough else 1
