"""If the output file exists already, the link replaces it, writes into it, or leaves it alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import BUILD, prepare, run


def link(folder: Path, output: str) -> None:
    prepare(folder)
    (folder / "bin").mkdir(exist_ok=True)
    before = {entry.name for entry in folder.iterdir()}
    assert run(folder, "-arch=sm_80", "a.cubin", "b.cubin", "-o", output).status == 0
    assert {entry.name for entry in folder.iterdir()} <= before | {output}  # no temporary remains


def is_linked(path: Path) -> bool:
    return path.read_bytes().startswith(b"\x7fELF")


def test_a_new_file_has_the_mode_that_the_mask_leaves(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        link(tmp_path, "new.cubin")
    finally:
        os.umask(mask)
    assert (tmp_path / "new.cubin").stat().st_mode & 0o7777 == 0o640


def test_the_mode_is_kept_and_another_name_keeps_the_older_bytes(tmp_path: Path) -> None:
    older = tmp_path / "older.cubin"
    older.write_text("older")
    older.chmod(0o604)
    os.link(older, tmp_path / "second")
    link(tmp_path, "older.cubin")
    assert is_linked(older)
    assert older.stat().st_mode & 0o7777 == 0o604
    assert (tmp_path / "second").read_text() == "older"


def test_what_a_link_points_to_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("older")
    (tmp_path / "link").symlink_to("elsewhere")
    link(tmp_path, "link")
    assert (tmp_path / "link").is_symlink()
    assert is_linked(target)


@pytest.mark.parametrize("target", ["nothing", "bin/nothing", "{}/nothing", "second"])
def test_a_link_to_nothing_gets_its_target(target: str, tmp_path: Path) -> None:
    """If the output is a symbolic link to a file that does not exist, that file is created, even
    through several symbolic links. nvlink does the same."""
    prepare(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "second").symlink_to("bin/third")
    (tmp_path / "bin" / "third").symlink_to("../nothing")
    link_name = tmp_path / "bin" / "link"
    link_name.symlink_to(".." / Path(target.format(tmp_path)))
    words = ("-arch=sm_80", "a.cubin", "b.cubin", "-o", "bin/link")
    assert run(tmp_path, *words).status == 0
    assert link_name.is_symlink()
    assert is_linked(link_name.resolve())
    assert link_name.resolve().name == "nothing"


def test_a_link_to_no_folder_is_an_error(tmp_path: Path) -> None:
    prepare(tmp_path)
    (tmp_path / "link").symlink_to("missing/nothing")
    done = run(tmp_path, "-arch=sm_80", "a.cubin", "b.cubin", "-o", "link")
    assert done.status == 1
    assert (tmp_path / "link").is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    older = tmp_path / "older.cubin"
    older.write_text("older")
    os.chown(older, 1234, 2345)
    older.chmod(0o4755)
    link(tmp_path, "older.cubin")
    status = older.stat()
    assert is_linked(older)
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (1234, 2345, 0o4755)


def test_a_failed_link_leaves_the_older_file(tmp_path: Path) -> None:
    prepare(tmp_path)
    (tmp_path / "older.cubin").write_text("older")
    assert run(tmp_path, "-arch=sm_80", "missing.cubin", "-o", "older.cubin").status != 0
    assert (tmp_path / "older.cubin").read_text() == "older"


def test_an_open_file_gets_the_bytes(tmp_path: Path) -> None:
    """A path in /proc/PID/fd names an open file. The link writes into that file, even if it has
    been unlinked."""
    prepare(tmp_path)
    with (tmp_path / "open").open("w+b") as stream:
        (tmp_path / "open").unlink()
        output = f"/proc/{os.getpid()}/fd/{stream.fileno()}"
        assert run(tmp_path, "-arch=sm_80", "a.cubin", "b.cubin", "-o", output).status == 0
        assert stream.read(4) == b"\x7fELF"


def test_a_name_can_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    name = "x" * 255
    link(tmp_path, name)
    assert is_linked(tmp_path / name)


NOBODY = 65534


def become_nobody() -> None:
    """Gives up the rights of root, who may write everywhere."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder with a copy of the program. Any user can reach it, unlike pytest's own folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        shutil.copy(BUILD / "warpld", folder / "warpld")
        folder.chmod(0o777)
        yield folder


def link_as_nobody(folder: Path, output: str) -> subprocess.CompletedProcess[str]:
    words: list[str | Path] = [folder / "warpld", "-arch=sm_80", "a.cubin", "b.cubin", "-o", output]
    return subprocess.run(
        words, cwd=folder, preexec_fn=become_nobody, stderr=subprocess.PIPE, text=True, check=False
    )


def test_a_file_in_a_folder_that_is_closed_is_written_over(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir()
    older = closed / "output.cubin"
    older.write_text("older")
    older.chmod(0o666)
    closed.chmod(0o555)
    assert link_as_nobody(open_folder, "closed/output.cubin").returncode == 0
    closed.chmod(0o755)
    assert is_linked(older)
    assert os.listdir(closed) == ["output.cubin"]


def in_own_mounts(folder: Path, *commands: str) -> int:
    """Runs shell commands in a mount namespace, so that their mounts have no effect on other
    processes. Returns their status."""
    script = " && ".join(["mount --make-rprivate /", *commands])
    return subprocess.run(["unshare", "--mount", "sh", "-c", script], cwd=folder).returncode


@pytest.mark.parametrize("is_read_only", (False, True))
def test_a_mount_point_is_written_over(is_read_only: bool, tmp_path: Path) -> None:
    """A single file can be a mount point, as in containers to which a file of the host is passed.
    Such a file cannot be replaced, and its folder can be on a read-only file system."""
    (tmp_path / "m").mkdir()
    if (
        not shutil.which("unshare")
        or os.geteuid() != 0
        or in_own_mounts(tmp_path, "mount -t tmpfs none m")
    ):
        pytest.skip("mounting is not allowed here")
    prepare(tmp_path)
    (tmp_path / "host.cubin").write_text("older")
    status = in_own_mounts(
        tmp_path,
        "mount -t tmpfs none m",
        "touch m/output.cubin",
        "mount -o remount,ro m" if is_read_only else "true",
        "mount --bind host.cubin m/output.cubin",
        f"{BUILD / 'warpld'} -arch=sm_80 a.cubin b.cubin -o m/output.cubin",
        "test $(ls -A m | wc -l) = 1",
    )
    assert status == 0 and is_linked(tmp_path / "host.cubin")


@pytest.mark.parametrize("mode", [0o444, 0o400, 0])
def test_a_read_only_file_is_not_replaced(mode: int, open_folder: Path) -> None:
    """The permissions of the folder would allow the link to replace the file. But nvlink fails,
    because it opens the file itself for writing. So warpld fails, too."""
    older = open_folder / "older.cubin"
    older.write_text("older")
    older.chmod(mode)
    done = link_as_nobody(open_folder, "older.cubin")
    assert done.returncode == 1
    assert "Could not open output file 'older.cubin'" in done.stderr
    assert older.stat().st_mode & 0o7777 == mode
    older.chmod(0o644)
    assert older.read_text() == "older"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files for others")
def test_nobody_runs_a_file_as_who_did_not_own_it(open_folder: Path) -> None:
    older = open_folder / "older.cubin"
    older.write_text("older")
    older.chmod(0o6777)
    assert link_as_nobody(open_folder, "older.cubin").returncode == 0
    status = older.stat()
    assert is_linked(older)
    assert (status.st_uid, status.st_mode & 0o7777) == (NOBODY, 0o777)
