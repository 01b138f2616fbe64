"""Random CUDA programs whose host code registers kernels and variables with the runtime.

A program consists of units. A unit is a group of files whose device code is linked at once: the
program itself, a static or a shared library with its own device link, or a static library that the
program's device link reads. The device code of each file refers to the next file of its unit. Each
file also has a host function, which main calls in some programs: from a static library, the host
linker takes only the files whose functions are called.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

TARGETS = ((80,), (90,), (80, 90), (75, 86, 100))
KINDS = ("library", "shared", "archive", "archive input")
COMPRESSIONS = ("", "", "size", "none")
# Options with which the host program is linked. Each is used in a fraction of the programs.
HOST_FLAGS = ("-no-pie", "-pie", "-static", "-Wl,--gc-sections", "-O2")
Draw = Callable[[random.Random, str], str]


def plain(text: str) -> Draw:
    """Returns a function that makes a declaration or definition from the text: it replaces `NAME`
    with a name and `SIZE` with a random number."""
    return lambda rng, name: text.replace("NAME", name).replace("SIZE", str(rng.randint(1, 40)))


# What a file can define. A static kernel is registered only if the host's code starts it.
ENTITIES: dict[str, Draw] = {
    "kernel": plain("__global__ void NAME(int *p) { *p += SIZE; }"),
    "two kernels": plain(
        "__global__ void NAME(int *p) { *p = 1; }\n__global__ void NAME(char *p) { *p = 2; }"
    ),
    "kernel in C": plain('extern "C" __global__ void NAME(int *p) { *p += SIZE; }'),
    "static kernel": plain(
        "static __global__ void NAME(int *p) { *p = SIZE; }\n"
        "void NAME_start(int *p) { NAME<<<1, 1>>>(p); }"
    ),
    "unused static kernel": plain("static __global__ void NAME(int *p) { *p = SIZE; }"),
    "template": plain(
        "template <int N, class T> __global__ void NAME(T *p) { *p = N; }\n"
        "template __global__ void NAME<SIZE, int>(int *);\n"
        "void NAME_start(float *p) { NAME<7><<<1, 1>>>(p); }"
    ),
    "kernel in a namespace": plain(
        "namespace NAME_space { namespace { __global__ void NAME(int *p) { *p = SIZE; } }\n"
        "void start(int *p) { NAME<<<1, 1>>>(p); } }"
    ),
    "variable": plain("__device__ int NAME[SIZE];"),
    "initialised variable": plain("__device__ double NAME = SIZE;"),
    "constant": plain("__constant__ short NAME[SIZE];"),
    "managed variable": plain("__managed__ float NAME[SIZE];"),
    "static variable": plain(
        "static __device__ int NAME[SIZE];\n__global__ void NAME_k(int *p) { *p = ++NAME[0]; }"
    ),
    "static constant": plain(
        "static __constant__ int NAME;\n__global__ void NAME_k(int *p) { *p = NAME; }"
    ),
    "static managed variable": plain("static __managed__ int NAME[SIZE];"),
    "constant of C++": plain(
        "extern const __device__ int NAME;\nconst __device__ int NAME = SIZE;"
    ),
    "inline variable": plain("inline __device__ int NAME = SIZE;"),
    "shared kernel": plain(  # the same in all files that have it
        "template <class T> __global__ void common(T *p) { *p = 1; }\n"
        "void NAME_start(int *p) { common<<<1, 1>>>(p); }"
    ),
    "texture object": plain(
        "__global__ void NAME(cudaTextureObject_t t, float *p) { *p = tex1D<float>(t, SIZE); }"
    ),
    "surface object": plain(
        "__global__ void NAME(cudaSurfaceObject_t s) { surf1Dwrite(SIZE, s, 4); }"
    ),
    "launch bounds": plain(
        "__global__ void __launch_bounds__(64) NAME(int *p) { __shared__ int s[SIZE]; "
        "s[0] = *p; *p = s[0]; }"
    ),
    "device function": plain("__device__ int NAME(int x) { return x * SIZE; }"),
    "nothing": plain(""),
}


@dataclass(frozen=True)
class File:
    name: str
    text: str
    is_called: bool


@dataclass(frozen=True)
class Unit:
    """The files of one device link."""

    kind: str
    name: str
    files: tuple[File, ...]


@dataclass
class RegistrationProgram:
    targets: tuple[int, ...]
    units: list[Unit]
    is_arm: bool
    compression: str
    host_flags: list[str]
    with_lld: bool
    features: set[str] = field(default_factory=set)

    def main(self) -> str:
        called = [f.name for unit in self.units for f in unit.files if f.is_called]
        lines = [f"void {name}(void);" for name in called]
        calls = " ".join(f"{name}();" for name in called)
        return "\n".join([*lines, f"int main(void) {{ {calls} }}\n"])


def draw_file(rng: random.Random, name: str, next_name: str, features: set[str]) -> File:
    """A random file. One in eight has no kernel and no variable."""
    kinds = rng.sample(list(ENTITIES), rng.choice((1, 2, 3, 5)))
    features.update(kinds)
    lines = [ENTITIES[kind](rng, f"{name}_{i}") for i, kind in enumerate(kinds)]
    lines += [
        f"__device__ int {next_name}_f(int x);",
        f"__device__ int {name}_f(int x) {{ return x + {rng.randint(1, 9)}; }}",
        f"__global__ void {name}_k(int *p) {{ *p = {next_name}_f(*p); }}",
    ]
    if rng.random() < 0.125:
        features.add("file without kernels")
        lines = [f"__device__ int {name}_f(int x) {{ return x; }}"]
    lines.append(f"void {name}(void) {{ }}")
    return File(name, "\n".join(lines) + "\n", rng.random() < 0.6)


def draw_unit(rng: random.Random, kind: str, number: int, features: set[str]) -> Unit:
    names = [f"u{number}{letter}" for letter in "abcd"[: rng.choice((1, 2, 3))]]
    pairs = zip(names, [*names[1:], names[0]], strict=True)
    files = [draw_file(rng, name, following, features) for name, following in pairs]
    rng.shuffle(files)
    features.add(kind)
    return Unit(kind, f"u{number}", tuple(files))


def generate(seed: int, index: int) -> RegistrationProgram:
    """The program with the number `index` of a seed. The same arguments give the same program."""
    rng = random.Random(f"registrations {seed} {index}")
    features: set[str] = set()
    kinds = ["program", *rng.choices(KINDS, k=rng.choice((0, 1, 1, 2)))]
    units = [draw_unit(rng, kind, number, features) for number, kind in enumerate(kinds)]
    flags = [flag for flag in HOST_FLAGS if rng.random() < 0.25]
    if any(unit.kind == "shared" for unit in units) and "-static" in flags:
        flags.remove("-static")
    program = RegistrationProgram(
        rng.choice(TARGETS),
        units,
        rng.random() < 0.15,
        rng.choice(COMPRESSIONS),
        flags,
        rng.random() < 0.2,
        features,
    )
    program.features |= {f"host {flag}" for flag in flags}
    program.features |= {"lld"} if program.with_lld else set()
    program.features |= {"aarch64"} if program.is_arm else set()
    return program
