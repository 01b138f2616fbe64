#!/usr/bin/env python3
"""Compares what programs register with the CUDA runtime after device links by nvcc and by warpld.

nvcc compiles random programs of registration_program.py. `nvcc -dlink` and `warpld --device-link`
make the device links of each program and of its static and shared libraries. Then the program is
linked and run with a stand-in for the runtime, which prints the calls of the runtime; programs for
AArch64 run under qemu. The programs with both kinds of device links must print the same, and the
objects that both device links make must have the same global names.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from registration_program import RegistrationProgram, Unit, generate
from source import Source
from toolchain import CACHE, REPOSITORY, CompileError, Compiler, run
from toolkit_folder import toolkit_folder

RUNTIME = REPOSITORY / "tests" / "device_link" / "stand_in_runtime.c"
SIDES = ("theirs", "ours")
ARM = "aarch64-linux-gnu-"
EMULATE = ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")
NEEDED = ("nvcc", "nvlink", "g++", "clang++", "ld.lld", f"{ARM}g++", EMULATE[0])


class Failure(Exception):
    """The results of nvcc and of warpld differ, or a program cannot be linked or run."""


@dataclass(frozen=True)
class HostSource(Source):
    """A source that is compiled to a host object. Its options name the GPU targets."""

    def command(self, arch: str) -> list[str]:
        return ["nvcc", "-rdc=true", "-c", "-Xcompiler=-fPIC", *self.options, self.name]


@dataclass
class Build:
    """Builds one program in `folder`, twice: each side (theirs, ours) has its own subfolder."""

    program: RegistrationProgram
    folder: Path
    linker: Path
    compiler: Compiler

    def __post_init__(self) -> None:
        cpu = ARM if self.program.is_arm else ""
        self.host_compiler = f"{cpu}g++"
        self.archiver = f"{cpu}ar"
        self.nvcc_options = [
            f"-gencode=arch=compute_{sm},code=sm_{sm}" for sm in self.program.targets
        ]
        if self.program.is_arm:
            # nvcc would need the toolkit's headers for AArch64. The headers for this host are the
            # same.
            self.host_options = [f"-ccbin={ARM}g++", f"-I{toolkit_folder()}/include"]
        else:
            self.host_options = []

    def run(self, *words: str) -> str:
        done = run(list(words), self.folder)
        if done.returncode != 0:
            raise Failure(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def compile(self) -> None:
        for unit in self.program.units:
            for file in unit.files:
                options = (*self.nvcc_options, *self.host_options)
                source = HostSource(f"{file.name}.cu", file.text, options)
                made = self.compiler.compile(source, "")
                shutil.copyfile(made, self.folder / f"{file.name}.o")
        (self.folder / "main.cpp").write_text(self.program.main())
        self.run(self.host_compiler, "-c", "main.cpp", "-o", "main.o")
        self.run(self.host_compiler, "-x", "c", "-c", "-fPIC", str(RUNTIME), "-o", "runtime.o")
        self.run(self.host_compiler, "-shared", "runtime.o", "-o", "libruntime.so")

    def objects(self, kind: str) -> list[str]:
        units = [unit for unit in self.program.units if unit.kind == kind]
        return [f"{file.name}.o" for unit in units for file in unit.files]

    def device_link(self, side: str, inputs: list[str], output: str) -> None:
        mode = self.program.compression
        if side == "ours":
            cpu = "AARCH64" if self.program.is_arm else "X86_64"
            words = [str(self.linker), "--device-link", f"-cpu-arch={cpu}"]
            words += [f"--compress-mode={mode}"] if mode else []
        else:
            words = ["nvcc", "-dlink", "-cudadevrt=none", "-Xcompiler=-fPIC", *self.host_options]
            words += [f"-compress-mode={mode}"] if mode else []
        self.run(*words, *self.nvcc_options, *inputs, "-o", output)

    def archive(self, name: str, members: list[str]) -> str:
        self.run(self.archiver, "rcs", name, *members)
        return name

    def add_unit(self, side: str, unit: Unit) -> list[str]:
        """Builds a library. Returns the names of the built files that the host linker reads."""
        objects = [f"{file.name}.o" for file in unit.files]
        if unit.kind == "archive input":
            return [self.archive(f"{side}/lib{unit.name}.a", objects)]
        code = f"{side}/{unit.name}_code.o"
        self.device_link(side, objects, code)
        if unit.kind == "library":
            return [self.archive(f"{side}/lib{unit.name}.a", [*objects, code])]
        if unit.kind == "archive":  # its linked device code is a separate object
            return [self.archive(f"{side}/lib{unit.name}.a", objects), code]
        output = f"{side}/lib{unit.name}.so"
        words = [self.host_compiler, "-shared", *objects, code, "-L.", "-lruntime", "-o", output]
        self.run(*words, f"-Wl,-soname,lib{unit.name}.so")
        return [output]

    def link(self, side: str) -> str:
        """Links and runs the program. Returns what it prints."""
        (self.folder / side).mkdir()
        libraries = {
            unit.name: self.add_unit(side, unit)
            for unit in self.program.units
            if unit.kind != "program"
        }
        read = [
            name
            for unit in self.program.units
            if unit.kind == "archive input"
            for name in libraries[unit.name]
        ]
        objects = self.objects("program")
        self.device_link(side, [*objects, *read], f"{side}/code.o")
        is_shared = any(unit.kind == "shared" for unit in self.program.units)
        runtime = ["-L.", "-lruntime"] if is_shared else ["runtime.o"]
        words = [self.host_compiler, *self.program.host_flags]
        if self.program.with_lld and not self.program.is_arm:
            words = ["clang++", "-fuse-ld=lld", *self.program.host_flags]
        words += ["main.o", *objects, f"{side}/code.o", "-Wl,--start-group"]
        words += [name for names in libraries.values() for name in names]
        words += ["-Wl,--end-group", *runtime, "-Wl,-rpath,$ORIGIN:$ORIGIN/.."]
        self.run(*words, "-o", f"{side}/app")
        emulate = EMULATE if self.program.is_arm else ()
        return self.run(*emulate, str(self.folder / side / "app"))

    def global_names(self, path: Path) -> list[str]:
        """The object's global names, without the reference to _GLOBAL_OFFSET_TABLE_, which nvcc's
        host compiler adds because of -fPIC."""
        names = re.findall(r"[TUDBW] \w+$", self.run("nm", str(path)), re.MULTILINE)
        return sorted(name for name in names if name != "U _GLOBAL_OFFSET_TABLE_")

    def compare(self) -> int:
        """Raises Failure if the results of nvcc and of warpld differ. Returns the number of
        registrations."""
        self.compile()
        theirs, ours = (self.link(side) for side in SIDES)
        if theirs != ours:
            raise Failure(f"theirs:\n{theirs}ours:\n{ours}")
        for path in sorted((self.folder / "theirs").glob("*code.o")):
            names = [self.global_names(self.folder / side / path.name) for side in SIDES]
            if names[0] != names[1]:
                raise Failure(f"{path.name}: names of nvcc's {names[0]}\nof warpld's {names[1]}")
        return theirs.count("\n")


def compare_program(index: int, args: argparse.Namespace, linker: Path) -> tuple[str, set[str]]:
    """Compares one program. Returns what is wrong (an empty text if nothing is), and the features
    of the program."""
    program = generate(args.seed, index)
    with tempfile.TemporaryDirectory(prefix="registrations-") as scratch:
        build = Build(program, Path(scratch), linker, Compiler(args.cache))
        try:
            calls = build.compare()
        except (Failure, CompileError) as failure:
            kept = args.failures / f"registrations-{args.seed}-{index}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(scratch, kept)
            return f"{args.seed}-{index}: {failure}", program.features
    return "" if calls else f"{args.seed}-{index}: nothing is registered", program.features


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--seed", type=int, default=1)
    add("-n", "--count", type=int, default=200, help="number of programs")
    add("--first", type=int, default=0, help="index of the first program")
    add("--ours", default=str(REPOSITORY / "build" / "warpld"), help="the linker under test")
    add("-j", "--jobs", type=int, default=os.cpu_count())
    add("--failures", type=Path, default=REPOSITORY / "build" / "compare-failures")
    add("--cache", type=Path, default=CACHE)
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    missing = [name for name in (*NEEDED, args.ours) if not shutil.which(name)]
    if missing:
        print(f"registrations: not found: {', '.join(missing)}", file=sys.stderr)
        return 2
    linker = Path(args.ours).absolute()
    work = functools.partial(compare_program, args=args, linker=linker)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(work, range(args.first, args.first + args.count)))
    problems = [problem for problem, _ in results if problem]
    print("".join(f"{problem}\n" for problem in problems), end="")
    for feature, count in sorted(Counter(f for _, found in results for f in found).items()):
        print(f"{feature:28} {count}")
    print(f"{len(results) - len(problems)} programs register the same, {len(problems)} do not")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
