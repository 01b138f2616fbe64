"""tools/warpld-overlay itself: what the folder holds, which toolkit and linker it takes, its
messages. A made-up toolkit is enough."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from toolkit import BUILD, REPOSITORY

SCRIPT = REPOSITORY / "tools" / "warpld-overlay"
TOOLS = ("nvcc", "nvlink", "ptxas", "nvcc.profile")


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    """A toolkit whose programs do nothing, in a folder with a blank in its name."""
    root = tmp_path / "made up"
    for name in ("bin", "include", "lib64"):
        (root / name).mkdir(parents=True)
    for name in TOOLS:
        (root / "bin" / name).write_text("#!/bin/sh\n")
        (root / "bin" / name).chmod(0o755)
    return root


def run(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "WARPLD": str(BUILD / "warpld")} | variables
    command = ["sh", SCRIPT, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_all_but_the_linker_are_the_toolkits(made_up: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "overlay"
    done = run(folder, made_up)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in folder.iterdir()} == {"bin", "include", "lib64"}
    assert {path.name for path in (folder / "bin").iterdir()} == set(TOOLS)
    for name in TOOLS:
        owner = BUILD / "warpld" if name == "nvlink" else made_up / "bin" / name
        assert (folder / "bin" / name).resolve() == owner.resolve()
    version = subprocess.run([folder / "bin" / "nvlink", "--version"], capture_output=True)
    assert b"warpld" in version.stdout


def test_toolkit_and_linker_in_path(made_up: Path, tmp_path: Path) -> None:
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "nvcc").symlink_to(made_up / "bin" / "nvcc")
    path = f"{tmp_path / 'path'}:{os.environ['PATH']}"
    assert run(tmp_path / "overlay", PATH=path).returncode == 0
    assert (tmp_path / "overlay" / "bin" / "ptxas").resolve() == made_up / "bin" / "ptxas"


def test_what_is_wrong_is_said(made_up: Path, tmp_path: Path) -> None:
    for words, message in (
        ([], "usage: warpld-overlay FOLDER [TOOLKIT]"),
        ([tmp_path / "x"], "there is no nvcc in PATH; name the toolkit"),
        ([tmp_path / "x", tmp_path], "is no CUDA toolkit: it has no bin/nvcc"),
        ([tmp_path, made_up], f"'{tmp_path}' exists"),
    ):
        done = run(*words)
        assert done.returncode == 1 and message in done.stderr
    assert not (tmp_path / "x").exists()
