"""Links with --save-inputs, and repeats the saved link."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from container_link import BUILD


@dataclass(frozen=True)
class Done:
    status: int
    messages: str


def run(command: list[object], folder: Path, **variables: str) -> Done:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stderr)


def link(folder: Path, *words: object, name: str = "warpld") -> Done:
    program = folder / name
    if not program.exists():
        program.symlink_to(BUILD / "warpld")
    command = [program, "-arch=sm_80", "-o", "out.cubin", "--save-inputs", "saved", *words]
    return run(command, folder)


def repeat(saved: Path, **variables: str) -> Done:
    """Repeats the saved link in another folder than the first link."""
    elsewhere = saved.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    return run(["sh", saved / "link.sh"], elsewhere, **variables)
