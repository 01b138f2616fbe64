"""Programs with functions that nothing calls are linked.

nvlink 13.0.88 fails with internal errors, or crashes."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from quirk_link import DATA, link

STATIC_FUNCTIONS = ["static_behind_static_ones", "static_jump_table"]


def functions(cubin: Path) -> set[str]:
    with cubin.open("rb") as stream:
        sections = [section.name for section in ELFFile(stream).iter_sections()]
    return {name.removeprefix(".text.") for name in sections if name.startswith(".text.")}


def test_superseded_copy_that_calls(tmp_path: Path) -> None:
    """nvlink fails with "Internal error: unexpected reloc". warpld links the program."""
    names = ("weak_that_calls", "weak_without_calls")
    inputs = [DATA / f"{name}.sm_100.cubin" for name in names]
    result = link(tmp_path, "sm_100", *inputs, options=("-kernels-used=none", "-w"))
    assert (result.status, result.messages) == (0, "")
    assert functions(result.output) == set()


@pytest.mark.parametrize("architecture", ["sm_90", "sm_100"])
@pytest.mark.parametrize("order", list(itertools.permutations(STATIC_FUNCTIONS)), ids="-".join)
def test_static_function_with_the_name_of_one_with_a_jump_table(
    order: tuple[str, str], architecture: str, tmp_path: Path
) -> None:
    """nvlink fails with "Internal error: reference to deleted section". If the inputs are in the
    other order, it crashes. warpld links the program in either order."""
    inputs = [DATA / f"{name}.{architecture}.cubin" for name in order]
    result = link(tmp_path, architecture, *inputs)
    assert (result.status, result.messages) == (0, "")
    assert functions(result.output) == {"kernel", "both", "one", "two", "same"}
