"""Finds the CUDA toolkit of this machine, and makes overlays of it, whose linker is warpld."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from toolkit_folder import toolkit_folder

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
PROGRAMS = Path(__file__).resolve().parent / "programs"
TIMEOUT_SECONDS = 600
# Whether the slow tests run, too; `make check-overlay` sets the variable.
ALL = bool(os.environ.get("WARPLD_OVERLAY_ALL"))
NVCC_VERSION = "V13.0.88"

# The toolkit's library for host programs, and the libraries that it needs besides libc.
HOST_LIBRARIES = ("-lcudart_static", "-lpthread", "-ldl", "-lrt")


def run(command: list[object], folder: Path, **variables: str) -> str:
    """Runs a command, which must succeed. Returns all that it prints."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=folder,
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"$ {' '.join(words)}\n{done.stdout}"
    return done.stdout


@functools.cache
def missing_program() -> str | None:
    """Why links of nvcc cannot be compared on this machine. None if they can."""
    for program in ("nvcc", "nvlink", "ptxas", "fatbinary", "g++"):
        if not shutil.which(program):
            return f"{program} is not on the PATH"
    version = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=False)
    if NVCC_VERSION not in version.stdout:
        return f"nvcc is not {NVCC_VERSION}"
    return None


needs_toolkit = pytest.mark.skipif(missing_program() is not None, reason=str(missing_program()))
slow = pytest.mark.skipif(not ALL, reason="slow: make check-overlay runs it")


def toolkit() -> Path:
    folder = toolkit_folder()
    assert folder
    return folder


def make_overlay(folder: Path) -> Path:
    """Makes an overlay with tools/warpld-overlay, and returns its folder."""
    script = REPOSITORY / "tools" / "warpld-overlay"
    run([script, folder], folder.parent, WARPLD=str(BUILD / "warpld"))
    return folder


def link_host(objects: list[object], output: Path, *options: str) -> None:
    """Links a program with the host's compiler, as some build systems do, instead of with nvcc."""
    libraries = [f"-L{toolkit() / 'lib64'}", *HOST_LIBRARIES]
    run(["g++", *objects, "-o", output, *options, *libraries], output.parent)


def start(program: Path) -> str:
    """Runs a program of these tests. It must print what CUDA reports about devices, even if the
    machine has none."""
    output = run([program], program.parent)
    assert "devices: cuda" in output
    return output
