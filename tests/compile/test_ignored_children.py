"""The command is started with SIGCHLD ignored. It must restore the default action: otherwise the
system discards the exit statuses of the programs that the command starts."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest
from container_link import FIRST, SECOND, Link, link, put
from ended_processes import ignore_children
from optimiser_folder import HEAD, WORDS, put_ptxas, run, run_prepared, set_up, variables_of

COPY = '/bin/cp "$STAND_IN_CUBIN" elf.o'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(set_up(tmp_path), "x.ptx", HEAD)
    return tmp_path


def put_script(path: Path, *lines: str) -> None:
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(stat.S_IRWXU)


def run_ignoring(folder: Path, *words: str | Path) -> Link:
    return run_prepared(folder, ignore_children, *words)


def test_a_compiler(folder: Path) -> None:
    put_script(folder / "cuda" / "ptxas", COPY)
    done = run_ignoring(folder, "x.ptx", SECOND)
    assert done.status == 0
    assert done.output == link(folder, FIRST, SECOND, name="warpld").output


def test_a_compiler_that_crashes(folder: Path) -> None:
    """The cubin that the compiler wrote before it crashed is not linked."""
    put_script(folder / "cuda" / "ptxas", COPY, "kill -SEGV $$")
    done = run_ignoring(folder, "x.ptx", SECOND)
    assert "ptxas' was ended by signal 11" in done.messages
    assert (done.status, done.file) == (1, b"")


@pytest.mark.parametrize("words", [("x.ltoir",), ("x.ltoir", SECOND)], ids=["whole", "partial"])
def test_an_optimiser(words: tuple[str | Path, ...], folder: Path) -> None:
    done, plain = run_ignoring(folder, "-lto", *words), run(folder, "-lto", *words)
    assert done.status == 0
    assert (done.messages, done.file) == (plain.messages, plain.file)


def test_the_time_of_an_optimiser_is_known(folder: Path) -> None:
    done = run_ignoring(folder, "-lto", "x.ltoir", "-time=table")
    rows = (folder / "table").read_text().splitlines()
    assert done.status == 0 and [row.split(" , ")[1] for row in rows[1:]] == ["cicc", "ptxas"]


def test_an_optimiser_that_crashes(folder: Path) -> None:
    put_script(folder / "warpld-ptx-helper", "kill -SEGV $$")
    done = run_ignoring(folder, "-lto", "x.ltoir")
    assert "warpld-ptx-helper' was ended by signal 11" in done.messages
    assert (done.status, done.file) == (1, b"")


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
def test_a_shell_with_a_trap(name: str, folder: Path) -> None:
    if name != "warpld":
        (folder / name).symlink_to("warpld")
    put_ptxas(folder, f"#!/bin/sh\n{COPY}\n")
    done = subprocess.run(
        ["/bin/bash", "-c", f"trap '' CHLD; ./{name} {' '.join(WORDS)}"],
        cwd=folder,
        env=variables_of(folder),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (folder / "output.cubin").read_bytes() == FIRST.read_bytes()
