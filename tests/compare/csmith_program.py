"""Random C programs that csmith writes. They are divided among files, and clang compiles them to
PTX.

csmith writes functions, structures and tables of addresses that the other generators never make,
and clang compiles them to forms of PTX that nvcc does not write. Each definition is put into a
random file, and some weak definitions into two files. Some programs consist of two programs of
csmith, whose names get different suffixes.

A file that csmith writes has types, variables, prototypes and functions in this order, under
headings. Each variable is one line.
"""

from __future__ import annotations

import dataclasses
import functools
import random
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from link_options import draw_link_options
from source import Source

HEADINGS = re.compile(
    r"Struct/Union Declarations --- \*/(?P<types>.*)/\* --- GLOBAL VARIABLES --- \*/(?P<data>.*)"
    r"/\* --- FORWARD DECLARATIONS --- \*/(?P<prototypes>.*)/\* --- FUNCTIONS --- \*/(?P<code>.*)",
    re.DOTALL,
)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FUNCTION_RULE = re.compile(r"/\* -{40,} \*/\n")
NAMES = re.compile(r"\b(func_\d+|g_\d+|main|[SU]\d+)\b")
RUNTIME = Path(__file__).resolve().parent / "csmith_runtime.h"
KERNEL = "__attribute__((nvptx_kernel)) void start_{suffix}(void) {{ main_{suffix}(); }}\n"
WEAK, NOT_INLINED = "__attribute__((weak)) ", "__attribute__((noinline)) "
CLANG_TARGETS = {"sm_90a": "sm_90"}  # clang has the same names for the others
OPTIMISATION = ("-O0", "-O1", "-O2", "-O3", "-Os")
CSMITH_SECONDS, CSMITH_ATTEMPTS = 30, 20
WEAK_FRACTION, NOT_INLINED_FRACTION, DEBUG_FRACTION, PAIR_FRACTION = 0.15, 0.4, 0.2, 0.3
FEATURES = ("weak-function", "weak-variable", "weak-in-two-files", "two-programs", "debug")


@dataclass(frozen=True)
class Definition:
    """A variable or a function of one of csmith's programs, and the one or two files that have
    it."""

    number: int
    suffix: str
    text: str
    attribute: str
    files: tuple[str, ...]
    is_function: bool


@dataclass(frozen=True)
class Part:
    """One of csmith's programs: the suffix of its names, and the text with which its files
    begin."""

    suffix: str
    head: str


@dataclass(frozen=True)
class CsmithProgram:
    arch: str
    clang: str
    parts: tuple[Part, ...]
    definitions: tuple[Definition, ...]
    options: dict[str, tuple[str, str]]  # for each file, options of clang and of ptxas
    link_order: list[str]
    link_options: list[str] = field(default_factory=list)

    def features(self) -> set[str]:
        weak = [d for d in self.definitions if d.attribute == WEAK]
        found = {"weak-function" if d.is_function else "weak-variable" for d in weak}
        found |= {"weak-in-two-files" for d in weak if len(d.files) > 1}
        found |= {"two-programs"} if len(self.parts) > 1 else set()
        found |= {"debug"} if any("-g" in ptxas for _, ptxas in self.options.values()) else set()
        found |= {option for clang, _ in self.options.values() for option in clang.split()}
        return found | {f"option {option.partition('=')[0]}" for option in self.link_options}

    def sources(self) -> list[Source]:
        """The sources in link order, as PTX. clang has already compiled them, so that `Compiler`
        has to run ptxas only."""
        target = CLANG_TARGETS.get(self.arch, self.arch)
        return [
            Source(
                f"{name}.ptx",
                compile_c(self.clang, target, self.options[name][0], self.render(name)),
                tuple(self.options[name][1].split()),
            )
            for name in self.link_order
        ]

    def render(self, file: str) -> str:
        lines = [f'#include "{RUNTIME.name}"']
        if file == min(self.link_order):
            lines.append("uint64_t checksum;")
        for part in self.parts:
            here = [d for d in self.definitions if d.suffix == part.suffix and file in d.files]
            if here:
                lines += [part.head, *(d.attribute + d.text for d in here)]
        return "\n".join(lines) + "\n"


@functools.lru_cache(maxsize=256)
def compile_c(clang: str, target: str, options: str, text: str) -> str:
    command = [clang, "--target=nvptx64-nvidia-cuda", f"-march={target}", "-S", "-x", "c"]
    command += ["-ffreestanding", "-w", f"-I{RUNTIME.parent}", "-isystem/usr/include/csmith"]
    command += ["-Xclang", "-target-feature", "-Xclang", "+ptx78", *options.split()]
    done = subprocess.run([*command, "-", "-o", "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[:2000]}")
    return done.stdout


def run_csmith(rng: random.Random) -> re.Match[str]:
    """Runs csmith in a temporary folder, because it writes a file into its current folder. For some
    seeds csmith never ends; then the next seed is tried."""
    command = ["csmith", "--no-argc", "--max-block-depth", "3"]
    command += ["--max-funcs", str(rng.randint(3, 14))]
    command += ["--max-expr-complexity", str(rng.randint(3, 8))]
    command += rng.sample(("--no-volatiles", "--no-bitfields", "--const-pointers"), 1)
    seed = rng.getrandbits(30)
    for attempt in range(CSMITH_ATTEMPTS):
        words = [*command, "--seed", str(seed + attempt)]
        with tempfile.TemporaryDirectory(prefix="csmith-") as folder:
            try:
                done = subprocess.run(
                    words, cwd=folder, capture_output=True, text=True, timeout=CSMITH_SECONDS
                )
            except subprocess.TimeoutExpired:
                continue
        found = HEADINGS.search(done.stdout)
        if done.returncode == 0 and found:
            return found
    raise RuntimeError(f"{' '.join(words)}: no program of the expected form")


def draw_part(rng: random.Random, suffix: str) -> tuple[Part, list[tuple[str, bool]]]:
    """Lets csmith write a program. Returns it as a part, and its definitions as pairs: the text of
    the definition, and whether it defines a function."""
    found = run_csmith(rng)

    def own(text: str) -> str:
        return NAMES.sub(rf"\1_{suffix}", COMMENT.sub("", text))

    variables = [line.strip().removeprefix("static ") for line in own(found["data"]).splitlines()]
    variables = [line for line in variables if line.endswith(";") and " = " in line]
    head = [own(found["types"]), *(f"extern {line.partition(' = ')[0]};" for line in variables)]
    head += [re.sub(r"\b(static|inline) ", "", own(found["prototypes"]))]
    head += [f"int main_{suffix}(void);"]
    code = found["code"].partition("#ifdef")[0]
    functions = [own(text).strip() for text in FUNCTION_RULE.split(code)[1:]]
    functions = [re.sub(r"^(static |inline )+", "", text) for text in functions]
    functions.append(KERNEL.format(suffix=suffix))
    definitions = [(line, False) for line in variables]
    definitions += [(text, True) for text in functions if text]
    return Part(suffix, "\n".join(head)), definitions


def draw_attribute(rng: random.Random, text: str, is_function: bool) -> str:
    if "nvptx_kernel" in text or text.startswith("const "):
        return ""
    if rng.random() < WEAK_FRACTION:
        return WEAK
    return NOT_INLINED if is_function and rng.random() < NOT_INLINED_FRACTION else ""


def draw_options(rng: random.Random, files: list[str]) -> dict[str, tuple[str, str]]:
    """Draws the options of clang and of ptxas for each file. With -g, neither tool optimises,
    because ptxas -g requires code that clang did not optimise."""
    if rng.random() < DEBUG_FRACTION:
        return dict.fromkeys(files, ("-O0 -g", "-g -O0"))
    return {
        name: (rng.choice(OPTIMISATION), rng.choice(("-O3", "-O3", "-O2", "-O1", "-O0")))
        for name in files
    }


def generate_csmith(seed: int, index: int, arches: Sequence[str], clang: str) -> CsmithProgram:
    """The program with the number `index` of a seed. The same arguments and the same versions of
    the tools give the same program."""
    rng = random.Random(f"csmith-{seed}-{index}")
    files = list("abcdef"[: rng.choice((2, 2, 3, 4, 6))])
    parts: list[Part] = []
    definitions: list[Definition] = []
    for suffix in ("p", "q")[: 2 if rng.random() < PAIR_FRACTION else 1]:
        part, texts = draw_part(rng, suffix)
        parts.append(part)
        for text, is_function in texts:
            attribute = draw_attribute(rng, text, is_function)
            copies = rng.choice((1, 2)) if attribute == WEAK else 1
            homes = tuple(rng.sample(files, copies))
            number = len(definitions)
            definitions.append(Definition(number, suffix, text, attribute, homes, is_function))
    kernels = [f"start_{part.suffix}" for part in parts]
    return CsmithProgram(
        rng.choice(arches),
        clang,
        tuple(parts),
        tuple(definitions),
        draw_options(rng, files),
        rng.sample(files, len(files)),
        draw_link_options(rng, kernels),
    )


# Functions that the shrinker calls for a program --------------------------------------------------


def steps(program: CsmithProgram) -> list[tuple[str, str | int]]:
    found: list[tuple[str, str | int]] = [("option", o) for o in program.link_options]
    found += [("file", name) for name in program.link_order]
    found += [("definition", d.number) for d in program.definitions]
    return found


def without(program: CsmithProgram, dropped: Sequence[tuple[str, str | int]]) -> CsmithProgram:
    gone = set(dropped)
    return dataclasses.replace(
        program,
        definitions=tuple(d for d in program.definitions if ("definition", d.number) not in gone),
        link_order=[name for name in program.link_order if ("file", name) not in gone],
        link_options=[o for o in program.link_options if ("option", o) not in gone],
    )
