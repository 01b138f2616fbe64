"""Like cubintool, warpld reports an error if it cannot write its text to standard output. Under the
name nvlink it succeeds, because nvlink ignores such errors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from command import OBJECTS, prepare, run

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
COMPILER = f"#!/bin/sh\ncp {OBJECTS / 'first.sm_80.cubin'} elf.o\n"
LINK = ["-arch=sm_80", "--ptxas-path=./ptxas", "-o", "output.cubin", "first.ptx", "b.cubin"]
LOST = "Cannot write to standard output"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare(tmp_path)
    (tmp_path / "ptxas").write_text(COMPILER)
    (tmp_path / "ptxas").chmod(0o755)
    (tmp_path / "first.ptx").write_bytes((OBJECTS / "first.ptx").read_bytes())
    for name in ("warpld", "nvlink"):
        run(tmp_path, name=name)
    return tmp_path


def run_into_full(folder: Path, program: object, *words: str) -> tuple[int, str]:
    with FULL.open("w") as stream:
        done = subprocess.run(
            [str(program), *words], cwd=folder, stdout=stream, stderr=subprocess.PIPE, text=True
        )
    return done.returncode, done.stderr


WORDS = {
    "help": ["--help"],
    "version": ["--version"],
    "times": [*LINK, "--time=-"],
    "script": ["-ghls=lcs-aug"],
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_standard_output(words: list[str], folder: Path) -> None:
    status, text = run_into_full(folder, "bin/warpld", *words)
    assert (status, text) == (1, f"warpld fatal   : {LOST}\n")
    assert run_into_full(folder, "bin/nvlink", *words) == (0, "")


def test_table_of_times(folder: Path) -> None:
    done = run(folder, *LINK, f"--time={FULL}", name="warpld")
    assert done.status == 1
    assert done.messages == [f"warpld fatal   : Cannot write to file '{FULL}'"]
    done = run(folder, *LINK, f"--time={FULL}")
    assert (done.status, done.messages) == (0, [])


def test_output_that_nobody_asked_for(folder: Path) -> None:
    """A link without options that print writes nothing to standard output, so it succeeds even if
    standard output is full."""
    assert run_into_full(folder, "bin/warpld", *LINK) == (0, "")
