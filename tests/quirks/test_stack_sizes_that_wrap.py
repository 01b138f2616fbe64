"""A stack size that no record can hold is recorded as unknown.

nvlink 13.0.88 adds the frames of a path modulo 2^32. Here it records a stack of 15 bytes."""

from __future__ import annotations

import struct
from pathlib import Path

from cubin import Cubin, read_cubin
from quirk_link import REPOSITORY, link

FOLDER = REPOSITORY / "tests" / "golden" / "stack-size-of-deepest-path"
FRAME_SIZE, MIN_STACK_SIZE, SIZED = 0x11, 0x12, 4
UNKNOWN = 0xFFFFFFFF


def value_offsets(cubin: Cubin, code: int) -> dict[str, int]:
    """Finds the records in .nv.info that have this code. Returns a map from function names to the
    offsets of the records' values."""
    data, found, at = bytes(cubin.section(".nv.info").data), {}, 0
    while at < len(data):
        form, found_code, size = struct.unpack_from("<BBH", data, at)
        if form == SIZED and found_code == code:
            found[cubin.symbols[struct.unpack_from("<I", data, at + 4)[0]].name] = at + 8
        at += 4 + (size if form == SIZED else 0)
    return found


def test_a_frame_that_fills_the_field_leaves_no_small_stack(tmp_path: Path) -> None:
    cubin = read_cubin(FOLDER / "a.cubin")
    for offset in value_offsets(cubin, FRAME_SIZE).values():
        struct.pack_into("<I", cubin.section(".nv.info").data, offset, UNKNOWN)
    (tmp_path / "a.cubin").write_bytes(cubin.write())
    result = link(tmp_path, "sm_80", tmp_path / "a.cubin", FOLDER / "b.cubin")
    assert result.status == 0
    output = read_cubin(result.output)
    stacks = value_offsets(output, MIN_STACK_SIZE)
    assert set(stacks) >= {"kernel_a", "kernel_b"}
    for kernel in ("kernel_a", "kernel_b"):
        data = output.section(".nv.info").data
        assert struct.unpack_from("<I", data, stacks[kernel])[0] == UNKNOWN
