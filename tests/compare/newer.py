#!/usr/bin/env python3
"""Compares warpld with --allow-newer-toolkit over random programs of a later CUDA 13.

The programs are those of compare.py, compiled by the ptxas of the later release. warpld's outputs
are compared with those of the nvlink of this release. --cuda13 names a toolkit, or any folder with
ptxas and nvlink at any depth: for example, the folder that `pip install --no-deps --target FOLDER
nvidia-cuda-nvcc==13.5.*` makes.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import shrink_ptx
from builder import FULL, PROFILES
from cubin import STB_LOCAL, SYMBOL, Cubin, Section, string_at
from fault import STO_SPACE, SYMBOL_TABLES, unchanged_cubin
from generate import generate
from harness import argument_parser, compare_all, find_tools
from link_options import LINK_OPTIONS
from older import OtherCompiler, find_file
from program import Program
from toolchain import Comparer, Link, Verdict

ARCHES = ("sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a")
# From CUDA 13.1 on, nvlink -v reports wrong numbers of barriers, for example 27648.
BROKEN_OPTION = "-v"
STO_SHARED = 0x40
INFO_IN_SYMBOL, VALUE_IN_SYMBOL = 4, 8  # offsets of st_info and st_value
LOCAL = "shared variables LOCAL among the global symbols"
# Two faults of nvlink give a declaration of an extern shared variable the alignment of another
# declaration. To recognise a fault, nvlink links copies of the inputs with equal alignments. True:
# all declarations of one name get equal alignments. False: all declarations of all names do.
ALIGNMENT_FAULTS = {
    "extern shared memory with the alignment of the first file": True,
    "extern shared memory with the alignment of another variable": False,
}


@dataclass(frozen=True)
class Declaration:
    """A declaration of an extern shared variable: its alignment, and the file offset (`place`) at
    which the alignment is stored."""

    name: str
    place: int
    alignment: int


def extern_shared(cubin: Cubin) -> list[Declaration]:
    """The declarations of extern shared variables in the symbol tables of both views."""
    found = []
    for table in (s for s in cubin.sections if s.name in SYMBOL_TABLES):
        names = cubin.sections[table.link].data
        for index, fields in enumerate(SYMBOL.iter_unpack(bytes(table.data))):
            name, _, other, _, value, size = fields
            if other & STO_SPACE == STO_SHARED and not size:
                place = table.offset + index * SYMBOL.size + VALUE_IN_SYMBOL
                found.append(Declaration(string_at(names, name), place, value))
    return found


def declare_alike(inputs: list[Path], patched: list[Path], by_name: bool) -> bool:
    """Copies the inputs to `patched`. In the copies, all declarations of one extern shared
    variable (if `by_name`) or of all such variables have the largest of their alignments. Returns
    whether their alignments were different in the inputs."""
    declared = [extern_shared(unchanged_cubin(path)) for path in inputs]
    alignments: dict[str, set[int]] = {}
    for declaration in itertools.chain.from_iterable(declared):
        alignments.setdefault(declaration.name if by_name else "", set()).add(declaration.alignment)
    for path, declarations, copy in zip(inputs, declared, patched, strict=True):
        data = bytearray(path.read_bytes())
        for declaration in declarations:
            largest = max(alignments[declaration.name if by_name else ""])
            data[declaration.place : declaration.place + 8] = largest.to_bytes(8, "little")
        copy.write_bytes(data)
    return any(len(values) > 1 for values in alignments.values())


def bind_as_ours(theirs: Path, ours: Path) -> bool:
    """Changes symbols in nvlink's output that are LOCAL but follow GLOBAL symbols: they get the
    binding that they have in our output. Returns whether there were any such symbols."""
    data = bytearray(theirs.read_bytes())
    found = False
    for a, b in zip(symbol_tables(theirs), symbol_tables(ours), strict=False):
        for at in range(a.info * SYMBOL.size, min(len(a.data), len(b.data)), SYMBOL.size):
            info = at + INFO_IN_SYMBOL
            if a.data[info] >> 4 == STB_LOCAL:
                data[a.offset + info] = b.data[info]
                found = True
    theirs.write_bytes(data)
    return found


def symbol_tables(path: Path) -> list[Section]:
    return [s for s in unchanged_cubin(path).sections if s.name in SYMBOL_TABLES]


def named(fault: str, judged: tuple[Verdict, str]) -> tuple[Verdict, str]:
    """Returns the verdict on two outputs after the effect of a fault was removed from nvlink's
    output. `judged` is the result of comparing them: if they agree, the fault explains their
    difference."""
    verdict, detail = judged
    if verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT):
        return Verdict.EXPLAINED, fault
    return (verdict, f"{fault}, {detail}") if verdict == Verdict.EXPLAINED else judged


class NewerComparer(Comparer[Program]):
    """Compares with the nvlink of the later release, which chooses wrong alignments of extern
    shared memory. If files declare a variable with different alignments, nvlink uses the alignment
    of the first file. If a kernel has several variables, nvlink uses the alignment of the variable
    that it reads last. warpld always uses the largest alignment. So its output must equal nvlink's
    output for objects in which all declarations have the largest alignment."""

    def __init__(self, ours: Path, differ: str, nvlink: Path):
        super().__init__(ours, differ)
        self.nvlink = nvlink

    def link(self, linker: str, arguments: list[str], folder: Path, output: str) -> Link:
        if linker == "nvlink":
            return super().link(str(self.nvlink), arguments, folder, output)
        return super().link(linker, ["--allow-newer-toolkit", *arguments], folder, output)

    def judge(
        self, theirs: Link, ours: Link, inputs: list[Path], arguments: list[str]
    ) -> tuple[Verdict, str]:
        verdict, detail = super().judge(theirs, ours, inputs, arguments)
        if verdict == Verdict.DIFFERENT and bind_as_ours(theirs.output, ours.output):
            verdict, detail = named(LOCAL, super().judge(theirs, ours, inputs, arguments))
        for fault, by_name in ALIGNMENT_FAULTS.items():
            if verdict == Verdict.DIFFERENT:
                alike = named(fault, self.judge_alike(ours, inputs, arguments, by_name))
                verdict, detail = alike if alike[0] == Verdict.EXPLAINED else (verdict, detail)
        return verdict, detail

    def judge_alike(
        self, ours: Link, inputs: list[Path], arguments: list[str], by_name: bool
    ) -> tuple[Verdict, str]:
        """Compares warpld's output with nvlink's output for copies of the inputs in which the
        alignments are equal."""
        with tempfile.TemporaryDirectory(dir=ours.output.parent) as scratch:
            folder = Path(scratch)
            patched = [folder / path.name for path in inputs]
            if not declare_alike(inputs, patched, by_name):
                return Verdict.DIFFERENT, ""
            theirs = self.link("nvlink", arguments, folder, "theirs.cubin")
            if theirs.status != 0:
                return Verdict.DIFFERENT, ""
            bind_as_ours(theirs.output, ours.output)
            return super().judge(theirs, ours, patched, arguments)


def main() -> int:
    parser = argument_parser(__doc__, ARCHES)
    parser.add_argument("--cuda13", type=Path, default=os.environ.get("CUDA13"))
    parser.add_argument("--profile", choices=tuple(PROFILES), default=FULL)
    args = parser.parse_args()
    ptxas = find_file(args.cuda13, "ptxas") if args.cuda13 else None
    nvlink = find_file(args.cuda13, "nvlink") if args.cuda13 else None
    if not ptxas or not nvlink:
        print("newer: skipped: CUDA13 names no folder with ptxas and nvlink")
        return 0
    usual = find_tools(args, "ptxas")
    if not usual:
        return 2
    make = functools.partial(
        generate,
        args.seed,
        arches=tuple(args.arch.split(",")),
        profile=args.profile,
        without=tuple(filter(None, args.without.split(","))),
        link_options=tuple(option for option in LINK_OPTIONS if option != BROKEN_OPTION),
    )
    comparer = NewerComparer(usual.ours, args.differ, nvlink)
    compiler = OtherCompiler(args.cache, ptxas, mixed=False)
    return compare_all(args, make, shrink_ptx, comparer, (), compiler)


if __name__ == "__main__":
    sys.exit(main())
