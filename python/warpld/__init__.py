"""The open CUDA device linker: links relocatable device code (cubins, fat binaries, host objects,
archives, PTX, LTO-IR) into one executable cubin, and reads what cubins contain.

    import warpld

    cubin = warpld.link(["a.cubin", "b.cubin"], arch="sm_90")
    for kernel in warpld.inspect(cubin).kernels:
        print(kernel.name, kernel.registers, "registers")

link() and Library use libwarpld in this process, without the GIL. Links that need compilers of CUDA
are an exception: for PTX and link-time optimisation, link() runs the command warpld, which finds
the compilers.
"""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from .diagnostics import Diagnostic, LinkError, LinkWarning
from .inspection import Function, Image, InspectError, Inspection, Symbol, inspect
from .linking import Library, link
from .native import version
from .nvjitlink import nvjitlink_path, preload
from .programs import program_path

__version__ = version()
__all__ = [
    "Diagnostic",
    "Function",
    "Image",
    "InspectError",
    "Inspection",
    "Library",
    "LinkError",
    "LinkWarning",
    "Symbol",
    "inspect",
    "link",
    "nvjitlink_path",
    "preload",
    "program_path",
    "version",
]
