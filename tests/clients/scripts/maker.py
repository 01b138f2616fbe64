"""Notes on stderr which linker made a cubin; check_clients.py reads it."""

from __future__ import annotations

import sys

OURS, NVIDIA = "warpld", "NVIDIA"
TOOL_NOTE = b"warpld"


def note_maker(cubin: bytes) -> None:
    """Ours names itself in the tool note."""
    print("maker", OURS if TOOL_NOTE in cubin else NVIDIA, file=sys.stderr)
