"""The example that `make demo` runs links a program, and shows its kernel and functions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()


@pytest.fixture(scope="module")
def shown() -> str:
    command = ["examples/demo/run.sh", str(BUILD)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_it_links(shown: str, architecture: str) -> None:
    with (BUILD / "demo" / f"saxpy.{architecture}.cubin").open("rb") as file:
        elf = ELFFile(file)
        assert elf["e_type"] == "ET_EXEC"
        names = {section.name for section in elf.iter_sections()}
    assert {".text.saxpy_kernel", ".nv.shared.saxpy_kernel", ".nv.constant3"} <= names


def test_it_shows_the_kernel_and_its_functions(shown: str) -> None:
    assert "saxpy_kernel" in shown
    assert "block_sum" in shown
    assert shown.count("cubintool resources") == 2
