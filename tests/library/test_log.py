"""The log of a link contains all its diagnostics, as text or as JSON."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path

import pytest
import warpld_ctypes as warpld
from container_link import FIRST, SECOND
from library_link import LIBRARY, Link

TEXT, JSON = 0, 1
SEVERITIES = ("note", "info", "warning", "error", "fatal")


class LoggedLink(Link):
    """A link that keeps the messages that its callback gets, to compare them with the log."""

    def __init__(self) -> None:
        self.messages: list[tuple[str | None, ...]] = []
        super().__init__()

    def _take(self, _: int, diagnostic: ctypes._Pointer[warpld.Diagnostic]) -> None:
        one = diagnostic.contents
        self.codes.append(one.code.decode())
        fields = (one.code, one.text, one.input, one.symbol, one.section)
        texts = [field and field.decode("latin-1") for field in fields]
        self.messages.append((SEVERITIES[one.severity], *texts))

    def log(self, form: int) -> bytes:
        text, size = ctypes.c_char_p(), ctypes.c_size_t()
        status = LIBRARY.warpld_get_log(self.handle, form, ctypes.byref(text), ctypes.byref(size))
        assert status == warpld.OK
        assert text.value is not None and len(text.value) == size.value
        return text.value


def flat(log: bytes) -> list[tuple[str | None, ...]]:
    found = []
    for line in log.splitlines():
        message = json.loads(line)
        for one in (message, *message["notes"]):
            members = ("severity", "code", "text", "input", "symbol", "section")
            found.append(tuple(one[member] for member in members))
            assert set(one) == {*members, "notes"}
    return found


@pytest.mark.parametrize("name", ["plain", 'quoted " \\ \n', "caf\u00e9", "</script>"])
def test_the_log_has_what_the_callback_received(name: str) -> None:
    content = FIRST.read_bytes()
    with LoggedLink() as link:
        link.set("arch", "sm_80")
        link.set("keep-log")
        assert link.log(TEXT) == link.log(JSON) == b""
        encoded = name.encode("latin-1")
        for _ in range(2):
            LIBRARY.warpld_add_memory(link.handle, encoded, content, len(content))
        assert link.run() != warpld.OK
        assert flat(link.log(JSON)) == link.messages
        lines = [f"{severity:8}: {text}" for severity, _, text, *_ in link.messages]
        assert link.log(TEXT).decode("latin-1").splitlines() == lines
        assert link.log(JSON).count(b"\n") < len(lines)  # notes are inside of messages


def test_a_link_that_succeeds_has_an_empty_log() -> None:
    with LoggedLink() as link:
        link.set("arch", "sm_80")
        link.set("keep-log")
        link.add_file(FIRST)
        link.add_file(SECOND)
        assert link.run() == warpld.OK
        assert link.log(TEXT) == b""


@pytest.mark.parametrize("limit", ["1", "70000", "200000"])
def test_the_log_says_that_memory_has_run_out(limit: str) -> None:
    with LoggedLink() as link:
        link.set("arch", "sm_80")
        link.set("keep-log")
        link.set("memory-limit", limit)
        for _ in range(300):
            link.add_file(FIRST)
        assert link.run() == warpld.ERROR_MEMORY
        assert link.log(TEXT).startswith(b"fatal   : Out of memory\nnote    : ")
        assert flat(link.log(JSON)) == link.messages


def test_a_log_needs_no_callback(tmp_path: Path) -> None:
    options = warpld.Options(
        size=ctypes.sizeof(warpld.Options), architecture=b"sm_80", keep_log=True
    )
    link = LoggedLink()
    LIBRARY.warpld_destroy(link.handle)
    status = LIBRARY.warpld_create(ctypes.byref(options), ctypes.byref(link.handle))
    assert status == warpld.OK
    with link:
        link.add_file(tmp_path / "missing")
        assert link.run() == warpld.ERROR_FATAL
        assert b"Could not open input file" in link.log(TEXT)


def test_errors() -> None:
    text, size = ctypes.c_char_p(), ctypes.c_size_t()
    out = (ctypes.byref(text), ctypes.byref(size))
    with Link() as link:
        assert LIBRARY.warpld_get_log(link.handle, TEXT, *out) == warpld.END
        assert LIBRARY.warpld_get_log(None, TEXT, *out) == warpld.ERROR_ARGUMENT
        assert LIBRARY.warpld_get_log(link.handle, 2, *out) == warpld.ERROR_ARGUMENT
        assert LIBRARY.warpld_get_log(link.handle, TEXT, None, out[1]) == warpld.ERROR_ARGUMENT
        assert LIBRARY.warpld_get_log(link.handle, TEXT, out[0], None) == warpld.ERROR_ARGUMENT
