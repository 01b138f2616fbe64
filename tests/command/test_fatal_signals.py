"""A write to a full file or a closed pipe raises a signal, which ends a program without a message.
warpld ignores these signals, so the write fails and warpld reports an error."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest
from command import BUILD, prepare

LINE = ["-arch=sm_80", "a.cubin", "b.cubin", "-o"]


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@pytest.mark.parametrize("older", [True, False])
def test_a_file_that_becomes_too_large(older: bool, tmp_path: Path) -> None:
    prepare(tmp_path)
    output = tmp_path / "output"
    if older:
        output.write_text("old")
    done = subprocess.run(
        [BUILD / "warpld", *LINE, "output"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit_files,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("warpld fatal   : Could not open output file 'output'\n")
    assert output.read_text() == "old" if older else not output.exists()
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"a.cubin", "b.cubin", "options"} | ({"output"} if older else set())


def test_a_pipe_that_nobody_reads(tmp_path: Path) -> None:
    prepare(tmp_path)
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [BUILD / "warpld", *LINE, "-"],
        cwd=tmp_path,
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write_end)
    assert done.returncode == 1
    assert "Cannot write to standard output" in done.stderr
