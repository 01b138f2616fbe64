"""Control characters in names of a file are not written to the terminal, because they could change
its colours or forge lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cubin_file import CubinFile
from tool import DATA, run

FORGED, PLAIN = "\x1b[31m\n\x7fx.", ".nv.constant3"
LINKED = DATA / "linked-86.cubin"


def renamed(folder: Path, name: str, damaged: bool = False) -> Path:
    """Writes a cubin in which a section and a kernel have a new name, padded to the length of the
    old name."""
    file = CubinFile(LINKED)
    for table, old in ((".shstrtab", PLAIN.encode()), (".strtab", b"_Z6secondj")):
        data = file.section(table).data
        at = data.index(b"\0" + old + b"\0") + 1
        data[at : at + len(old)] = name.encode().ljust(len(old), b"x")
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
}
OF_A_KERNEL = {"explain"}


def text_of(command: str, folder: Path, name: str, damaged: bool) -> str:
    kernel = [name] if command in OF_A_KERNEL else []
    done = run(*WORDS[command], renamed(folder, name, damaged), *kernel)
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
    done = run("dump", "--json", renamed(tmp_path, FORGED))
    names = [section["name"] for section in json.loads(done.stdout)[0]["sections"]]
    assert any(name.startswith(FORGED) for name in names)


def test_messages_about_files(tmp_path: Path) -> None:
    done = run("dump", tmp_path / "\x1bmissing")
    assert r"\x1bmissing: No such file" in done.stderr and "\x1b" not in done.stderr
