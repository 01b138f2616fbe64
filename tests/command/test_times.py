"""The table of --time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command import OBJECTS, Done, prepare, run

HEADINGS = (
    "source file name , phase name , phase input files , phase output file , arch , tool, metric "
    ", unit"
)
# Stands in for ptxas: copies a cubin that exists already.
COMPILER = """#!/bin/sh
cp {cubin} elf.o
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare(tmp_path)
    compiler = tmp_path / "ptxas"
    compiler.write_text(COMPILER.format(cubin=OBJECTS / "first.sm_80.cubin"))
    compiler.chmod(0o755)
    (tmp_path / "first.ptx").write_bytes((OBJECTS / "first.ptx").read_bytes())
    return tmp_path


def link(folder: Path, *words: str) -> Done:
    good = ["-arch=sm_80", "--ptxas-path=./ptxas", "-o", "output.cubin"]
    return run(folder, *good, *words)


def test_objects_add_nothing(folder: Path) -> None:
    assert link(folder, "a.cubin", "b.cubin", "-time=table").status == 0
    assert (folder / "table").read_text() == HEADINGS + "\n"


def test_compilation_adds_a_row(folder: Path) -> None:
    for _ in range(2):
        assert link(folder, "first.ptx", "b.cubin", "--time", "table").status == 0
    headings, *rows = (folder / "table").read_text().splitlines()
    assert headings == HEADINGS
    assert len(rows) == 2
    row = r"first\.ptx , ptxas , first\.ptx ,  , sm_80 , nvlink , \d+\.\d{4} , ms"
    assert all(re.fullmatch(row, text) for text in rows)


def test_text_in_a_container(folder: Path) -> None:
    fatbin = "balance.fatbin"
    (folder / fatbin).write_bytes((OBJECTS / fatbin).read_bytes())
    done = link(folder, fatbin, "b.cubin", "-time=-")
    headings, *rows = done.output.splitlines()
    assert headings == HEADINGS
    row = rf"ptx , ptxas , {fatbin} , cubin , sm_80 , nvlink , \d+\.\d{{4}} , ms"
    assert all(re.fullmatch(row, text) for text in rows)


def test_failed_link_leaves_the_table(folder: Path) -> None:
    assert link(folder, "missing.cubin", "-time=table").status == 1
    assert (folder / "table").read_text() == HEADINGS + "\n"


def test_unwritable_table_ends_the_link(folder: Path) -> None:
    done = link(folder, "a.cubin", "b.cubin", "-time=missing/table")
    assert done.messages == ["nvlink fatal   : Cannot open file 'missing/table'"]
    assert done.status == 1
    assert not (folder / "output.cubin").exists()
