"""A static kernel keeps its compiler-made constants, even if a copy of a weak kernel of the same
name supersedes another copy.

If the weak copy is superseded, nvlink 13.0.88 empties a section of constants with the kernel's
name. It takes the first such section, which belongs to the static kernel."""

from __future__ import annotations

import struct
from pathlib import Path

from elftools.elf.elffile import ELFFile
from quirk_link import DATA, link

COPIES = ["static", "weak", "better"]
# The content of bank 2 of the static and of the weak kernel, as ptxas writes it. Their sources have
# the literals 0d3ff12349XXXXXXXX and 0d40123458XXXXXXXX, where X is 1 for static and 2 for weak.
STATIC, WEAK = 0x4012345811111111, 0x4012345822222222


def test_constants_are_kept(tmp_path: Path) -> None:
    inputs = [DATA / f"constants_{copy}.sm_80.cubin" for copy in COPIES]
    result = link(tmp_path, "sm_80", *inputs)
    assert (result.status, result.messages) == (0, "")
    with result.output.open("rb") as stream:
        banks = [
            section.data()
            for section in ELFFile(stream).iter_sections()
            if section.name == ".nv.constant2.kernel"
        ]
    assert [struct.unpack("<Q", bank)[0] for bank in banks] == [STATIC, WEAK]
