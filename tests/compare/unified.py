#!/usr/bin/env python3
"""Compares warpld with nvlink over random programs of unified functions and variables.

Each program comes with an index file; a third of the programs is wrong on purpose, and then exit
status and messages are compared. Where nvlink does not look (places that overlap, that lie outside
or that the index file leaves out) it crashes or writes what its memory held; ours must refuse
those.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from cubin import STT_FUNC, Cubin, read_cubin
from harness import argument_parser, compare_all, find_tools
from toolchain import Comparer, Comparison, Compiler, Link, Verdict, link_arguments, run
from unified_programs import FAULTS, INDEX_FILE, UnifiedProgram, generate_unified

ARCHES = ("sm_90", "sm_90", "sm_90a", "sm_100", "sm_103", "sm_120")
# Ours alone: what nvlink does not look for.
UNCHECKED = (
    "Index file ",
    "Internal error: duplicate ids",
    "Internal error: size of uidx window != nv.udt",
    "Internal error: malformed uidx input",  # counts that wrap round
)
LEFT_BEHIND = "nvlink fatal   : Internal error: relocation is past end of offset"
NATIVE_DEBUG = (
    ".debug_frame",
    ".rela.debug_frame",
    ".nv_debug_line_sass",
    ".rela.nv_debug_line_sass",
)
STO_ENTRY = 0x10
STUB = "__cuda_uf_stub_"


def differences(differ: list[str], theirs: Path, ours: Path) -> list[dict]:
    command = [*differ, "--json", "--limit", "100000", str(theirs), str(ours)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["differences"] if done.returncode == 1 else []


def gaps(cubin: Cubin) -> set[int]:
    """The bytes of the data table that no variable has."""
    home = cubin.section_index(".nv.udt")
    empty = set(range(len(cubin.section(".nv.udt").data)))
    for symbol in cubin.symbols:
        if symbol.name and symbol.section == home:
            empty -= set(range(symbol.value, symbol.value + symbol.size))
    return empty


def only_gaps_differ(theirs: Cubin, ours: Cubin) -> bool:
    a, b = theirs.section(".nv.udt").data, ours.section(".nv.udt").data
    differing = {at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y}
    return len(a) == len(b) and differing <= gaps(ours) and not any(b[at] for at in gaps(ours))


def is_written_past(ours: Cubin, inputs: list[Path]) -> bool:
    """The data table is larger than what the inputs have for it, end to end."""
    end = 0
    for cubin in map(read_cubin, inputs):
        if cubin.has_section(".nv.udt"):
            section = cubin.section(".nv.udt")
            end += -end % section.alignment + len(section.data)
    return ours.has_section(".nv.udt") and len(ours.section(".nv.udt").data) > end


def concerns_stubs(section: str, text: str, names: set[str]) -> bool:
    """Where stubs of one name exist, nvlink gives their places to others' symbols, too."""
    of_table = section == ".rela.nv.uft" or (section == ".symtab" and STUB in text)
    return of_table or any(name in text or section.endswith(name) for name in names)


def is_stack_of_stub(difference: dict) -> bool:
    return (difference["entry"] or "").startswith(f"MIN_STACK_SIZE symbol={STUB}")


def has_mercury(cubin: Cubin) -> bool:
    return cubin.has_section(".nv.merc.symtab")


def repeated_stubs(cubin: Cubin) -> set[str]:
    names = [symbol.name for symbol in cubin.symbols if symbol.name.startswith(STUB)]
    return {name for name in names if names.count(name) > 1}


def explain_unified(differ: list[str], theirs: Path, ours: Path) -> str | None:
    """The known faults of nvlink that account for all differences: gaps between variables hold
    what its memory held, and of several stubs of one name only one moves."""
    left = differences(differ, theirs, ours)
    a, b = read_cubin(theirs), read_cubin(ours)
    faults = set()
    stubs = repeated_stubs(b)
    functions = {name.removeprefix(STUB) for name in stubs}
    for difference in left:
        section = difference["section"] or ""
        entry = difference["entry"] or ""
        text = " ".join(filter(None, (entry, difference["a"], difference["b"])))
        if section in (".nv.udt", ".nv.merc.nv.udt") and only_gaps_differ(a, b):
            faults.add("gaps between unified variables not initialised")
        elif section in NATIVE_DEBUG and has_mercury(b):
            faults.add("native debug information of slots")
        elif section == ".nv.info" and has_mercury(b) and is_stack_of_stub(difference):
            faults.add("native stack sizes of slots")
        elif section in (".rela.nv.udt", ".nv.merc.rela.nv.udt"):
            faults.add("addresses in unified variables left behind")
        elif stubs and concerns_stubs(section, text, stubs | functions):
            faults.add("stubs of one name not told apart")
        else:
            return None
    return ", ".join(sorted(faults)) or None


def lost_callees(theirs: Cubin, ours: Cubin) -> bool:
    """A program with one kernel, in which ours has more functions, and nvlink none more."""
    names = [{s.name for s in cubin.symbols if s.type == STT_FUNC} for cubin in (theirs, ours)]
    kernels = [s for s in ours.symbols if s.type == STT_FUNC and s.other & STO_ENTRY]
    return len(kernels) == 1 and names[0] < names[1] and bool(ours.has_section(".nv.uft"))


def explain_usage(theirs: list[str], ours: list[str]) -> bool:
    """Functions that ours keeps count for the only kernel."""
    differing = [(a, b) for a, b in zip(theirs, ours, strict=False) if a != b]
    usage = re.compile(r"nvlink info    : used |\d+: ?")  # of -v, and of the call graph
    return len(theirs) == len(ours) and all(usage.match(a) for a, _ in differing)


class UnifiedComparer(Comparer):
    def judge(
        self, theirs: Link, ours: Link, inputs: list[Path], arguments: list[str]
    ) -> tuple[Verdict, str]:
        """Messages that nvlink calls internal errors are the ones to compare here."""
        refused = ours.status == 1 and any(
            text in line for line in ours.messages for text in UNCHECKED
        )
        if theirs.status < 0:
            if refused:
                return Verdict.EXPLAINED, "crashes on what ours refuses"
            return Verdict.NVLINK_BROKE, "crashed"
        if theirs.status == 0 and refused:
            return Verdict.EXPLAINED, "links what ours refuses"
        if theirs.status != 0 and (theirs.status, theirs.messages) == (ours.status, ours.messages):
            return Verdict.REFUSED_BY_BOTH, ""
        if theirs.status == 1 and refused:
            return Verdict.EXPLAINED, "refuses with another message"
        verdict, detail = super().judge(theirs, ours, inputs, arguments)
        if verdict == Verdict.NVLINK_BROKE:
            if ours.status == 0 and LEFT_BEHIND in theirs.messages:
                return Verdict.EXPLAINED, "addresses in unified variables left behind"
            return Verdict.MESSAGES_DIFFER, "\n".join([*theirs.messages, *ours.messages])
        linked = theirs.status == 0 and ours.status == 0
        if linked and verdict != Verdict.IDENTICAL:
            lost = lost_callees(read_cubin(theirs.output), read_cubin(ours.output))
            if lost and explain_usage(theirs.messages, ours.messages):
                return Verdict.EXPLAINED, "callees of unified functions removed"
        if verdict == Verdict.DIFFERENT and "symbol-outside" in detail:
            if repeated_stubs(read_cubin(ours.output)):
                return Verdict.EXPLAINED, "stubs of one name not told apart"
        if verdict == Verdict.DIFFERENT:
            if is_written_past(read_cubin(ours.output), inputs):
                return Verdict.EXPLAINED, "writes past its data table"
            fault = explain_unified(self.differ, theirs.output, ours.output)
            return (Verdict.EXPLAINED, fault) if fault else (verdict, detail)
        return verdict, detail

    def compare_program(
        self, program: UnifiedProgram, compiler: Compiler, folder: Path
    ) -> Comparison:
        compiler.compile_program(program, folder)
        if program.index is not None:
            (folder / INDEX_FILE).write_bytes(program.index)
        arguments = link_arguments(program)
        if program.relinked:
            arguments = self.relink(program, folder)
        found = self.compare(arguments, folder)
        return found

    def relink(self, program: UnifiedProgram, folder: Path) -> list[str]:
        """The last objects joined by ours before."""
        first, *rest = [source.cubin_name for source in program.sources()]
        joined = run(
            [str(self.ours), f"-arch={program.arch}", "-r", *rest, "-o", "joined.cubin"], folder
        )
        files = [first, "joined.cubin"] if joined.returncode == 0 else [first, "failed.cubin"]
        return [f"-arch={program.arch}", *program.link_options, *files]


def keep_files(args, comparer: UnifiedComparer) -> None:
    """With --keep the files of one program, to link by hand."""
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
    args.shrink = 0
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
