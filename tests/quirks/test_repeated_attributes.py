"""nvlink 13.0.88 counts the records of some attributes, where it should count the functions that
have such a record."""

from __future__ import annotations

import struct
from pathlib import Path

from cubin import read_cubin
from quirk_link import REPOSITORY, link

FOLDER = REPOSITORY / "tests" / "golden" / "sections-of-unknown-types"
SPARSE_MMA_MASK, HALF, SIZED = 80, 3, 4


def masks(output: Path, function: str) -> list[int]:
    data = bytes(read_cubin(output).section(f".nv.info.{function}").data)
    found, at = [], 0
    while at < len(data):
        form, code, value = struct.unpack_from("<BBH", data, at)
        at += 4 + (value if form == SIZED else 0)
        if code == SPARSE_MMA_MASK:
            found.append(value)
    return found


def test_masks_of_one_function_do_not_hide_those_of_others(tmp_path: Path) -> None:
    """If there are as many records as the link has functions, nvlink fails with "entry_info was
    null", or assigns no mask to the functions without a record."""
    cubin = read_cubin(FOLDER / "a.cubin")
    for bit in range(8):
        record = struct.pack("<BBH", HALF, SPARSE_MMA_MASK, 1 << bit)
        cubin.section(".nv.info.near").data += record
    (tmp_path / "a.cubin").write_bytes(cubin.write())
    result = link(tmp_path, "sm_80", tmp_path / "a.cubin", FOLDER / "b.cubin")
    assert result.status == 0, result.messages
    assert masks(result.output, "away") == masks(result.output, "third") == [0x8000]
    assert masks(result.output, "first") == [0x80FF]
