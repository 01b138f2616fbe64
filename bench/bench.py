#!/usr/bin/python3
"""Times warpld and nvlink side by side and writes docs/performance.md.

Both linkers link the same objects. They take turns, so that other load on the machine affects both
equally. The first run of each linker is not counted. `cubintool diff` compares the outputs.

A kind of link (a `Shape` of shapes.py) can be timed with several sizes. Then each size except the
first has an exponent on the page. If it is 2, for example, the time from the previous size to this
one grew as the square of the number of bytes that are read and written.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cached_builds import CachedBuilds
from in_memory import PTX_RUNS, InMemory
from objects import ARCHITECTURE
from page import page_section
from report import Row, Run, document, memory_section, section_of, with_section
from shapes import SHAPES, Shape

REPOSITORY = Path(__file__).resolve().parents[1]
# A measurement that takes longer is stopped, and counts as failed.
TIMEOUT_SECONDS = 300
PAGE = REPOSITORY / "docs" / "performance.md"


@dataclass
class Bench:
    build: Path
    runs: int
    linkers: dict[str, str]

    def measure(self, command: list[str], repeats: int = 1) -> Run | None:
        """Runs a command `repeats` times. Returns the mean times of one run and the highest peak of
        memory; None if a run fails, or if all runs together take too long."""
        words: list[str | Path] = [self.build / "bench" / "measure", str(repeats), *command]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        numbers = done.stdout.split()
        if len(numbers) != 4 or numbers[0] != "0":
            print(f"bench: {command[0]} failed: {done.stdout}{done.stderr[-500:]}")
            return None
        return Run(float(numbers[1]), float(numbers[2]), int(numbers[3]))

    def measure_in_turn(self, commands: dict[str, list[str]], repeats: int) -> dict[str, Run]:
        runs: dict[str, list[Run]] = {name: [] for name in commands}
        for turn in range(self.runs + 1):
            for name, command in list(commands.items()):
                run = self.measure(command, repeats)
                if not run:
                    del commands[name], runs[name]
                elif turn:
                    runs[name].append(run)
        return {name: median(found) for name, found in runs.items()}

    def compare(self, theirs: Path, ours: Path) -> str:
        """Compares two outputs with `cubintool diff`. Returns the word that the table shows."""
        for word, options in (("identical", ("--strict",)), ("equivalent", ())):
            command = [str(self.build / "cubintool"), "diff", *options, str(theirs), str(ours)]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return word
        return "DIFFERENT"

    def run_shape(self, shape: Shape, size: int) -> Row | None:
        folder = self.build / "bench" / f"{shape.name}.{size}"
        paths = inputs_of(shape, size, folder)
        outputs = {name: folder / f"linked-by-{name}.cubin" for name in self.linkers}
        commands = {
            name: [program, f"-arch={ARCHITECTURE}", *shape.options, "-o", str(outputs[name])]
            + [str(path) for path in paths]
            for name, program in self.linkers.items()
            if name == "warpld" or size <= (shape.largest_for_nvlink or size)
        }
        runs = self.measure_in_turn(commands, shape.repeats)
        if "warpld" not in runs:
            return None
        theirs = runs.get("nvlink")
        same = self.compare(outputs["nvlink"], outputs["warpld"]) if theirs else ""
        read = sum(path.stat().st_size for path in paths)
        written = outputs["warpld"].stat().st_size
        for output in outputs.values():
            output.unlink(missing_ok=True)
        return Row(shape.about.format(n=f"{size:,}"), read + written, runs["warpld"], theirs, same)

    def run_memory(self) -> str:
        """The section about links in memory, with the objects of the first shape."""
        shape, folder = SHAPES[0], self.build / "bench" / f"{SHAPES[0].name}.{SHAPES[0].sizes[0]}"
        objects = inputs_of(shape, shape.sizes[0], folder)
        return memory_section(InMemory(self.build, self.runs, objects).rows(), self.runs, PTX_RUNS)

    def run_cache(self) -> str:
        """The section about a build of many programs that share an archive."""
        folder, linker = self.build / "bench" / "cached-builds", self.linkers["warpld"]
        return CachedBuilds(folder, linker, self.measure).section(self.runs)

    def run_page(self) -> str:
        """The section about the HTML page that reports on a link of many objects."""
        shape = next(shape for shape in SHAPES if shape.name == "objects")
        size = shape.sizes[1]
        folder = self.build / "bench" / f"{shape.name}.{size}"
        return page_section(self.linkers["warpld"], inputs_of(shape, size, folder), self.runs)


# The functions of measurements that time something other than the links of SHAPES. Each function
# returns its section of the page. If a program that it needs is missing, it returns an empty text,
# and the page keeps the old section.
SECTIONS = {"memory": Bench.run_memory, "cache": Bench.run_cache, "page": Bench.run_page}


def inputs_of(shape: Shape, size: int, folder: Path) -> list[Path]:
    """The inputs of a shape of this size, in `folder`. Makes them if they do not exist yet."""
    names = folder / "inputs"
    if not names.exists():
        folder.mkdir(parents=True, exist_ok=True)
        names.write_text("\n".join(path.name for path in shape.make(folder, size)))
    return [folder / name for name in names.read_text().split("\n")]


def median(runs: list[Run]) -> Run:
    return Run(
        statistics.median(run.wall for run in runs),
        statistics.median(run.cpu for run in runs),
        int(statistics.median(run.peak for run in runs)),
    )


def exponent(small: Row, large: Row) -> float:
    return math.log(large.ours.wall / small.ours.wall) / math.log(large.bytes / small.bytes)


def version_of(program: str) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    match = re.search(r"V([\d.]+)|(\d+\.\d+\.\d+)", done.stdout)
    return match.group(1) or match.group(2) if match else "unknown version"


def processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    match = re.search(r"model name\s*:\s*(.*)", text)
    return match.group(1) if match else platform.machine()


def print_row(row: Row) -> None:
    line = f"{row.about:50} warpld {row.ours.wall:8.4f} s {row.ours.peak / 1024:8.1f} MiB"
    if row.theirs:
        line += (
            f"   nvlink {row.theirs.wall:8.4f} s {row.theirs.peak / 1024:8.1f} MiB"
            f"   {row.theirs.wall / row.ours.wall:6.1f} times faster   {row.same}"
        )
    print(line, flush=True)


def run_shapes(bench: Bench, names: list[str]) -> list[Row]:
    rows = []
    for shape in SHAPES:
        missing = [program for program in shape.programs if not shutil.which(program)]
        if shape.name not in names or missing:
            continue
        previous = None
        for size in shape.sizes:
            row = bench.run_shape(shape, size)
            if not row:
                continue
            if previous:
                row.exponent = exponent(previous, row)
            previous = row
            rows.append(row)
            print_row(row)
    return rows


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [shape.name for shape in SHAPES]
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--shapes",
        default=",".join(names),
        help=f"of {', '.join(names)}; or of {', '.join(SECTIONS)}",
    )
    parser.add_argument(
        "--output", type=Path, help="default: docs/performance.md if all shapes were run"
    )
    args = parser.parse_args()
    args.build = args.build.absolute()
    args.names = args.shapes.split(",")
    unknown = set(args.names) - {*names, *SECTIONS}
    if unknown:
        parser.error(f"no such shape: {', '.join(sorted(unknown))}")
    args.is_whole = set(args.names) == set(names)
    return args


def machine() -> str:
    return f"{processor()}, {len(os.sched_getaffinity(0))} cores"


def make_section(bench: Bench, name: str) -> str:
    """Measures the section with this name and returns its text, or an empty text if the section
    cannot be measured. Inserts a line with the processor and the number of cores before its table.
    """
    return SECTIONS[name](bench).replace("\n\n| ", f"\n\n{machine()}.\n\n| ", 1)


def write_section(bench: Bench, name: str) -> None:
    section = make_section(bench, name)
    if section:
        print(section)
        PAGE.write_text(with_section(PAGE.read_text(), name, section))


def main() -> int:
    args = parse_arguments()
    if not shutil.which("ptxas"):
        print("bench: ptxas, which makes the objects, is not on the PATH", file=sys.stderr)
        return 1
    linkers = {"warpld": str(args.build / "warpld")}
    if shutil.which("nvlink"):
        linkers["nvlink"] = "nvlink"
    else:
        print("bench: nvlink is not on the PATH; only warpld is timed, and nothing is written")
    bench = Bench(args.build, args.runs, linkers)
    if set(args.names) <= set(SECTIONS):
        for name in args.names:
            write_section(bench, name)
        return 0
    empty = bench.measure([str(args.build / "bench" / "empty")], 200)
    rows = run_shapes(bench, args.names)
    sections = {}
    if args.is_whole:
        page = PAGE.read_text()
        sections = {name: make_section(bench, name) or section_of(page, name) for name in SECTIONS}
    output = args.output or (PAGE if args.is_whole else None)
    if output and "nvlink" in linkers:
        versions = {name: version_of(program) for name, program in linkers.items()}
        output.write_text(document(rows, sections, empty, versions, machine(), args.runs))
        print(f"wrote {output}")
    return 1 if any(row.same == "DIFFERENT" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
