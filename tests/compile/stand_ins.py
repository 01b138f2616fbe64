"""Compiles stand-ins for NVIDIA's libraries."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def compile_library(path: Path, source: Path, *flags: str) -> Path:
    """Compiles a shared library, and returns its path. Skips the test if there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("there is no C compiler")
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([compiler, "-shared", "-fPIC", *flags, "-o", path, source], check=True)
    return path
