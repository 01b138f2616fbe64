"""A file is recognised as PTX if ptxas reads it as PTX, whatever precedes its first directive."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from input_link import link, put
from ptx_heads import BODY, heads, is_accepted

COUNT, CHECKED = 1000, 40
VERSION = b".version 8.0\n"
REFUSED_BY_PTXAS = {
    "byte order mark": b"\xef\xbb\xbf" + VERSION,
    "vertical tab": b"\v" + VERSION,
    "NUL": b"\0" + VERSION,
    "NUL in a comment": b"// \0\n" + VERSION,
    "NUL in a block comment": b"/* \0 */" + VERSION,
    "CR does not end a comment": b"// x\r" + VERSION,
    "comment without an end": b"/* x\n" + VERSION,
    "comment inside a comment": b"/* /* */ */" + VERSION,
    "another directive": b".target sm_80\n" + VERSION,
    "marker without a name": b"#line 1\n" + VERSION,
    "no number": b".version x\n",
    "a version as GNU as has it": b'.version "01.01"\n',
}


def recognised(folder: Path, files: list[bytes]) -> int:
    """How many of the files are passed to the compiler, which refuses them all."""
    compiler, calls = folder / "ptxas", folder / "calls"
    compiler.write_text(f"#!/bin/sh\necho >> {calls}\nexit 1\n")
    compiler.chmod(0o755)
    names = [put(folder, f"{number:04}.txt", content) for number, content in enumerate(files)]
    link(folder, *names, f"--ptxas-path={compiler}")
    return len(calls.read_text().splitlines()) if calls.exists() else 0


def test_every_head_is_recognised(tmp_path: Path) -> None:
    assert recognised(tmp_path, [head + BODY for head in heads(COUNT)]) == COUNT


@pytest.mark.parametrize("kind", REFUSED_BY_PTXAS)
def test_what_ptxas_does_not_read_as_ptx(kind: str, tmp_path: Path) -> None:
    assert recognised(tmp_path, [REFUSED_BY_PTXAS[kind] + BODY]) == 0


@pytest.mark.skipif(not shutil.which("ptxas"), reason="needs ptxas")
def test_ptxas_agrees(tmp_path: Path) -> None:
    """Here ptxas compiles the first CHECKED heads. The script tests/inputs/ptx_heads.py can try any
    number of them."""
    assert all(is_accepted("ptxas", head, tmp_path) for head in heads(CHECKED))
    accepted = [
        kind for kind, head in REFUSED_BY_PTXAS.items() if is_accepted("ptxas", head, tmp_path)
    ]
    assert not accepted
