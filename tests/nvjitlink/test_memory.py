"""A link fails if memory runs out, whichever of its allocations fails first."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from library import ALONE, CUBIN, FATBIN, PTX, ours

HERE = Path(__file__).resolve().parent
needs_ptxas = pytest.mark.skipif(not shutil.which("ptxas"), reason="needs ptxas")


@pytest.fixture(scope="session")
def failing_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memory") / "failing_memory.so"
    source = HERE / "failing_memory.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True)
    return path


@pytest.mark.parametrize(
    ("kind", "name"),
    (
        (CUBIN, "defines.cubin"),
        pytest.param(PTX, "defines.ptx", marks=needs_ptxas),
        pytest.param(FATBIN, "defines.text80.fatbin", marks=needs_ptxas),
    ),
)
def test_memory_runs_out(failing_memory: Path, kind: int, name: str) -> None:
    words = [str(ours(13)), str(kind), name]
    output = subprocess.check_output(
        [sys.executable, HERE / "without_memory.py", *words],
        env=os.environ | ALONE | {"LD_PRELOAD": str(failing_memory)},
        text=True,
        timeout=300,
    )
    assert int(output) >= 10
