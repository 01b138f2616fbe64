"""Two user constants of equal contents remain distinct. If options name the used kernels or
variables, nvlink 13.0.88 leaves out the second constant, whose symbol is then past the end of the
bank."""

from __future__ import annotations

from pathlib import Path

import pytest
from cubin import read_cubin
from quirk_link import REPOSITORY, link

OBJECTS = REPOSITORY / "tests" / "golden" / "equal-constants-are-not-merged"
BANK, NAME, SIZE = ".nv.constant3", "table", 16


@pytest.mark.parametrize("option", ["-kernels-used=kernel_", "-variables-used=out"])
def test_equal_constants_remain_distinct(tmp_path: Path, option: str) -> None:
    inputs = [OBJECTS / "a.cubin", OBJECTS / "b.cubin"]
    result = link(tmp_path, "sm_90", *inputs, options=(option,))
    assert result.status == 0, result.messages
    output = read_cubin(result.output)
    contents = [bytes(read_cubin(path).section(BANK).data) for path in inputs]
    assert contents[0] == contents[1]
    assert bytes(output.section(BANK).data) == contents[0] + contents[1]
    assert sorted(s.value for s in output.symbols if s.name == NAME) == [0, SIZE]
