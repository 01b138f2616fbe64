#!/usr/bin/env python3
"""Links cubins and fat binaries in memory and prints the resources of the kernels:

link_in_memory.py LIBWARPLD.so ARCH OUT.cubin INPUT..."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import warpld_ctypes as warpld


class LinkError(Exception):
    """Raised if a link fails. The arguments are its messages."""


def link(library: ctypes.CDLL, arch: str, inputs: dict[str, bytes]) -> tuple[bytes, list[str]]:
    """Links the inputs. Returns the cubin, and a line of text about each kernel."""
    messages: list[str] = []

    def take(_: int, diagnostic: ctypes._Pointer[warpld.Diagnostic]) -> None:
        messages.append(diagnostic.contents.text.decode(errors="replace"))

    callback = warpld.DiagnosticCallback(take)  # referenced until the link is destroyed
    options = warpld.Options(size=ctypes.sizeof(warpld.Options), diagnostic=callback)
    handle = ctypes.POINTER(warpld.Link)()
    if library.warpld_create(options, handle) != warpld.OK:
        raise LinkError(*messages)
    try:
        library.warpld_set_option(handle, b"arch", arch.encode())
        for name, data in inputs.items():
            library.warpld_add_memory(handle, name.encode(), data, len(data))
        if library.warpld_run(handle) != warpld.OK:
            raise LinkError(*messages)
        return output_of(library, handle), kernels_of(library, handle)
    finally:
        library.warpld_destroy(handle)


def output_of(library: ctypes.CDLL, handle: ctypes._Pointer[warpld.Link]) -> bytes:
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    if library.warpld_output(handle, data, size) != warpld.OK:
        raise LinkError("there is no output")
    return ctypes.string_at(data, size.value)


def kernels_of(library: ctypes.CDLL, handle: ctypes._Pointer[warpld.Link]) -> list[str]:
    lines: list[str] = []
    kernel = warpld.Kernel(size=ctypes.sizeof(warpld.Kernel))
    while library.warpld_get_kernel(handle, len(lines), kernel) == warpld.OK:
        lines.append(
            f"{kernel.name.decode()}: {kernel.registers} registers, "
            f"{kernel.stack_bytes} bytes of stack, {kernel.shared_bytes} bytes of shared memory"
        )
    return lines


def main() -> int:
    path, arch, output, *inputs = sys.argv[1:]
    library = ctypes.CDLL(path)
    warpld.declare(library)
    try:
        cubin, lines = link(library, arch, {name: Path(name).read_bytes() for name in inputs})
    except LinkError as error:
        print(*error.args, sep="\n", file=sys.stderr)
        return 1
    Path(output).write_bytes(cubin)
    print(*lines, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
