"""Makes an archive of host objects whose device code is compressed, as nvcc writes them, and host
objects of programs that use the archive."""

from __future__ import annotations

import subprocess
from pathlib import Path

from objects import ARCHITECTURE, OWN, number, substituted

KERNELS = 3  # number of kernels in each member of the archive
USED = 10  # number of kernels of the archive that each program launches
CODE = "__nv_relfatbin"  # the section of a host object that holds its device code

MEMBER = """
#define KERNEL(n) \\
  extern "C" __global__ void kernel_##n##_{own}(unsigned *out, unsigned seed) {{ \\
    unsigned x = threadIdx.x + seed; \\
    _Pragma("unroll") for (int i = 0; i < 48; i++) {{ \\
      x = x * 1664525u + 1013904223u * (i + n); \\
      out[x % 64 + i] += x ^ x >> 7; \\
    }} \\
  }}
KERNEL(0) KERNEL(1) KERNEL(2)
"""


def compile_host(folder: Path, name: str, text: str, *options: str) -> Path:
    source, output = folder / f"{name}.cu", folder / f"{name}.o"
    source.write_text(text)
    words = [f"-arch={ARCHITECTURE}", *options, str(source), "-o", str(output)]
    subprocess.run(["nvcc", *words], check=True)
    return output


def compressed_member(folder: Path, host: bytes, cubin: bytes, index: int) -> Path:
    """Writes a host object with compressed device code, as nvcc does without -no-compress."""
    image, code = folder / "image.cubin", folder / "image.fatbin"
    image.write_bytes(substituted(cubin, index))
    words = f"--image3=kind=elf,sm={ARCHITECTURE.removeprefix('sm_')},file={image}"
    options = ["-64", "--device-c", "--compress-all", f"--create={code}", words]
    subprocess.run(["fatbinary", *options], check=True)
    member = folder / f"member_{number(index)}.o"
    member.write_bytes(substituted(host, index))
    subprocess.run(["objcopy", f"--update-section={CODE}={code}", member], check=True)
    return member


def host_archive(folder: Path, count: int) -> Path:
    text = MEMBER.format(own=OWN)
    name = f"template_{OWN}"
    host = compile_host(folder, name, text, "-dc", "-no-compress").read_bytes()
    cubin = compile_host(folder, name, text, "-rdc=true", "-cubin").read_bytes()
    members = [compressed_member(folder, host, cubin, index) for index in range(count)]
    path = folder / "libmembers.a"
    path.unlink(missing_ok=True)
    subprocess.run(["ar", "qc", path, *members], check=True)
    for member in members:
        member.unlink()
    return path


def used(index: int, count: int) -> list[str]:
    """The names of the kernels that program number `index` launches. The kernels are in different
    members of the archive, which has `count` members."""
    members = [(index * 37 + use * 101) % count for use in range(USED)]
    return [f"kernel_{(index + use) % KERNELS}_{number(at)}" for use, at in enumerate(members)]


def programs(folder: Path, count: int, members: int) -> list[Path]:
    """Makes `count` host objects. Each object contains a kernel, and launches this kernel and ten
    kernels of the archive. Different objects launch different kernels of the archive."""
    places = [f"kernel_{use}_{'U' * len(OWN)}" for use in range(USED)]
    text = "".join(
        f'extern "C" __global__ void {place}(unsigned *, unsigned);\n' for place in places
    )
    text += f"__global__ void own_{OWN}(unsigned *p) {{ *p = threadIdx.x; }}\n"
    text += f"void launch_{OWN}(unsigned *p) {{ own_{OWN}<<<1, 1>>>(p);\n"
    text += "".join(f"{place}<<<1, 1>>>(p, 1);\n" for place in places) + "}\n"
    template = compile_host(folder, f"program_{OWN}", text, "-dc", "-no-compress").read_bytes()
    made = []
    for index in range(count):
        program = substituted(template, index)
        for place, name in zip(places, used(index, members), strict=True):
            program = program.replace(place.encode(), name.encode())
        made.append(folder / f"program_{number(index)}.o")
        made[-1].write_bytes(program)
    return made
