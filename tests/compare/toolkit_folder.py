"""Asks nvcc for the folder of its toolkit. The nvcc on the PATH need not be in that folder: it can
be a script that calls the nvcc of a toolkit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path


def toolkit_folder() -> Path | None:
    """The folder of the toolkit; None if there is no nvcc on the PATH."""
    if not shutil.which("nvcc"):
        return None
    command = ["nvcc", "-dryrun", "-x", "cu", os.devnull, "-c", "-o", os.devnull]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    programs = re.search(r"^#\$ _HERE_=(.*)", answer.stderr, re.MULTILINE)
    return (Path(programs[1]) / "nvcc").resolve().parents[1] if programs else None
