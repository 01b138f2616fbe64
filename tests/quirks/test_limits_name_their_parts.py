"""If a memory space is too small for a program, nvlink reports how much the program needs. warpld
also reports which variables and functions use the space."""

from __future__ import annotations

from pathlib import Path

from cubin import SHT_CUDA_CONSTANT0, read_cubin
from quirk_link import REPOSITORY, link

GOLDEN = REPOSITORY / "tests" / "golden"
IN_CONSTANT, ALLOC = 0x80, 2


def notes(messages: str) -> list[str]:
    return [line.split(": ", 1)[1] for line in messages.splitlines() if " note " in line]


def test_shared_memory(tmp_path: Path) -> None:
    folder = GOLDEN / "too-much-shared-memory"
    result = link(tmp_path, "sm_80", folder / "a.cubin")
    found = [note for note in notes(result.messages) if " bytes " in note]
    assert [note.split("'")[0] for note in found] == [
        *["30000 bytes for "] * 2,
        "60000 bytes are 10848 too many; use --enable-extended-smem=true, which allows 166912 "
        "bytes, or dynamic "
        "shared memory with cudaFuncAttributeMaxDynamicSharedMemorySize",
    ]
    assert "'half'" in found[1]


def test_constants_of_two_files(tmp_path: Path) -> None:
    folder = GOLDEN / "too-much-constant-data"
    result = link(tmp_path, "sm_80", folder / "a.cubin", folder / "b.cubin")
    assert [line.split(" in ")[0] for line in notes(result.messages)] == [
        "40000 bytes for 'first'",
        "40000 bytes for 'second'",
        "80000 bytes are 14464 more than the 65536 that fit; declare large tables __device__ const "
        "instead of __constant__",
    ]


def test_only_the_largest_parts(tmp_path: Path) -> None:
    cubin = read_cubin(GOLDEN / "local-memory-by-symbols" / "b.cubin")
    sizes = [5000 + 100 * i for i in range(15)]
    kind = SHT_CUDA_CONSTANT0 + 4
    section = cubin.add_section(".nv.constant4", kind, ALLOC, bytes(sum(sizes)))
    for i, size in enumerate(sizes):
        cubin.add_symbol(f"part{i}", section, sum(sizes[:i]), size, other=IN_CONSTANT)
    object_file = tmp_path / "a.cubin"
    object_file.write_bytes(cubin.write())
    found = notes(link(tmp_path, "sm_80", object_file).messages)
    assert len(found) == 12
    assert found[0].startswith(f"{sizes[-1]} bytes for 'part14' in ")
    assert found[-2] == "... and 5 more"
