#!/usr/bin/env python3
"""Makes a random program from a seed and an index; as a command, writes its PTX files.

usage: generate.py [--profile base|full] [--arch LIST] [--without LIST] SEED INDEX FOLDER
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Collection, Sequence
from pathlib import Path

import features_blackwell  # noqa: F401  (registers its features)
import features_calls  # noqa: F401
import features_code  # noqa: F401
import features_data  # noqa: F401
import features_debug  # noqa: F401
import features_errors  # noqa: F401
import features_kernels  # noqa: F401
import features_linkage  # noqa: F401
import features_memory  # noqa: F401
import features_mismatches  # noqa: F401
import features_textures  # noqa: F401
from features_linkage import UNADDRESSED
from builder import DEBUG, ERROR, FEATURES, FOCUS, FULL, PROFILES, Builder, Feature
from link_options import LINK_OPTIONS, PRESERVE, draw_link_options
from program import Function, Module, Program

DEFAULT_ARCHES = ("sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a")
# Fraction of programs that both linkers must refuse, and how many mistakes each has.
ERROR_FRACTION = 0.12
MISTAKES = (1, 1, 2, 3, 4, 5)
VERSIONS = ("7.8", "8.0", "8.0", "8.4", "9.0")
TARGETS = (75, 80, 86, 87, 88, 89, 90, 100, 120)
# If all files are for these targets, nvlink changes instructions (relocation types 68 and 69,
# docs/format/relocations.md).
OLD_TARGETS = (52, 60, 61)
OLD = "old-target"
# The targets below sm_100 that PTX 7.8 does not know, and the first PTX version that knows each.
LOWEST_VERSIONS = {88: "9.0"}


def generate(
    seed: int,
    index: int,
    arches: Sequence[str] = DEFAULT_ARCHES,
    profile: str = FULL,
    without: Collection[str] = (),
    link_options: Collection[str] = tuple(LINK_OPTIONS),
    versions: Sequence[str] = VERSIONS,
    targets: Sequence[int] = TARGETS,
) -> Program:
    """The program with the number `index` of a seed. The same arguments give the same program.

    The PTX version of each file is one of `versions`. Its target is one of `targets`, but not above
    the architecture of the program. The program is linked with some of `link_options`."""
    rng = random.Random(f"{seed}-{index}")
    builder = Builder(rng, rng.choice(arches), profile, without)
    make_modules(builder, versions, targets)
    make_skeleton(builder)
    for chosen in draw_features(builder):
        chosen.build(builder)
    if rng.random() < ERROR_FRACTION:
        make_mistakes(builder)
    program = builder.program
    program.link_order = [module.name for module in program.modules]
    rng.shuffle(program.link_order)
    kernels = [function.name for _, function in builder.functions() if function.is_kernel]
    program.link_options = draw_link_options(rng, kernels, profile == DEBUG, link_options)
    if has_repeated_static_functions(builder) and PRESERVE in program.link_options:
        program.link_options.remove(PRESERVE)
    return program


def has_repeated_static_functions(builder: Builder) -> bool:
    """Whether several static functions share a name. nvlink then lists the resolved relocations of
    all these functions in the section of the first one, at offsets past its end. Such an output
    cannot be compared (docs/quirks/relocatable.md)."""
    names = [function.name for _, function in builder.functions() if function.linkage == "static"]
    return len(names) != len(set(names))


def make_mistakes(builder: Builder) -> None:
    wrong = [f for f in FEATURES.values() if f.profile == ERROR and f.name not in builder.without]
    for mistake in builder.rng.sample(wrong, min(len(wrong), builder.rng.choice(MISTAKES))):
        mistake.build(builder)


def make_modules(builder: Builder, versions: Sequence[str], targets: Sequence[int]) -> None:
    rng = builder.rng
    mixed_targets = builder.chance(0.3)
    mixed_levels = builder.chance(0.3)
    lower = [t for t in targets if t <= builder.arch_number]
    old = [t for t in OLD_TARGETS if t <= builder.arch_number]
    has_old = builder.chance(0.15) and builder.arch_number < 100 and OLD not in builder.without
    for index in range(rng.choice((1, 2, 2, 3, 3, 4, 5, 6))):
        target = builder.arch
        if mixed_targets:
            target = f"sm_{rng.choice(lower)}"
        if has_old and old and builder.chance(0.9):
            target = f"sm_{rng.choice(old)}"
        newest = builder.arch_number >= 100 or builder.arch[-1] in "af"
        version = max(versions) if newest else rng.choice(versions)
        version = max(version, LOWEST_VERSIONS.get(int(target[3:5]), "7.8"))
        options = (rng.choice(("-O0", "-O1", "-O2", "-O3")),) if mixed_levels else ()
        if builder.chance(0.03):
            options += ("-maxrregcount=40",)
        module = Module("abcdef"[index] + ".ptx", version, target, options)
        builder.program.modules.append(module)
    modules = builder.program.modules
    if has_old:
        builder.program.module_features.add(OLD)
    if len({m.target for m in modules}) > 1:
        builder.program.module_features.add("mixed-target")
    if len({m.options for m in modules}) > 1:
        builder.program.module_features.add("mixed-optimisation")


def make_skeleton(builder: Builder) -> None:
    """Adds kernels and device functions to all files, with a random call graph without cycles."""
    rng = builder.rng
    functions = []
    for _ in range(rng.choice((0, 1, 2, 3, 4, 6, 8, 12))):
        linkage = rng.choice(("visible", "visible", "visible", "static"))
        module = builder.module()
        name = builder.new_name("fn")
        function = builder.add_function(module, name, f"{linkage}-function", linkage)
        functions.append((module, function))
    for _ in range(rng.choice((1, 1, 2, 3, 4, 5, 8))):
        kernel = Function(builder.new_name("kernel"), "kernel", "visible", None)
        module = builder.module()
        builder.insert(module, kernel)
        builder.add_arithmetic(kernel)
        connect(builder, module, kernel, functions)
    for index, (module, function) in enumerate(functions):
        connect(builder, module, function, functions[index + 1 :])


def connect(
    builder: Builder, module: Module, caller: Function, candidates: list[tuple[Module, Function]]
) -> None:
    """Adds calls from `caller` to up to four of the candidates that it can refer to."""
    allowed = [(m, f) for m, f in candidates if builder.visible(module, f)]
    wanted = min(len(allowed), builder.rng.choice((0, 1, 1, 2, 2, 4)))
    for callee_module, callee in builder.rng.sample(allowed, wanted):
        where = "call-same-file" if callee_module is module else "call-other-file"
        builder.add_call(caller, callee, where)


def draw_features(builder: Builder) -> list[Feature]:
    """Draws the features of a program. Programs differ in how many features they tend to have."""
    density = builder.rng.choice((0.3, 0.7, 1.0, 1.6))
    chosen: list[Feature] = []
    for candidate in FEATURES.values():
        if not candidate.suits(builder.profile, builder.arch_number):
            continue
        if candidate.name in builder.without:
            continue
        while builder.chance(candidate.chance * density) and chosen.count(candidate) < 3:
            chosen.append(candidate)
    builder.rng.shuffle(chosen)
    if builder.chance(0.5):
        # Features that make unusual functions come first, so that others can add code to these.
        chosen.sort(key=lambda candidate: candidate.name not in FOCUS)
    chosen.sort(key=lambda candidate: candidate.name == UNADDRESSED)
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("index", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--profile", choices=tuple(PROFILES), default=FULL)
    parser.add_argument("--arch", default=",".join(DEFAULT_ARCHES))
    parser.add_argument("--without", default="", help="features to leave out")
    args = parser.parse_args()
    arches = tuple(args.arch.split(","))
    without = tuple(args.without.split(","))
    program = generate(args.seed, args.index, arches, args.profile, without)
    args.folder.mkdir(parents=True, exist_ok=True)
    for module in program.modules:
        (args.folder / module.name).write_text(program.render(module))
    print(f"{program.arch}: {' '.join(program.link_order)}")
    print("features:", " ".join(sorted(program.features())))


if __name__ == "__main__":
    main()
