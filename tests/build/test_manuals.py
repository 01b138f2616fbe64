"""The man pages say what the programs' --help says; `make manuals` rewrites them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()


@pytest.mark.parametrize("name", ["warpld.1", "cubintool.1"])
def test_is_current(tmp_path: Path, name: str):
    subprocess.run(
        [sys.executable, REPOSITORY / "tools" / "make-manuals.py", BUILD, tmp_path], check=True
    )
    written = (REPOSITORY / "docs" / name).read_text()
    assert written == (tmp_path / name).read_text(), "run `make manuals`"
