#!/usr/bin/env python3
"""Links random programs in steps, and compares the results with those of single links.

The objects of each program are put into random groups, and some groups into larger groups. Each
group is joined with -r. A final link of the joined and the remaining objects must have the same
result as one direct link. Each program is compared in these ways:

  meaning   warpld's links in steps against warpld's direct link
  nvlink    nvlink's final link of warpld's -r outputs against warpld's final link of them
  library   libnvJitLink's final link of warpld's -r outputs against warpld's final link of them
  foreign   warpld's final link of nvlink's -r outputs against nvlink's final link of them

Some memory is missing in nvlink's -r outputs, or is in them twice. `foreign` does not count that as
a difference.

Exit status 0 if nothing differs, else 1.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from builder import FULL
from explained import explain
from faults_relinking import has_damaged_debug_information, tell_lists_apart
from generate import generate
from harness import argument_parser, find_tools
from nvjitlink import library_path
from relink_meaning import difference_in_meaning
from toolchain import Comparer, CompileError, Compiler, Generated, Link, Verdict, run

ARCHES = ("sm_75", "sm_86", "sm_90", "sm_100", "sm_120")
# Options that both -r links and final links accept. Some of them change no output.
LINK_OPTIONS = (
    "-g",
    "-suppress-stack-size-warning",
    "--force-rela",
    "--reserve-null-pointer",
)
WEAK_COPIES = "explained: weak copies"
# The largest fraction of programs that may fail to compile, as in the other comparisons.
NOT_COMPILED, MOST_NOT_COMPILED = "not compiled", 0.01
SAME = (
    "identical",
    "equivalent",
    "same meaning",
    WEAK_COPIES,
    "explained",
    "refused",
    Verdict.NVLINK_BROKE.value,
)

# Differences that come from faults in nvlink's -r outputs (docs/quirks/relocatable.md). These
# outputs have memory without symbols, sections whose alignment is the address of extern shared
# memory, and definitions of extern shared memory, so that several outputs define the same name.
FAULTS_OF_NVLINK = (
    r"\.nv\.constant2\.",
    r"\.nv\.shared\.\S+: section only in A: NOBITS",
    r"alignment( of a symbol)? is not a power of two",
    r"symbol reaches beyond its section",
    r"Multiple definition of '(dynamic|common_var)",
)


@dataclass
class Step:
    """One -r link of objects and of the outputs of other steps."""

    output: str
    parts: list[Step | str] = field(default_factory=list)


def grouped(
    rng: random.Random, parts: list[Step | str], prefix: str, depth: int
) -> list[Step | str]:
    """Combines random groups of neighbouring parts into steps. Combines the result again with
    probability 1/2, at most `depth` times in all."""
    result: list[Step | str] = []
    position = 0
    while position < len(parts):
        size = rng.choice((1, 1, 2, 3, 4))
        run_of_parts = parts[position : position + size]
        position += size
        if rng.random() < 0.6 or size > 1:
            output = f"{prefix}{len(result)}.cubin"
            result.append(Step(output, run_of_parts))
        else:
            result += run_of_parts
    if depth > 1 and rng.random() < 0.5:
        return grouped(rng, result, prefix + "n", depth - 1)
    return result


@dataclass
class Outcome:
    index: int
    arch: str
    results: dict[str, str] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)

    def note(self, kind: str, result: str, detail: str = "") -> None:
        self.results[kind] = result
        self.details[kind] = detail


class Relinker:
    """Links one program in its folder."""

    def __init__(self, comparer: Comparer[Generated], folder: Path, arguments: list[str]):
        self.comparer = comparer
        self.folder = folder
        self.arguments = arguments
        self.called_as = folder / "ours" / "nvlink"
        self.called_as.parent.mkdir()
        self.called_as.symlink_to(comparer.ours)

    def join(self, linker: str, parts: list[Step | str], prefix: str) -> tuple[list[str], str]:
        """Makes the -r links of all steps in `parts`. Returns the files for a final link, and what
        went wrong."""
        files = []
        for part in parts:
            if isinstance(part, str):
                files.append(part)
                continue
            inner, problem = self.join(linker, part.parts, prefix)
            if problem:
                return [], problem
            done = run(
                [linker, *self.arguments, "-r", *inner, "-o", prefix + part.output],
                self.folder,
            )
            if done.returncode != 0:
                return [], f"status {done.returncode}\n{done.stderr.strip()}"
            files.append(prefix + part.output)
        return files, ""

    def final(self, linker: str, files: list[str], output: str) -> Link:
        return self.comparer.link(linker, [*self.arguments, *files], self.folder, output)

    def compare_meaning(
        self, outcome: Outcome, objects: list[str], parts: list[Step | str]
    ) -> list[str]:
        direct = self.final(str(self.called_as), objects, "direct.cubin")
        files, problem = self.join(str(self.called_as), parts, "r-")
        if problem:
            good = direct.status != 0
            outcome.note("meaning", "refused" if good else "-r failed", problem)
            return []
        relinked = self.final(str(self.called_as), files, "relinked.cubin")
        if direct.status != relinked.status:
            said = "\n".join([*direct.messages[:3], "--- in steps:", *relinked.messages[:3]])
            outcome.note("meaning", "status differs", said)
        elif direct.status != 0:
            outcome.note("meaning", "refused")
        elif self.comparer.difference(direct.output, relinked.output, "--strict") is None:
            outcome.note("meaning", "identical")
        else:
            detail = self.comparer.difference(direct.output, relinked.output)
            objects_of = [self.folder / name for name in objects]
            if detail:
                detail, explained = difference_in_meaning(
                    direct.output, relinked.output, objects_of
                )
                result = WEAK_COPIES if explained else "different" if detail else "same meaning"
                outcome.note("meaning", result, detail or "")
            else:
                outcome.note("meaning", "equivalent")
        return files

    def compare_library(
        self, outcome: Outcome, arch: str, files: list[str], objects: list[str]
    ) -> None:
        """Compares our final link with one by libnvJitLink. Both are made without the options of
        the other comparisons, because the library does not have these options."""
        script = str(Path(__file__).with_name("nvjitlink.py"))
        ours = self.comparer.link(
            str(self.called_as), [f"-arch={arch}", *files], self.folder, "plain.cubin"
        )
        done = run([sys.executable, script, arch, "library.cubin", *files], self.folder)
        refuses = done.returncode != 0 or "error " in done.stderr
        if "Internal error" in done.stderr:
            outcome.note("library", Verdict.NVLINK_BROKE.value)
            return
        if ours.status != 0 or refuses:
            same = (ours.status != 0) == refuses
            outcome.note("library", "refused" if same else "status differs", done.stderr.strip())
            return
        detail = self.comparer.difference(self.folder / "library.cubin", ours.output)
        fault = detail and explain(
            self.comparer.differ,
            self.folder / "library.cubin",
            ours.output,
            [self.folder / name for name in objects],
        )
        result = "explained" if fault else "different" if detail else "equivalent"
        outcome.note("library", result, detail or "")

    def compare_foreign(self, outcome: Outcome, files: list[str], objects: list[str]) -> None:
        self.compare_final(outcome, "foreign", files, objects)
        if outcome.results["foreign"] not in SAME and self.tell_lists_apart(files):
            self.compare_final(outcome, "foreign", files, objects)
        detail = outcome.details["foreign"]
        if any(re.search(fault, detail) for fault in FAULTS_OF_NVLINK):
            outcome.results["foreign"] = "explained"
        elif outcome.results["foreign"] == Verdict.DIFFERENT.value:
            outputs = self.folder / "theirs.cubin", self.folder / "ours.cubin"
            inputs = [self.folder / name for name in objects]
            if has_damaged_debug_information(self.comparer.differ, *outputs, inputs):
                outcome.results["foreign"] = "explained"

    def tell_lists_apart(self, files: list[str]) -> bool:
        return any([tell_lists_apart(self.folder / name) for name in files if name[:2] == "n-"])

    def compare_final(
        self, outcome: Outcome, kind: str, files: list[str], objects: list[str]
    ) -> None:
        """Compares two final links of `files`. Known faults of nvlink are recognised from the
        original objects, because a joined object has only one of several copies of a name."""
        found = self.comparer.compare(
            [*self.arguments, *files], self.folder, [self.folder / name for name in objects]
        )
        result = "refused" if found.verdict == Verdict.REFUSED_BY_BOTH else found.verdict.value
        outcome.note(kind, result, found.first_difference)


def relink_one(
    index: int, args: argparse.Namespace, comparer: Comparer[Generated], compiler: Compiler
) -> Outcome:
    program = generate(
        args.seed,
        index,
        arches=tuple(args.arch.split(",")),
        profile=FULL,
        without=tuple(filter(None, args.without.split(","))),
        link_options=LINK_OPTIONS,
    )
    outcome = Outcome(index, program.arch)
    rng = random.Random(f"relink {args.seed}-{index}")
    with tempfile.TemporaryDirectory(prefix="relink-") as scratch:
        folder = Path(scratch)
        try:
            compiler.compile_program(program, folder)
        except CompileError as error:
            outcome.note("compiler", NOT_COMPILED, str(error))
            return outcome
        objects = [source.cubin_name for source in program.sources()]
        parts = grouped(rng, list(objects), "step", 3)
        relinker = Relinker(comparer, folder, [f"-arch={program.arch}", *program.link_options])
        files = relinker.compare_meaning(outcome, objects, parts)
        if files:
            relinker.compare_final(outcome, "nvlink", files, objects)
            broke = outcome.results["nvlink"] == Verdict.NVLINK_BROKE.value
            if library_path() and not broke:
                relinker.compare_library(outcome, program.arch, files, objects)
        theirs, problem = relinker.join("nvlink", parts, "n-")
        if not problem and outcome.results["meaning"] != "refused":
            relinker.compare_foreign(outcome, theirs, objects)
        if args.keep and failed(outcome):
            shutil.rmtree(folder / "ours")
            words = [*relinker.arguments, *objects, "--", *files]
            (folder / "link").write_text(" ".join(words) + "\n")
            shutil.copytree(
                folder,
                args.failures / f"relink-{args.seed}-{index}",
                dirs_exist_ok=True,
                symlinks=True,
            )
    return outcome


def failed(outcome: Outcome) -> bool:
    return any(result not in (*SAME, NOT_COMPILED) for result in outcome.results.values())


def report(outcomes: list[Outcome], args: argparse.Namespace) -> bool:
    for outcome in outcomes:
        for kind, result in outcome.results.items():
            if result not in SAME:
                detail = outcome.details[kind].replace("\n", "\n    ")
                print(f"{args.seed}-{outcome.index} {outcome.arch} {kind}: {result}\n    {detail}")
    for kind in ("compiler", "meaning", "nvlink", "library", "foreign"):
        counts = Counter(o.results[kind] for o in outcomes if kind in o.results)
        for result, count in counts.most_common():
            print(f"{kind:10}{result:28}{count:6}")
    rejected = sum(o.results.get("compiler") == NOT_COMPILED for o in outcomes)
    few = rejected <= len(outcomes) * MOST_NOT_COMPILED
    return few and not any(failed(outcome) for outcome in outcomes)


def main() -> int:
    parser: argparse.ArgumentParser = argument_parser(__doc__, ARCHES)
    parser.add_argument("--keep", action="store_true", help="keep the files of what differs")
    args = parser.parse_args()
    comparer = find_tools(args, "ptxas")
    if not comparer:
        return 2
    work = functools.partial(
        relink_one, args=args, comparer=comparer, compiler=Compiler(args.cache)
    )
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        outcomes = list(pool.map(work, range(args.first, args.first + args.count)))
    return 0 if report(outcomes, args) else 1


if __name__ == "__main__":
    sys.exit(main())
