"""Objects of CUDA 12 and of 13 that use tcgen05 reserve different shared memory, and cannot be
linked together."""

from __future__ import annotations

from pathlib import Path

import pytest
from cubin import read_cubin
from linking import OTHER, PROGRAM, Outcome, link

RESERVED, WRITE_ALLOC, SPACE = 0x70000015, 3, 0xA0
PREFIX = "__nv_reservedSMEM_"
NEWER = "tcgen05_partition"
OLDER = (
    "allocation_phase",
    "allocation_mask",
    "tmem_allocation_pipeline_mbarrier",
    "tmem_allocation_pipeline_mbarrier_parity",
)


def with_reserved(source: Path, target: Path, name: str, binding: int = 0) -> Path:
    cubin = read_cubin(source)
    section = cubin.add_section(".nv.shared.reserved.0", RESERVED, WRITE_ALLOC, 16, align=8)
    cubin.add_symbol(PREFIX + name, section, 8, 16, binding=binding, other=SPACE)
    target.write_bytes(cubin.write())
    return target


def outcome(folder: Path, first: str, second: str, binding: int = 0) -> Outcome:
    a = with_reserved(PROGRAM, folder / "a.cubin", first, binding)
    b = with_reserved(OTHER, folder / "b.cubin", second, binding)
    return link(folder, a, b)


@pytest.mark.parametrize("name", OLDER)
def test_of_both_toolkits(tmp_path: Path, name: str) -> None:
    for first, second in ((NEWER, name), (name, NEWER)):
        done = outcome(tmp_path, first, second)
        assert done.status == 1
        assert "b.cubin' cannot be linked due to version mismatch." in done.messages
        assert done.output is None


@pytest.mark.parametrize(
    "names", [(NEWER, NEWER), OLDER[:2], ("other", NEWER), (OLDER[0], "other")]
)
def test_of_one_toolkit(tmp_path: Path, names: tuple[str, str]) -> None:
    assert outcome(tmp_path, *names).status == 0
