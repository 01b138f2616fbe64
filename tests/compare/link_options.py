"""Options of the linker. Each one is used in a fraction of the links."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection

Draw = Callable[[random.Random, list[str]], str]


def kernels_used(rng: random.Random, kernels: list[str]) -> str:
    """The option -kernels-used with random values: names of kernels, beginnings of names, and a
    word that matches no kernel."""
    words = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(kernels or ["none"])
        beginning = name[: rng.randint(min(3, len(name)), len(name))]
        words.append(rng.choice((name, name, beginning, "nothing")))
    return f"-kernels-used={','.join(words)}"


def variables_used(rng: random.Random, kernels: list[str]) -> str:
    """The option -variables-used with random values: beginnings of the names that the generator
    gives to variables, and a word that matches no variable."""
    words = rng.sample(("gv", "cv", "static_var", "weak", "nothing"), rng.randint(1, 3))
    return f"-variables-used={','.join(words)}"


def plain(option: str) -> Draw:
    return lambda rng, kernels: option


PRESERVE = "--preserve-relocs"
# Option, fraction of the programs that are linked with it, and the function that makes its text.
LINK_OPTIONS: dict[str, tuple[float, Draw]] = {
    "-g": (0.12, plain("-g")),
    "-v": (0.2, plain("-v")),
    "-kernels-used": (0.1, kernels_used),
    "-variables-used": (0.07, variables_used),
    "-Werror": (0.1, plain("-Werror")),
    "-suppress-stack-size-warning": (0.1, plain("-suppress-stack-size-warning")),
    "-dump-callgraph": (0.1, plain("-dump-callgraph")),
    "--reserve-null-pointer": (0.06, plain("--reserve-null-pointer")),
    "--disable-smem-reservation": (0.06, plain("--disable-smem-reservation=true")),
    "--force-rela": (0.06, plain("--force-rela")),
    PRESERVE: (0.08, plain(PRESERVE)),
}
# Fraction of the programs with -g in runs that compare debug information.
DEBUG_FRACTION = 0.6


def draw_link_options(
    rng: random.Random,
    kernels: list[str],
    debug: bool = False,
    allowed: Collection[str] = tuple(LINK_OPTIONS),
) -> list[str]:
    found = []
    for option, (fraction, draw) in LINK_OPTIONS.items():
        wanted = DEBUG_FRACTION if option == "-g" and debug else fraction
        text = draw(rng, kernels)
        if rng.random() < wanted and option in allowed:
            found.append(text)
    return found
