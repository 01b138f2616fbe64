"""Each link has a host object, an archive or a fat binary with one flipped bit. If the link
succeeds, its output has all kernels, or a message says what is missing. tests/bit_flips.py flips
all bits, and can also compare with nvlink."""

from __future__ import annotations

import pytest
from bit_flips import Linker, inputs, load_linker, try_all

# Only every third bit is flipped: one link for each of the 345,000 bits would take 20 seconds.
STRIDE = 3


@pytest.fixture(scope="module")
def linker() -> Linker:
    try:
        return load_linker()
    except OSError as problem:  # Python cannot load a library with a sanitizer
        pytest.skip(str(problem))


@pytest.mark.parametrize("name", inputs())
def test_no_flipped_bit_loses_a_kernel(name: str, linker: Linker) -> None:
    result = try_all(linker, name, inputs()[name], STRIDE)
    assert result.links > 1000 and result.refused and result.accepted
    assert not result.lost
