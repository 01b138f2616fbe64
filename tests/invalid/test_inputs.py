"""A file that is no device object causes an error if device code would be lost. Otherwise it causes
a warning, or no message if only the host's linker needs it."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from linking import OTHER, PROGRAM, assert_fails, link

FATAL, ERRORS = 1, 255
TEXT = b"This is no program at all, but it is longer than an ELF header is, by some words.\n"


def host_object(*names: bytes, names_section: int = 1) -> bytes:
    """An x86-64 object with empty sections that have the given names. `names_section` is the number
    of the section with the names, or a wrong number: nvlink skips such an object, but refuses a
    host object that is cut off (tests/containers)."""
    strings = b"\0.shstrtab\0" + b"".join(name + b"\0" for name in names)
    headers = bytes(64) + struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, 64, len(strings), 0, 0, 1, 0)
    at = len(b"\0.shstrtab\0")
    for name in names:
        headers += struct.pack("<IIQQQQIIQQ", at, 1, 0, 0, 64, 0, 0, 0, 1, 0)
        at += len(name) + 1
    header = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH",
        1, 62, 1, 0, 0, 64 + len(strings), 0, 64, 0, 0, 64, 2 + len(names), names_section,
    )  # fmt: skip
    return header + strings + headers


NO_DEVICE_OBJECT = "is not a device object and was ignored"
NO_PTX = (
    "was ignored: it is text, but not PTX, which begins with .version; compile source files first"
)
IGNORED = {
    "empty.o": (b"", NO_DEVICE_OBJECT),
    "empty": (b"", NO_DEVICE_OBJECT),
    "empty.ptx": (b"", NO_DEVICE_OBJECT),
    "text.o": (TEXT, NO_PTX),
    "text.txt": (TEXT, NO_PTX),
    "no-suffix": (TEXT, NO_PTX),
    "host-without-names.o": (host_object(b".text", names_section=99), NO_DEVICE_OBJECT),
}


@pytest.mark.parametrize("name", IGNORED)
def test_what_holds_no_device_code_is_passed_over_with_a_warning(name: str, tmp_path: Path) -> None:
    expected = link(tmp_path, PROGRAM, OTHER)
    ignored = tmp_path / name
    content, reason = IGNORED[name]
    ignored.write_bytes(content)
    outcome = link(tmp_path, PROGRAM, ignored, OTHER)
    assert (outcome.status, outcome.messages, outcome.output) == (0, "", expected.output)
    outcome = link(tmp_path, PROGRAM, ignored, OTHER, name="warpld")
    warning = f"warpld warning : Input file '{ignored}' {reason}\n"
    assert (outcome.status, outcome.messages, outcome.output) == (0, warning, expected.output)


HOST_ONLY = {
    "host.o": host_object(b".text", b".data"),
    "linked.o": host_object(b".text", b".nv_fatbin"),
    "without-segment.o": host_object(b"__nv_relfatbin"),
}


@pytest.mark.parametrize("name", HOST_ONLY)
def test_what_is_for_the_hosts_linker_needs_no_message(name: str, tmp_path: Path) -> None:
    """nvcc passes every object of the program to the device linker, even those that only the host's
    linker needs."""
    expected = link(tmp_path, PROGRAM, OTHER)
    ignored = tmp_path / name
    ignored.write_bytes(HOST_ONLY[name])
    for program in ("nvlink", "warpld"):
        outcome = link(tmp_path, PROGRAM, ignored, OTHER, name=program)
        assert (outcome.status, outcome.messages, outcome.output) == (0, "", expected.output)


def test_the_warning_can_be_an_error(tmp_path: Path) -> None:
    ignored = tmp_path / "text.o"
    ignored.write_bytes(TEXT)
    message = "warpld error   : Input file"
    words = ("-Werror", PROGRAM, ignored, OTHER)
    assert_fails(tmp_path, ERRORS, message, *words, name="warpld")


def test_an_executable_is_passed_over_with_a_warning(tmp_path: Path) -> None:
    expected = link(tmp_path, PROGRAM, OTHER)
    executable = tmp_path / "linked.cubin"
    executable.write_bytes(expected.output or b"")
    outcome = link(tmp_path, PROGRAM, executable, OTHER, name="warpld")
    assert outcome.status == 0
    assert "is already linked (an executable cubin) and was ignored" in outcome.messages
    assert outcome.output == expected.output


def test_a_link_of_nothing_but_ignored_files_succeeds(tmp_path: Path) -> None:
    """Like nvlink, warpld succeeds if no input has device code."""
    ignored = tmp_path / "text.o"
    ignored.write_bytes(TEXT)
    outcome = link(tmp_path, ignored)
    assert outcome.status == 0
    assert outcome.output


FATBIN = struct.pack("<I", 0xBA55ED50).ljust(64, b"\0")
REFUSED = {
    "empty.cubin": (b"", "cubin not an elf?"),
    "text.cubin": (TEXT, "cubin not an elf?"),
    "host.cubin": (host_object(b".text"), "cubin not a device elf?"),
    "one-byte.o": (b"x", "Could not open input file"),
    "short.txt": (TEXT[:55], "Could not open input file"),
    "short.cubin": (PROGRAM.read_bytes()[:55], "Could not open input file"),
    "code.fatbin": (FATBIN, "the fat binary has an unknown version"),
    "library.a": (b"!<arch>\n".ljust(64, b" "), "the header of a member is cut off"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_hold_device_code_ends_the_link(name: str, tmp_path: Path) -> None:
    content, message = REFUSED[name]
    bad = tmp_path / name
    bad.write_bytes(content)
    assert_fails(tmp_path, FATAL, message, PROGRAM, bad, OTHER)


def test_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.cubin"
    assert_fails(tmp_path, FATAL, f"Could not open input file '{path}'", PROGRAM, path, OTHER)
    assert_fails(tmp_path, FATAL, "Could not open input file ''", PROGRAM, "", OTHER)


def test_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder.cubin"
    folder.mkdir()
    assert_fails(tmp_path, FATAL, f"Could not open input file '{folder}'", PROGRAM, folder, OTHER)


def test_a_pipe_that_nobody_writes_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.cubin"
    os.mkfifo(pipe)
    assert_fails(tmp_path, FATAL, f"Could not open input file '{pipe}'", PROGRAM, pipe, OTHER)
    assert "It is a pipe, not a file" in link(tmp_path, PROGRAM, pipe, OTHER).messages


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    occupied = tmp_path / "folder"
    occupied.mkdir()
    for output in (occupied, tmp_path / "none" / "output.cubin"):
        outcome = link(tmp_path, PROGRAM, OTHER, output=output)
        assert outcome.status == FATAL
        assert f"nvlink fatal   : Could not open output file '{output}'" in outcome.messages
    assert list(occupied.iterdir()) == []


def test_an_input_may_be_the_output(tmp_path: Path) -> None:
    expected = link(tmp_path, PROGRAM, OTHER)
    path = tmp_path / "both.cubin"
    path.write_bytes(PROGRAM.read_bytes())
    outcome = link(tmp_path, path, OTHER, output=path)
    assert (outcome.status, outcome.output) == (0, expected.output)
