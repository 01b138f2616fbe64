"""A table of addresses keeps all its entries, even if the link uses another object's copies of the
functions and variables whose addresses it contains.

If the table is in constant memory, nvlink 13.0.88 drops its entries without a message, and the
program reads null pointers. nvlink keeps the entries of a table in global memory, as warpld always
does."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from quirk_link import DATA, link, relocations, symbol_value

TARGETS = ["function", "variable", "constant"]
TABLES = {"constant_table": ".nv.constant3", "global_table": ".nv.global.init"}


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("order", list(itertools.permutations(["first", "second"])), ids="-".join)
@pytest.mark.parametrize("table", TABLES)
def test_every_entry_is_left_to_the_driver(
    table: str, order: tuple[str, str], architecture: str, tmp_path: Path
) -> None:
    inputs = [DATA / f"{name}.{architecture}.cubin" for name in order]
    result = link(tmp_path, architecture, *inputs)
    assert (result.status, result.messages) == (0, "")
    start = symbol_value(result.output, table)
    kept = relocations(result.output, TABLES[table])
    assert [kept.get(start + 8 * i) for i in range(len(TARGETS))] == TARGETS


@pytest.mark.parametrize("architecture", ["sm_90", "sm_100"])
def test_position_independent_addresses_are_kept(architecture: str, tmp_path: Path) -> None:
    copy = DATA / f"position_independent.{architecture}.cubin"
    result = link(tmp_path, architecture, copy, copy)
    assert (result.status, result.messages) == (0, "")
    kept = relocations(result.output, ".nv.constant4")
    names = ["weak_function", "value", "weak_function", "value"]
    assert [kept.get(8 * i) for i in range(len(names))] == names
