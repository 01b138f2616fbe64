"""cubintool symbols prints a list like that of nm, with memory spaces."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from elftools.elf import elffile
from tool import CUBINS, DATA, LINKED, REPOSITORY, cubintool, run


def symbols(*words: object) -> list[dict[str, Any]]:
    (file,) = json.loads(cubintool("symbols", "--json", *words))
    found: list[dict[str, Any]] = file["symbols"]
    return found


def test_spaces() -> None:
    found = {s["name"]: (s["kind"], s["space"], s["size"]) for s in symbols(LINKED)}
    assert found["_Z5firstPjcd"] == ("K", "code", 640)
    assert found["helper"] == ("T", "code", 512)
    assert found["vprintf"] == ("U", "undefined", 0)
    assert found["counter"] == ("D", "global", 4)
    assert found["zeroed"] == ("B", "global", 40)
    assert found["weights"] == ("C", "constant", 16)
    assert found["twin[3]"] == ("t", "code", 384)


def test_shared_variables_of_objects() -> None:
    path = REPOSITORY / "examples" / "demo" / "data" / "reduction.sm_90.cubin"
    (shared,) = [s for s in symbols("--demangle", path) if s["space"] == "shared"]
    assert (shared["kind"], shared["size"]) == ("s", 4096)
    assert shared["name"] == "block_sum(float)::partial"


def test_a_unified_variable_is_no_kernel() -> None:
    """The bit that marks kernels is also set in unified variables."""
    path = REPOSITORY / "tests" / "quirks" / "data" / "unified.sm_90.cubin"
    found = {s["name"]: (s["kind"], s["space"]) for s in symbols(path)}
    assert found["small"] == found["pointer"] == ("D", "global")


def test_a_common_symbol_is_in_global_memory() -> None:
    path = REPOSITORY / "tests" / "golden" / "common-with-definition" / "a.cubin"
    found = {s["name"]: (s["kind"], s["space"]) for s in symbols(path)}
    assert found["table"] == ("B", "common")


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
def test_same_symbols_as_pyelftools(path: Path) -> None:
    with path.open("rb") as stream:
        table = elffile.ELFFile(stream).get_section_by_name(".symtab")
        expected = [
            (symbol["st_value"], symbol["st_size"])
            for symbol in table.iter_symbols()
            if symbol.name and symbol["st_info"]["type"] not in ("STT_SECTION", "STT_FILE")
        ]
    assert [(s["value"], s["size"]) for s in symbols(path)] == expected


def test_sorted_filtered_and_as_csv() -> None:
    text = cubintool("symbols", "--csv", "--sort=size", "--filter=*e*", LINKED)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["name"] for row in rows][:2] == ["_Z6secondj", "helper"]
    assert run("symbols", "--sort=colour", LINKED).returncode == 2
    assert cubintool("symbols", LINKED, DATA / "linked-90.cubin").count("File ") == 2
