"""The kinds of link that are timed, with the functions that make their inputs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from objects import (
    ARCHITECTURE,
    KERNEL,
    OWN,
    OTHER,
    call,
    compile_ptx,
    declaration,
    function,
    kernel_objects,
    number,
    substituted,
    write_copies,
)


@dataclass(frozen=True)
class Shape:
    """A kind of link. To time another kind, add a row to SHAPES."""

    name: str
    about: str  # description, in which {n} stands for the size
    sizes: tuple[int, ...]
    make: Callable[[Path, int], list[Path]]
    options: tuple[str, ...] = ()
    largest_for_nvlink: int | None = None  # the largest size that nvlink links in a minute
    repeats: int = 1  # number of links that are timed together, if one is too short to time
    programs: tuple[str, ...] = ("ptxas",)  # the programs that the function `make` needs


def many_objects(folder: Path, n: int) -> list[Path]:
    """Objects of 15 KB, with three kernels, three functions, and variables in global and shared
    memory."""
    return kernel_objects(folder, n, 3, 40)


def small_objects(folder: Path, n: int) -> list[Path]:
    return kernel_objects(folder, n - 1, 1, 2)


def large_objects(folder: Path, n: int) -> list[Path]:
    return kernel_objects(folder, n, 20, 60)


def one_object(folder: Path, n: int) -> list[Path]:
    text = "".join(
        function(f"function_{i}", f"    mul.lo.u32 %r0, %r0, {i + 3};") for i in range(n)
    )
    path = folder / "functions.cubin"
    path.write_bytes(compile_ptx(text, folder))
    return [path]


FUNCTIONS_OF_CHAIN = 100


def chain(folder: Path, n: int) -> list[Path]:
    """A chain of calls: each function calls the next one. The last function of an object calls the
    first one of the next object."""
    last = f"link_0_{OTHER}"
    text = declaration(last)
    for i in reversed(range(FUNCTIONS_OF_CHAIN)):
        callee = f"link_{i + 1}_{OWN}" if i + 1 < FUNCTIONS_OF_CHAIN else last
        text += function(f"link_{i}_{OWN}", call(callee))
    paths = write_copies(folder, compile_ptx(text, folder), n // FUNCTIONS_OF_CHAIN)
    end = folder / "end.cubin"
    text = function(f"link_0_{number(len(paths))}", "    add.u32 %r0, %r0, 1;")
    text += declaration(f"link_0_{number(0)}")
    text += KERNEL.format(name="kernel", body=call(f"link_0_{number(0)}"))
    end.write_bytes(compile_ptx(text, folder))
    return [*paths, end]


CALLEES = 1000


def every_call(folder: Path, n: int) -> list[Path]:
    names = [f"callee_{i}" for i in range(CALLEES)]
    functions = folder / "functions.cubin"
    body = "    add.u32 %r0, %r0, 1;"
    functions.write_bytes(compile_ptx("".join(function(name, body) for name in names), folder))
    text = "".join(declaration(name) for name in names)
    text += KERNEL.format(name=f"kernel_{OWN}", body="".join(call(name) for name in names))
    return [*write_copies(folder, compile_ptx(text, folder), n // CALLEES), functions]


SYMBOLS_OF_OBJECT = 1000


def symbols(folder: Path, n: int) -> list[Path]:
    text = "".join(
        f".visible .global .align 4 .u32 variable_{i}_{OWN};\n" for i in range(SYMBOLS_OF_OBJECT)
    )
    return write_copies(folder, compile_ptx(text, folder), n // SYMBOLS_OF_OBJECT)


def sections(folder: Path, n: int) -> list[Path]:
    """Objects with 100 functions each. A function has two sections: its code and its attributes."""
    text = "".join(
        function(f"function_{i}_{OWN}", f"    mul.lo.u32 %r0, %r0, {i + 3};") for i in range(100)
    )
    return write_copies(folder, compile_ptx(text, folder), n // 200)


def archive(folder: Path, n: int) -> list[Path]:
    """An archive of host objects. Only ten of them contain device code."""
    host = folder / "host.c"
    host.write_text(f"int host_{OWN}(int i) {{ return i + 1; }}\n")
    subprocess.run(["gcc", "-c", host, "-o", folder / "host.o"], check=True)
    device = folder / "device.cu"
    device.write_text(f"__device__ int device_{OWN}(int i) {{ return i * 3; }}\n")
    options = [f"-arch={ARCHITECTURE}", "-dc", "-no-compress"]
    subprocess.run(["nvcc", *options, device, "-o", folder / "device.o"], check=True)
    plain, fat = (folder / "host.o").read_bytes(), (folder / "device.o").read_bytes()
    members = [folder / f"member_{number(index)}.o" for index in range(n)]
    for index, member in enumerate(members):
        member.write_bytes(substituted(plain if index % (n // 10) else fat, index))
    path = folder / "libmembers.a"
    path.unlink(missing_ok=True)
    subprocess.run(["ar", "qc", path, *members], check=True)
    for member in members:
        member.unlink()
    return [path]


def compressed(folder: Path, n: int) -> list[Path]:
    paths = []
    for cubin in kernel_objects(folder, n, 3, 40):
        paths.append(cubin.with_suffix(".fatbin"))
        image = f"--image3=kind=elf,sm={ARCHITECTURE.removeprefix('sm_')},file={cubin}"
        options = ["-64", "--compress-all", f"--create={paths[-1]}", image]
        subprocess.run(["fatbinary", *options], check=True)
        cubin.unlink()
    return paths


MEGABYTES_OF_OBJECT = 64


def data(folder: Path, n: int) -> list[Path]:
    words = MEGABYTES_OF_OBJECT << 18
    text = f".visible .global .align 4 .u32 data_{OWN}[{words}] = {{1, 2, 3}};\n"
    return write_copies(folder, compile_ptx(text, folder), n // MEGABYTES_OF_OBJECT)


DEBUG_SOURCE = """
template <int N> struct Vector {{
    float part[N];
    __device__ float sum() const {{ float s = 0; for (float p : part) s += p; return s; }}
}};
{functions}
extern "C" __global__ void kernel_{own}(float *out, int n) {{ *out = {sum}; }}
"""


def debug(folder: Path, n: int) -> list[Path]:
    count = 40
    function_text = (
        'extern "C" __device__ float f{i}_{own}(int n) {{ Vector<{i} + 1> v;'
        " for (float &p : v.part) p = n * {i}; return v.sum(); }}"
    )
    functions = "\n".join(function_text.format(i=i, own=OWN) for i in range(count))
    total = " + ".join(f"f{i}_{OWN}(n)" for i in range(count))
    source, cubin = folder / "debug.cu", folder / "debug.cubin"
    source.write_text(DEBUG_SOURCE.format(functions=functions, own=OWN, sum=total))
    options = [f"-arch={ARCHITECTURE}", "-rdc=true", "-cubin", "-G"]
    subprocess.run(["nvcc", *options, source, "-o", cubin], check=True)
    return write_copies(folder, cubin.read_bytes(), n)


NVCC = ("ptxas", "nvcc")

SHAPES = [
    Shape("tiny", "{n} objects of 6 KB", (3,), small_objects, repeats=200),
    Shape("large", "{n} objects of 20 kernels each", (3,), large_objects, repeats=20),
    Shape(
        "objects",
        "{n} objects of 15 KB",
        (1000, 3000, 7000, 30000),
        many_objects,
        largest_for_nvlink=7000,
    ),
    Shape("functions", "one object with {n} functions", (1500, 6000), one_object, ("-g",)),
    Shape("chain", "functions in a chain of {n} calls", (25_000, 100_000), chain),
    Shape("calls", f"{{n}} calls to {CALLEES:,} functions", (250_000, 1_000_000), every_call),
    Shape("symbols", "{n} global variables", (50_000, 200_000), symbols),
    Shape("sections", "functions with {n} sections", (17_500, 70_000), sections, ("-g",)),
    Shape(
        "archive",
        "an archive of {n} members, ten with device code",
        (1250, 5000),
        archive,
        programs=("ptxas", "nvcc", "gcc", "ar"),
    ),
    Shape(
        "compressed",
        "{n} compressed fat binaries",
        (250, 1000),
        compressed,
        programs=("ptxas", "fatbinary"),
    ),
    Shape("data", "{n} MiB of initialised data", (256, 1024), data),
    Shape("debug", "{n} objects compiled with -G", (50, 200), debug, ("-g",), programs=NVCC),
]
