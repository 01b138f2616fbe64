"""Writes to stderr which linker made a cubin. check_clients.py reads these lines."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

OURS, NVIDIA = "warpld", "NVIDIA"
TOOL_NOTE = b"warpld"
LIBRARY_SECTION = b".warpld.nvjitlink"


def note_maker(cubin: bytes) -> None:
    """Writes which linker made a cubin of CUDA 13. warpld names itself in the cubin's tool note."""
    print("maker", OURS if TOOL_NOTE in cubin else NVIDIA, file=sys.stderr)


def note_library(function: int) -> None:
    """Writes which library contains the function at this address."""
    print("maker", maker_of_library(function), file=sys.stderr)


@functools.cache
def maker_of_library(function: int) -> str:
    for line in Path("/proc/self/maps").read_text().splitlines():
        first, last = (int(address, 16) for address in line.split()[0].split("-"))
        if first <= function < last:
            content = Path(line.split(maxsplit=5)[5]).read_bytes()
            return OURS if LIBRARY_SECTION in content else NVIDIA
    raise ValueError("an address of no library")
