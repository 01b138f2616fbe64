"""Where the CUDA toolkit is: as nvcc says itself, because the one on the PATH may be a script that
calls the real one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path


def toolkit_folder() -> Path | None:
    """None without nvcc."""
    if not shutil.which("nvcc"):
        return None
    command = ["nvcc", "-dryrun", "-x", "cu", os.devnull, "-c", "-o", os.devnull]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    programs = re.search(r"^#\$ _HERE_=(.*)", answer.stderr, re.MULTILINE)
    return (Path(programs[1]) / "nvcc").resolve().parents[1] if programs else None
