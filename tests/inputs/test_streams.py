"""warpld reads inputs from standard input and from pipes, and finds libraries given as -l:FILE."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest
from container_files import HostObject, archive, cubin_entry, fat_binary
from input_link import BUILD, FATAL, FIRST, SECOND, TESTS, link, put


def write(path: Path | int, content: bytes) -> None:
    with open(path, "wb") as stream:
        stream.write(content)


def test_standard_input_and_pipes_are_read(tmp_path: Path) -> None:
    expected = len(link(tmp_path, FIRST, SECOND).output)
    with FIRST.open("rb") as stream:
        outcome = link(tmp_path, "-", SECOND, stdin=stream.fileno())
    assert (outcome.messages, len(outcome.output)) == ("", expected)
    reading, writing = os.pipe()
    threading.Thread(target=write, args=(writing, FIRST.read_bytes())).start()
    outcome = link(tmp_path, f"/dev/fd/{reading}", SECOND, pass_fds=(reading,))
    assert (outcome.messages, len(outcome.output)) == ("", expected)
    os.close(reading)


def test_a_named_pipe_is_read(tmp_path: Path) -> None:
    expected = len(link(tmp_path, FIRST, SECOND).output)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = archive({"a.o": FIRST.read_bytes(), "large": bytes(300_000)})
    threading.Thread(target=write, args=(pipe, content)).start()
    outcome = link(tmp_path, pipe, SECOND, "-w")
    assert (outcome.status, len(outcome.output)) == (0, expected)
    assert link(tmp_path, pipe, SECOND, name="nvlink").status == FATAL


def test_a_library_can_be_named_as_a_file(tmp_path: Path) -> None:
    put(tmp_path, "first.x", archive({"a.o": FIRST.read_bytes()}))
    expected = link(tmp_path, SECOND, "first.x").output
    outcome = link(tmp_path, SECOND, "-L.", "-l:first.x")
    assert (outcome.messages, len(outcome.output)) == ("", len(expected))


@pytest.mark.parametrize("form", ("cubin", "fat binary", "object"))
def test_an_object_can_be_named_as_a_library(form: str, tmp_path: Path) -> None:
    """warpld accepts an object after -l:, as the host's linker does. nvlink ignores such a file."""
    code = fat_binary(cubin_entry(FIRST))
    forms = {"cubin": FIRST.read_bytes(), "fat binary": code, "object": HostObject(code).write()}
    put(tmp_path, "first.x", forms[form])
    expected = link(tmp_path, SECOND, "first.x").output
    outcome = link(tmp_path, SECOND, "-L.", "-l:first.x")
    assert (outcome.messages, len(outcome.output)) == ("", len(expected))
    assert len(link(tmp_path, SECOND, "-L.", "-l:first.x", name="nvlink").output) < len(expected)


def test_a_missing_file_of_a_library_is_named(tmp_path: Path) -> None:
    missing = TESTS / "notes" / "data" / "calls_missing.sm_80.cubin"
    outcome = link(tmp_path, missing, "-L.", "-l:first.x")
    assert "note : first.x was not found for -l:first.x" in outcome.lines


def test_an_empty_archive_is_for_every_host(tmp_path: Path) -> None:
    put(tmp_path, "librt.a", archive({}))
    assert link(tmp_path, SECOND, "-Werror", "-L.", "-lrt").messages == ""
    assert "Skipping incompatible" in link(tmp_path, SECOND, "-L.", "-lrt", name="nvlink").messages


PTX = b".version 8.0\n.target sm_80\n.address_size 64\n"
BLOCK = 1 << 16
ENDLESS = {
    "zeros": (b"", bytes(BLOCK), 64, "no input that can be linked begins like this"),
    "lines": (b"", b"y\n" * BLOCK, 64, "no input that can be linked begins like this"),
    "gzip": (b"\x1f\x8b", bytes(BLOCK), 64, "it is compressed with gzip"),
    "cubin": (FIRST.read_bytes(), bytes(BLOCK), 2048, "its contents end at byte 3208, but"),
    "fat binary": (
        fat_binary(cubin_entry(FIRST)),
        bytes(BLOCK),
        2048,
        f"its contents end at byte {len(fat_binary(cubin_entry(FIRST)))}, but it goes on",
    ),
    "archive": (archive({}), b"x" * BLOCK, 2048, "its contents end at byte 8, but it goes on"),
    "PTX": (PTX, bytes(BLOCK), 2048, f"its contents end at byte {len(PTX)}, but it goes on"),
    "comment": (b"/*", b"x" * BLOCK, 262144, "PTX from a stream can have 256 MiB at most; pass"),
}


def write_endlessly(pipe: int, start: bytes, block: bytes) -> None:
    try:
        with open(pipe, "wb", buffering=0) as stream:
            stream.write(start)
            while True:
                stream.write(block)
    except BrokenPipeError:
        pass


@pytest.mark.parametrize("form", ENDLESS)
def test_an_endless_stream_is_refused(form: str, tmp_path: Path) -> None:
    start, block, read, reason = ENDLESS[form]
    reading, writing = os.pipe()
    writer = threading.Thread(target=write_endlessly, args=(writing, start, block))
    writer.start()
    outcome = link(tmp_path, "-", SECOND, stdin=reading)
    os.close(reading)
    writer.join()
    assert (outcome.status, outcome.output) == (FATAL, b"")
    assert outcome.lines[0].startswith(f"fatal : Stopped reading '-' after {read} KiB: {reason}")
    assert len(outcome.lines) == 1


@pytest.mark.parametrize("words", ((), ("--device-link",)))
def test_an_endless_device_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    outcome = link(tmp_path, SECOND, "/dev/zero", *words)
    assert (outcome.status, outcome.output) == (FATAL, b"")
    assert "Stopped reading '/dev/zero' after 64 KiB" in outcome.messages


def test_cubintool_refuses_an_endless_stream(tmp_path: Path) -> None:
    for words in (["list", "/dev/zero"], ["symbols", "/dev/zero"]):
        done = subprocess.run(
            [BUILD / "cubintool", *words], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert done.returncode and not done.stdout
        assert "Stopped reading '/dev/zero' after 64 KiB" in done.stderr


LONG = {
    "a cubin": FIRST.read_bytes() + bytes(1 << 19),
    "an object": HostObject(fat_binary(cubin_entry(FIRST)) + bytes(1 << 19)).write(),
    "fat binaries": fat_binary() * 5000 + fat_binary(cubin_entry(FIRST)),
    "padded fat binaries": (fat_binary() + bytes(1 << 19)) * 8 + fat_binary(cubin_entry(FIRST)),
    "an archive": archive({"large": bytes(3 << 20), "a.o": FIRST.read_bytes()}),
    "an archive in an archive": archive(
        {"inner.a": archive({"large": bytes(3 << 20), "a.o": FIRST.read_bytes()})}
    ),
}


@pytest.mark.parametrize("form", LONG)
def test_a_long_stream_is_read_to_its_end(form: str, tmp_path: Path) -> None:
    assert len(LONG[form]) > BLOCK
    put(tmp_path, "file.x", LONG[form])
    expected = link(tmp_path, "file.x", SECOND, "-w")
    assert expected.status == 0 and len(expected.output) > len(SECOND.read_bytes())
    with (tmp_path / "file.x").open("rb") as stream:
        outcome = link(tmp_path, "-", SECOND, "-w", stdin=stream.fileno())
    assert (outcome.status, outcome.output) == (0, expected.output)


def test_ptx_may_begin_far_into_a_stream(tmp_path: Path) -> None:
    """The directive .version shows that a stream is PTX. Here the first block that warpld reads
    ends before or within that directive."""
    for size in range(BLOCK - 20, BLOCK):
        text = b"//" + b"x" * size + b"\n" + PTX + b"// longer than a block\n" * BLOCK
        put(tmp_path, "file.ptx", text)
        with (tmp_path / "file.ptx").open("rb") as stream:
            outcome = link(tmp_path, "-", architecture="compute_80", stdin=stream.fileno())
        assert outcome.status == 0, outcome.messages
