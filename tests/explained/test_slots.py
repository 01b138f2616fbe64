"""With --kernels-used and --preserve-relocs nvlink keeps kernels that are not named, but without
their texture slots. The comparison with nvlink recognises this difference, and no other.

The data are nvlink's output of such a link.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from cubin import read_cubin
from explained import explain

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("WARPLD_BUILD", TESTS.parent / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"
INPUT = DATA / "slots.sm_100.cubin"
BANK = ".nv.constant0."
LOST = "texture slots lost of a kernel that stays without a name"


def reason(folder: Path, *options: str) -> str | None:
    ours = folder / "ours.cubin"
    command: list[str | Path] = [
        BUILD / "warpld",
        "-arch=sm_100",
        "--preserve-relocs",
        *options,
        INPUT,
        "-o",
        ours,
    ]
    subprocess.run(command, check=True, timeout=60)
    differ = [str(BUILD / "cubintool"), "diff"]
    return explain(differ, DATA / "linked-slots.cubin", ours, [INPUT])


def test_fault_is_recognised(tmp_path: Path) -> None:
    assert reason(tmp_path, "-kernels-used=kernel") == LOST
    ours, theirs = read_cubin(tmp_path / "ours.cubin"), read_cubin(DATA / "linked-slots.cubin")
    assert ours.section(BANK + "kernel").data == theirs.section(BANK + "kernel").data
    assert ours.section(".nv.info.kernel").data == theirs.section(".nv.info.kernel").data
    assert len(ours.section(BANK + "other").data) > len(theirs.section(BANK + "other").data)


@pytest.mark.parametrize("names", ["kernel,other", "other"])
def test_of_a_kernel_with_a_name_it_is_none(names: str, tmp_path: Path) -> None:
    assert reason(tmp_path, f"-kernels-used={names}") is None
