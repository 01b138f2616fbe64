"""With --fsync the output's bytes are on the disk before the output replaces an older file. Its
name is on the disk before the command ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from container_link import BUILD, FIRST, SECOND
from fault_cases import LINKS, OLDER, SITUATIONS, Case, Workspace, run_campaign
from test_torture import PROGRAM

CALLS = "fsync,rename,renameat2,linkat,unlink,pwrite64,write"
needs_strace = pytest.mark.skipif(not shutil.which("strace"), reason="there is no strace")


def calls(folder: Path, *words: str) -> list[tuple[str, str]]:
    """Links two objects. Returns the link's system calls of the kinds in CALLS, in order, each with
    its arguments."""
    trace = folder / "trace"
    command: list[str | Path] = [
        BUILD / "warpld",
        "-arch=sm_80",
        FIRST,
        SECOND,
        "-o",
        "output",
        *words,
    ]
    subprocess.run(
        ["strace", "-f", "-y", "-o", trace, "-e", f"trace={CALLS}", *command],
        cwd=folder,
        check=True,
    )
    lines = [line.split(maxsplit=1)[1] for line in trace.read_text().splitlines() if "(" in line]
    return [(name, rest) for name, _, rest in (line.partition("(") for line in lines)]


@needs_strace
def test_file_and_folder_are_written_to_the_disk(tmp_path: Path) -> None:
    (tmp_path / "output").write_bytes(OLDER)
    made = calls(tmp_path, "--fsync")
    names = [name for name, _ in made]
    assert names == ["pwrite64", "fsync", "linkat", "renameat2", "unlink", "fsync"]
    assert f"<{tmp_path}>" in made[-1][1]


@needs_strace
def test_by_default_nothing_waits(tmp_path: Path) -> None:
    assert "fsync" not in [name for name, _ in calls(tmp_path)]


@needs_strace
@pytest.mark.parametrize("form", ["--fatbin", "--cubin"])
def test_a_device_link_waits_too(form: str, tmp_path: Path) -> None:
    names = [name for name, _ in calls(tmp_path, "--device-link", form, "--fsync")]
    assert names.count("fsync") == 2


@needs_strace
def test_a_file_in_a_closed_folder_is_written_to_the_disk(tmp_path: Path) -> None:
    """If the folder of an older output allows no new files, the link writes into the older file. It
    does the same if the output path names an open file, as here. In both cases --fsync writes the
    bytes to the disk."""
    with (tmp_path / "other").open("w+b") as stream:
        made = calls(tmp_path, "--fsync", "-o", f"/proc/{os.getpid()}/fd/{stream.fileno()}")
    assert [name for name, _ in made].count("fsync") == 1


@needs_strace
def test_a_stream_has_no_disk(tmp_path: Path) -> None:
    """The output is small enough for the buffer of the pipe."""
    os.mkfifo(tmp_path / "stream")
    reader = os.open(tmp_path / "stream", os.O_RDONLY | os.O_NONBLOCK)
    assert "fsync" not in [name for name, _ in calls(tmp_path, "--fsync", "-o", "stream")]
    assert os.read(reader, 4) == b"\x7fELF"
    os.close(reader)


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    if not PROGRAM.exists():
        pytest.skip("make torture-programs builds what this needs")
    with tempfile.TemporaryDirectory() as root:
        yield Workspace(BUILD, Path(root))


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_fault_leaves_a_wrong_file(situation: str, workspace: Workspace) -> None:
    result = run_campaign(workspace, next(iter(LINKS)), situation, ("--fsync",), step=7)
    assert result.found == []


def test_bytes_that_do_not_reach_the_disk_leave_the_older_file(workspace: Workspace) -> None:
    done = workspace.run(Case("plain", "older", "fsync:1:EIO", ("--fsync",)))
    assert (done.status, done.files["output"]) == (1, OLDER)
    assert b"Input/output error" in done.messages


def test_a_name_that_does_not_reach_the_disk_is_an_error(workspace: Workspace) -> None:
    done = workspace.run(Case("plain", "older", "fsync:2:EIO", ("--fsync",)))
    assert done.status == 1
    assert done.files["output"].startswith(b"\x7fELF")
