"""Machines share the results of compiling through an HTTP server. Links succeed without the server,
and take no damaged entries from it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from container_files import PTX, Entry, fat_binary
from container_link import FIRST, FIRST_90, Link, link, put
from ended_processes import ignore_children

TEXT = b"// A text.\n.version 8.0\n.target sm_80\n.address_size 64\n"
MOST_SECONDS_LOST = 2
# Seconds for the link itself and for starting curl, on a machine that is busy with other work.
MOST_SECONDS_OF_THE_LINK = 4

pytestmark = pytest.mark.skipif(not shutil.which("curl"), reason="curl is not on the PATH")


class Store(BaseHTTPRequestHandler):
    """A server that keeps what it receives, and has the fault that Server.fault names."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def has_fault(self) -> bool:
        self.server.requests.append((self.command, self.path))
        if self.server.fault == "stalls":
            self.server.released.wait()
        if self.server.fault == "fails":
            self.answer(500, b"oh")
        return self.server.fault in ("stalls", "fails")

    def do_GET(self) -> None:
        if self.has_fault():
            return
        entry = self.server.entries.get(self.path)
        if self.server.fault == "garbage":
            self.answer(200, os.urandom(1000))
        elif self.server.fault == "flipped" and entry:
            self.answer(200, entry[:-1] + bytes([entry[-1] ^ 1]))
        elif self.server.fault == "other" and self.server.entries:
            self.answer(200, next(iter(self.server.entries.values())))
        elif self.server.fault == "short" and entry:
            self.send_response(200)
            self.send_header("Content-Length", str(len(entry)))
            self.end_headers()
            self.wfile.write(entry[: len(entry) // 2])
            self.close_connection = True
        elif entry is None:
            self.answer(404, b"there is none")
        else:
            self.answer(200, entry)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.has_fault():
            return
        self.server.entries[self.path] = body
        self.answer(201, b"text that must not reach standard output")


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Store)
        self.entries: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        self.fault = ""
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/cache"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.released.set()
    made.shutdown()
    thread.join()
    made.server_close()


class Machine:
    """A folder that stands for a machine. Each machine has its own copy of a stand-in for ptxas."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder = folder
        self.server = server
        self.calls = folder / "calls"
        folder.mkdir()
        compiler = folder / "ptxas"
        compiler.write_text(
            f'#!/bin/sh\necho call >> "$CALLS"\n'
            f'case "$2" in sm_90) cp {FIRST_90} elf.o;; *) cp {FIRST} elf.o;; esac\n'
        )
        compiler.chmod(0o755)

    def link(
        self,
        *words: str,
        text: bytes = TEXT,
        url: str = "",
        architecture: str = "sm_80",
        preexec: Callable[[], None] | None = None,
        **variables: str,
    ) -> Link:
        fat = put(self.folder, "x.fatbin", fat_binary(Entry(PTX, 80, text)))
        named = [f"--ptxas-path={self.folder}/ptxas", f"--cache-url={url or self.server.url}"]
        environment = {**os.environ, "CALLS": str(self.calls), **variables}
        words = (*named, *words)
        return link(
            self.folder,
            fat,
            *words,
            architecture=architecture,
            name="warpld",
            environment=environment,
            preexec=preexec,
        )

    def count(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0


@pytest.fixture
def first(tmp_path: Path, server: Server) -> Machine:
    return Machine(tmp_path / "first", server)


@pytest.fixture
def second(tmp_path: Path, server: Server) -> Machine:
    return Machine(tmp_path / "second", server)


def test_the_second_machine_compiles_nothing(first: Machine, second: Machine) -> None:
    made, taken = first.link(), second.link()
    assert (made.status, made.messages) == (0, "")
    assert (taken.status, taken.messages, taken.output) == (0, "", made.output)
    assert (first.count(), second.count()) == (1, 0)
    methods = [method for method, _ in first.server.requests]
    assert methods == ["GET", "PUT", "GET"]
    assert len(first.server.requests[0][1].rpartition("/")[2]) == 64  # as bazel-remote requires


def test_curl_is_waited_for_by_a_parent_that_ignores_children(
    first: Machine, second: Machine
) -> None:
    made, taken = first.link(preexec=ignore_children), second.link(preexec=ignore_children)
    assert (made.status, made.messages) == (0, "")
    assert (taken.status, taken.messages, taken.output) == (0, "", made.output)
    assert (first.count(), second.count()) == (1, 0)


def test_a_folder_on_the_machine_is_asked_first(first: Machine, second: Machine) -> None:
    first.link()
    folder = f"--cache-dir={second.folder}/cache"
    second.link(folder)
    count = len(second.server.requests)
    assert second.link(folder).status == 0
    assert (second.count(), len(second.server.requests)) == (0, count)


def test_another_compiler_has_other_entries(first: Machine, second: Machine) -> None:
    first.link()
    with (second.folder / "ptxas").open("a") as compiler:
        compiler.write("# another version\n")
    second.link()
    assert second.count() == 1


def test_other_options_have_other_entries(first: Machine, second: Machine) -> None:
    first.link()
    second.link("-Xptxas=-O1")
    assert second.count() == 1


def test_no_cache_asks_no_server(first: Machine) -> None:
    assert first.link("--no-cache").status == 0
    assert not first.server.requests


def test_the_variable_names_a_server(first: Machine, second: Machine) -> None:
    first.link()
    fat = put(second.folder, "x.fatbin", fat_binary(Entry(PTX, 80, TEXT)))
    environment = {
        **os.environ,
        "CALLS": str(second.calls),
        "WARPLD_CACHE_URL": second.server.url + "/",
    }
    words = [f"--ptxas-path={second.folder}/ptxas"]
    link(second.folder, fat, *words, name="warpld", environment=environment)
    assert second.count() == 0


def test_a_device_link_shares_entries(first: Machine, second: Machine) -> None:
    for machine in (first, second):
        made = machine.link("--device-link", "--fatbin", architecture="sm_80,sm_90")
        assert (made.status, made.messages) == (0, "")
    assert (first.count(), second.count()) == (2, 0)


@pytest.mark.parametrize("fault", ["fails", "stalls", "garbage", "flipped", "other", "short"])
def test_a_fault_is_one_warning(fault: str, first: Machine, second: Machine) -> None:
    expected = first.link("--no-cache").output
    first.link(text=b"// Another text.\n" + TEXT)
    first.link()
    first.server.fault = fault
    start = time.monotonic()
    done = second.link()
    lost = time.monotonic() - start
    assert (done.status, done.output) == (0, expected)
    assert second.count() == 1
    lines = done.messages.splitlines()
    assert len(lines) == 1 and lines[0].startswith("warpld warning : The cache 'http://127.0.0.1")
    assert lost < MOST_SECONDS_LOST + MOST_SECONDS_OF_THE_LINK


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nothing answers: the port is bound, so that no other program gets it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}/cache"


def test_no_server_is_one_warning(nobody: str, first: Machine) -> None:
    done = first.link(url=f"http://{nobody}")
    assert (done.status, first.count(), done.messages.count("\n")) == (0, 1, 1)
    assert "is not used any more" in done.messages


def test_a_warning_about_the_server_has_its_own_code(nobody: str, first: Machine) -> None:
    done = first.link("--diagnostics-format=json", url=f"http://{nobody}")
    (warning,) = done.messages.splitlines()
    assert json.loads(warning)["code"] == "cache-unusable"


def test_without_curl_there_is_one_warning(first: Machine) -> None:
    programs = first.folder / "programs"
    programs.mkdir()
    for name in ("sh", "cp"):
        (programs / name).symlink_to(str(shutil.which(name)))
    done = first.link(PATH=str(programs))
    assert (done.status, first.count(), done.messages.count("\n")) == (0, 1, 1)
    assert "curl" in done.messages


def test_a_password_is_not_shown(nobody: str, first: Machine) -> None:
    done = first.link(url=f"http://someone:secret@{nobody}")
    assert "secret" not in done.messages
    assert f"'http://{nobody}'" in done.messages


@pytest.mark.parametrize("url", ["file:///etc", "ftp://127.0.0.1:9", 'x"\noutput = "y', "-K"])
def test_other_addresses_are_refused(url: str, first: Machine) -> None:
    done = first.link(url=url)
    assert (done.status, first.count()) == (0, 1)
    assert "is not used any more" in done.messages
    assert not (first.folder / "y").exists()


def test_a_line_break_in_the_address_begins_no_option(first: Machine) -> None:
    done = first.link(url=first.server.url + "\nfail-early\n#")
    assert (done.status, first.count(), first.server.requests) == (0, 1, [])
    assert "is not used any more" in done.messages and "URL" in done.messages


def test_brackets_are_part_of_the_address(first: Machine, second: Machine) -> None:
    for machine in (first, second):
        done = machine.link(url=machine.server.url + "/{a,b}[1-2]")
        assert (done.status, done.messages) == (0, "")
    assert (first.count(), second.count(), len(first.server.requests)) == (1, 0, 3)


def test_a_compiler_is_known_by_digest_and_size(first: Machine) -> None:
    first.link(f"--cache-dir={first.folder}/cache")
    entries = [entry for entry in (first.folder / "cache").rglob("*") if entry.is_file()]
    size = (first.folder / "ptxas").stat().st_size
    assert any(entry.read_bytes().endswith(b" %d" % size) for entry in entries)
