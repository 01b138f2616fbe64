#!/usr/bin/env python3
"""Compares warpld with NVIDIA's linkers over random programs that the ptxas of CUDA 12 compiled.

The programs are those of compare.py without features that the ptxas of CUDA 12 does not know. By
default warpld links them into executables of ABI 7, which are compared with those that the
libnvJitLink of CUDA 12 links. --arch also accepts sm_50 to sm_72, which only CUDA 12 has.

With --reference nvlink, warpld makes executables in the form of CUDA 13, which are compared with
those of nvlink on the PATH. The ptxas on the PATH compiles a third of the files. --arch also
accepts sm_100 and later. For these targets nvlink regenerates all native code. If the objects are
from CUDA 12, nvlink's code differs from warpld's in most programs.

--cuda12 names a toolkit or any folder with ptxas and libnvJitLink.so.12 at any depth, such as the
folder that `pip install --no-deps --target FOLDER nvidia-cuda-nvcc-cu12 nvidia-nvjitlink-cu12`
makes.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import shrink_ptx
from builder import FULL, PROFILES
from generate import VERSIONS, generate
from harness import argument_parser, compare_all, find_tools
from program import Program
from source import Source
from toolchain import Comparer, Compiler, Link, run

ARCHES = ("sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a")
TARGETS = (75, 80, 86, 87, 89, 90, 100, 120)
# Targets that only CUDA 12 has (make compare-old).
OLD_ARCHES = ("sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72")
OLD_TARGETS = (50, 52, 53, 60, 61, 62, 70, 72, 75)
# The newest PTX version that the ptxas of CUDA 12.N knows, from the table of releases in the PTX
# ISA.
PTX_VERSIONS = {0: "8.0", 1: "8.1", 2: "8.2", 3: "8.3", 4: "8.4", 5: "8.5", 6: "8.5"} | {
    8: "8.7",
    9: "8.8",
}
# These two features need PTX 9.0 and PTX 8.1.
NEWER_FEATURES = ("directive.blocksareclusters", "kernel-parameters-over-4kb")
# Offset of e_version. A linker of CUDA 12 writes its own release there. warpld writes the last
# release, CUDA 12.9.
E_VERSION, LAST_RELEASE = 20, 129
NVLINK, NVJITLINK = "nvlink", "nvjitlink"


def find_file(folder: Path, name: str) -> Path | None:
    return next(iter(sorted(folder.rglob(name))), None)


def newest_ptx_version(ptxas: Path) -> str:
    release = re.search(r"release 12\.(\d+)", run([str(ptxas), "--version"]).stdout)
    if not release:
        sys.exit(f"{ptxas} is no ptxas of CUDA 12")
    return PTX_VERSIONS[int(release[1])]


def with_last_release(cubin: bytes) -> bytes:
    return cubin[:E_VERSION] + bytes([LAST_RELEASE]) + cubin[E_VERSION + 1 :]


class OtherCompiler(Compiler):
    """Compiles all files with the given ptxas or, if `mixed`, some files with it and the others
    with the ptxas on the PATH."""

    def __init__(self, cache: Path, ptxas: Path, mixed: bool):
        super().__init__(cache)
        self.ptxas = str(ptxas)
        self.mixed = mixed

    def command(self, source: Source, arch: str) -> list[str]:
        command = super().command(source, arch)
        newer = self.mixed and hashlib.sha256(source.text.encode()).digest()[0] % 3 == 0
        return command if newer else [self.ptxas, *command[1:]]


class JitComparer(Comparer[Program]):
    """Compares with a libnvJitLink. Messages are not compared, because their texts and their order
    differ. After some errors the library continues and writes an output. Here a link with any error
    counts as failed."""

    def __init__(self, ours: Path, differ: str, library: Path):
        super().__init__(ours, differ)
        self.library = library

    def link(self, linker: str, arguments: list[str], folder: Path, output: str) -> Link:
        if linker != NVLINK:
            # Under the name nvlink, warpld refuses targets that only CUDA 12 has, as nvlink 13
            # does. ABI 7 is the default for these targets.
            is_old = arguments[0].removeprefix("-arch=") in OLD_ARCHES
            option = "--as=warpld" if is_old else "--output-abi=7"
            ours = super().link(linker, [option, *arguments], folder, output)
            return Link(min(ours.status, 1), [], ours.output)
        script = str(Path(__file__).with_name("nvjitlink.py"))
        inputs = [argument for argument in arguments if not argument.startswith("-")]
        arch, *options = [argument for argument in arguments if argument.startswith("-")]
        words = [arch.removeprefix("-arch="), output, *inputs, *options]
        try:
            done = run([sys.executable, script, "--library", str(self.library), *words], folder)
        except subprocess.TimeoutExpired:
            return Link(-signal.SIGKILL, [], folder / output)
        log = done.stderr.splitlines()
        failed = any(line.startswith(("nvJitLink", "error", "fatal")) for line in log)
        broke = [line for line in log if "Internal error" in line]
        linked = folder / output
        if linked.exists() and not failed:
            linked.write_bytes(with_last_release(linked.read_bytes()))
        return Link(done.returncode or int(failed), broke, linked)


def main() -> int:
    parser = argument_parser(__doc__, ARCHES)
    parser.add_argument("--cuda12", type=Path, default=os.environ.get("CUDA12"))
    parser.add_argument("--reference", choices=(NVLINK, NVJITLINK), default=NVJITLINK)
    parser.add_argument("--profile", choices=tuple(PROFILES), default=FULL)
    args = parser.parse_args()
    ptxas = find_file(args.cuda12, "ptxas") if args.cuda12 else None
    library = find_file(args.cuda12, "libnvJitLink.so.12") if args.cuda12 else None
    if not ptxas or not library:
        print("older: skipped: CUDA12 names no folder with ptxas and libnvJitLink.so.12")
        return 0
    found = find_tools(args, "ptxas")
    if not found:
        return 2
    comparer: Comparer[Program] = found
    if args.reference == NVJITLINK:
        comparer = JitComparer(found.ours, args.differ, library)
    newest = newest_ptx_version(ptxas)
    make = functools.partial(
        generate,
        args.seed,
        arches=tuple(args.arch.split(",")),
        profile=args.profile,
        without=(*NEWER_FEATURES, *filter(None, args.without.split(","))),
        versions=tuple(version for version in VERSIONS if version <= newest) + (newest,),
        targets=OLD_TARGETS if set(args.arch.split(",")) <= set(OLD_ARCHES) else TARGETS,
        **({} if args.reference == NVLINK else {"link_options": ()}),
    )
    compiler = OtherCompiler(args.cache, ptxas, args.reference == NVLINK)
    return compare_all(args, make, shrink_ptx, comparer, (), compiler)


if __name__ == "__main__":
    sys.exit(main())
