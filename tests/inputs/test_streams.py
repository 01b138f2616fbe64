"""Standard input, pipes and libraries that are named as files."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from container_files import HostObject, archive, cubin_entry, fat_binary
from input_link import FATAL, FIRST, SECOND, TESTS, link, put


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
    """The host's linker accepts this, too."""
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
