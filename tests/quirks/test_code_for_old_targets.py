"""In code for virtual targets below sm_70, warpld replaces the instruction YIELD by NOP. nvlink
13.0.88 can replace it by another instruction."""

from __future__ import annotations

import struct
from pathlib import Path

from cubin import read_cubin
from quirk_link import DATA, REPOSITORY, link

SPINS = REPOSITORY / "tests" / "golden" / "old-targets-lose-yield" / "spins.cubin"
PLACE, OPERATION = 0x10, 0x1FF
YIELD, NOP = 0x146, 0x118


def operation(cubin: Path) -> int:
    code = read_cubin(cubin).section(".text.waits").data
    return int(struct.unpack_from("<H", code, PLACE)[0]) & OPERATION


def test_yield_becomes_nop_whatever_symbol_0_is(tmp_path: Path) -> None:
    """nvlink adds the value of symbol 0 to the operation code of NOP. Here the value is 0x40, the
    offset of the last constants, so the result is 0x158, a branch."""
    assert operation(SPINS) == YIELD
    constants = [DATA / f"{name}.sm_80.cubin" for name in ("old_constants", "more_old_constants")]
    result = link(tmp_path, "sm_80", SPINS, *constants, options=("-kernels-used=kernel",))
    assert result.status == 0
    assert read_cubin(result.output).symbols[0].value
    assert operation(result.output) == NOP
