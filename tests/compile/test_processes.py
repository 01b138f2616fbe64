"""Compilers that hang, crash, or are running when the linker has to end."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from container_link import BUILD, Link, link, put

TEXT = b"// A comment may come first.\n.version 8.0\n.target sm_80\n.address_size 64\n"


def compiler(folder: Path, *lines: str) -> Path:
    path = folder / "ptxas"
    path.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    path.chmod(0o700)
    return path


def run(folder: Path, *lines: str, words: tuple[str, ...] = ()) -> Link:
    program = compiler(folder, *lines)
    (folder / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(folder / "temporary")}
    text = put(folder, "x.ptx", TEXT)
    done = link(
        folder, text, f"--ptxas-path={program}", *words, name="warpld", environment=environment
    )
    assert done.status == 1
    assert not list((folder / "temporary").iterdir())
    return done


def test_a_compiler_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    lines = ["sleep 300 &", "echo $! > $PIDS", "wait"]
    os.environ["PIDS"] = str(tmp_path / "pids")
    start = time.monotonic()
    done = run(tmp_path, *lines, words=("--ptxas-timeout=1",))
    assert time.monotonic() - start < 60
    assert f"'{tmp_path}/ptxas' did not end within 1 seconds, compiling the PTX of" in done.messages
    assert is_gone(int((tmp_path / "pids").read_text()))


def test_a_compiler_that_crashes_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "kill -SEGV $$")
    assert f"'{tmp_path}/ptxas' was ended by signal 11 (Segmentation fault)" in done.messages
    assert "compiling the PTX of 'x.ptx'" in done.messages


def is_gone(process: int) -> bool:
    for _ in range(1000):
        status = Path(f"/proc/{process}/stat")
        if not status.exists() or status.read_text().split(") ")[1][0] == "Z":
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_compiler_and_leaves_nothing(number: int, tmp_path: Path) -> None:
    program = compiler(tmp_path, f"echo $$ > {tmp_path}/started.new",
                       f"mv {tmp_path}/started.new {tmp_path}/started", "exec sleep 300")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    text = put(tmp_path, "x.ptx", TEXT)
    words = ["-arch=sm_80", f"--ptxas-path={program}", text, "-o", "output.cubin"]
    process = subprocess.Popen(
        [BUILD / "warpld", *words], cwd=tmp_path, env={**os.environ, "TMPDIR": str(temporary)}
    )
    started = tmp_path / "started"
    while not started.exists():
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(timeout=60) == -number
    assert is_gone(int(started.read_text()))
    assert not list(temporary.iterdir()) and not (tmp_path / "output.cubin").exists()
