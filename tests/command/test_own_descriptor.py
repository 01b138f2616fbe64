"""An output path such as /dev/stdout names an open file: warpld writes to that file through the
descriptor that the shell opened."""

from __future__ import annotations

import resource
import signal
import subprocess
from pathlib import Path

import pytest
from command import BUILD, prepare

LINK: list[str | Path] = [BUILD / "warpld", "-arch=sm_80", "a.cubin", "b.cubin"]
NAMES = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare(tmp_path)
    (tmp_path / "link").symlink_to("/dev/stdout")
    return tmp_path


def linked(folder: Path, output: str) -> bytes:
    done = subprocess.run([*LINK, "-o", output], cwd=folder, capture_output=True, check=True)
    return done.stdout


@pytest.mark.parametrize("output", NAMES)
def test_an_output_is_appended_to_a_log(output: str, folder: Path) -> None:
    expected = linked(folder, output)
    assert expected.startswith(b"\x7fELF")
    (folder / "log").write_text("older\n")
    with (folder / "log").open("ab") as log:
        subprocess.run([*LINK, "-o", output], cwd=folder, stdout=log, check=True)
    assert (folder / "log").read_bytes() == b"older\n" + expected


def test_an_output_follows_what_the_shell_wrote(folder: Path) -> None:
    expected = linked(folder, "/dev/stdout")
    script = f"(echo before; {LINK[0]} -arch=sm_80 a.cubin b.cubin -o /dev/stdout; echo after)"
    subprocess.run(["sh", "-c", f"{script} > log"], cwd=folder, check=True)
    assert (folder / "log").read_bytes() == b"before\n" + expected + b"after\n"


def test_reports_and_messages_are_appended(folder: Path) -> None:
    (folder / "log").write_text("older\n")
    for name in ("--map", "--diagnostics-file"):
        with (folder / "log").open("ab") as log:
            words = [*LINK, f"{name}=/dev/fd/2", "-v", "-o", "x.cubin"]
            subprocess.run(words, cwd=folder, stderr=log, check=True)
    content = (folder / "log").read_text()
    assert content.startswith("older\n")
    assert "warpld info" in content and "# Map of x.cubin" in content


def test_a_failure_leaves_the_log(folder: Path) -> None:
    """A limit on the size of files imitates a disk that becomes full in the middle of the
    output."""
    size = len(linked(folder, "/dev/stdout"))
    (folder / "log").write_text("older\n")

    def limit_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))

    with (folder / "log").open("ab") as log:
        words = [*LINK, "-o", "/dev/stdout"]
        done = subprocess.run(words, cwd=folder, stdout=log, preexec_fn=limit_files, check=False)
    assert done.returncode == 1
    assert (folder / "log").read_text() == "older\n"


def test_a_descriptor_that_is_only_read_is_refused_or_opened(folder: Path) -> None:
    """If the descriptor is open for reading only, the linker opens the file by its path, as it does
    for any other path."""
    (folder / "x").write_text("older")
    with (folder / "x").open("rb") as file:
        words = [*LINK, "-o", f"/dev/fd/{file.fileno()}"]
        subprocess.run(words, cwd=folder, pass_fds=(file.fileno(),), check=True)
    assert (folder / "x").read_bytes().startswith(b"\x7fELF")
