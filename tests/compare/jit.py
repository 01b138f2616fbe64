#!/usr/bin/env python3
"""Compares warpld's libnvJitLink.so.13 with NVIDIA's over random programs, through a client in C.

jit_client.c is compiled with the header of the toolkit whose nvcc is on the PATH, and linked with
the library of that toolkit. It is run twice, first with NVIDIA's library, then with warpld's. The
programs are those of compare.py. Their files are added as cubins, as PTX or by their paths. The
result codes of all calls, the logs and the cubins are compared. After conflicts between inputs, our
library differs from NVIDIA's on purpose (docs/nvjitlink.md): it must then give the messages of
nvlink and no cubin.
"""

from __future__ import annotations

import functools
import hashlib
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import shrink_ptx
from builder import FULL, PROFILES
from explained import differing
from faults_client import OTHER_HELPERS, Alone, explain_refused, other_helpers
from generate import DEFAULT_ARCHES, generate
from harness import argument_parser, compare_all, find_tools
from nvjitlink import library_path
from program import Program
from source import Source
from toolchain import TIMEOUT_SECONDS, Comparer, Compiler, Generated, Link, Verdict
from toolkit_folder import toolkit_folder

NVLINK = "nvlink"
CLIENT = Path(__file__).with_name("jit_client.c")
# With this setting our library compiles PTX with ptxas, which makes the same code as NVIDIA's
# library. For other compilers see docs/nvjitlink.md.
ENVIRONMENT = {"WARPLD_PTX_COMPILER": "process"}
OPTIONS = ("-g", "-v", "-kernels-used", "-variables-used")
# Options that matter only for inputs compiled from PTX.
COMPILER_OPTIONS = ("-lineinfo", "-maxrregcount=40", "-Xptxas=-O1")
COMPILE_TIME = re.compile(r"(?<=Compile time = )[0-9.]+")
# The last line after errors, in the form that the library of CUDA 13.5 prints.
END_OF_ERRORS = re.compile(r"^(ERROR \d+): \w+$")
DIAGNOSTIC = re.compile(r"(info|warning|error|fatal) *: ")
PRINTED_ERRORS = ("error", "fatal", "@E@error", "@E@fatal")
COMMAND_OPTIONS = ("-arch", *OPTIONS)
UNDEFINED_REFERENCE = "Undefined reference to"


def build_client(folder: Path, library: Path) -> Path:
    """Compiles jit_client.c with NVIDIA's header."""
    toolkit = toolkit_folder()
    client = folder / "client"
    command: list[str | Path] = [
        "cc",
        "-DWARPLD_CLIENT_OF_NVIDIA",
        f"-I{toolkit}/include",
        CLIENT,
        "-o",
        client,
    ]
    subprocess.run([*command, f"-L{library.parent}", f"-l:{library.name}"], check=True)
    return client


class MixedCompiler(Compiler):
    """Compiles the files. For a quarter of them, it also writes the PTX text next to the cubin; the
    client then adds the text in place of the cubin."""

    def compile_program(self, program: Generated, folder: Path) -> list[Path]:
        for source in program.sources():
            if not source.options and has_text(source):
                (folder / source.name).write_text(source.text)
        return super().compile_program(program, folder)


def has_text(source: Source) -> bool:
    return hashlib.sha256(source.text.encode()).digest()[0] % 4 == 0


def input_of(folder: Path, cubin: str) -> str:
    """The client's argument for an input: the kind under which it is added, and its path."""
    text = Path(cubin).with_suffix(".ptx")
    if (folder / text).exists():
        return f"ptx:{text}"
    size = (folder / cubin).stat().st_size // 8
    return f"{('cubin', 'any', 'file')[size % 3]}:{cubin}"


def client_options(arguments: list[str]) -> list[str]:
    """The options of the command nvlink as nvJitLinkCreate takes them: -verbose for -v, and a
    separate option for each value of -kernels-used and -variables-used."""
    options = []
    for argument in arguments:
        name, _, values = argument.partition("=")
        if name in ("-kernels-used", "-variables-used"):
            options += [f"{name}={value}" for value in values.split(",")]
        else:
            options.append("-verbose" if argument == "-v" else argument)
    return options


def masked(line: str) -> str:
    """A message as nvlink prints it, without the parts that differ between runs."""
    line = END_OF_ERRORS.sub(r"\1: complete", COMPILE_TIME.sub("T", line.rstrip()))
    return f"nvlink {line}" if DIAGNOSTIC.match(line) else line


class ClientComparer(Comparer[Program]):
    def __init__(self, ours: Path, differ: str, client: Path, theirs: Path):
        super().__init__(ours, differ)
        self.client = client
        self.theirs = theirs

    def link(self, linker: str, arguments: list[str], folder: Path, output: str) -> Link:
        library = self.theirs if linker == NVLINK else self.ours.with_name("libnvJitLink.so.13")
        options = client_options([a for a in arguments if a.startswith("-")])
        inputs = [input_of(folder, a) for a in arguments if not a.startswith("-")]
        done = subprocess.run(
            [self.client, output, *options, "--", *inputs],
            cwd=folder,
            env=ENVIRONMENT | os.environ | {"LD_LIBRARY_PATH": str(library.parent)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        if done.returncode > 0:
            raise RuntimeError(f"{self.client}: status {done.returncode}: {done.stderr}")
        lines = [masked(line) for line in done.stdout.splitlines()]
        if linker == NVLINK:
            if any(line.startswith(PRINTED_ERRORS) for line in done.stderr.splitlines()):
                lines = self.answer_to_conflicts(lines, arguments, folder, output)
            lines = without_broken_cubin(lines)
        elif done.stderr:
            lines += ["printed:", *done.stderr.splitlines()]
        failed = any(re.fullmatch(r"(create|add|complete) [1-9]\d*", line) for line in lines)
        return Link(min(done.returncode, 0) or int(failed), lines, folder / output)

    def judge(
        self, theirs: Link, ours: Link, inputs: list[Path], arguments: list[str]
    ) -> tuple[Verdict, str]:
        verdict, detail = super().judge(theirs, ours, inputs, arguments)
        fault = None
        if verdict == Verdict.STATUS_DIFFERS:
            fault = explain_refused(arguments, theirs.messages, ours.messages, inputs)
        elif verdict == Verdict.DIFFERENT:
            case = differing(self.differ, theirs.output, ours.output, inputs)
            if case and other_helpers(case, self.compiled_alone(inputs, arguments)):
                fault = OTHER_HELPERS
        return (Verdict.EXPLAINED, fault) if fault else (verdict, detail)

    def compiled_alone(self, inputs: list[Path], arguments: list[str]) -> list[Alone]:
        """For each input that is added as PTX, the output of each library for this input alone."""
        compiled_with = ("-arch", *COMPILER_OPTIONS)
        options = [a for a in arguments if a == "-g" or a.startswith(compiled_with)]
        texts = []
        for path in inputs:
            if path.with_suffix(".ptx").exists():
                made = [
                    self.link(linker, ["-r", *options, path.name], path.parent, f"{path.stem}.{of}")
                    for linker, of in ((NVLINK, "alone-theirs"), (str(self.ours), "alone-ours"))
                ]
                if not any(link.status for link in made):
                    theirs, ours = (link.output for link in made)
                    texts.append(Alone(path.with_suffix(".ptx"), theirs, ours))
        return texts

    def answer_to_conflicts(
        self, lines: list[str], arguments: list[str], folder: Path, output: str
    ) -> list[str]:
        """The lines that are expected of our library after conflicts between inputs: the link fails
        with the messages of the command nvlink. NVIDIA's library prints the conflicts to stderr and
        links anyway."""
        known = [a for a in arguments if not a.startswith("-") or a.startswith(COMMAND_OPTIONS)]
        messages = super().link(NVLINK, known, folder, output).messages
        named = [as_in_folder(message, folder) for message in messages]
        errors = [m for m in named if m.startswith(("nvlink error", "nvlink fatal"))]
        end = 1 if any(m.startswith("nvlink fatal") for m in errors) else 9
        calls = [line for line in lines if line.startswith(("create", "add"))]
        compiled = [line for line in lines if line.startswith("ptxas")]
        results = ["complete 6", "cubin 6", *errors, f"ERROR {end}: complete"]
        infos = [*compiled, *(message for message in named if message not in errors)]
        return [*calls, *results, *infos, "destroy 0"]


def as_in_folder(message: str, folder: Path) -> str:
    """Returns the message with the name of a PTX file instead of the cubin's name, for each input
    that the client adds as PTX."""
    for text in folder.glob("*.ptx"):
        message = message.replace(f"'{text.stem}.cubin'", f"'{text.name}'")
    return message


def without_broken_cubin(lines: list[str]) -> list[str]:
    """The lines that are expected of our library. After errors other than undefined references,
    NVIDIA's library returns a broken cubin, and warpld's must return none."""
    errors = [line for line in lines if line.startswith(("nvlink error", "nvlink fatal"))]
    if "complete 6" not in lines or all(UNDEFINED_REFERENCE in line for line in errors):
        return lines
    return ["cubin 6" if line == "cubin 0" else line for line in lines]


def make_program(index: int, seed: int, **choices: Any) -> Program:
    program = generate(seed, index, link_options=OPTIONS, **choices)
    rng = random.Random(f"client-{seed}-{index}")
    program.link_options += [option for option in COMPILER_OPTIONS if rng.random() < 0.1]
    return program


def main() -> int:
    parser = argument_parser(__doc__, DEFAULT_ARCHES)
    parser.add_argument("--library", type=Path, default=library_path(), help="NVIDIA's")
    parser.add_argument("--profile", choices=tuple(PROFILES), default=FULL)
    args = parser.parse_args()
    found = find_tools(args, "ptxas", "nvcc")
    if not found:
        return 2
    if not args.library:
        print("jit: the toolkit has no libnvJitLink", file=sys.stderr)
        return 2
    make = functools.partial(
        make_program,
        seed=args.seed,
        arches=tuple(args.arch.split(",")),
        profile=args.profile,
        without=tuple(filter(None, args.without.split(","))),
    )
    with tempfile.TemporaryDirectory(prefix="client-") as scratch:
        theirs = Path(os.path.realpath(args.library.parent)) / "libnvJitLink.so.13"
        client = build_client(Path(scratch), theirs)
        comparer = ClientComparer(found.ours, args.differ, client, theirs)
        return compare_all(args, make, shrink_ptx, comparer, (), MixedCompiler(args.cache))


if __name__ == "__main__":
    sys.exit(main())
