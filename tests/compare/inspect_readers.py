"""Checks that `cubintool resources`, `explain`, `size` and `symbols` agree with NVIDIA's readers.

    tests/compare/inspect_readers.py [-n COUNT] [FILE...]

Without FILE, it checks COUNT of the cubins below tests/ and, if nvcc is on the PATH, programs and
libraries that it compiles. For each file it checks that
- the resources are those of `cuobjdump -res-usage`, and the registers those in nvdisasm's listing;
- the explanation of each kernel agrees with the table of resources;
- the sizes add up to the size of the file, and each kernel has a symbol.
It looks for cuobjdump and nvdisasm on the PATH. They are in the Python packages
nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm.

Known differences between the readers, which count as agreement:
- cuobjdump prints no stack for device functions, and reads their registers from the code section,
  which does not contain them from sm_90 on;
- cuobjdump prints 0 for a stack that recursion makes unlimited;
- cuobjdump ignores the relocatable code in programs that also contain linked code;
- nvdisasm prints the registers of code sections. These can be fewer than those of the attributes,
  if another definition of the function, or a function that it calls, needs more.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from diff_pairs import CUBINTOOL, PROGRAM, REPOSITORY


def run(*words: object) -> str | None:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, errors="replace")
    return done.stdout if done.returncode == 0 else None


def theirs(text: str) -> Counter[tuple[Any, ...]]:
    """For each function that cuobjdump prints: name, registers, stack, shared memory, and the sizes
    of constant banks 0 and 2."""
    found: Counter[tuple[Any, ...]] = Counter()
    for name, line in re.findall(r"^ Function (\S+):\n  (.*)$", text, re.M):
        values = {key: int(value) for key, value in re.findall(r"(\S+):(-?\d+)", line)}
        banks = tuple(values.get(f"CONSTANT[{bank}]", 0) for bank in (0, 2))
        stack = values.get("STACK", 0)
        found[(name, values["REG"], stack, values["SHARED"], *banks)] += 1
    return found


def ours(file: dict[str, Any], comparable: dict[str, int]) -> Counter[tuple[Any, ...]]:
    """The values of `theirs`, from `cubintool resources`. For device functions, values that
    cuobjdump cannot read are 0, as cuobjdump prints them."""
    found: Counter[tuple[Any, ...]] = Counter()
    for function in file["functions"]:
        name = re.sub(r"\[\d+\]$", "", function["name"])
        stack = 0 if function["stack"] == "unlimited" else function["stack"] or 0
        registers = function["registers"] or 0
        if function["kind"] != "kernel":
            stack, registers = 0, registers if comparable.get(name, 0) else 0
        banks = tuple(function.get(f"constant{bank}", 0) for bank in (0, 2))
        found[(name, registers, stack, function["shared"], *banks)] += 1
    return found


def check_resources(path: Path, file: dict[str, Any]) -> list[str]:
    text = run("cuobjdump", "-res-usage", path)
    if not text or "Resource usage" not in text:
        return []
    expected = theirs(text)
    mine = ours(file, {name: registers for name, registers, *_ in expected})
    return [] if mine == expected else [f"resources: {mine - expected} != {expected - mine}"]


def check_registers(path: Path, file: dict[str, Any]) -> list[str]:
    """Compares the registers with those in nvdisasm's listing, which has them only up to sm_89.
    nvdisasm's number can be smaller, for the reason that the head of this file gives."""
    text = run("nvdisasm", "-c", path)
    listed = sorted(map(int, re.findall(r"SHI_REGISTERS=(\d+)", text or "")))
    counts = sorted(f["registers"] or 0 for f in file["functions"])
    agrees = len(listed) == len(counts) and all(a <= b for a, b in zip(listed, counts))
    return [] if not listed or agrees else [f"registers: {counts} != {listed}"]


def check_explanations(path: Path, file: dict[str, Any]) -> list[str]:
    problems = []
    for kernel in [f for f in file["functions"] if f["kind"] == "kernel"][:5]:
        text = run(CUBINTOOL, "explain", "--json", path, kernel["name"])
        if text is None:
            problems.append(f"explain fails for {kernel['name']}")
            continue
        explained = json.loads(text)
        stack = explained["stack"]["rows"][-1]["stack"]
        known = isinstance(kernel["stack"], int)
        if known and stack != kernel["stack"]:
            problems.append(f"stack of {kernel['name']}: {stack} != {kernel['stack']}")
        if len(explained["parameters"]["rows"]) != kernel["parameters"]:
            problems.append(f"parameters of {kernel['name']}")
        rows = explained["shared"]["rows"]
        end = max(
            (row["address"] + row["size"] for row in rows if row["address"] is not None), default=0
        )
        if known and end > kernel["shared"]:
            problems.append(f"shared of {kernel['name']}: {end} > {kernel['shared']}")
    return problems


def check_size(path: Path) -> list[str]:
    text = run(CUBINTOOL, "size", "--json", path)
    total = json.loads(text)["section"][-1]["file"] if text else None
    return [] if total == path.stat().st_size else [f"size: {total}"]


def check_symbols(path: Path, file: dict[str, Any]) -> list[str]:
    text = run(CUBINTOOL, "symbols", "--json", path)
    symbols = json.loads(text)[0]["symbols"] if text else []
    kernels = sum(symbol["kind"].upper() == "K" for symbol in symbols)
    expected = sum(f["kind"] == "kernel" for f in file["functions"])
    return [] if kernels >= expected else [f"symbols: {kernels} kernels, not {expected}"]


def check(path: Path) -> list[str]:
    text = run(CUBINTOOL, "resources", "--json", path)
    if text is None:
        return []  # damaged on purpose, or no cubin
    files = json.loads(text)
    if len(files) != 1 or path.suffix != ".cubin":
        return check_container(path, files)
    (file,) = files
    return [
        *check_resources(path, file),
        *check_registers(path, file),
        *check_explanations(path, file),
        *check_size(path),
        *check_symbols(path, file),
    ]


def check_container(path: Path, files: list[dict[str, Any]]) -> list[str]:
    """Compares the functions of all cubins in a program or library together, because cuobjdump
    prints all of them in one list."""
    text = run("cuobjdump", "-res-usage", path)
    if not text:
        return []
    functions = {f["name"] for file in files for f in file["functions"] if f["kind"] != "kernel"}
    expected: Counter[tuple[Any, ...]] = Counter()
    for (name, registers, *rest), count in theirs(text).items():
        expected[(name, 0 if name in functions else registers, *rest)] += count
    mine: Counter[tuple[Any, ...]] = Counter()
    for file in files:
        mine += ours(file, {})
    return [] if not expected - mine else [f"resources: {mine - expected} != {expected - mine}"]


def compiled(folder: Path) -> list[Path]:
    """Executables, an object and libraries that nvcc makes of a program; none without nvcc."""
    if not shutil.which("nvcc"):
        return []
    (folder / "p.cu").write_text(PROGRAM + "int main() { return 0; }\n")
    arch = ["-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"]
    outputs = []
    for name, options in (
        ("program", ("-rdc=true",)),
        ("whole", ()),
        ("object.o", ("-c", "-rdc=true")),
        ("library.so", ("-shared", "-Xcompiler", "-fPIC")),
        ("library.a", ("-lib", "-rdc=true")),
    ):
        if run("nvcc", *arch, *options, "-o", folder / name, folder / "p.cu") is not None:
            outputs.append(folder / name)
    return outputs


def chosen(count: int) -> list[Path]:
    every = sorted((REPOSITORY / "tests").glob("**/*.cubin"))
    step = max(1, len(every) // count)
    return every[::step][:count]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("-n", type=int, default=200, help="number of cubins")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    missing = [name for name in ("cuobjdump", "nvdisasm") if not shutil.which(name)]
    if missing:
        print(f"needs {' and '.join(missing)} on the PATH", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        files = arguments.files or chosen(arguments.n) + compiled(Path(scratch))
        problems = {path: found for path in files if (found := check(path))}
    for path, found in problems.items():
        print(path, *found, sep="\n  ")
    print(f"{len(files) - len(problems)} of {len(files)} files agree")
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main())
