"""Damaged objects that nvlink 13.0.88 links without a message. warpld also links them, but warns
about the damage. Under the name nvlink, warpld prints no warning."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from linking import BUILD, OTHER, PROGRAM, REPOSITORY, Outcome, link
from mutate import U16, U32, Cubin

GOLDEN = REPOSITORY / "tests" / "golden"
KPARAM_INFO, PARAM_CBANK, CBANK_PARAM_SIZE, CTAIDZ_USED = 0x17, 0x0A, 0x19, 0x04
FRAME_SIZE, MIN_STACK_SIZE = 0x11, 0x12


def differing_parameters(cubin: Cubin) -> None:
    cubin.put(cubin.record(".nv.info.kernel", CBANK_PARAM_SIZE) + 2, U16, 16)


def two_parameter_banks(cubin: Cubin) -> None:
    """Adds a second PARAM_CBANK record. The records must fill the section, so the copy of 12 bytes
    and a record of 4 bytes without a value replace a KPARAM_INFO record of 16 bytes."""
    at, bank = (cubin.record(".nv.info.kernel", code) for code in (KPARAM_INFO, PARAM_CBANK))
    copy = cubin.data[bank : bank + 12]
    cubin.data[at : at + 16] = copy + struct.pack("<BBH", 1, CTAIDZ_USED, 0)


# Maps each change of an object to the rule that the warning about it names.
REPORTED: dict[Callable[[Cubin], None], str] = {
    differing_parameters: "parameter-size",
    two_parameter_banks: "attribute-repeated",
}


def link_changed(
    folder: Path, name: str, original: Path, change: Callable[[Cubin], None], *words: object
) -> Outcome:
    """Links a changed object. `words` are further objects and options."""
    cubin = Cubin(original)
    change(cubin)
    bad = folder / "bad.cubin"
    bad.write_bytes(cubin.data)
    return link(folder, bad, *words, name=name)


def assert_reported(
    folder: Path, rule: str, original: Path, change: Callable[[Cubin], None], *words: object
) -> None:
    before = link_changed(folder, "warpld", original, lambda cubin: None, *words)
    assert (before.status, before.messages) == (0, "")
    outcome = link_changed(folder, "warpld", original, change, *words)
    assert outcome.status == 0 and f"({rule})\n" in outcome.messages
    assert outcome.messages.startswith("warpld warning : ")
    assert link_changed(folder, "nvlink", original, change, *words) == Outcome(
        0, "", outcome.output
    )


@pytest.mark.parametrize("change", REPORTED, ids=[change.__name__ for change in REPORTED])
def test_damaged_attributes_are_reported(change: Callable[[Cubin], None], tmp_path: Path) -> None:
    assert_reported(tmp_path, REPORTED[change], PROGRAM, change, OTHER)


def known_stack(cubin: Cubin) -> None:
    """Turns the frame size of a kernel into a MIN_STACK_SIZE that is not "unknown"."""
    at = cubin.record(".nv.info", FRAME_SIZE)
    cubin.data[at + 1] = MIN_STACK_SIZE
    cubin.put(at + 8, U32, 64)


def test_only_a_linker_knows_the_stack_of_a_whole_program(tmp_path: Path) -> None:
    folder = GOLDEN / "whole-programs-of-kernels"
    assert_reported(
        tmp_path, "attribute-of-linker", folder / "a.cubin", known_stack, folder / "b.cubin"
    )
