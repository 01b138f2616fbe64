"""Random multi-file CUDA C++ programs, put together from the texts in templates/.

A template is a .cu file of sections, each begun by a line `//# ...`:

    //# needs 80        lowest architecture
    //# chance 0.1      how often it is used, relative to other templates; 1 by default
    //# header          text for every file of the program: declarations
    //# file            text for one file, which is chosen at random for each such section

In the text, `$n` becomes the number of the instance, and `$(a|b|c)` becomes one of the alternatives
(the same one for equal lists in one instance). `$calls` becomes calls of other instances'
functions. An instance can be called if its template defines `int f$n(int x)`. Instances only call
earlier ones, so programs contain no other recursion than the one inside a template.

An instance uses nothing of another instance but its function f$n, so the shrinker can drop any
instance.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from link_options import draw_link_options
from source import VIRTUAL_TARGET, Source

TEMPLATES = Path(__file__).resolve().parent / "templates"
FILE_NAMES = ("a", "b", "c", "d", "e")
TEMPLATE_COUNTS = (2, 4, 7, 10, 14)
OPTIMISATION = ("-Xptxas=-O0", "-Xptxas=-O1", "-Xptxas=-O2", "-Xptxas=-O3")
# Further options of nvcc, and the probability of each.
OTHER_OPTIONS = {
    "-use_fast_math": 0.06,
    "-fmad=false": 0.05,
    "-std=c++20": 0.1,
    "-DNDEBUG": 0.05,
    "-maxrregcount=32": 0.03,
    "-maxrregcount=64": 0.03,
}
VIRTUAL_TARGETS = (75, 80, 86, 89, 90)
VIRTUAL_TARGET_FRACTION = 0.12
# Matches the name of a kernel, which follows the kernel's attributes.
KERNEL_NAME = re.compile(r"__global__ void (?:__\w+\([^)]*\) )?(\w+)\(")


@dataclass(frozen=True)
class Template:
    name: str
    lowest_arch: int
    chance: float
    header: str
    parts: tuple[str, ...]

    @property
    def callable(self) -> bool:
        return any("int f$n(int x)" in part for part in self.parts)


def parse_template(path: Path) -> Template:
    sections: list[tuple[str, list[str]]] = []
    lowest_arch, chance = 0, 1.0
    for line in path.read_text().splitlines():
        marker = re.fullmatch(r"//# (\w+) ?([\d.]*)", line)
        if not marker:
            sections[-1][1].append(line)
        elif marker[1] == "needs":
            lowest_arch = int(marker[2])
        elif marker[1] == "chance":
            chance = float(marker[2])
        else:
            sections.append((marker[1], []))
    texts = {kind: ["\n".join(t) for k, t in sections if k == kind] for kind in ("header", "file")}
    return Template(
        path.stem, lowest_arch, chance, "\n".join(texts["header"]), tuple(texts["file"])
    )


def load_templates() -> list[Template]:
    return [parse_template(path) for path in sorted(TEMPLATES.glob("*.cu"))]


@dataclass(frozen=True)
class Instance:
    """An instance of a template: all random choices are made. `calls` has the numbers of the
    instances that it calls."""

    number: int
    feature: str
    callable: bool
    header: str
    parts: tuple[tuple[str, str], ...]  # name of the file, text
    calls: tuple[int, ...] = ()

    def kernels(self) -> list[str]:
        """The names of the instance's kernels. They are part of the mangled names."""
        return [name for _, text in self.parts for name in KERNEL_NAME.findall(text)]


def draw_instance(
    rng: random.Random, template: Template, number: int, files: list[str]
) -> Instance:
    draws: dict[str, str] = {}

    def choose(match: re.Match[str]) -> str:
        return draws.setdefault(match[1], rng.choice(match[1].split("|")))

    def fill(text: str) -> str:
        # Alternatives may contain calls, so nested parentheses do not end a list of alternatives.
        return re.sub(r"\$\(((?:[^()]|\([^()]*\))*)\)", choose, text).replace("$n", str(number))

    homes = rng.sample(files, min(len(files), len(template.parts)))
    parts = tuple((homes[i % len(homes)], fill(part)) for i, part in enumerate(template.parts))
    return Instance(number, template.name, template.callable, fill(template.header), parts)


@dataclass(frozen=True)
class CppProgram:
    arch: str
    instances: tuple[Instance, ...]
    options: dict[str, tuple[str, ...]]  # options of nvcc for each file
    link_order: list[str]
    link_options: list[str] = field(default_factory=list)

    def features(self) -> set[str]:
        found = {instance.feature for instance in self.instances}
        for options in self.options.values():
            found |= {option.replace("-Xptxas=", "") for option in options}
        return found | {f"option {option.partition('=')[0]}" for option in self.link_options}

    def sources(self) -> list[Source]:
        """The sources in link order."""
        return [Source(f"{n}.cu", self.render(n), self.options[n]) for n in self.link_order]

    def render(self, file: str) -> str:
        present = {i.number for i in self.instances if i.callable}
        texts = [(i, text) for i in self.instances for home, text in i.parts if home == file]
        includes: list[str] = []
        bodies: list[str] = []
        for instance, text in texts:
            calls = " ".join(f"x += f{n}(x);" for n in instance.calls if n in present)
            for line in text.replace("$calls", calls).splitlines():
                (includes if line.startswith("#include") else bodies).append(line)
        lines = list(dict.fromkeys(includes))
        lines += [f"__device__ int f{n}(int x);" for n in sorted(present)]
        lines += [i.header for i in self.instances if i.header]
        return "\n".join([*lines, *bodies]) + "\n"


def generate_cpp(
    seed: int,
    index: int,
    arches: Sequence[str],
    without: Collection[str] = (),
    templates: list[Template] | None = None,
) -> CppProgram:
    """The program with the number `index` of a seed. The same arguments give the same program."""
    rng = random.Random(f"cpp-{seed}-{index}")
    arch = rng.choice(arches)
    number = int(re.sub(r"\D", "", arch))
    known = [
        t
        for t in templates or load_templates()
        if t.lowest_arch <= number and t.name not in without
    ]
    files = list(FILE_NAMES[: rng.choice((2, 2, 3, 3, 4, 5))])
    count = rng.choice(TEMPLATE_COUNTS)
    chosen = rng.choices(known, [t.chance for t in known], k=count)
    instances = [draw_instance(rng, t, n, files) for n, t in enumerate(chosen)]
    connect(rng, instances)
    instances += make_kernels(rng, instances, files)
    link_order = rng.sample(files, len(files))
    kernels = [name for instance in instances for name in instance.kernels()]
    lowest = max([t.lowest_arch for t in chosen])
    return CppProgram(
        arch,
        tuple(instances),
        draw_options(rng, files, [v for v in VIRTUAL_TARGETS if lowest <= v < number]),
        link_order,
        draw_link_options(rng, kernels or ["kernel"]),
    )


def connect(rng: random.Random, instances: list[Instance]) -> None:
    for i, instance in enumerate(instances):
        earlier = [other.number for other in instances[:i] if other.callable]
        calls = rng.sample(earlier, min(len(earlier), rng.choice((0, 0, 1, 2))))
        instances[i] = dataclasses.replace(instance, calls=tuple(calls))


def make_kernels(rng: random.Random, instances: list[Instance], files: list[str]) -> list[Instance]:
    """One to three plain kernels, which call functions of the instances."""
    made = []
    for number in range(len(instances), len(instances) + rng.choice((1, 1, 2, 3))):
        callees = [i.number for i in instances if i.callable]
        calls = tuple(rng.sample(callees, rng.randint(0, len(callees))))
        text = f"__global__ void k{number}(int *out, int x)\n{{\n    $calls\n    out[x] = x;\n}}"
        made.append(Instance(number, "kernel", False, "", ((rng.choice(files), text),), calls))
    return made


def draw_options(
    rng: random.Random, files: list[str], virtual: list[int]
) -> dict[str, tuple[str, ...]]:
    """Random options of nvcc for each file. In half of the programs, all files have the same
    options."""

    def draw() -> tuple[str, ...]:
        debug = rng.random()
        found: tuple[str, ...] = ("-G",) if debug < 0.15 else ()
        if 0.15 <= debug < 0.3:
            found = ("-lineinfo",)
        if not found and rng.random() < 0.3:
            found += (rng.choice(OPTIMISATION),)
        found += tuple(o for o, fraction in OTHER_OPTIONS.items() if rng.random() < fraction)
        if virtual and rng.random() < VIRTUAL_TARGET_FRACTION:
            found += (f"{VIRTUAL_TARGET}{rng.choice(virtual)}",)
        return found

    if rng.random() < 0.5:
        return dict.fromkeys(files, draw())
    return {name: draw() for name in files}


# Functions that the shrinker calls for a program -------------------------------------------------


def steps(program: CppProgram) -> list[tuple[str, str | int]]:
    """Everything that the shrinker can drop: first the link options, then the parts, the largest
    ones first."""
    found: list[tuple[str, str | int]] = [("option", o) for o in program.link_options]
    found += [("file", name) for name in program.link_order]
    found += [("instance", i.number) for i in program.instances]
    found += [("calls", i.number) for i in program.instances if i.calls]
    found += [("options", name) for name in program.link_order if program.options[name]]
    return found


def without(program: CppProgram, dropped: Sequence[tuple[str, str | int]]) -> CppProgram:
    gone = set(dropped)
    order = [name for name in program.link_order if ("file", name) not in gone]
    instances = []
    for instance in program.instances:
        parts = tuple(p for p in instance.parts if ("file", p[0]) not in gone)
        if ("instance", instance.number) in gone or not parts:
            continue
        calls = () if ("calls", instance.number) in gone else instance.calls
        instances.append(dataclasses.replace(instance, parts=parts, calls=calls))
    return dataclasses.replace(
        program,
        instances=tuple(instances),
        options={f: () if ("options", f) in gone else program.options[f] for f in order},
        link_order=order,
        link_options=[o for o in program.link_options if ("option", o) not in gone],
    )
