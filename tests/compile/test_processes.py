"""Compilers that hang, crash, or are running when a signal ends the linker."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from container_link import BUILD, FIRST, Link, link, put
from ended_processes import ENDING, expect_signals, is_gone

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


def test_a_compiler_has_no_signals_blocked(tmp_path: Path) -> None:
    """The compiler has no blocked signals, even if the thread that starts it blocks signals.
    Otherwise only SIGKILL would end the compiler."""
    program = compiler(tmp_path, f"grep SigBlk /proc/self/status > {tmp_path}/blocked", "exit 1")
    source, made = put(tmp_path, "x.ptx", TEXT), tmp_path / "out"
    command: list[str | Path] = [BUILD / "warpld", "-arch=sm_80", source, "-o", made]
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGALRM})
    try:
        command.append(f"--ptxas-path={program}")
        subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
    assert int((tmp_path / "blocked").read_text().split()[1], 16) == 0


def test_a_compiler_that_crashes_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "kill -SEGV $$")
    assert f"'{tmp_path}/ptxas' was ended by signal 11 (Segmentation fault)" in done.messages
    assert "compiling the PTX of 'x.ptx'" in done.messages


def test_a_compiler_that_prints_for_ever_is_ended(tmp_path: Path) -> None:
    done = run(tmp_path, "yes this line is repeated >&2")
    assert f"'{tmp_path}/ptxas' printed more than 64 MiB, compiling the PTX of" in done.messages
    assert 120000 < len(done.messages) < 140000
    assert "\nthis line is repeated\n[...]\nthis line is repeated\n" in done.messages


def test_a_compiler_that_prints_too_much_at_once_fails(tmp_path: Path) -> None:
    """The compiler may end before the linker looks at the size of the messages. The link fails
    anyway, and shows the last line that the compiler printed. One call writes this line after a
    hole, because the linker ends a compiler as soon as the text is too long."""
    write = "dd of=/proc/self/fd/2 bs=64 seek=1100000 conv=notrunc status=none"
    done = run(tmp_path, f"printf 'xxx\\nptxas fatal : why\\n' | {write}", "exit 255")
    assert "printed more than 64 MiB" in done.messages
    assert "[...]\nptxas fatal : why\n" in done.messages


@pytest.mark.parametrize("stream", (1, 2))
@pytest.mark.parametrize("words", ((), ("--as=nvlink",)))
def test_what_a_compiler_prints_is_made_safe(
    words: tuple[str, ...], stream: int, tmp_path: Path
) -> None:
    """The link prints escapes for terminal controls, C1 controls, characters that reverse text, and
    NULs. It does not change line ends, tabs and other characters."""
    unsafe = r"\033[31m\tred\n \302\233 \342\200\256 \233 \000 \303\251"
    done = run(tmp_path, f"printf 'ptxas info : {unsafe}\\n' >&{stream}", "exit 1", words=words)
    shown = r"\xc2\x9b \xe2\x80\xae \x9b \x00 é"
    assert f"ptxas info : \\x1b[31m\tred\n {shown}\n" in done.messages


def start(
    folder: Path, *words: str, prepare: Callable[[], object] = expect_signals
) -> subprocess.Popen[str]:
    """Starts the command, and returns when a compiler has made the file "started"."""
    (folder / "temporary").mkdir()
    process = subprocess.Popen(
        [BUILD / "warpld", *words, put(folder, "x.ptx", TEXT), "-o", "output.cubin"],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "temporary")},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=prepare,
    )
    while not (folder / "started").exists() and process.poll() is None:
        time.sleep(0.01)
    return process


def ignore_hangup() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_a_signal_that_is_ignored_ends_no_compiler(tmp_path: Path) -> None:
    """The link and its compiler ignore SIGHUP, as under nohup."""
    lines = (f"touch {tmp_path}/started", "sleep 1", f"cp {FIRST} elf.o")
    words = ("-arch=sm_80", f"--ptxas-path={compiler(tmp_path, *lines)}")
    process = start(tmp_path, *words, prepare=ignore_hangup)
    process.send_signal(signal.SIGHUP)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 0 and (tmp_path / "output.cubin").exists()


@pytest.mark.parametrize("targets", ["sm_80,sm_90", "sm_90,sm_80"])
@pytest.mark.parametrize("number", ENDING)
def test_a_signal_ends_all_links_of_a_device_link(
    number: int, targets: str, tmp_path: Path
) -> None:
    """When the signal comes, the link for sm_80 is waiting for the link for sm_90, whose compiler
    is running."""
    lines = (
        f'case "$2" in sm_80) cp {FIRST} elf.o; exit;; esac',
        f"echo $$ > {tmp_path}/started.new",
        f"sleep 1; mv {tmp_path}/started.new {tmp_path}/started",
        "exec sleep 300",
    )
    words = ("--device-link", "--fatbin", "--threads=2", f"-arch={targets}")
    process = start(tmp_path, *words, f"--ptxas-path={compiler(tmp_path, *lines)}")
    process.send_signal(number)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == -number
    assert is_gone(int((tmp_path / "started").read_text()))
    assert not list((tmp_path / "temporary").iterdir())


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_ends_the_compiler_and_leaves_nothing(number: int, tmp_path: Path) -> None:
    program = compiler(
        tmp_path,
        f"echo $$ > {tmp_path}/started.new",
        f"mv {tmp_path}/started.new {tmp_path}/started",
        "exec sleep 300",
    )
    process = start(tmp_path, "-arch=sm_80", f"--ptxas-path={program}")
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == -number
    assert is_gone(int((tmp_path / "started").read_text()))
    assert not list((tmp_path / "temporary").iterdir())
    assert not (tmp_path / "output.cubin").exists()
