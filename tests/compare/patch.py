#!/usr/bin/env python3
"""Compares warpld with nvlink over objects that no compiler writes.

The relocatable cubins of small PTX programs are changed before both linkers read them. Each link
has one change, which depends on --seed. An experiment (see experiments.py) combines every row of
a table with every column, and prints the table. A cell shows how the links of that kind ended:

    =  identical      ~  equivalent     r  refused by both    x  nvlink ends with an internal error
    e  explained      !  different      s  status differs     m  messages differ
    d  refused by warpld alone, as damaged (docs/quirks/inputs.md)

If links of a cell ended differently, the worst is shown. Exit status 0 if no cell has ! s or m.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import random
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from cubin import Cubin
from experiment import Case
from experiments import EXPERIMENTS
from harness import find_tools
from patch_programs import PROGRAMS
from toolchain import CACHE, REPOSITORY, Comparer, Comparison, Compiler, Generated, Verdict

ARCHES = ("sm_75", "sm_80", "sm_90", "sm_90a")
# The signs of the verdicts, from the best verdict to the worst.
SIGNS = {
    None: "d",
    Verdict.NVLINK_BROKE: "x",
    Verdict.REFUSED_BY_BOTH: "r",
    Verdict.IDENTICAL: "=",
    Verdict.EQUIVALENT: "~",
    Verdict.EXPLAINED: "e",
    Verdict.MESSAGES_DIFFER: "m",
    Verdict.DIFFERENT: "!",
    Verdict.STATUS_DIFFERS: "s",
}
DAMAGED = "is damaged: "
FAILED = (Verdict.MESSAGES_DIFFER, Verdict.DIFFERENT, Verdict.STATUS_DIFFERS)


@dataclass(frozen=True)
class Trial:
    number: int
    case: Case
    arch: str
    program: str

    @property
    def name(self) -> str:
        return f"{self.case.row} / {self.case.column} {self.arch} {self.program}"


@dataclass
class Result:
    trial: Trial
    comparison: Comparison

    @property
    def verdict(self) -> Verdict | None:
        """The verdict; None if warpld's reader refuses an object as damaged that nvlink links."""
        found = self.comparison.verdict
        damaged = any(DAMAGED in line for line in self.comparison.ours.messages)
        return None if found == Verdict.STATUS_DIFFERS and damaged else found

    @property
    def failed(self) -> bool:
        return self.verdict in FAILED


def run_trial(
    trial: Trial,
    args: argparse.Namespace,
    comparer: Comparer[Generated],
    compiler: Compiler,
) -> Result | None:
    """Changes the objects of one program, and links them with both linkers. If --keep is given and
    the results differ, keeps the program's folder. Returns None if an object has nothing that the
    case can change."""
    rng = random.Random(f"{args.seed}-{trial.number}-{trial.name}")
    with tempfile.TemporaryDirectory(prefix="patch-") as scratch:
        folder = Path(scratch)
        names = []
        own = trial.case.sources
        for source in own(rng, trial.program) if own else PROGRAMS[trial.program]:
            cubin = Cubin(compiler.compile(source, trial.arch).read_bytes())
            if (own or source.name == "a.ptx") and not trial.case.change(cubin, rng):
                return None
            names.append(source.cubin_name)
            (folder / source.cubin_name).write_bytes(cubin.write())
        arguments = [f"-arch={trial.arch}", *args.link_options.split(), *names]
        result = Result(trial, comparer.compare(arguments, folder))
        if args.keep and result.failed:
            keep(args.keep / f"{trial.number}", folder, arguments, result)
    return result


def keep(target: Path, folder: Path, arguments: list[str], result: Result) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("ours"))
    (target / "link").write_text(" ".join(arguments) + "\n")
    (target / "report").write_text(f"{result.trial.name}\n{result.comparison.first_difference}\n")


def print_table(results: list[Result]) -> None:
    cells: dict[tuple[str, str], Verdict | None] = {}
    order = list(SIGNS)
    for result in results:
        place = (result.trial.case.row, result.trial.case.column)
        held = cells.get(place, order[0])
        cells[place] = max(held, result.verdict, key=order.index)
    columns = list(dict.fromkeys(r.trial.case.column for r in results))
    rows = list(dict.fromkeys(r.trial.case.row for r in results))
    width = max(len(row) for row in rows)
    for i, column in enumerate(columns):
        print(f"  {'':{width}} {'| ' * i}{column}")
    for row in rows:
        signs = [SIGNS[cells[row, c]] if (row, c) in cells else " " for c in columns]
        print(f"  {row:{width}} {' '.join(signs)}")


def report(name: str, results: list[Result], args: argparse.Namespace) -> bool:
    if not results:
        return True
    print(f"{name}: {len(results)} links")
    if args.tables:
        print_table(results)
    verdicts = Counter(r.verdict for r in results)
    failed = [r for r in results if r.failed]
    first_of_cell = {(r.trial.case.row, r.trial.case.column): r for r in reversed(failed)}
    for result in list(reversed(first_of_cell.values()))[: args.show]:
        text = result.comparison.first_difference.replace("\n", "\n      ")
        print(f"    {result.trial.name}: {result.comparison.verdict.value}\n      {text}")
    for verdict, sign in SIGNS.items():
        if verdicts[verdict]:
            text = verdict.value if verdict else "refused by warpld as damaged"
            print(f"  {sign} {text:28} {verdicts[verdict]}")
    return not failed


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("experiments", nargs="*", metavar="EXPERIMENT", help=", ".join(EXPERIMENTS))
    add("--seed", type=int, default=1)
    add("--repeat", type=int, default=1, help="links for each cell, architecture and program")
    add("--arch", default=",".join(ARCHES))
    add("--program", default=",".join(PROGRAMS))
    add("--rows", default="", help="only rows that contain this text")
    add("--columns", default="", help="only columns that contain this text")
    add("--ours", default=str(REPOSITORY / "build" / "warpld"), help="the linker under test")
    add("--differ", default=f"{REPOSITORY / 'build' / 'cubintool'} diff", help="command")
    add("--link-options", default="", help="options with which all are linked, in one word")
    add("--show", type=int, default=20, help="describe the first N failures of an experiment")
    add("--keep", type=Path, help="folder for the inputs and outputs of failures")
    add("-j", "--jobs", type=int, default=1)
    add("--cache", type=Path, default=CACHE)
    add("--no-tables", dest="tables", action="store_false", help="only totals and failures")
    return parser.parse_args()


def trials_of(cases: list[Case], args: argparse.Namespace) -> list[Trial]:
    chosen = [c for c in cases if args.rows in c.row and args.columns in c.column]
    found: list[Trial] = []
    for case in chosen:
        for arch in args.arch.split(","):
            for program in args.program.split(","):
                for _ in range(args.repeat):
                    found.append(Trial(len(found), case, arch, program))
    return found


def main() -> int:
    args = parse_arguments()
    comparer = find_tools(args, "ptxas", patched=True)
    unknown = set(args.experiments) - set(EXPERIMENTS)
    if unknown:
        print(f"patch: no such experiment: {', '.join(sorted(unknown))}", file=sys.stderr)
    if not comparer or unknown:
        return 2
    compiler = Compiler(args.cache)
    work = functools.partial(run_trial, args=args, comparer=comparer, compiler=compiler)
    good = True
    for name in args.experiments or EXPERIMENTS:
        trials = trials_of(EXPERIMENTS[name](), args)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            good &= report(name, [result for result in pool.map(work, trials) if result], args)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
