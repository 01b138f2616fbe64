"""Runs a linker in a folder with objects. The linker is warpld under any name, or nvlink itself."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"
OBJECTS = REPOSITORY / "tests" / "containers" / "data"


@dataclass(frozen=True)
class Done:
    status: int
    output: str
    messages: list[str]  # without notes, which only warpld prints
    notes: int = 0


def prepare(folder: Path) -> None:
    """Writes the files that appear in the command lines of tests."""
    for name, source in (("a.cubin", "first.sm_80.cubin"), ("b.cubin", "second.sm_80.cubin")):
        if not (folder / name).exists():
            (folder / name).write_bytes((OBJECTS / source).read_bytes())
    (folder / "options").write_text("-v\n")


def run(folder: Path, *words: object, name: str = "nvlink", path: str | None = None) -> Done:
    """Runs warpld under the name `name`. If `path` is given, it precedes the folders of PATH."""
    program = folder / "bin" / name
    if not program.exists():
        program.parent.mkdir(exist_ok=True)
        program.symlink_to(BUILD / "warpld")
    return run_program(program, folder, *words, path=path)


def run_program(program: object, folder: Path, *words: object, path: str | None = None) -> Done:
    environment = dict(os.environ)
    if path is not None:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    done = subprocess.run(
        [str(program), *map(str, words)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        env=environment,
        check=False,
    )
    lines = [line.rstrip() for line in done.stderr.splitlines()]
    kept = [line for line in lines if not line.startswith(f"{Path(str(program)).name} note ")]
    return Done(done.returncode, done.stdout, kept, len(lines) - len(kept))
