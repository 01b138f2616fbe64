"""warpld writes each message with one system call, so that links that run at once can share a log.

Here the links write to a SOCK_SEQPACKET socket, which keeps separate writes apart."""

from __future__ import annotations

import socket
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from command import OBJECTS, prepare, run

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
LINKS, WARNINGS = 4, 50


def writes_of(start: Callable[[int], list[subprocess.Popen[bytes]]]) -> list[bytes]:
    """Starts programs that share one standard error. Returns the text of each write to it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        programs = start(theirs.fileno())
        theirs.close()
        ours.settimeout(60)
        written = []
        while some := ours.recv(1 << 20):
            written.append(some)
        for program in programs:
            program.wait(60)
    return written


def lines_of(written: list[bytes]) -> list[str]:
    text = [some.decode() for some in written]
    assert all(some.endswith("\n") for some in text), text[:8]
    return [some[:-1] for some in text]


def start(folder: Path, descriptor: int, count: int, *words: str) -> list[subprocess.Popen[bytes]]:
    command = [str(folder / "bin" / "nvlink"), "-arch=sm_80", "-o", "output.cubin", *words]
    return [
        subprocess.Popen(command, cwd=folder, stderr=descriptor, stdout=subprocess.DEVNULL)
        for _ in range(count)
    ]


def test_messages_of_links_that_run_at_once(tmp_path: Path) -> None:
    prepare(tmp_path)
    run(tmp_path)
    words = ["-cpu-arch=X86_64", "-cpu-arch=AARCH64"] * WARNINGS + ["missing.cubin"]
    for more in ((), ("-report-arch",)):
        written = writes_of(lambda stream: start(tmp_path, stream, LINKS, *words, *more))
        lines = lines_of(written)
        assert len(lines) >= LINKS * (WARNINGS + 1)
        heads = ("nvlink warning : ", "nvlink fatal   : ", "nvlink note    : ")
        assert all(line.startswith(heads) for line in lines)
        assert not any("\n" in line for line in lines)


def test_what_the_compiler_says(tmp_path: Path) -> None:
    """warpld passes on what ptxas prints. A message with its continuation lines is one write."""
    prepare(tmp_path)
    run(tmp_path)
    text = ["info 1", "info 2", "    goes on", "info 3"]
    compiler = tmp_path / "ptxas"
    says = [f'echo "{line}" >&2' for line in text]
    compiler.write_text("\n".join(["#!/bin/sh", *says, "printf 'no newline' >&2", "exit 1", ""]))
    compiler.chmod(0o755)
    (tmp_path / "first.ptx").write_bytes((OBJECTS / "first.ptx").read_bytes())
    words = ["first.ptx", "--ptxas-path=./ptxas", "-report-arch"]
    lines = lines_of(writes_of(lambda stream: start(tmp_path, stream, 1, *words)))
    end = " (target: sm_80)"
    told = ["info 1", "info 2\n    goes on", "info 3", "no newline"]
    *said, fatal, note = lines
    assert said == [line + end for line in told]
    assert fatal.startswith("nvlink fatal ")
    assert note.startswith("nvlink note ") and "'first.ptx'" in note


def test_traces(tmp_path: Path) -> None:
    prepare(tmp_path)
    run(tmp_path)
    words = ["a.cubin", "b.cubin", "--trace=all"]
    lines = lines_of(writes_of(lambda stream: start(tmp_path, stream, LINKS, *words)))
    assert len(lines) > LINKS
    assert all(count % LINKS == 0 for count in Counter(lines).values())


def test_raised_registers(tmp_path: Path) -> None:
    """A line about raised register counts is one write. A link prints such lines only with the call
    graph."""
    prepare(tmp_path)
    run(tmp_path)
    folder = GOLDEN / "too-many-registers-for-kernel"
    words = [*map(str, sorted(folder.glob("[a-d].cubin"))), "--dump-callgraph"]
    lines = lines_of(writes_of(lambda stream: start(tmp_path, stream, LINKS, *words)))
    raised = [line for line in lines if line.startswith("regcount ")]
    assert raised
    assert all(count % LINKS == 0 for count in Counter(raised).values())
