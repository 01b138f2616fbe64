"""A texture, sampler or surface that is a parameter of a kernel belongs to that kernel alone.

nvlink 13.0.88 identifies such parameters by name alone. If parameters of two kernels have the same
name, the slot of the second kernel has no relocation, so the driver never fills it. If the
parameters are of different kinds, nvlink refuses them."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from quirk_link import DATA, link, relocations

TEXTURE = DATA / "texture_parameter.sm_80.cubin"
TEXTURE_TOO = DATA / "texture_parameter_too.sm_80.cubin"
SURFACE = DATA / "surface_parameter.sm_80.cubin"
KERNELS = {TEXTURE: "first", TEXTURE_TOO: "second", SURFACE: "third"}


@pytest.mark.parametrize("inputs", list(itertools.permutations(KERNELS, 2)))
def test_each_kernel_has_a_slot_of_its_own(inputs: tuple[Path, Path], tmp_path: Path) -> None:
    result = link(tmp_path, "sm_80", *inputs)
    assert (result.status, result.messages) == (0, "")
    slots = [relocations(result.output, f".nv.constant0.{KERNELS[i]}") for i in inputs]
    assert [list(found.values()) for found in slots] == [["image"], ["image"]]
    assert slots[0].keys().isdisjoint(slots[1])
