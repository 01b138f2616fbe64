"""The optimiser runs in a separate process, even in sandboxes that refuse some system calls. The
link reports whether this process hangs, crashes or fails."""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import stat
import struct
import subprocess
import time
from pathlib import Path

import pytest
from container_link import FIRST, SECOND, Link
from ended_processes import expect_signals, has_line, is_gone
from optimiser_folder import HEAD, WORDS, put_ptxas, run, run_prepared, set_up, variables_of
from sandbox import refuse_memory_files, skip_without_filters


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return set_up(tmp_path)


# --------------------------------------------------------------------------------------------------
# Sandboxes


@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOSYS])
def test_no_files_in_memory_are_needed(error: int, folder: Path) -> None:
    skip_without_filters()
    words: list[str | Path] = ["-lto", "-disable-infos", "x.ltoir", SECOND]
    done = run_prepared(folder, lambda: refuse_memory_files(error), *words)
    assert (done.status, done.file) == (0, run(folder, *words).file)


def test_a_folder_for_these_files_is_missed(folder: Path) -> None:
    skip_without_filters()
    done = run_prepared(folder, refuse_memory_files, "-lto", "x.ltoir", TMPDIR="/nowhere")
    assert done.status == 1
    assert "Could not share files with" in done.messages
    assert "No such file or directory" in done.messages


# --------------------------------------------------------------------------------------------------
# Faults of the process

STARTS, CODE = b"s", b"c"
HANG = "exec /bin/sleep 300"
ANSWER = "/bin/cat answer >&3"


def put_helper(folder: Path, *lines: str, answer: bytes = b"") -> None:
    """Writes a helper script, which records its process ID and then runs `lines`. The line ANSWER
    sends `answer` to the linker."""
    path = folder / "warpld-ptx-helper"
    (folder / "answer").write_bytes(answer)
    path.write_text("\n".join(["#!/bin/sh", f"echo $$ > {folder}/helper", *lines, ""]))
    path.chmod(stat.S_IRWXU)


def code(text: bytes = HEAD) -> bytes:
    return STARTS + CODE + struct.pack("@N", len(text)) + text


def run_helper(folder: Path, *words: str | Path, seconds: float = 30) -> Link:
    """Runs a link, and checks that the link and its helper end within `seconds`."""
    start = time.monotonic()
    done = run(folder, "-lto", "x.ltoir", *words)
    assert time.monotonic() - start < seconds
    assert is_gone(int((folder / "helper").read_text()))
    return done


def optimising(folder: Path, ending: str) -> str:
    library = f"{folder}/cuda/nvvm/../lib64/libnvJitLink.so.13"
    return (
        f"warpld error   : '{folder}/warpld-ptx-helper' {ending}, optimising the LTO-IR of "
        f"'x.ltoir' with '{library}'\n"
    )


FAILED = "warpld fatal   : elfLink JIT compile failed\n"


@pytest.mark.parametrize(
    "lines",
    [(ANSWER, HANG), (ANSWER, "exec 3>&-", HANG), (ANSWER, "kill -SEGV $$"), (ANSWER, "exit 3")],
    ids=["hangs", "hangs without the pipe", "crashes", "fails"],
)
def test_what_happens_after_the_answer_does_no_harm(lines: tuple[str, ...], folder: Path) -> None:
    put_helper(folder, "echo warning of the optimiser >&2", *lines, answer=code())
    done = run_helper(folder)
    assert (done.status, done.file) == (0, FIRST.read_bytes())
    assert done.messages == "warning of the optimiser\n" + (
        "ptxas info    : -arch sm_80 -m 64 application ptx input\n"
    )


def test_a_process_that_shares_the_pipe_delays_nothing(folder: Path) -> None:
    lines = ("/bin/sleep 300 > /dev/null &", f"echo $! > {folder}/other")
    put_helper(folder, ANSWER, *lines, answer=code())
    done = run_helper(folder)
    os.kill(int((folder / "other").read_text()), signal.SIGKILL)
    assert (done.status, done.file) == (0, FIRST.read_bytes())


@pytest.mark.parametrize("answer", [b"", STARTS, code()[:-1]], ids=["nothing", "start", "a part"])
def test_one_that_does_not_answer_is_ended(answer: bytes, folder: Path) -> None:
    put_helper(folder, "echo warning of the optimiser >&2", ANSWER, HANG, answer=answer)
    done = run_helper(folder, "--ptxas-timeout=1")
    expected = optimising(folder, "did not end within 1 seconds")
    assert done.messages == "warning of the optimiser\n" + expected + FAILED
    assert (done.status, done.file) == (1, b"")


def test_one_that_fails_and_does_not_end_is_ended(folder: Path) -> None:
    put_helper(folder, "exec 3>&-", HANG)
    done = run_helper(folder)
    assert done.messages == optimising(folder, "did not end within 2 seconds") + FAILED
    assert (done.status, done.file) == (1, b"")


@pytest.mark.parametrize(
    ("line", "ending"),
    [
        ("kill -SEGV $$", "was ended by signal 11 (Segmentation fault)"),
        ("exit 3", "ended with exit status 3 and no message"),
        ("exit 0", "ended without a result"),
    ],
)
@pytest.mark.parametrize("answer", [STARTS, code()[:-1]], ids=["start", "a part"])
def test_how_it_ended_is_reported(line: str, ending: str, answer: bytes, folder: Path) -> None:
    put_helper(folder, ANSWER, line, answer=answer)
    done = run_helper(folder)
    assert (done.status, done.messages) == (1, optimising(folder, ending) + FAILED)


def test_messages_precede_the_crash(folder: Path) -> None:
    put_helper(folder, "echo free: invalid pointer >&2", "kill -ABRT $$")
    done = run_helper(folder, "-disable-infos", "x.ltoir", SECOND)
    ended = optimising(folder, "was ended by signal 6 (Aborted)")
    ended = ended.replace("'x.ltoir' with", "'x.ltoir' and 1 other input with")
    assert done.messages.startswith("free: invalid pointer\n" + ended)


def test_a_failure_with_a_message_needs_no_other(folder: Path) -> None:
    put_helper(folder, "echo error: it is bad >&2", "exit 1")
    assert run_helper(folder).messages == "error: it is bad\n" + FAILED


def test_a_helper_that_cannot_run_is_reported(folder: Path) -> None:
    (folder / "warpld-ptx-helper").chmod(stat.S_IRUSR)
    done = run(folder, "-lto", "x.ltoir")
    reason = f"Could not run '{folder}/warpld-ptx-helper': Permission denied"
    assert (done.status, done.messages) == (1, f"warpld error   : {reason}\n{FAILED}")


def test_messages_for_programs_tell_the_optimiser_from_ptxas(folder: Path) -> None:
    put_helper(folder, "echo 'warning : of the optimiser' >&2", ANSWER, answer=code())
    rows = map(json.loads, run_helper(folder, "--diagnostics-format=json").messages.splitlines())
    found = [(row["code"], row["severity"]) for row in rows]
    assert found == [("optimiser", "warning"), ("ptxas", "info")]
    put_helper(folder, "exit 3")
    rows = map(json.loads, run_helper(folder, "--diagnostics-format=json").messages.splitlines())
    assert next(rows)["code"] == "optimiser-failed"


# --------------------------------------------------------------------------------------------------
# Messages of the optimiser, and the compiler that runs after it


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
def test_messages_are_shown_before_the_compiler_ends(name: str, folder: Path) -> None:
    """The messages appear even if the compiler hangs until a signal ends the link."""
    put_helper(folder, "echo warning of the optimiser >&2", ANSWER, answer=code())
    put_ptxas(folder, f"#!/bin/sh\necho $$ > {folder}/compiler\n{HANG}\n")
    if name != "warpld":
        (folder / name).symlink_to("warpld")
    process = subprocess.Popen(
        [folder / name, *WORDS],
        cwd=folder,
        env=variables_of(folder),
        stderr=subprocess.PIPE,
        preexec_fn=expect_signals,
    )
    assert process.stderr
    assert process.stderr.readline() == b"warning of the optimiser\n"
    while not has_line(folder / "compiler") and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == -signal.SIGTERM
    assert is_gone(int((folder / "compiler").read_text()))
    assert not list((folder / "temporary").iterdir())


def test_a_signal_ends_a_link_whose_messages_nobody_reads(folder: Path) -> None:
    """The messages do not fit into the pipe, so the link waits while it writes them. It must not
    block signals while it waits."""
    long = "x" * 1000
    put_helper(
        folder,
        f"i=0; while [ $i -lt 200 ]; do echo {long}; i=$((i+1)); done >&2",
        ANSWER,
        answer=code(),
    )
    process = subprocess.Popen(
        [folder / "warpld", *WORDS],
        cwd=folder,
        env=variables_of(folder),
        stderr=subprocess.PIPE,
        preexec_fn=expect_signals,
    )
    assert process.stderr
    while not select.select([process.stderr], [], [], 0.01)[0] and process.poll() is None:
        pass
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == -signal.SIGTERM
    process.stderr.close()
    assert not list((folder / "temporary").iterdir())


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (HANG, "ptxas' did not end within 1 seconds"),
        ("kill -SEGV $$", "ptxas' was ended by signal 11"),
        ("exit 1", "elfLink fatbinary error"),
    ],
    ids=["hangs", "crashes", "fails"],
)
def test_a_compiler_that_fails_loses_none(ending: str, expected: str, folder: Path) -> None:
    put_helper(folder, "echo warning of the optimiser >&2", ANSWER, answer=code())
    put_ptxas(folder, f"#!/bin/sh\necho ptxas fatal >&2\n{ending}\n")
    lines = run_helper(folder, "--ptxas-timeout=1").messages.splitlines()
    assert lines.count("warning of the optimiser") == lines.count("ptxas fatal") == 1
    assert lines[0] == "warning of the optimiser"
    assert any(expected in line for line in lines[1:])


def test_the_cache_has_the_messages(folder: Path) -> None:
    put_helper(folder, "echo warning of the optimiser >&2", ANSWER, answer=code())
    first = run_helper(folder, "--cache-dir=cache")
    assert first.messages.startswith("warning of the optimiser\n")
    put_helper(folder, "exit 3")
    again = run(folder, "-lto", "x.ltoir", "--cache-dir=cache")
    assert (again.status, again.messages, again.file) == (0, first.messages, first.file)
