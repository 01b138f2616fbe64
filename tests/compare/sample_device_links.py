#!/usr/bin/env python3
"""Compares nvcc's and warpld's device links of a checkout of CUDA samples.

The .cu files of each folder are compiled, as in samples.py, but to host objects with code for
several targets. `nvcc -dlink` and `warpld --device-link` link them. The cubins in both results are
compared target by target. Nothing of the samples is kept in the repository.

Exit status 0 if all cubins are identical or explained by a fault of nvlink, else 1.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import io
import os
import shutil
import struct
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from elftools.elf.elffile import ELFFile
from explained import explain
from samples import SampleCompiler
from toolchain import CACHE, REPOSITORY, Comparer, Generated, run
from toolkit_folder import toolkit_folder

FAILED = "refused by both"
GOOD = ("identical", "explained", FAILED)


@dataclass
class Result:
    name: str
    verdicts: dict[str, str] = field(default_factory=dict)  # by target; empty: nothing compiled
    detail: str = ""


def images(path: Path) -> dict[str, bytes]:
    """The cubins in the result of a device link, by target. They must not be compressed."""
    section = ELFFile(io.BytesIO(path.read_bytes())).get_section_by_name(".nv_fatbin")
    content, offset, found = section.data(), 16, {}
    (size,) = struct.unpack_from("<Q", content, 8)
    while offset < 16 + size:
        header, payload = struct.unpack_from("<IQ", content, offset + 4)
        (target,) = struct.unpack_from("<I", content, offset + 28)
        found[f"sm_{target}"] = content[offset + header : offset + header + payload]
        offset += header + payload
    return found


@dataclass
class DeviceLinks:
    compiler: SampleCompiler
    comparer: Comparer[Generated]
    targets: list[str]

    def link(self, side: str, inputs: list[str], folder: Path) -> dict[str, bytes]:
        """Makes a device link with nvcc (theirs) or with warpld (ours). Returns the cubin of each
        target; none if the link fails."""
        if side == "theirs":
            words = ["nvcc", "-dlink", "-no-compress"]
        else:
            library = f"-L{toolkit_folder()}/lib64"
            words = [str(self.comparer.ours), "--device-link", "--compress-mode=none"]
            inputs = [*inputs, library, "-lcudadevrt"]
        done = run([*words, *self.targets, *inputs, "-o", f"{side}.o"], folder)
        return images(folder / f"{side}.o") if done.returncode == 0 else {}

    def compare_cubins(
        self, theirs: bytes, ours: bytes, target: str, inputs: list[str], folder: Path
    ) -> tuple[str, str]:
        """The verdict, and what differs."""
        paths = folder / f"theirs.{target}.cubin", folder / f"ours.{target}.cubin"
        for path, content in zip(paths, (theirs, ours), strict=True):
            path.write_bytes(content)
        difference = self.comparer.difference(*paths, "--strict")
        if difference is None:
            return "identical", ""
        cubins = [self.extract(name, target, folder) for name in inputs]
        fault = explain(self.comparer.differ, *paths, [path for path in cubins if path])
        return ("explained", "") if fault else ("different", difference)

    def extract(self, name: str, target: str, folder: Path) -> Path | None:
        """Extracts the cubin for a target from a host object. A -r link does this, because it
        copies the code unchanged."""
        output = folder / f"{name}.{target}.cubin"
        words = [str(self.comparer.ours), f"-arch={target}", "-r", name, "-o", str(output)]
        return output if run(words, folder).returncode == 0 else None

    def compare_folder(self, folder: Path) -> Result:
        result = Result(folder.relative_to(self.compiler.collection).as_posix())
        compiled = {path.stem: self.compiler.compile(path) for path in sorted(folder.glob("*.cu"))}
        with tempfile.TemporaryDirectory(prefix="samples-") as scratch:
            work = Path(scratch)
            inputs = [f"{stem}.o" for stem, made in compiled.items() if made]
            for name in inputs:
                shutil.copyfile(compiled[name[:-2]] or name, work / name)
            if inputs:
                self.compare_links(inputs, work, result)
        return result

    def compare_links(self, inputs: list[str], folder: Path, result: Result) -> None:
        theirs, ours = (self.link(side, inputs, folder) for side in ("theirs", "ours"))
        if not theirs and not ours:
            result.verdicts = {"all": FAILED}
        elif theirs.keys() != ours.keys():
            result.verdicts = {"all": "different"}
            result.detail = f"targets {sorted(theirs)} and {sorted(ours)}"
        for target in theirs.keys() & ours.keys():
            verdict, detail = self.compare_cubins(
                theirs[target], ours[target], target, inputs, folder
            )
            result.verdicts[target] = verdict
            result.detail += detail and f"{target}: {detail}\n"


def report(results: list[Result]) -> bool:
    """Prints a table by target. Returns whether there is no difference."""
    for result in results:
        if result.detail:
            print(f"{result.name}\n    {result.detail}")
    counts = Counter((t, v) for result in results for t, v in result.verdicts.items())
    for (target, verdict), count in sorted(counts.items()):
        print(f"{target:10} {verdict:18} {count}")
    print(
        f"folders {len(results)}, of which nvcc compiles {sum(bool(r.verdicts) for r in results)}"
    )
    return all(verdict in GOOD for _, verdict in counts)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("collection", type=Path, help="folder of the checkout")
    add("--arch", default="80,90", help="numbers of the targets")
    add("--ours", default=str(REPOSITORY / "build" / "warpld"), help="the linker under test")
    add("--differ", default=f"{REPOSITORY / 'build' / 'cubintool'} diff", help="command")
    add("-j", "--jobs", type=int, default=os.cpu_count())
    add("--cache", type=Path, default=CACHE)
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    ours = shutil.which(args.ours)
    if not ours or not shutil.which("nvcc"):
        print("sample_device_links: needs nvcc and the linker under test", file=sys.stderr)
        return 2
    collection = args.collection.resolve()
    targets = [f"-gencode=arch=compute_{sm},code=sm_{sm}" for sm in args.arch.split(",")]
    links = DeviceLinks(
        SampleCompiler(collection, ["-c", *targets], args.cache),
        Comparer(Path(ours).absolute(), args.differ),
        targets,
    )
    folders = sorted({path.parent for path in collection.rglob("*.cu")})
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(links.compare_folder, folders))
    return 0 if report(results) else 1


if __name__ == "__main__":
    sys.exit(main())
