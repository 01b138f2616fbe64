#!/usr/bin/env python3
"""Compares warpld with nvlink over random programs of unified functions and variables.

Each program has an index file. A third of the programs is wrong on purpose; of these, exit status
and messages are compared. nvlink does not check whether ranges overlap, lie outside the table or
are missing from the index file. In such cases it crashes, or writes bytes from its memory. warpld
must refuse such programs.
"""

from __future__ import annotations

import argparse
import copy
import functools
import re
import shutil
import sys
from pathlib import Path

from explained import explain
from fault import unchanged_cubin
from faults_unified import (
    LEFT_BEHIND,
    LOST_CALLEES,
    ONE_NAME,
    holds_addresses,
    is_written_past,
    lost_callees,
    nvlink_form,
    repeated_stubs,
    without_calls,
)
from harness import argument_parser, compare_all, find_tools
from toolchain import (
    CALL_GRAPH_LINE,
    Comparer,
    Comparison,
    Compiler,
    Link,
    Verdict,
    link_arguments,
    run,
)
from unified_programs import FAULTS, INDEX_FILE, UnifiedProgram, generate_unified

ARCHES = ("sm_90", "sm_90", "sm_90a", "sm_100", "sm_103", "sm_120")
WINDOW = "Internal error: size of uidx window != nv.udt"
# Faults of programs for which nvlink does not check, and the messages of warpld about each.
UNCHECKED = {
    "function left out": ("Index file assigns no offset to",),
    "variable left out": ("Index file assigns no offset to", WINDOW),
    "functions overlap": ("Index file assigns overlapping ranges",),
    "variables overlap": ("Index file assigns overlapping ranges",),
    "function outside": ("Index file assigns an offset outside the table",),
    "variable outside": (WINDOW,),
    "same ids": ("Internal error: duplicate ids",),
    "other counts": ("Internal error: malformed uidx input",),  # counts that wrap round
}
PAST_END = "nvlink fatal   : Internal error: relocation is past end of offset"


def refuses_fault(fault: str, messages: list[str]) -> bool:
    """Whether warpld reports the deliberate fault, and nvlink does not check for this kind of
    fault."""
    return any(text in line for line in messages for text in UNCHECKED.get(fault, ()))


def has_repeated_stubs(inputs: list[Path]) -> bool:
    return bool(repeated_stubs([s for path in inputs for s in unchanged_cubin(path).symbols]))


def is_of_graph(line: str) -> bool:
    return bool(CALL_GRAPH_LINE.match(f"{line} "))  # a line without names has lost its last space


def graph_without(lost: set[str], messages: list[str]) -> list[str]:
    """The printed call graph without the names of removed functions, because nvlink prints their
    calls but not their names."""
    printed = filter(is_of_graph, messages)
    node = re.compile(r"(\d+:) &?(\S+) \[")
    found = [(node.match(line), line) for line in printed]
    return [m[1] if m and m[2] in lost else line for m, line in found]


class UnifiedComparer(Comparer[UnifiedProgram]):
    fault = ""  # the deliberate fault of the program that is compared

    def judge(
        self, theirs: Link, ours: Link, inputs: list[Path], arguments: list[str]
    ) -> tuple[Verdict, str]:
        """Compares the outputs and all messages, even those that nvlink calls internal errors."""
        if theirs.status != 0 and (theirs.status, theirs.messages) == (ours.status, ours.messages):
            return Verdict.REFUSED_BY_BOTH, ""
        if ours.status == 1 and refuses_fault(self.fault, ours.messages):
            what = "crashes on" if theirs.status < 0 else "refuses with another message"
            return Verdict.EXPLAINED, f"{what if theirs.status else 'links'}: {self.fault}"
        if theirs.status != 0 and ours.status == 0:
            return self.judge_broken(theirs, ours, inputs)
        verdict, detail = super().judge(theirs, ours, inputs, arguments)
        if verdict == Verdict.DIFFERENT and "symbol-outside" in detail:
            if has_repeated_stubs(inputs):
                return Verdict.EXPLAINED, f"a damaged output: {ONE_NAME}"
        linked = theirs.status == 0 and ours.status == 0
        if linked and verdict != Verdict.IDENTICAL:
            fault = self.explain_link(theirs, ours, inputs, arguments)
            return (Verdict.EXPLAINED, fault) if fault else (verdict, detail)
        return verdict, detail

    def judge_broken(self, theirs: Link, ours: Link, inputs: list[Path]) -> tuple[Verdict, str]:
        """The verdict when nvlink alone fails."""
        if PAST_END in theirs.messages and holds_addresses(inputs):
            return Verdict.EXPLAINED, LEFT_BEHIND
        broke = theirs.status < 0 or any("Internal error" in line for line in theirs.messages)
        if broke and has_repeated_stubs(inputs):
            return Verdict.EXPLAINED, f"breaks: {ONE_NAME}"
        if broke and is_written_past(ours.output, inputs):
            return Verdict.EXPLAINED, "breaks: writes past its data table"
        return Verdict.STATUS_DIFFERS, "\n".join([f"status {theirs.status}", *theirs.messages])

    def explain_link(
        self, theirs: Link, ours: Link, inputs: list[Path], arguments: list[str]
    ) -> str | None:
        """The names of known faults that together turn our output into nvlink's; None if they do
        not."""
        faults = []
        lost = lost_callees(theirs.output, ours.output)
        if lost:
            graph = graph_without(lost, ours.messages)
            ours = self.link_without(lost, ours, inputs, arguments)
            ours.messages = graph + [line for line in ours.messages if not is_of_graph(line)]
            faults.append(LOST_CALLEES)
        if theirs.messages != ours.messages or ours.status != 0:
            return None
        made = ours.output.with_suffix(".nvlink")
        faults += nvlink_form(theirs.output, ours.output, inputs, made)
        if self.difference(theirs.output, made) is None:
            return ", ".join(faults)
        fault = explain(self.differ, theirs.output, made, inputs)
        return ", ".join([*faults, fault]) if fault else None

    def link_without(
        self, lost: set[str], ours: Link, inputs: list[Path], arguments: list[str]
    ) -> Link:
        """Links copies of the inputs without the calls that nvlink forgets."""
        folder = ours.output.parent / "without"
        folder.mkdir(exist_ok=True)
        for path in inputs:
            (folder / path.name).write_bytes(without_calls(path, lost))
        shutil.copyfile(ours.output.parent / INDEX_FILE, folder / INDEX_FILE)
        linker = ours.output.parent / "ours" / "nvlink"
        return self.link(str(linker), arguments, folder, ours.output.name)

    def compare_program(
        self, program: UnifiedProgram, compiler: Compiler, folder: Path
    ) -> Comparison:
        compiler.compile_program(program, folder)
        if program.index is not None:
            (folder / INDEX_FILE).write_bytes(program.index)
        arguments = link_arguments(program)
        if program.relinked:
            arguments = self.relink(program, folder)
        comparer = copy.copy(self)  # other threads compare other programs
        comparer.fault = program.fault
        return comparer.compare(arguments, folder)

    def relink(self, program: UnifiedProgram, folder: Path) -> list[str]:
        """Joins all objects but the first with -r. Returns the arguments that link the first and
        the joined object."""
        first, *rest = [source.cubin_name for source in program.sources()]
        joined = run(
            [str(self.ours), f"-arch={program.arch}", "-r", *rest, "-o", "joined.cubin"], folder
        )
        files = [first, "joined.cubin"] if joined.returncode == 0 else [first, "failed.cubin"]
        return [f"-arch={program.arch}", *program.link_options, *files]


def keep_files(args: argparse.Namespace, comparer: UnifiedComparer) -> None:
    """Writes the files of the program that --keep names, so that it can be linked by hand."""
    program = generate_unified(args.seed, args.keep, tuple(args.arch.split(",")))
    folder = args.failures / f"unified-{args.seed}-{args.keep}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source in program.sources():
        (folder / source.name).write_text(source.kept_text())
    found = comparer.compare_program(program, Compiler(args.cache), folder)
    (folder / "link").write_text(" ".join(found.arguments) + "\n")
    print(folder, program.fault, found.verdict.value, found.first_difference, sep="\n")


def main() -> int:
    parser = argument_parser(__doc__, ARCHES)
    parser.add_argument("--keep", type=int, metavar="INDEX", help="keep the files of this program")
    args = parser.parse_args()
    tools = find_tools(args, "ptxas")
    if not tools:
        return 2
    comparer = UnifiedComparer(tools.ours, args.differ)
    if args.keep is not None:
        keep_files(args, comparer)
        return 0
    make = functools.partial(generate_unified, args.seed, arches=tuple(args.arch.split(",")))
    expected = {f"fault: {fault}" for fault in FAULTS}
    return compare_all(args, make, None, comparer, expected)


if __name__ == "__main__":
    sys.exit(main())
