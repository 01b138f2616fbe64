"""The memory limit of a link includes all that its threads read and unpack."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path

import pytest
from container_files import CUBIN, FATBIN_MAGIC, FLAG_64_BIT, FLAG_ALWAYS, padded
from library_link import GOOD_INPUT, LIBRARY, Link
from warpld_ctypes import ERROR_MEMORY, OK, Statistics

FLAG_LZ4 = 0x2000


def length(size: int) -> bytes:
    """The bytes that follow the token in an LZ4 block. They encode `size`, the part of a length
    that exceeds the token's largest value."""
    return b"\xff" * (size // 255) + bytes([size % 255])


def large_when_unpacked(size: int) -> bytes:
    """A fat binary whose only image is compressed with LZ4. The unpacked image is a cubin, followed
    by zeros up to `size` bytes."""
    last, least_match, full = 12, 4, 15
    start = GOOD_INPUT.read_bytes() + b"\0"
    zeros = size - len(start) - last
    packed = b"\xff" + length(len(start) - full) + start + b"\1\0"
    packed += length(zeros - least_match - full) + bytes([last << 4]) + bytes(last)
    header = struct.pack(
        "<HHIQIIHHIIIQQQ",
        CUBIN, 0x0101, 0x40, len(padded(packed)), len(packed), 0, 8, 1, 80, 0, 0,
        FLAG_64_BIT | FLAG_ALWAYS | FLAG_LZ4, 0, size,
    )  # fmt: skip
    content = header + padded(packed)
    return struct.pack("<IHHQ", FATBIN_MAGIC, 1, 16, len(content)) + content


def memory_of(link: Link) -> int:
    statistics = Statistics(size=ctypes.sizeof(Statistics))
    assert LIBRARY.warpld_get_statistics(link.handle, statistics) == OK
    return int(statistics.memory)


@pytest.mark.parametrize("threads", [1, 4])
def test_unpacked_code_counts_for_the_memory_limit(threads: int) -> None:
    fat, limit = large_when_unpacked(1 << 20), 100 << 20
    with Link() as link:
        link.set("arch", "sm_80")
        link.set("threads", str(threads))
        link.set("memory-limit", str(limit))
        for _ in range(160):
            LIBRARY.warpld_add_memory(link.handle, b"large.fatbin", fat, len(fat))
        assert link.run() == ERROR_MEMORY
        assert limit // 2 < memory_of(link) <= limit


@pytest.mark.parametrize("threads", [1, 4])
def test_all_threads_that_read_files_have_one_limit(tmp_path: Path, threads: int) -> None:
    """The files have 16 MB, twice the limit. If each of four threads had this limit for itself, it
    could read its quarter of the files, and no memory would run out."""
    path, limit = tmp_path / "padded.fatbin", 8 << 20
    path.write_bytes(large_when_unpacked(1 << 20).ljust(32000, b"\0"))
    with Link() as link:
        link.set("arch", "sm_80")
        link.set("threads", str(threads))
        link.set("memory-limit", str(limit))
        for _ in range(500):
            link.add_file(path)
        assert link.run() == ERROR_MEMORY
        assert limit // 4 < memory_of(link) <= limit
