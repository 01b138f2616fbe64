#!/usr/bin/env python3
"""Compares warpld with nvlink over a checkout of CUDA samples.

Every .cu file below the folder is compiled to relocatable device code; files that do not compile
are left out. Both linkers link the files of each folder, and the results are compared. Compiled
files are cached in build/compare-cache. Nothing of the samples is kept in the repository.

Exit status 0 if at least --min-equivalent percent of the folders that link have equivalent outputs,
and no folder differs in status or messages; else 1.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from toolchain import (
    CACHE,
    LINKED,
    REPOSITORY,
    Comparer,
    Comparison,
    Generated,
    Verdict,
    move_into_cache,
    run,
    tool_version,
)

HEADER_SUFFIXES = (".h", ".hpp", ".cuh", ".inl")
# The folders in which the files of a collection look for headers, relative to their own folder.
INCLUDE_FOLDERS = (".", "inc", "include", "common", "..", "../inc", "../include", "../common")


@dataclass
class FolderResult:
    name: str
    compiled: int
    left_out: int
    comparison: Comparison | None


class SampleCompiler:
    """Runs nvcc, with a cache. The key of an entry is a digest of the command, the source and the
    headers that it can include."""

    def __init__(self, collection: Path, options: list[str], cache: Path):
        self.collection = collection
        self.options = options
        self.cache = cache
        self.version = tool_version("nvcc")

    def include_folders(self, folder: Path) -> list[Path]:
        found = [self.collection / "Common", *(folder / name for name in INCLUDE_FOLDERS)]
        return [path for path in found if path.is_dir()]

    @functools.cache  # noqa: B019  (lives as long as the program)
    def headers_digest(self, folder: Path) -> str:
        digest = hashlib.sha256()
        for include in self.include_folders(folder):
            for path in sorted(include.iterdir()):
                if path.suffix in HEADER_SUFFIXES and path.is_file():
                    digest.update(path.read_bytes())
        return digest.hexdigest()

    def compile(self, source: Path) -> Path | None:
        """The compiled source in the cache; None if nvcc refuses the source."""
        includes = [f"-I{path}" for path in self.include_folders(source.parent)]
        command = ["nvcc", "-rdc=true", "-std=c++17", *self.options, *includes, str(source)]
        parts = [self.version, *command, self.headers_digest(source.parent)]
        key = hashlib.sha256("\0".join(parts).encode() + source.read_bytes()).hexdigest()
        cached = self.cache / key[:2] / f"{key}.cubin"
        refused = cached.with_suffix(".refused")
        if refused.exists():
            return None
        if not cached.exists():
            cached.parent.mkdir(parents=True, exist_ok=True)
            if not self.run_nvcc(command, cached):
                refused.touch()
                return None
        return cached

    def run_nvcc(self, command: list[str], output: Path) -> bool:
        with tempfile.TemporaryDirectory(prefix="samples-") as scratch:
            made = Path(scratch) / "out.cubin"
            try:
                done = run([*command, "-o", str(made)])
            except subprocess.TimeoutExpired:
                return False
            if done.returncode != 0 or not made.exists():
                return False
            move_into_cache(made, output)
            return True


def compare_folder(
    folder: Path, arch: str, compiler: SampleCompiler, comparer: Comparer[Generated]
) -> FolderResult:
    name = folder.relative_to(compiler.collection).as_posix()
    sources = sorted(folder.glob("*.cu"))
    cubins = {source.stem: compiler.compile(source) for source in sources}
    found = {stem: cubin for stem, cubin in cubins.items() if cubin}
    result = FolderResult(name, len(found), len(sources) - len(found), None)
    if found:
        with tempfile.TemporaryDirectory(prefix="samples-") as scratch:
            inputs = []
            for stem, cubin in found.items():
                shutil.copyfile(cubin, Path(scratch) / f"{stem}.cubin")
                inputs.append(f"{stem}.cubin")
            result.comparison = comparer.compare([f"-arch={arch}", *inputs], Path(scratch))
    return result


def report(results: list[FolderResult], min_equivalent: float) -> bool:
    """Prints the differences and the totals. Returns whether the comparison succeeded."""
    verdicts = Counter(r.comparison.verdict for r in results if r.comparison)
    good = (Verdict.IDENTICAL, Verdict.REFUSED_BY_BOTH)
    for result in results:
        if result.comparison and result.comparison.verdict not in good:
            detail = result.comparison.first_difference.replace("\n", "\n    ")
            print(f"{result.name} {result.comparison.verdict.value}:\n    {detail}")
    print(f"folders           {len(results)}")
    print(f"files compiled    {sum(r.compiled for r in results)}")
    print(f"files left out    {sum(r.left_out for r in results)}")
    for verdict in Verdict:
        print(f"{verdict.value:17} {verdicts[verdict]}")
    linked = sum(verdicts[verdict] for verdict in LINKED)
    equivalent = verdicts[Verdict.IDENTICAL] + verdicts[Verdict.EQUIVALENT]
    unlike = verdicts[Verdict.STATUS_DIFFERS] + verdicts[Verdict.MESSAGES_DIFFER]
    return unlike == 0 and 100 * equivalent >= min_equivalent * linked


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("collection", type=Path, help="folder of the checkout")
    add("--arch", default="sm_90")
    add("--ours", default=str(REPOSITORY / "build" / "warpld"), help="the linker under test")
    add("--differ", default=f"{REPOSITORY / 'build' / 'cubintool'} diff", help="command")
    add("--min-equivalent", type=float, default=100.0, help="percent of the linked folders")
    add("-j", "--jobs", type=int, default=os.cpu_count())
    add("--cache", type=Path, default=CACHE)
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    ours = shutil.which(args.ours)
    if not ours or not shutil.which("nvlink") or not shutil.which("nvcc"):
        print("samples: needs nvlink, nvcc and the linker under test", file=sys.stderr)
        return 2
    collection = args.collection.resolve()
    folders = sorted({path.parent for path in collection.rglob("*.cu")})
    compiler = SampleCompiler(collection, ["-cubin", f"-arch={args.arch}"], args.cache)
    comparer: Comparer[Generated] = Comparer(Path(ours).absolute(), args.differ)
    work = functools.partial(compare_folder, arch=args.arch, compiler=compiler, comparer=comparer)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(work, folders))
    return 0 if report(results, args.min_equivalent) else 1


if __name__ == "__main__":
    sys.exit(main())
