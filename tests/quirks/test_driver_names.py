"""A program can define a function that has the name of a system function. If that function is
recursive, nvlink 13.0.88 never terminates."""

from __future__ import annotations

import struct
from pathlib import Path

from cubin import read_cubin
from quirk_link import DATA, link

CONSTANT = struct.pack("<Q", 0x408F480000A5167A)


def test_one_that_calls_itself_has_its_constants(tmp_path: Path) -> None:
    result = link(tmp_path, "sm_80", DATA / "recursive_driver_name.sm_80.cubin")
    assert result.status == 0
    output = read_cubin(result.output)
    assert output.section(".nv.constant2.calls").data.endswith(CONSTANT)
    assert not output.has_section(".nv.constant2.free")
