"""Links with a limit of time and memory, for files that may make a linker use much of either."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

from linking import BUILD
from object_file import ObjectFile

SECONDS, BYTES = 20, 2 << 30
FATAL, ERRORS = 1, 255


def limit_resources(seconds: int = SECONDS, size: int = BYTES) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def link(folder: Path, *objects: ObjectFile) -> tuple[int, str, bool]:
    return link_files(
        folder, *(made.write(folder / f"input{i}.cubin") for i, made in enumerate(objects))
    )


def link_files(folder: Path, *paths: Path | str) -> tuple[int, str, bool]:
    output = folder / "output.cubin"
    done = subprocess.run(
        [BUILD / "warpld", "-arch=sm_80", *paths, "-o", output],
        capture_output=True,
        text=True,
        timeout=10 * SECONDS,
        preexec_fn=limit_resources,
        check=False,
    )
    return done.returncode, done.stderr, output.exists()


def assert_links(folder: Path, *objects: ObjectFile) -> None:
    assert link(folder, *objects) == (0, "", True)


def assert_refused(folder: Path, status: int, message: str, *objects: ObjectFile) -> None:
    found, messages, has_output = link(folder, *objects)
    assert found == status, messages[:1000]
    assert message in messages
    assert not has_output
