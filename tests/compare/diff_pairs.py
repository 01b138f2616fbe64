"""Builds pairs of programs with one change each, which `cubintool diff` must name.

The change must be in the first three lines that `cubintool diff` prints.

    tests/compare/diff_pairs.py [--arch sm_90] [--keep FOLDER]

Needs nvcc on the PATH. Each program is compiled as relocatable device code and linked with warpld.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
WARPLD, CUBINTOOL = (REPOSITORY / "build" / name for name in ("warpld", "cubintool"))
LINES = 3

PROGRAM = """
#include <cstdio>
namespace app {
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ float history[16];

template <typename T> __device__ __noinline__ T twice(T value) { return value * 2 + T(1); }

static __device__ __noinline__ float mix(float a, float b) { return a * table[1] + b; }

__device__ __noinline__ float deep(float x, int n)
{
    float row[8];
    for (int i = 0; i < 8; i++)
        row[i] = x * i + n;
    return row[n & 7] + mix(x, n);
}

__global__ void scale(float *data, int n)
{
    __shared__ float tile[64];
    int i = threadIdx.x & 63;
    tile[i] = data[i] * table[i & 3];
    __syncthreads();
    data[i] = deep(tile[63 - i], n) + twice(data[i]);
}

__global__ void count(int *out)
{
    atomicAdd(&counter, 1);
    history[threadIdx.x & 15] = counter;
    out[threadIdx.x] = twice(counter);
}
} // namespace app
"""


@dataclass(frozen=True)
class Pair:
    """One change of the program or of the compiler's options. One of the first lines of `cubintool
    diff` must match the pattern `expected`."""

    name: str
    old: str
    new: str
    expected: str
    options: tuple[str, ...] = ()


KERNEL = "__global__ void scale(float *data, int n)"
PAIRS = (
    Pair("constant contents", "= {1, 2, 3, 4}", "= {1, 2, 3, 5}",
         r"constant variable .*table: cont"),
    Pair("constant size", "table[4]", "table[8]", r"constant variable .*table: size 16 -> 32"),
    Pair("global contents", "counter = 5", "counter = 6", r"global variable .*counter: contents"),
    Pair("global size", "history[16]", "history[32]", r"global variable .*history: size 64 -> 128"),
    Pair("new global", "__device__ int counter", "__device__ int extra = 1; __device__ int counter",
         r"added global variable .*extra: size 4"),
    Pair("shared size", "tile[64]", "tile[128]", r"kernel .*scale.*shared \d+ -> \d+ \(\+256\)"),
    Pair("stack", "row[8]", "row[40]", r"function .*deep.*(frame|stack)"),
    Pair("new kernel", KERNEL, "__global__ void fresh(int *p) { *p = 1; }\n" + KERNEL,
         r"added kernel .*fresh"),
    Pair("removed kernel", "__global__ void count(int *out)", "__device__ void count(int *out)",
         r"removed kernel .*count"),
    Pair("other signature", KERNEL, "__global__ void scale(float *data, unsigned n)",
         r"(added|removed) kernel .*scale\(float\*, (unsigned )?int\)"),
    Pair("launch bounds", KERNEL, KERNEL.replace("void", "void __launch_bounds__(128)"),
         r"kernel .*scale.*(most threads|threads)"),
    Pair("cluster", KERNEL, KERNEL.replace("void", "void __cluster_dims__(2, 1, 1)"),
         r"kernel .*scale.*attribute CTA_PER_CLUSTER"),
    Pair("inlined function", "__noinline__ float mix", "__forceinline__ float mix",
         r"removed function .*mix"),
    Pair("new instance", "twice(data[i])", "twice(data[i]) + float(twice(double(n)))",
         r"added function .*twice<double>"),
    Pair("other callee", "deep(tile[63 - i], n)", "mix(tile[63 - i], n)",
         r"kernel .*scale.*(calls|code)|removed function .*deep"),
    Pair("new barrier", "__syncthreads();", "__syncthreads(); asm volatile(\"bar.sync 3;\");",
         r"kernel .*scale.*barriers \d+ -> \d+"),
    Pair("one instruction", "row[n & 7] +", "row[n & 3] +", r"function .*deep.*instructions"),
    Pair("loop", "i < 8; i++", "i < 6; i++", r"function .*deep"),
    Pair("printf", "atomicAdd(&counter, 1);", "printf(\"%d\", counter);", r"kernel .*count.*"),
    Pair("registers", "", "", r"(kernel|function) .*registers", ("-maxrregcount=20",)),
    Pair("line information", "", "", r"program: debug information no -> lines", ("-lineinfo",)),
    Pair("target", "", "", r"program: target sm_\d+ -> sm_75", ("-arch=sm_75",)),
    Pair("renamed function", "deep(", "depth(", r"(added|removed) function .*dep(th|eep)"),
)  # fmt: skip


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)


def build(folder: Path, source: str, arch: str, options: tuple[str, ...]) -> Path:
    """Compiles and links a source. The files have the same names in each folder, as in two builds
    of one project."""
    folder.mkdir(parents=True)
    (folder / "program.cu").write_text(source)
    given = [option for option in options if option.startswith("-arch=")]
    target = given[0] if given else f"-arch={arch}"
    words = ["-rdc=true", "-cubin", target, *(o for o in options if o not in given)]
    done = run("nvcc", *words, "-o", folder / "program.cubin", folder / "program.cu")
    assert done.returncode == 0, done.stderr
    done = run(WARPLD, target, "-o", folder / "linked.cubin", folder / "program.cubin")
    assert done.returncode == 0, done.stderr
    return folder / "linked.cubin"


def check(pair: Pair, base: Path, folder: Path, arch: str) -> str | None:
    """Returns what is wrong with the output of `cubintool diff` for a pair; None if one of its
    lines is as expected."""
    if pair.old and pair.old not in PROGRAM:
        return f"the program has no {pair.old}"
    source = PROGRAM.replace(pair.old, pair.new) if pair.old else PROGRAM
    other = build(folder / pair.name.replace(" ", "-"), source, arch, pair.options)
    lines = run(CUBINTOOL, "diff", base, other).stdout.splitlines()[:LINES]
    if any(re.search(pair.expected, line) for line in lines):
        return None
    return f"expected {pair.expected}, got\n  " + "\n  ".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--arch", default="sm_90", help="target of the programs")
    parser.add_argument("--keep", type=Path, help="build in this folder and keep it")
    arguments = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        base = build(folder / "base", PROGRAM, arguments.arch, ())
        for pair in PAIRS:
            problem = check(pair, base, folder, arguments.arch)
            failures += problem is not None
            print(f"{pair.name:20} {problem or 'named'}", flush=True)
    print(f"{len(PAIRS) - failures} of {len(PAIRS)} changes are named in the first {LINES} lines")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
