"""With -v, nvlink can report less memory than warpld for two reasons: it forgets the memory of a
static kernel if an earlier one has the same name, or it merges equal user constants. The comparison
accepts these differences, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults_constants import MERGED_CONSTANTS, explain_merged_usage
from faults_kernels import STATIC_KERNELS, explain_usage

TESTS = Path(__file__).resolve().parents[1]
STATIC = sorted((TESTS / "golden" / "static-kernels-share-sections").glob("[ab].cubin"))
EXTERN = sorted((TESTS / "golden" / "extern-shared-two-addresses").glob("*a.cubin"))


def lines(kernel: str, registers: int, shared: int) -> list[str]:
    return [
        f"nvlink info    : Function properties for '{kernel}':",
        f"nvlink info    : used {registers} registers, used 0 barriers, 0 stack, "
        f"{shared} bytes smem, 360 bytes cmem[0], 0 bytes lmem",
    ]


@pytest.mark.parametrize(
    ("kernel", "registers", "inputs", "expected"),
    [
        ("kernel", 24, STATIC, STATIC_KERNELS),
        ("kernel", 25, STATIC, STATIC_KERNELS),
        ("other", 24, STATIC, None),  # shares no memory with the static kernels
        ("other", 24, [*STATIC, *EXTERN], STATIC_KERNELS),
        ("other", 25, [*STATIC, *EXTERN], None),
        ("other", 24, EXTERN, None),
    ],
)
def test_usage(kernel: str, registers: int, inputs: list[Path], expected: str | None) -> None:
    assert inputs
    assert explain_usage(lines(kernel, 24, 112), lines(kernel, registers, 128), inputs) == expected


def constants(size: int, data: int = 0) -> list[str]:
    return [f"nvlink info    : {data} bytes gmem, {size} bytes cmem[3]"]


@pytest.mark.parametrize(
    ("theirs", "ours", "copies", "expected"),
    [
        (constants(4), constants(8), 2, MERGED_CONSTANTS),
        (constants(4), constants(12), 3, MERGED_CONSTANTS),
        (constants(8), constants(4), 2, None),
        (constants(4), constants(12), 2, None),
        (constants(4), constants(4), 2, None),
        (constants(4, data=1), constants(8), 2, None),
        (constants(4), [*constants(8), *constants(8)], 2, None),
    ],
)
def test_size_of_merged_constants(
    theirs: list[str], ours: list[str], copies: int, expected: str | None
) -> None:
    object_ = TESTS / "golden" / "whole-programs-of-kernels" / "a.cubin"
    assert explain_merged_usage(theirs, ours, [object_] * copies) == expected
