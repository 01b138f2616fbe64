"""Options of the linker that some of the programs are linked with."""

from __future__ import annotations

import random
from collections.abc import Callable

from builder import DEBUG
from program import Function, Program

Draw = Callable[[random.Random, list[str]], str]


def kernels_used(rng: random.Random, kernels: list[str]) -> str:
    """Whole names, beginnings that fit several kernels, and words that fit none."""
    words = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(kernels or ["none"])
        words.append(rng.choice((name, name, name[: rng.randint(3, len(name))], "nothing")))
    return f"-kernels-used={','.join(words)}"


def plain(option: str) -> Draw:
    return lambda rng, kernels: option


# Option, fraction of the programs that are linked with it, how its text is made.
LINK_OPTIONS: dict[str, tuple[float, Draw]] = {
    "-g": (0.12, plain("-g")),
    "-v": (0.2, plain("-v")),
    "-kernels-used": (0.1, kernels_used),
    "-Werror": (0.1, plain("-Werror")),
    "-suppress-stack-size-warning": (0.1, plain("-suppress-stack-size-warning")),
}
DEBUG_FRACTION = 0.6  # of -g, where debug information is what is compared


def draw_link_options(rng: random.Random, program: Program, profile: str, allowed) -> list[str]:
    kernels = [
        item.name
        for module in program.modules
        for item in module.of_type(Function)
        if item.is_kernel
    ]
    found = []
    for option, (fraction, draw) in LINK_OPTIONS.items():
        wanted = DEBUG_FRACTION if option == "-g" and profile == DEBUG else fraction
        text = draw(rng, kernels)
        if rng.random() < wanted and option in allowed:
            found.append(text)
    return found

