#!/usr/bin/env python3
"""Compares link-time optimisation of warpld and nvlink over random CUDA C++ programs.

The programs are those of cpp.py, compiled with -dlto. Each is linked three times: with LTO-IR of
all files, with PTX as the output, and with about half of its files compiled without -dlto.
Registers, stack and shared memory of a kernel may be 5 % above nvlink's where not all inputs have
LTO-IR: the optimiser is then called in another way (docs/lto.md).

The order in which the optimisers write variables that refer to one another differs between runs.
Therefore nvlink is run again until its output equals warpld's, and PTX is compared as a set of
lines.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cpp_program
from elftools.elf.elffile import ELFFile
from harness import argument_parser, find_tools
from source import Source
from toolchain import CompileError, Compiler, run
from toolkit_folder import toolkit_folder

ARCHES = ("sm_75", "sm_90", "sm_100", "sm_120")
# Options that nvcc refuses with -dlto, and options of ptxas, which nvcc does not run with -dlto.
WITHOUT_LTO = re.compile(r"-G$|-Xptxas|-maxrregcount|-arch=")
LINE_INFORMATION_FRACTION = 0.5
RESOURCES = ("registers", "stack", "shared")
MOST_ABOVE = 1.05
RUNS_OF_NVLINK = 8
# Features whose programs call the device runtime. nvlink optimises such a program as a part of a
# program, not as a whole program.
DEVICE_LAUNCH = ("device-launch", "device-launch-many")
DEFINED_TWICE = re.compile(
    r"nvlink error   : Multiple definition of '(?P<name>\w+)' in '(?P<file>[\w.]+)', "
    r"first defined in '(?P<first>[\w.]+)'"
)


Kernels = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class LtoSource(Source):
    """A file that is compiled to an object with LTO-IR, or without if `has_ir` is false. The object
    has the name `cubin_name`."""

    has_ir: bool = True

    @property
    def cubin_name(self) -> str:
        return Path(self.name).stem + (".lto" if self.has_ir else "") + ".o"

    def command(self, arch: str) -> list[str]:
        mode = ["-dlto"] if self.has_ir else []
        return ["nvcc", "-rdc=true", "-c", f"-arch={arch}", *mode, *self.options, self.name]


@dataclass(frozen=True)
class LtoProgram:
    program: cpp_program.CppProgram
    plain: frozenset[str]  # files that the mixed link takes without LTO-IR

    @property
    def arch(self) -> str:
        return self.program.arch

    def sources(self, plain: frozenset[str]) -> list[LtoSource]:
        return [
            LtoSource(source.name, source.text, source.options, source.name not in plain)
            for source in self.program.sources()
        ]


@dataclass
class Result:
    """The results of the checks of one program. `counts` has how often each check was made and how
    often it succeeded, `findings` has a text for each failure."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def count(self, what: str, *, good: bool, detail: str = "") -> None:
        self.counts[what] += good
        self.counts[f"{what} of"] += 1
        if not good:
            self.findings.append(f"not {what}: {detail}")


def make_program(index: int, seed: int, **choices: Any) -> LtoProgram:
    rng = random.Random(f"lto-{seed}-{index}")
    program = cpp_program.generate_cpp(seed, index, **choices)
    added = ("-lineinfo",) if rng.random() < LINE_INFORMATION_FRACTION else ()
    options = {
        name: tuple(o for o in found if not WITHOUT_LTO.match(o) and o != "-lineinfo") + added
        for name, found in program.options.items()
    }
    files = [f"{name}.cu" for name in program.link_order]
    plain = rng.sample(files, max(1, len(files) // 2))
    program = dataclasses.replace(program, options=options, link_options=[])
    return LtoProgram(program, frozenset(plain))


def nvvm_folder(folder: Path) -> Path:
    """A folder of the form that -nvvmpath needs, with the libnvvm of the toolkit."""
    toolkit = toolkit_folder()
    found = toolkit.glob("**/libnvvm.so") if toolkit else ()
    libraries = [path for path in found if path.is_file()]
    if not libraries:
        raise FileNotFoundError("the toolkit has no libnvvm.so")
    (folder / "lib64").mkdir()
    (folder / "lib64" / "libnvvm.so").symlink_to(libraries[0])
    return folder


@dataclass(frozen=True)
class Linkers:
    ours: Path
    tool: Path  # cubintool
    nvvm: Path

    def link(self, linker: str, words: list[str], folder: Path, output: str) -> str:
        """Runs a linker. Returns its messages if the link fails, else an empty text."""
        root = toolkit_folder()
        runtime = [f"-L{root}/lib", f"-L{root}/lib64", "-lcudadevrt"]
        command = [linker, "-lto", f"-nvvmpath={self.nvvm}", *words, *runtime, "-o", output]
        done = run(command, folder)
        return "" if not done.returncode else done.stderr or f"status {done.returncode}"

    def link_both(self, words: list[str], folder: Path, suffix: str) -> tuple[str, str]:
        theirs = self.link("nvlink", words, folder, f"theirs.{suffix}")
        return theirs, self.link(str(self.ours), words, folder, f"ours.{suffix}")

    def repeat(self, words: list[str], folder: Path, suffix: str) -> bool:
        """Whether one of several runs of nvlink writes the same output as warpld."""
        theirs, ours = folder / f"theirs.{suffix}", folder / f"ours.{suffix}"
        for _ in range(RUNS_OF_NVLINK):
            if theirs.read_bytes() == ours.read_bytes():
                return True
            self.link("nvlink", words, folder, theirs.name)
        return False

    def kernels(self, path: Path) -> Kernels:
        done = run([str(self.tool), "resources", "--json", str(path)])
        functions = json.loads(done.stdout)[0]["functions"]
        return {f["name"]: f for f in functions if f["kind"] == "kernel"}

    def is_same_by_meaning(self, theirs: Path, ours: Path) -> bool:
        command = [str(self.tool), "diff", "--bytes", str(theirs), str(ours)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def repeated_variables(path: Path) -> list[str]:
    """Names of function-local static variables that several symbols share. Variables in different
    files can share a name."""
    with path.open("rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".symtab").iter_symbols()
        found = Counter(s.name for s in symbols if s.name.startswith("_ZZ") and s["st_size"])
    return [name for name, count in found.items() if count > 1]


def amount(value: float | str | None) -> float:
    """A value as a number. cubintool prints "unlimited" for the stack of a kernel that recurses."""
    return math.inf if isinstance(value, str) else value or 0


def above(theirs: Kernels, ours: Kernels) -> list[str]:
    """Returns a text for each resource of a kernel that `ours` needs in more than MOST_ABOVE times
    the amount of `theirs`."""
    return [
        f"{name}: {what} {kernel[what]} in theirs, {ours[name][what]} in ours"
        for name, kernel in theirs.items()
        for what in RESOURCES
        if name in ours and amount(ours[name][what]) > amount(kernel[what]) * MOST_ABOVE
    ]


def duplicates(errors: str) -> set[str]:
    """Returns the functions that LTO-IR and another input both define. Returns nothing if nvlink
    also reports other errors."""
    lines = [line for line in errors.splitlines() if line.startswith("nvlink error")]
    found = [match for match in map(DEFINED_TWICE.fullmatch, lines) if match]
    with_ir = all("lto.cubin" in (match["file"], match["first"]) for match in found)
    return {match["name"] for match in found} if with_ir and len(found) == len(lines) else set()


def defined_functions(ptx: str) -> set[str]:
    """Returns all words in the heads of the functions that the PTX defines: the names of the
    functions, but also those of parameters."""
    heads = [line for line in ptx.splitlines() if ".func" in line]
    return {word for head in heads if ".extern" not in head for word in re.findall(r"[\w$]+", head)}


def compare_refused(
    linkers: Linkers,
    result: Result,
    words: list[str],
    errors: tuple[str, str],
    folder: Path,
    plain_objects: Callable[[], list[Path]],
) -> None:
    """Checks a mixed link that nvlink refuses because functions are defined twice. If the optimiser
    leaves nothing of these functions in the PTX, warpld must link the program (docs/lto.md). Its
    output must have the same kernels as the objects that are compiled without LTO-IR."""
    twice = set() if errors[1] else duplicates(errors[0])
    failed = linkers.link(str(linkers.ours), [*words, "-emit-ptx"], folder, "ours.ptx")
    text = "" if failed else (folder / "ours.ptx").read_text()
    if failed or not twice or twice & defined_functions(text):
        result.count("mixed: refused alike", good=all(errors), detail=" | ".join(errors))
        return
    failed = linkers.link(str(linkers.ours), [*words, "-ignore-host-info"], folder, "ours.all")
    expected = {name for path in plain_objects() for name in linkers.kernels(path)}
    made = set() if failed else linkers.kernels(folder / "ours.all").keys()
    names = sorted(expected ^ made)
    result.count("mixed: inlined twice, linked", good=not names, detail=", ".join(names))


def compare_links(
    linkers: Linkers, result: Result, words: list[str], folder: Path, mode: str
) -> None:
    """Compares the outputs of both linkers for one kind of link: whole, launching or mixed."""
    theirs, ours = folder / f"theirs.{mode}", folder / f"ours.{mode}"
    kernels = linkers.kernels(theirs), linkers.kernels(ours)
    names = sorted(kernels[0].keys() ^ kernels[1].keys())
    result.count(f"{mode}: same kernels", good=not names, detail=", ".join(names))
    more = above(*kernels)
    result.count(f"{mode}: resources not above", good=not more, detail="; ".join(more[:3]))
    same = not more and not above(kernels[1], kernels[0])
    result.counts[f"{mode}: resources within 5 %"] += same
    twice = sorted(set(repeated_variables(ours)) - set(repeated_variables(theirs)))
    result.count(f"{mode}: no variable twice", good=not twice, detail=", ".join(twice))
    if mode == "whole":
        equal = linkers.repeat(words, folder, mode)
        result.counts[f"{mode}: same bytes"] += equal
        is_same = equal or linkers.is_same_by_meaning(theirs, ours)
        result.count("whole: same by meaning", good=is_same)


def compare_ptx(linkers: Linkers, result: Result, words: list[str], folder: Path) -> None:
    failed = linkers.link_both([*words, "-emit-ptx"], folder, "ptx")
    if not any(failed):
        texts = [(folder / f"{who}.ptx").read_bytes().rstrip(b"\0") for who in ("theirs", "ours")]
        result.counts["ptx: same in order"] += texts[0] == texts[1]
        lines = [sorted(text.splitlines()) for text in texts]
        result.count("ptx: same lines", good=lines[0] == lines[1])


def compile_objects(
    folder: Path, program: LtoProgram, plain: frozenset[str], compiler: Compiler
) -> list[Path]:
    """Compiles the files. Returns the objects in link order."""
    paths = []
    for source in program.sources(plain):
        made = compiler.compile(source, program.arch)
        paths.append(folder / source.cubin_name)
        paths[-1].write_bytes(made.read_bytes())
    return paths


def compare(
    index: int, make: Callable[[int], LtoProgram], linkers: Linkers, compiler: Compiler
) -> Result:
    """Links a program in all modes with both linkers, and compares the results."""
    program, result = make(index), Result()
    launches = any(i.feature in DEVICE_LAUNCH for i in program.program.instances)
    with tempfile.TemporaryDirectory(prefix="lto-") as scratch:
        folder = Path(scratch)
        for plain in (frozenset[str](), program.plain):
            try:
                paths = compile_objects(folder, program, plain, compiler)
            except CompileError as error:
                result.findings.append(f"not compiled: {str(error)[:300]}")
                result.counts["not compiled"] += 1
                return result
            words = [f"-arch={program.arch}", *(path.name for path in paths)]
            mode = "mixed" if plain else "launching" if launches else "whole"
            failed = linkers.link_both(words, folder, mode)
            if not any(failed):
                compare_links(linkers, result, words, folder, mode)
            elif mode == "mixed":
                every = frozenset(source.name for source in program.sources(plain))
                objects = functools.partial(compile_objects, folder, program, every, compiler)
                compare_refused(linkers, result, words, failed, folder, objects)
            else:
                result.count(f"{mode}: refused alike", good=all(failed), detail=" | ".join(failed))
            if mode == "whole":
                compare_ptx(linkers, result, words, folder)
    return result


def report(results: list[Result], seed: int, first: int) -> bool:
    """Prints the totals and the findings. Returns whether nothing is wrong in any mode."""
    total: Counter[str] = Counter()
    for index, result in enumerate(results, first):
        total += result.counts
        for finding in result.findings:
            print(f"{seed}-{index} {finding}")
    for what in sorted(total):
        if not what.endswith(" of"):
            of = total.get(f"{what} of")
            print(f"{what:34} {total[what]}{f' of {of}' if of else ''}")
    always = ("refused alike", "inlined twice, linked", "same kernels", "no variable twice")
    wrong = [w for w in total if w.endswith(" of") and w[:-3].split(": ")[1] in always]
    return all(total[what] == total[what[:-3]] for what in wrong) and not total["not compiled"]


def main() -> int:
    args = argument_parser(__doc__, ARCHES).parse_args()
    comparer = find_tools(args, "nvcc")
    if not comparer:
        return 2
    make = functools.partial(
        make_program,
        seed=args.seed,
        arches=tuple(args.arch.split(",")),
        without=tuple(filter(None, args.without.split(","))),
        templates=cpp_program.load_templates(),
    )
    with tempfile.TemporaryDirectory(prefix="nvvm-") as scratch:
        tool = comparer.ours.with_name("cubintool")
        linkers = Linkers(comparer.ours, tool, nvvm_folder(Path(scratch)))
        work = functools.partial(compare, make=make, linkers=linkers, compiler=Compiler(args.cache))
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = list(pool.map(work, range(args.first, args.first + args.count)))
    return 0 if report(results, args.seed, args.first) else 1


if __name__ == "__main__":
    sys.exit(main())
