"""An alias that nothing uses is removed, but its function is kept.

nvlink 13.0.88 fails with "Internal error: reference to deleted symbol"."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile
from quirk_link import DATA, link


def test_function_is_kept_without_its_unused_alias(tmp_path: Path) -> None:
    result = link(tmp_path, "sm_80", DATA / "unused_alias.sm_80.cubin")
    assert (result.status, result.messages) == (0, "")
    with result.output.open("rb") as stream:
        names = [s.name for s in ELFFile(stream).get_section_by_name(".symtab").iter_symbols()]
    assert "function" in names and "second_name" not in names
