#!/usr/bin/env python3
"""Compares warpld with nvlink in random links of objects that nvcc compiled from overlay/programs/.

Each source is compiled with random options for several targets. A link takes some of the objects in
random order: as they are, in archives, in thin archives, in archives that are named with -l, or
joined by ld -r. It may also have objects for the host alone, objects of whole programs, objects
that were linked before, and options that nvcc passes. Output, messages and the file of
--register-link-binaries must be the same. Instead of an object that ld -r joined, nvlink is given
its parts, because it would link only the first of them.

Exit status 0 if there is no difference, else 1. Differing links are kept in the folder --keep.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import conftest  # noqa: F401
from toolkit import BUILD, PROGRAMS, run, toolkit

# Maps options of nvcc to the targets for which an object compiled with these options can be linked.
TARGETS = {
    "-gencode=arch=compute_80,code=sm_80": ("80", "86"),
    "-gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_86,code=sm_86": ("75", "86"),
    "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90": ("80", "86", "90"),
    "-gencode=arch=compute_80,code=compute_80": ("90",),
    "-gencode=arch=compute_86,code=[sm_86,compute_86]": ("86", "90"),
}
OPTIONS = ("", "", "-lineinfo", "-G", "-Xptxas=-O1", "-Xptxas=-O0", "-O0", "-std=c++20")
# Options of the linker. -Werror is left out, because nvlink forgets it after it has compiled PTX.
LINK_OPTIONS = (
    "-g",
    "-v",
    "-report-arch",
    "-ignore-host-info",
    "-extrawarn",
    "-keep-system-libraries",
    "-kernels-used=fill,child",
    "--shared",
)
SLOW_TO_COMPILE = ("cub",)
VARIANTS = 4
MESSAGES = ("nvlink warning", "nvlink error", "nvlink fatal", "nvlink info")


@dataclass(frozen=True)
class Object:
    path: Path
    targets: tuple[str, ...]


def sources() -> list[Path]:
    return [p for p in sorted(PROGRAMS.glob("*/*.cu")) if p.parent.name not in SLOW_TO_COMPILE]


def compile_source(source: Path, rng: random.Random, folder: Path, number: int) -> Object:
    target = rng.choice(list(TARGETS))
    name = folder / f"{source.parent.name}-{source.stem}-{number}.o"
    words = ["nvcc", "-dc", *target.split(), *rng.choice(OPTIONS).split()]
    run([*words, source, "-o", name], folder)
    return Object(name, TARGETS[target])


def compile_all(seed: int, folder: Path, jobs: int) -> dict[Path, list[Object]]:
    found: dict[Path, list[Object]] = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        work = []
        for source in sources():
            for number in range(VARIANTS):
                rng = random.Random(f"{seed}{source.stem}{number}")
                work.append((source, pool.submit(compile_source, source, rng, folder, number)))
        for source, future in work:
            found.setdefault(source, []).append(future.result())
    return found


def make_others(folder: Path) -> dict[str, Path]:
    """Compiles an object with host code only, and an object of a whole program."""
    (folder / "host.cpp").write_text("int host_only() { return 1; }\n")
    (folder / "whole.cu").write_text("__global__ void whole_program(int *out) { *out = 1; }\n")
    run(["g++", "-c", "host.cpp"], folder)
    run(["nvcc", "-c", "-arch=sm_80", "whole.cu"], folder)
    return {"host": folder / "host.o", "whole": folder / "whole.o"}


@dataclass
class Line:
    """A link, with the arguments for each linker."""

    rng: random.Random
    folder: Path
    target: str
    theirs: list[str] = field(default_factory=list)
    ours: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    joined: bool = False

    def add(self, *words: str, parts: list[str] | None = None) -> None:
        self.ours += words
        self.theirs += parts or words

    def archive(self, objects: list[str], index: int) -> None:
        name = f"lib{index}.a"
        run(["ar", self.rng.choice(("rcs", "rcS", "rcsT")), name, *objects], self.folder)
        if self.rng.random() < 0.4:
            self.libraries.append(f"-l{index}")
        else:
            self.add(*[name] * self.rng.choice((1, 1, 1, 2)))

    def join(self, objects: list[str], index: int) -> None:
        """Joins objects with ld -r. Whole programs and objects with host code only are not joined:
        if one of them is a separate input, the link keeps all kernels."""
        if {"host.o", "whole.o"} & set(objects):
            self.add(*objects)
            return
        name = f"joined{index}.o"
        run(["ld", "-r", "-z", "muldefs", *objects, "-o", name], self.folder)
        self.joined = True
        self.add(name, parts=objects)

    def prelink(self, objects: list[str], index: int) -> None:
        """Adds the objects, and an object of nvcc -dlink that contains them in linked form. With
        --register-link-binaries a link leaves out objects that are linked already."""
        name = f"linked{index}.o"
        words = ["nvcc", "-dlink", f"-arch=sm_{self.target}", *objects, "-o", name]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, check=False)
        self.add(*objects, *([name] if done.returncode == 0 else []))

    def pack(self, objects: list[str]) -> None:
        index = 0
        while objects:
            count = self.rng.choice((1, 1, 2, 3))
            part, objects = objects[:count], objects[count:]
            forms = (self.archive, self.archive, self.join, self.prelink)
            if self.rng.random() < 0.5:
                self.add(*part)
            else:
                self.rng.choice(forms)(part, index)
            index += 1


def draw_objects(rng: random.Random, made: dict[Path, list[Object]], target: str) -> list[Path]:
    """Chooses at random one object of nearly every source of a few programs, so that few names are
    undefined."""
    programs = sorted({source.parent for source in made})
    chosen = set(rng.sample(programs, rng.randint(1, min(4, len(programs)))))
    found = []
    for source, objects in made.items():
        if source.parent not in chosen or rng.random() < 0.03:
            continue
        fitting = [o for o in objects if target in o.targets] if rng.random() < 0.97 else objects
        found += [rng.choice(fitting).path] if fitting else []
    rng.shuffle(found)
    return found or draw_objects(rng, made, target)


def make_line(
    seed: str, made: dict[Path, list[Object]], others: dict[str, Path], folder: Path
) -> Line:
    rng = random.Random(seed)
    line = Line(rng, folder, rng.choice(("80", "86", "86", "90", "90")))
    objects = draw_objects(rng, made, line.target)
    objects += [path for path in others.values() if rng.random() < 0.1]
    rng.shuffle(objects)
    for path in objects:
        shutil.copyfile(path, folder / path.name)
    line.pack([path.name for path in objects])
    return line


def options(line: Line) -> list[str]:
    found = ["-m64", f"--arch=sm_{line.target}", "-L.", "-cpu-arch=X86_64"]
    found += [word for word in LINK_OPTIONS if line.rng.random() < 0.07]
    line.rng.shuffle(line.libraries)
    found += line.libraries
    if line.rng.random() < 0.9:
        found += ["--register-link-binaries=register", f"-L{toolkit() / 'lib64'}", "-lcudadevrt"]
    return found


def link(
    linker: str, words: list[str], line: Line, output: str
) -> tuple[int, list[str], str | None]:
    """Runs a linker, which writes `output` to the folder. Returns its exit status, its messages,
    and the file of --register-link-binaries."""
    (line.folder / "register").unlink(missing_ok=True)
    done = subprocess.run(
        [linker, *words, "-o", output], cwd=line.folder, capture_output=True, text=True, check=False
    )
    messages = [text for text in done.stderr.splitlines() if text.startswith(MESSAGES)]
    register = line.folder / "register"
    names = register.read_text() if register.exists() else None
    return (done.returncode, [], None) if line.joined else (done.returncode, messages, names)


def compare(line: Line, words: list[str]) -> tuple[str, str]:
    """Runs both linkers. Returns the result of the comparison, and the first difference."""
    theirs = link("nvlink", [*words, *line.theirs], line, "theirs.cubin")
    (line.folder / "nvlink").symlink_to(BUILD / "warpld")
    ours = link("./nvlink", [*words, *line.ours], line, "ours.cubin")
    if theirs != ours:
        return "different", f"{theirs}\n  {ours}"
    if theirs[0]:
        return "refused by both", ""
    command: list[str | Path] = [
        BUILD / "cubintool",
        "diff",
        "--strict",
        "theirs.cubin",
        "ours.cubin",
    ]
    done = subprocess.run(command, cwd=line.folder, capture_output=True, text=True, check=False)
    return ("different", done.stdout + done.stderr) if done.returncode else ("identical", "")


def keep(line: Line, words: list[str], target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(line.folder, target, symlinks=True)
    texts = [shlex.join([*words, *inputs]) for inputs in (line.theirs, line.ours)]
    (target / "lines").write_text("\n".join(texts) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-n", "--count", type=int, default=100)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=BUILD / "compare-failures")
    args = parser.parse_args()
    results: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="random-links-") as scratch:
        objects = Path(scratch) / "objects"
        objects.mkdir()
        made, others = compile_all(args.seed, objects, args.jobs), make_others(objects)

        def work(index: int) -> tuple[str, str]:
            folder = Path(scratch) / str(index)
            folder.mkdir()
            line = make_line(f"{args.seed}-{index}", made, others, folder)
            words = options(line)
            result, detail = compare(line, words)
            if result == "different":
                keep(line, words, args.keep / f"links-{args.seed}-{index}")
            shutil.rmtree(folder)
            return result, detail

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for index, (result, detail) in enumerate(pool.map(work, range(args.count))):
                results[result] += 1
                if result == "different":
                    print(f"{args.seed}-{index}: {detail[:1500]}", flush=True)
    print("\n".join(f"{name:16} {count}" for name, count in results.most_common()))
    return int(results["different"] > 0)


if __name__ == "__main__":
    sys.exit(main())
