#!/usr/bin/env python3
"""Links random programs with and without options about constants, and compares what the code reads.

The options are --merge-constants and --remove-unused-constants. Half of the programs come from
generate.py. The others are full of equal literals, jump tables, and constants with and without
users. Each program is linked without the options, with either one, and with both.
constant_operands.py says what is compared.

Exit status 0 if nothing is wrong, else 1.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from builder import FULL
from constant_operands import USER_BANK, check_constants, parse_graph
from constant_program import make_program
from cubin import read_cubin
from generate import generate
from harness import argument_parser, find_tools
from toolchain import CompileError, Compiler, Generated, run

ARCHES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100")
MERGE, REMOVE = "--merge-constants", "--remove-unused-constants"
CHOICES = ((MERGE,), (REMOVE,), (MERGE, REMOVE))
LINK_OPTIONS = ("--force-rela", "--reserve-null-pointer")


@dataclass
class Outcome:
    index: int
    arch: str
    result: str = "same meaning"
    wrong: list[str] = field(default_factory=list)
    effects: Counter[str] = field(default_factory=Counter)


def draw(seed: int, index: int, arches: tuple[str, ...]) -> Generated:
    if index % 2:
        return generate(
            seed, index, arches=arches, profile=FULL, without=(), link_options=LINK_OPTIONS
        )
    return make_program(random.Random(f"constants {seed}-{index}"), arches)


def sizes(path: Path, prefix: str) -> int:
    return sum(len(s.data) for s in read_cubin(path).sections if s.name.startswith(prefix))


def check_choice(
    outcome: Outcome,
    command: list[str],
    options: tuple[str, ...],
    folder: Path,
    objects: list[Path],
) -> None:
    graph = run([*command, "--dump-callgraph-no-demangle", "-o", "graph.cubin"], folder)
    done = run([*command, *options, "-o", "changed.cubin"], folder)
    if done.returncode != 0:
        outcome.wrong.append(f"{' '.join(options)}: status {done.returncode}\n{done.stderr}")
        return
    plain, changed = folder / "plain.cubin", folder / "changed.cubin"
    found = check_constants(plain, changed, objects, parse_graph(graph.stderr), REMOVE in options)
    outcome.wrong += [f"{' '.join(options)}: {text}" for text in found]
    for name, prefix in (("literals", ".nv.constant2."), ("variables", USER_BANK)):
        before, after = sizes(plain, prefix), sizes(changed, prefix)
        if before:
            outcome.effects[f"{' '.join(options)}: {name} before"] += before
            outcome.effects[f"{' '.join(options)}: {name} after"] += after


def check_one(index: int, args: argparse.Namespace, ours: Path, compiler: Compiler) -> Outcome:
    program = draw(args.seed, index, tuple(args.arch.split(",")))
    outcome = Outcome(index, program.arch)
    with tempfile.TemporaryDirectory(prefix="constants-") as scratch:
        folder = Path(scratch)
        try:
            objects = compiler.compile_program(program, folder)
        except CompileError as error:
            outcome.result = "not compiled"
            print(f"{args.seed}-{index} {error}")
            return outcome
        command = [str(ours), f"-arch={program.arch}", *program.link_options]
        command += [path.name for path in objects]
        if run([*command, "-o", "plain.cubin"], folder).returncode != 0:
            outcome.result = "refused"
            return outcome
        for options in CHOICES:
            check_choice(outcome, command, options, folder, objects)
    if outcome.wrong:
        outcome.result = "wrong"
    return outcome


def main() -> int:
    args = argument_parser(__doc__, ARCHES).parse_args()
    comparer = find_tools(args, "ptxas")
    if not comparer:
        return 2
    work = functools.partial(
        check_one, args=args, ours=comparer.ours, compiler=Compiler(args.cache)
    )
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        outcomes = list(pool.map(work, range(args.first, args.first + args.count)))
    effects: Counter[str] = Counter()
    for outcome in outcomes:
        effects += outcome.effects
        for text in outcome.wrong[:4]:
            print(f"{args.seed}-{outcome.index} {outcome.arch} {outcome.result}: {text}")
    for name, value in sorted(effects.items()):
        print(f"{name:70}{value:10} bytes")
    for result, count in Counter(o.result for o in outcomes).most_common():
        print(f"{result:20}{count:6}")
    return 1 if any(o.wrong for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
