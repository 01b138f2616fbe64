#!/usr/bin/python3
"""Times warpld and nvlink side by side and writes docs/performance.md.

Both link the same objects, in turn, so that whatever else the machine does falls on both alike; the
first run of each is not counted. The outputs are compared with `cubintool diff`.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from objects import Template, make_objects

REPOSITORY = Path(__file__).resolve().parents[1]
ARCHITECTURE = "sm_90"


@dataclass(frozen=True)
class Shape:
    """A kind of link; grown by adding rows to SHAPES."""

    name: str
    about: str
    template: Template
    objects: int


SHAPES = [
    Shape("3-large", "3 objects of 20 kernels each", Template(20, 60), 3),
    Shape("300", "300 objects of one kernel each", Template(1, 20), 300),
    Shape("1000", "1,000 objects of one kernel each", Template(1, 20), 1000),
    Shape("10000", "10,000 objects of one kernel each", Template(1, 20), 10000),
]


@dataclass
class Run:
    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: int  # KiB


@dataclass
class Row:
    shape: Shape
    input_bytes: int
    ours: Run
    theirs: Run | None
    same: str


def measure(command: list[str], measure_program: Path) -> Run:
    done = subprocess.run([measure_program, *command], capture_output=True, text=True)
    words = done.stdout.split()
    if len(words) != 4 or words[0] != "0":
        sys.exit(f"bench: {command[0]} failed: {done.stdout}{done.stderr[-2000:]}")
    return Run(float(words[1]), float(words[2]), int(words[3]))


def median(runs: list[Run]) -> Run:
    return Run(
        statistics.median(run.wall for run in runs),
        statistics.median(run.cpu for run in runs),
        int(statistics.median(run.peak for run in runs)),
    )


def compare(cubintool: Path, theirs: Path, ours: Path) -> str:
    """The word for the table: what `cubintool diff` says of the two outputs."""
    for word, options in (("identical", ["--strict"]), ("equivalent", [])):
        command = [cubintool, "diff", *options, theirs, ours]
        if subprocess.run(command, capture_output=True).returncode == 0:
            return word
    return "DIFFERENT"


def run_shape(shape: Shape, args, linkers: dict[str, str]) -> Row:
    folder = args.build / "bench" / f"{shape.name}.{ARCHITECTURE}"
    paths = make_objects(shape.template, shape.objects, ARCHITECTURE, folder)
    outputs = {name: folder / f"linked-by-{name}.cubin" for name in linkers}
    runs: dict[str, list[Run]] = {name: [] for name in linkers}
    for turn in range(args.runs + 1):
        for name, program in linkers.items():
            command = [program, f"-arch={ARCHITECTURE}", "-o", str(outputs[name])]
            result = measure(command + [str(path) for path in paths], args.build / "bench/measure")
            if turn:
                runs[name].append(result)
    both = "nvlink" in linkers
    same = compare(args.build / "cubintool", outputs["nvlink"], outputs["warpld"]) if both else ""
    total = sum(path.stat().st_size for path in paths)
    theirs = median(runs["nvlink"]) if both else None
    return Row(shape, total, median(runs["warpld"]), theirs, same)


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
    line = f"{row.shape.name:10} warpld {row.ours.wall:8.4f} s {row.ours.peak / 1024:8.1f} MiB"
    if row.theirs:
        line += (
            f"   nvlink {row.theirs.wall:8.4f} s {row.theirs.peak / 1024:8.1f} MiB"
            f"   {row.theirs.wall / row.ours.wall:6.1f} times faster   {row.same}"
        )
    print(line, flush=True)


def document(rows: list[Row], args, linkers: dict[str, str]) -> str:
    cores = len(os.sched_getaffinity(0))
    lines = [
        "# Performance",
        "",
        "Written by `make bench`, which generates the objects, links them with both linkers in",
        f"turn and compares the outputs with `cubintool diff`. Medians of {args.runs} runs for",
        f"{ARCHITECTURE}; the first run of each is not counted, so files are cached. A ratio above",
        "1 means that warpld needs less.",
        "",
        f"warpld {version_of(linkers['warpld'])}, nvlink {version_of(linkers['nvlink'])}; "
        f"{processor()}, {cores} cores.",
        "",
        "| link | input MiB | wall s: warpld | nvlink | ratio | CPU s: warpld | nvlink | ratio "
        "| peak MiB: warpld | nvlink | ratio | outputs |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    lines += [table_row(row) for row in rows]
    lines += ["", "The objects: `bench/objects.py`. More kinds of link: `SHAPES` in"]
    lines += ["`bench/bench.py`."]
    return "\n".join(lines) + "\n"


def table_row(row: Row) -> str:
    ours, theirs = row.ours, row.theirs
    cells = [row.shape.about, f"{row.input_bytes / 2**20:.1f}"]
    cells += [f"{ours.wall:.4f}", f"{theirs.wall:.4f}", f"**{theirs.wall / ours.wall:.1f}**"]
    cells += [f"{ours.cpu:.4f}", f"{theirs.cpu:.4f}", f"{theirs.cpu / max(ours.cpu, 1e-6):.1f}"]
    cells += [f"{ours.peak / 1024:.1f}", f"{theirs.peak / 1024:.1f}"]
    cells += [f"{theirs.peak / ours.peak:.1f}", row.same]
    return f"| {' | '.join(cells)} |"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [shape.name for shape in SHAPES]
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--shapes", default=",".join(names), help=f"of {', '.join(names)}")
    parser.add_argument(
        "--output", type=Path, help="default: docs/performance.md if all shapes were run"
    )
    args = parser.parse_args()
    args.build = args.build.absolute()
    unknown = set(args.shapes.split(",")) - set(names)
    if unknown:
        parser.error(f"no such shape: {', '.join(sorted(unknown))}")
    return args


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
    rows = []
    for shape in SHAPES:
        if shape.name in args.shapes.split(","):
            rows.append(run_shape(shape, args, linkers))
            print_row(rows[-1])
    output = args.output
    if not output and len(rows) == len(SHAPES):
        output = REPOSITORY / "docs" / "performance.md"
    if output and "nvlink" in linkers:
        output.write_text(document(rows, args, linkers))
        print(f"wrote {output}")
    return 1 if any(row.same == "DIFFERENT" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
