"""Runs cubintool for the tests of this folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"
LINKED = DATA / "linked-86.cubin"
CUBINS = sorted(DATA.glob("*.cubin"))
NATIVE_LINKS = [LINKED, DATA / "linked-90.cubin", DATA / "linked-debug-86.cubin"]


def cubintool(*words: object, status: int = 0) -> str:
    """Standard output of a run that must end with this status."""
    done = run(*words)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BUILD / "cubintool"), *map(str, words)],
        cwd=DATA,
        capture_output=True,
        text=True,
        timeout=60,
    )


def differences(*words: object) -> list[str]:
    """The lines that diff --bytes prints for two files, which must differ."""
    lines = cubintool("diff", "--bytes", *words, status=1).splitlines()
    assert lines
    return lines
