"""Runs links with good and damaged inputs, and checks which files remain afterwards."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"
PROGRAM, OTHER = DATA / "program.sm_80.cubin", DATA / "other.sm_80.cubin"
TIMEOUT_SECONDS = 60
OLDER = b"what was there before"


@dataclass(frozen=True)
class Outcome:
    status: int
    messages: str
    output: bytes | None


def link(
    folder: Path,
    *words: object,
    architecture: str = "sm_80",
    output: Path | None = None,
    name: str = "nvlink",
) -> Outcome:
    """Runs a link with `words`, which are inputs and options. Fails if the link leaves any file but
    the output in the folder."""
    program, output = folder / name, output or folder / "output.cubin"
    if not program.exists():
        program.symlink_to(BUILD / "warpld")
    before = set(folder.iterdir()) | {output}
    done = subprocess.run(
        [str(word) for word in (program, f"-arch={architecture}", *words, "-o", output)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert set(folder.iterdir()) <= before, "a file was left behind"
    assert done.stdout == ""
    return Outcome(done.returncode, done.stderr, output.read_bytes() if output.is_file() else None)


def assert_fails(
    folder: Path,
    status: int,
    message: str,
    *words: object,
    architecture: str = "sm_80",
    name: str = "nvlink",
) -> None:
    """Checks that a link with `words` ends with `status` and prints `message`, perhaps as a part of
    a longer message. The link must write no output, and leave an older output unchanged."""
    assert link(folder, PROGRAM, OTHER).status == 0, "the test's good inputs do not link"
    output = folder / "output.cubin"
    output.unlink()
    for older in (None, OLDER):
        if older is not None:
            output.write_bytes(older)
        outcome = link(folder, *words, architecture=architecture, name=name)
        assert outcome.status == status, outcome.messages
        assert message in outcome.messages
        first = outcome.messages.splitlines()[0]
        severities = ("fatal  ", "error  ", "warning")
        assert first.startswith(tuple(f"{name} {word} : " for word in severities))
        assert outcome.output == older
