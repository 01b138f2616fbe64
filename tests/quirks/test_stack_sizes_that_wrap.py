"""A stack size that no record can hold is recorded as unknown.

nvlink 13.0.88 adds the frames of a path modulo 2^32. Here it records a stack of 15 bytes."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from cubin import Cubin, read_cubin
from quirk_link import REPOSITORY, Link, link

FOLDER = REPOSITORY / "tests" / "golden" / "stack-size-of-deepest-path"
FRAME_SIZE, MIN_STACK_SIZE, SIZED = 0x11, 0x12, 4
UNKNOWN = 0xFFFFFFFF
CALLEES_OF_A = 256  # bytes of stack, for the deepest call of kernel_a


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


def link_with_frames(folder: Path, frames: dict[str, int], name: str = "warpld") -> Link:
    """Links the objects of the golden link, with other frame sizes for the kernels in `frames`."""
    cubin = read_cubin(FOLDER / "a.cubin")
    offsets = value_offsets(cubin, FRAME_SIZE)
    for kernel, size in frames.items():
        struct.pack_into("<I", cubin.section(".nv.info").data, offsets[kernel], size)
    (folder / "a.cubin").write_bytes(cubin.write())
    result = link(folder, "sm_80", folder / "a.cubin", FOLDER / "b.cubin", name=name)
    assert result.status == 0
    return result


def warning(kernel: str) -> str:
    return (
        f"warpld warning : Stack size for entry function '{kernel}' cannot be statically "
        "determined\n"
    )


def test_a_frame_that_fills_the_field_leaves_no_small_stack(tmp_path: Path) -> None:
    frames = {"kernel_a": UNKNOWN, "kernel_b": UNKNOWN}
    result = link_with_frames(tmp_path, frames)
    assert result.messages == warning("kernel_b") + warning("kernel_a")
    output = read_cubin(result.output)
    stacks = value_offsets(output, MIN_STACK_SIZE)
    for kernel in frames:
        data = output.section(".nv.info").data
        assert struct.unpack_from("<I", data, stacks[kernel])[0] == UNKNOWN
    assert link_with_frames(tmp_path, frames, name="nvlink").messages == ""


@pytest.mark.parametrize("is_too_large", [False, True])
def test_the_largest_stack_that_a_record_holds(is_too_large: bool, tmp_path: Path) -> None:
    frame = UNKNOWN - CALLEES_OF_A - (not is_too_large)
    result = link_with_frames(tmp_path, {"kernel_a": frame})
    assert result.messages == (warning("kernel_a") if is_too_large else "")
