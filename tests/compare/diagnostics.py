#!/usr/bin/env python3
"""Compares the messages of warpld and nvlink about wrong programs and wrong command lines.

usage: diagnostics.py [options] [FOLDER]

FOLDER holds small PTX and CUDA C++ files. Most of them provoke a message, alone or together with
others. Without FOLDER the sources of all tests are used. Pairs and triples of files are linked with
random options, among them unknown options and wrong values, and with files that are no device code.
Both linkers must have the same exit status. Every line that nvlink prints must be among warpld's
lines, in the same order; warpld may print other lines, too. If the links succeed, the outputs must
be equivalent.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from harness import find_tools
from source import Source
from toolchain import (
    CACHE,
    REPOSITORY,
    Comparer,
    CompileError,
    Compiler,
    Generated,
    Link,
    Verdict,
)

ARCHES = ("sm_80", "sm_80", "sm_90", "sm_90", "sm_86", "sm_75", "sm_90a", "compute_80")
# Matches the time that ptxas needed, which differs from run to run.
COMPILE_TIME = re.compile(r"(?<=Compile time = )[0-9.]+")
# Options that any link accepts.
OPTIONS = """
-g|-v|-Werror|-w|-disable-infos|-extrawarn|--extra-warnings|-suppress-stack-size-warning
-suppress-arch-warning|--suppress-arch-warning|-report-arch|-kernels-used=k|-kernels-used k,main
-variables-used=x|-use-host-info|-ignore-host-info|--keep-system-libraries|--verbose
--register-link-binaries=registered|-cpu-arch=X86_64|-cpu-arch AARCH64|-maxrregcount 32|-m64
-m 64|--machine=64|-lnone|-L.|-L none -lnone|--verbose-tkinfo=true|--cuda-api-version 13.0
--allow-undefined-globals|--warning-as-error|--nvvmpath=/none|-Xptxas -v|-Xnvvm -v
--split-compile=2|--device-stack-protector=true|--host-ccbin gcc|-shared|-Xlinker -v
--syscall-const-offset 8|--dont-reserve-null-pointer|--enable-extended-smem true
--reserve-null-pointer|--disable-smem-reservation true|--force-rela|--dump-callgraph
-dump-callgraph-no-demangle|--debug|-lineinfo|-time times|-dot graph|-g -suppress-debug-info
"""
# Options that end the link before any file is read.
WRONG_OPTIONS = """
-foo|--foo|-foo=1|-arch=sm_70|-arch=|-m32|-m abc|-machine 64|--machine 32|-v=1|-output-file x
--o x|--|-optf none|--options-file=none|-arch=sm_90 -arch=sm_80|-o other.cubin|-kernels-used
-maxrregcount=abc|-maxrregcount 99999999999|-cpu-arch=Z80|--verbose-tkinfo=maybe|-arch=lto_90
--cuda-api-version 12.0|-use-host-info -ignore-host-info|-suppress-debug-info|-emit-ptx|-archsm_90
-dump-callgraph -dump-callgraph-no-demangle|-debug|-gen-host-linker-script lcs-aug|-Ofc=max
-arch|-optf empty|-force-whole-lto|-force-partial-lto|--nv-host none
"""
FILES = {
    "missing.cubin": None,
    "missing.o": None,
    "empty.o": b"",
    "short.o": b"short",
    "empty": b"",
    "text.txt": b"some text that is long enough to be looked at as an input file\n",
    "library.so": b"\x7fELF" + bytes(100),
}
LINES = ("info", "warning", "error", "fatal")


def name_of(source: Path) -> str:
    """Returns a name for the files made from a source. It contains the folder, because sources in
    different folders can have the same name."""
    return f"{source.parent.name}-{source.stem}"


def words_of(table: str) -> list[list[str]]:
    return [entry.split() for line in table.split("\n") for entry in line.split("|") if entry]


@dataclass(frozen=True)
class Case:
    arch: str
    sources: tuple[Path, ...]
    host_objects: bool
    other_files: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]

    def words(self) -> list[str]:
        suffix = ".o" if self.host_objects else ".cubin"
        names = [
            name_of(path) + (suffix if path.suffix == ".cu" else ".cubin") for path in self.sources
        ]
        options = [word for option in self.options for word in option]
        return [f"-arch={self.arch}", *names, *self.other_files, *options]


def draw_case(rng: random.Random, sources: list[Path]) -> Case:
    options = rng.sample(words_of(OPTIONS), rng.choice((0, 0, 1, 1, 2, 3)))
    if rng.random() < 0.1:
        options.append(rng.choice(words_of(WRONG_OPTIONS)))
    files = [rng.choice(tuple(FILES))] if rng.random() < 0.1 else []
    chosen = [rng.choice(sources) for _ in range(rng.choice((1, 2, 2, 2, 3, 3)))]
    arch = rng.choice(ARCHES)
    return Case(
        arch, tuple(chosen), rng.random() < 0.5, tuple(files), tuple(tuple(o) for o in options)
    )


def host_object(path: Path, arch: str, cache: Path) -> Path:
    made = cache / f"{name_of(path)}.{arch}.o"
    if not made.exists():
        command: list[str | Path] = ["nvcc", f"-arch={arch}", "-dc", path, "-o", made]
        subprocess.run(command, capture_output=True, check=True)
    return made


@dataclass
class Bench:
    """The tools and the folder of host objects that all cases share."""

    comparer: Comparer[Generated]
    compiler: Compiler
    objects: Path  # host objects, kept between runs

    def put_inputs(self, case: Case, folder: Path) -> None:
        for name in case.other_files:
            content = FILES[name]
            if content is not None:
                (folder / name).write_bytes(content)
        for path in case.sources:
            fits = case.arch.startswith("sm_") and case.arch != "sm_75"
            arch = case.arch if fits else "sm_80"
            if path.suffix == ".cu" and case.host_objects:
                made = host_object(path, arch, self.objects)
            else:
                made = self.compiler.compile(Source(path.name, path.read_text()), arch)
            shutil.copyfile(made, folder / (name_of(path) + made.suffix))

    def link(self, linker: str, case: Case, folder: Path, output: str) -> Link:
        done = subprocess.run(
            [linker, *case.words(), "-o", output],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
        lines = done.stderr.replace(output, "output.cubin").splitlines()
        lines = [COMPILE_TIME.sub("", line.rstrip()) for line in lines]
        return Link(done.returncode, lines, folder / output)

    def problem(self, case: Case, folder: Path) -> str:
        """What is wrong with the result of warpld; empty if nothing is."""
        self.put_inputs(case, folder)
        called = folder / "as" / "nvlink"
        called.parent.mkdir()
        called.symlink_to(self.comparer.ours)
        theirs = self.link("nvlink", case, folder, "theirs.cubin")
        ours = self.link(str(called), case, folder, "ours.cubin")
        return judge(case, theirs, ours, folder, self.comparer)


def is_in_order(lines: list[str], among: list[str]) -> bool:
    rest = iter(among)
    return all(line in rest for line in lines)


def has_word(case: Case, *words: str) -> bool:
    return any(option[0] in words for option in case.options)


def judge(case: Case, theirs: Link, ours: Link, folder: Path, comparer: Comparer[Generated]) -> str:
    if theirs.status < 0 or any("Internal error" in line for line in theirs.messages):
        return ""  # nvlink itself failed
    # nvlink's -w hides nothing, and its -disable-infos hides warnings instead of information
    # (docs/quirks/options.md). warpld's options work as documented, so the messages that the option
    # should hide are removed from nvlink's messages.
    for option, hidden in (("-w", "warning :"), ("-disable-infos", "info    : ignore")):
        if has_word(case, option):
            theirs = replace(theirs, messages=[m for m in theirs.messages if hidden not in m])
    said = "\n".join([*theirs.messages[:8], "--- ours:", *ours.messages[:8]])
    if theirs.status != ours.status:
        return f"status {theirs.status}, ours {ours.status}\n{said}"
    if not is_in_order(theirs.messages, ours.messages):
        return f"messages\n{said}"
    if theirs.output.exists() != ours.output.exists():
        return f"output {theirs.output.exists()}, ours {ours.output.exists()}\n{said}"
    debug_information_goes = any("-suppress-debug-info" in option for option in case.options)
    if theirs.status or not theirs.output.exists() or debug_information_goes:
        return ""  # -suppress-debug-info: nvlink keeps the sections, see docs/quirks/options.md
    inputs = [folder / word for word in case.words() if word.endswith(".cubin")]
    inputs = [path for path in inputs if path.exists()]
    quiet = replace(theirs, messages=[]), replace(ours, messages=[])
    verdict, detail = comparer.judge(*quiet, inputs, case.words())
    return f"different\n{detail}" if verdict == Verdict.DIFFERENT else ""


def run_case(bench: Bench, sources: list[Path], seed: int, index: int) -> tuple[Case, str]:
    case = draw_case(random.Random(f"{seed}-{index}"), sources)
    if has_word(case, "-w", "-disable-infos") and has_word(case, "-Werror", "--warning-as-error"):
        # nvlink and warpld do not hide the same messages with -w and -disable-infos. With -Werror
        # the exit statuses would differ, too.
        case = replace(case, options=())
    with tempfile.TemporaryDirectory(prefix="diagnostics-") as scratch:
        try:
            return case, bench.problem(case, Path(scratch))
        except (CompileError, subprocess.CalledProcessError):
            return case, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=REPOSITORY / "tests")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-n", "--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--ours", default=str(REPOSITORY / "build" / "warpld"))
    parser.add_argument("--differ", default=f"{REPOSITORY / 'build' / 'cubintool'} diff")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    comparer = find_tools(args, "ptxas", "nvcc")
    if not comparer:
        return 2
    objects = CACHE / "host-objects"
    objects.mkdir(parents=True, exist_ok=True)
    bench = Bench(comparer, Compiler(CACHE), objects)
    sources = sorted([*args.folder.rglob("*.ptx"), *args.folder.rglob("*.cu")])
    indices = range(args.first, args.first + args.count)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda i: run_case(bench, sources, args.seed, i), indices))
    kinds: Counter[str] = Counter()
    for index, (case, problem) in zip(indices, results, strict=True):
        if problem:
            kinds[problem.partition("\n")[0]] += 1
            print(
                f"{args.seed}-{index}: {' '.join(case.words())}\n    {problem}".replace(
                    "\n", "\n    "
                )
            )
    print(f"cases {len(results)}, not the same {sum(kinds.values())}: {dict(kinds)}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
