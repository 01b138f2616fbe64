"""nvlink loses the code of a weak function if another object has an alias of the same name. The
comparison with nvlink recognises this difference, and no other.

The test data are two such objects and nvlink's output for them.
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
INPUTS = [DATA / "weak.sm_89.cubin", DATA / "alias.sm_89.cubin"]
THEIRS = DATA / "linked-alias.cubin"
LOST = "code of a weak function lost to an alias"


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    output = tmp_path / "ours.cubin"
    command: list[str | Path] = [BUILD / "warpld", "-arch=sm_89", *INPUTS, "-o", output]
    subprocess.run(command, check=True, timeout=60)
    return output


def reason(ours: Path, inputs: list[Path]) -> str | None:
    return explain([str(BUILD / "cubintool"), "diff"], THEIRS, ours, inputs)


def test_fault_is_recognised(ours: Path) -> None:
    assert reason(ours, INPUTS) == LOST


def test_without_the_alias_it_is_none(ours: Path) -> None:
    assert reason(ours, [INPUTS[0], INPUTS[0]]) is None


@pytest.mark.parametrize("section", [".text.caller", ".text.behind", ".rel.text.caller"])
def test_any_other_difference_is_none(ours: Path, section: str) -> None:
    data = bytearray(ours.read_bytes())
    start = data.index(bytes(read_cubin(ours).section(section).data))
    data[start] ^= 1
    ours.write_bytes(data)
    assert reason(ours, INPUTS) is None
