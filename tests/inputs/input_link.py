"""Links files of any content with warpld, under the name warpld or nvlink."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("WARPLD_BUILD", TESTS.parent / "build")).absolute()
DATA = TESTS / "containers" / "data"
FIRST, SECOND = DATA / "first.sm_80.cubin", DATA / "second.sm_80.cubin"
FATAL, ERRORS = 1, 255


@dataclass(frozen=True)
class Outcome:
    status: int
    messages: str
    output: bytes

    @property
    def lines(self) -> list[str]:
        """The messages with their severities, but without the tool's name and padding."""
        return [" ".join(line.split()[1:]) for line in self.messages.splitlines()]


def link(
    folder: Path,
    *words: str | Path,
    name: str = "warpld",
    architecture: str = "sm_80",
    stdin: int | None = None,
    pass_fds: tuple[int, ...] = (),
) -> Outcome:
    program, output = folder / name, folder / "output.cubin"
    if not program.exists():
        program.symlink_to(BUILD / "warpld")
    output.unlink(missing_ok=True)
    done = subprocess.run(
        [program, f"-arch={architecture}", *words, "-o", output],
        cwd=folder,
        stdin=stdin if stdin is not None else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
        pass_fds=pass_fds,
    )
    return Outcome(done.returncode, done.stderr, output.read_bytes() if output.exists() else b"")


def put(folder: Path, name: str, content: bytes) -> str:
    """Writes a file. Returns its name, for the command line of a link in that folder."""
    (folder / name).write_bytes(content)
    return name
