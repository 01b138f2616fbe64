"""Static kernels of one name have one section of shared memory, with space for the variables that
each of them reaches.

nvlink 13.0.88 counts only the variables that the first kernel reaches. If the kernel in
static_kernel is the first, the section is too small. Then the second kernel's own variables have
the same addresses as those of `helper`, which the second kernel calls. If -kernels-used removes one
of the kernels, nvlink removes the constant banks of both."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from quirk_link import DATA, link

INPUTS = ["static_kernel", "static_kernel_that_calls"]
SCRATCH, OWN = 64, 40 + 100
RESERVED = {"sm_80": 0, "sm_90": 0x400}


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("order", list(itertools.permutations(INPUTS)), ids="-".join)
def test_section_has_space_for_both(
    order: tuple[str, str], architecture: str, tmp_path: Path
) -> None:
    inputs = [DATA / f"{name}.{architecture}.cubin" for name in order]
    result = link(tmp_path, architecture, *inputs)
    assert (result.status, result.messages) == (0, "")
    with result.output.open("rb") as stream:
        size = ELFFile(stream).get_section_by_name(".nv.shared.kernel")["sh_size"]
    assert size == RESERVED[architecture] + SCRATCH + OWN


@pytest.mark.parametrize("order", list(itertools.permutations(INPUTS)), ids="-".join)
def test_own_variables_follow_shared_ones(order: tuple[str, str], tmp_path: Path) -> None:
    inputs = [DATA / f"{name}.sm_80.cubin" for name in order]
    result = link(tmp_path, "sm_80", "-g", *inputs)
    assert result.status == 0
    with result.output.open("rb") as stream:
        symbols = list(ELFFile(stream).get_section_by_name(".symtab").iter_symbols())
    (scratch,) = [s["st_value"] for s in symbols if "scratch" in s.name]
    own = [s["st_value"] for s in symbols if "own" in s.name]
    assert scratch == 0
    assert len(own) == 2 and min(own) >= SCRATCH


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize(
    "order",
    list(itertools.permutations(["static_kernel", "static_kernel_address"])),
    ids="-".join,
)
def test_parameters_of_the_kept_kernel(
    order: tuple[str, str], architecture: str, tmp_path: Path
) -> None:
    inputs = [DATA / f"{name}.{architecture}.cubin" for name in order]
    result = link(tmp_path, architecture, "-kernels-used=none", "-w", *inputs)
    assert (result.status, result.messages) == (0, "")
    with result.output.open("rb") as stream:
        file = ELFFile(stream)
        assert file.get_section_by_name(".text.kernel")
        assert file.get_section_by_name(".nv.constant0.kernel")
