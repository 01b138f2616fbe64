"""A function call and a variable of one name give the same messages in either order of the inputs.

nvlink 13.0.88 fails with "Internal error: no callgraph node" when the variable is read first."""

from __future__ import annotations

from pathlib import Path

import pytest
from quirk_link import DATA, link


@pytest.mark.parametrize("order", [("calls", "defines"), ("defines", "calls")], ids="-".join)
def test_the_order_of_the_inputs_does_not_matter(order: tuple[str, str], tmp_path: Path) -> None:
    first, second = (f"{word}_name.sm_80.cubin" for word in order)
    result = link(tmp_path, "sm_80", DATA / first, DATA / second)
    assert result.status == 1
    assert result.messages.count("Memory space doesn't match for 'name'") == 1
    assert "merge_elf failed" not in result.messages
    assert "Internal error" not in result.messages
