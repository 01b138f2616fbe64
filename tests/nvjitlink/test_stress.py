"""Calls libnvJitLink many times: in several threads, with damaged inputs, and in forbidden ways.

Python is built without sanitizers, so it cannot load a library that is built with one. Therefore a
C program, `stress`, makes the calls.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from library import ALONE, BUILD, DATA, ours

INPUTS = ("calls.cubin", "defines.cubin", "defines.o", "defines.fatbin", "libdefines.a")
PROGRAM = BUILD / "tests" / "nvjitlink" / "stress"


# How many calls each library gets. Both have the same code, except for what
# src/nvjitlink/release.h describes.
CALLS = {13: 10000, 12: 1000}


@pytest.mark.skipif(not PROGRAM.exists(), reason="make unit-tests builds the program")
@pytest.mark.parametrize("major", CALLS)
@pytest.mark.parametrize("mode", ("threads 64", "damage 1", "misuse"))
def test_stress(major: int, mode: str) -> None:
    calls = [] if mode == "misuse" else [str(CALLS[major])]
    inputs = [DATA / name for name in INPUTS]
    command: list[str | Path] = [PROGRAM, ours(major), *mode.split(), *calls, *inputs]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ALONE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
