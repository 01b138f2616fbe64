"""Control characters in names of a file are not written to the terminal, because they could change
its colours or forge lines."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from cubin_file import CubinFile
from tool import BUILD, LINKED, run

FORGED, PLAIN = "\x1b[31m\n\x7fx.", ".nv.constant3"


def renamed(folder: Path, name: bytes, damaged: bool = False) -> Path:
    """Writes a cubin in which a section and a kernel have a new name, padded to the length of the
    old name."""
    file = CubinFile(LINKED)
    for table, old in ((".shstrtab", PLAIN.encode()), (".strtab", b"_Z6secondj")):
        data = file.section(table).data
        at = data.index(b"\0" + old + b"\0") + 1
        data[at : at + len(old)] = name.ljust(len(old), b"x")
    if damaged:
        file.section(PLAIN).align = 3
    return file.write(folder / "x.cubin")


WORDS: dict[str, list[object]] = {
    "dump": ["dump", "--raw"],
    "verify": ["verify"],
    "resources": ["resources"],
    "diff": ["diff", LINKED],
    "bytes": ["diff", "--bytes", LINKED],
    "strict": ["diff", "--strict", LINKED],
    "uidx": ["uidx"],
    "explain": ["explain"],
    "size": ["size"],
    "symbols": ["symbols"],
    "graph": ["graph"],
    "dot": ["graph", "--dot"],
    "csv": ["symbols", "--csv"],
}
# The C1 control U+009B begins a terminal command, as ESC does. It is tested as UTF-8, and as the
# byte that represents it in 8-bit encodings. Format characters change the order of the text around
# them, or are invisible.
UNSAFE = {
    "DEL": b"\x7f",
    "C1": b"\xc2\x9b",
    "C1 byte": b"\x9b",
    "right-to-left override": "\u202e".encode(),
    "isolate": "\u2066".encode(),
    "zero width": "\u200b".encode(),
    "line separator": "\u2028".encode(),
    "tag": "\U000e0041".encode(),
}
OF_A_KERNEL = {"explain"}


def text_of(command: str, folder: Path, name: str, damaged: bool) -> str:
    kernel = [name] if command in OF_A_KERNEL else []
    done = run(*WORDS[command], renamed(folder, name.encode(), damaged), *kernel)
    return done.stdout + done.stderr


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.parametrize("command", WORDS)
def test_text_shows_them_escaped(command: str, damaged: bool, tmp_path: Path) -> None:
    text = text_of(command, tmp_path, FORGED, damaged)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    if damaged or command not in ("uidx", "verify"):
        assert r"\x1b[31m\x0a\x7fx." in text.replace(r"\\", "\\")
    plain = text_of(command, tmp_path, "_" * len(FORGED), damaged)
    assert text.count("\n") == plain.count("\n")


def test_json_holds_the_name(tmp_path: Path) -> None:
    done = run("dump", "--json", renamed(tmp_path, FORGED.encode()))
    names = [section["name"] for section in json.loads(done.stdout)[0]["sections"]]
    assert any(name.startswith(FORGED) for name in names)


def test_messages_about_files(tmp_path: Path) -> None:
    done = run("dump", tmp_path / "\x1bmissing")
    assert r"\x1bmissing: No such file" in done.stderr and "\x1b" not in done.stderr


@pytest.mark.parametrize("name", UNSAFE)
@pytest.mark.parametrize("command", ["dump", "json", "symbols", "csv", "graph", "dot", "diff"])
def test_other_unsafe_characters(command: str, name: str, tmp_path: Path) -> None:
    unsafe = UNSAFE[name]
    words: list[object] = ["symbols", "--json"] if command == "json" else WORDS[command]
    done = subprocess.run(
        [BUILD / "cubintool", *map(str, words), renamed(tmp_path, b"a" + unsafe + b"31m")],
        capture_output=True,
    )
    assert done.stdout and unsafe not in done.stdout and not done.stderr
    if command == "json":
        names = [symbol["name"] for symbol in json.loads(done.stdout)[0]["symbols"]]
        assert any(unsafe.decode("latin-1" if len(unsafe) == 1 else "utf-8") in n for n in names)
    else:
        escapes = "".join(f"\\x{byte:02x}" for byte in unsafe).encode()
        assert escapes in done.stdout.replace(rb"\\", b"\\")


@pytest.mark.parametrize("words", (["\x1bx"], ["help", "\x9bx"], ["dump", "--\u202ex"]))
def test_messages_about_arguments(words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2 and "\\x" in done.stderr
    assert not set("\x1b\x9b\u202e") & set(done.stderr)
