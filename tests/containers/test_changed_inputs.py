"""An input file becomes shorter while a link reads it. A script that stands in for ptxas truncates
the file, so that this happens at a known time."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from container_files import archive
from container_link import DATA, FIRST, link, put

PTX = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
# Stands in for ptxas: truncates the input to one page, and writes the cubin that the link expects.
COMPILER = '#!/bin/sh\n: > "{cut}"\nhead -c 4096 "{copy}" > "{cut}"\ncp "{cubin}" elf.o\n'


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
def test_a_cut_input_is_a_message(name: str, tmp_path: Path) -> None:
    content = archive({f"{i}.o": FIRST.read_bytes() + bytes(70000) for i in range(3)})
    for path in ("libcut.a", "copy"):
        put(tmp_path, path, content)
    put(tmp_path, "k.ptx", PTX)
    text = COMPILER.format(
        cut=tmp_path / "libcut.a", copy=tmp_path / "copy", cubin=DATA / "second.sm_80.cubin"
    )
    (tmp_path / "ptxas").write_text(text)
    (tmp_path / "ptxas").chmod(stat.S_IRWXU)
    done = link(tmp_path, "k.ptx", "libcut.a", f"--ptxas-path={tmp_path}/ptxas", name=name)
    assert done.status == 1 and not done.file
    cut = tmp_path / "libcut.a"
    assert f"{name} fatal   : Input file '{cut}' was changed while it was read\n" in done.messages
