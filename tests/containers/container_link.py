"""Links files with warpld, called by its own name or as nvlink."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"
FIRST, SECOND = DATA / "first.sm_80.cubin", DATA / "second.sm_80.cubin"
FIRST_90 = DATA / "first.sm_90.cubin"


@dataclass(frozen=True)
class Link:
    status: int
    messages: str
    file: bytes
    text: str = ""  # on standard output

    @property
    def output(self) -> list[tuple[str, bytes]]:
        """The sections of the output, without the note that records the command line."""
        if not self.file:
            return []
        sections = ELFFile(io.BytesIO(self.file)).iter_sections()
        return [(s.name, s.data()) for s in sections if s.name != ".note.nv.tkinfo"]


def link(
    folder: Path,
    *words: str | Path,
    architecture: str = "sm_80",
    name: str = "nvlink",
    environment: dict[str, str] | None = None,
    preexec: Callable[[], None] | None = None,
) -> Link:
    program, output = folder / name, folder / "output.cubin"
    if not program.exists():
        program.symlink_to(BUILD / "warpld")
    output.unlink(missing_ok=True)
    done = subprocess.run(
        [program, f"-arch={architecture}", *words, "-o", output],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
        preexec_fn=preexec,
    )
    file = output.read_bytes() if output.exists() else b""
    return Link(done.returncode, done.stderr, file, done.stdout)


def put(folder: Path, name: str, content: bytes) -> str:
    """Writes a file, and returns its name, which is an argument for links in the folder."""
    (folder / name).write_bytes(content)
    return name


def kernels(output: list[tuple[str, bytes]], *names: str) -> set[str]:
    sections = {name for name, _ in output}
    return {name for name in names if f".text.{name}" in sections}


def output_of_cubins(folder: Path) -> list[tuple[str, bytes]]:
    """The output that two cubins give, FIRST and SECOND. They must give the same one in any
    container."""
    result = link(folder, FIRST, SECOND)
    assert (result.status, result.messages) == (0, "")
    return result.output
