"""nvlink 13.0.88 leaves out sections of unknown types without a message. warpld warns about each of
them, and fails if relocations need one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cubin import STB_LOCAL, STT_SECTION, Cubin, read_cubin
from quirk_link import REPOSITORY, link

GOLDEN = REPOSITORY / "tests" / "golden"
FOLDER = GOLDEN / "sections-of-unknown-types"
ABS32_LO_32 = 56


def test_each_gets_a_warning(tmp_path: Path) -> None:
    result = link(tmp_path, "sm_80", FOLDER / "a.cubin", FOLDER / "b.cubin")
    assert result.status == 0
    for name, kind in (
        (".future", 0x7000000C),
        (".init_array", 14),
        (".bss", 8),
        (".of.kernel", 0x60000001),
    ):
        said = f"warning : Section '{name}' of '{FOLDER}/a.cubin' was left out: its type {kind:#x}"
        assert said in result.messages
        assert not read_cubin(result.output).has_section(name)


def of_its_own(cubin: Cubin, future: int, text: int) -> None:
    cubin.add_relocation(future, 0, ABS32_LO_32, cubin.symbol_index("near"), 0, True)


def of_code(cubin: Cubin, future: int, text: int) -> None:
    facts = {"binding": STB_LOCAL, "type": STT_SECTION}
    symbol = cubin.add_symbol(".future", future, 0, 0, **facts)
    cubin.add_relocation(text, 16, ABS32_LO_32, symbol, 0, True)


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
@pytest.mark.parametrize("change", [of_its_own, of_code])
def test_what_relocations_need_is_refused(
    change: Callable[[Cubin, int, int], None], name: str, tmp_path: Path
) -> None:
    """nvlink fails with "unexpected reloc section", or writes an offset of 0. warpld refuses the
    input."""
    cubin = read_cubin(FOLDER / "a.cubin")
    change(cubin, cubin.section_index(".future"), cubin.section_index(".text.first"))
    (tmp_path / "a.cubin").write_bytes(cubin.write())
    result = link(tmp_path, "sm_80", tmp_path / "a.cubin", FOLDER / "b.cubin", name=name)
    assert result.status == 1
    assert "section '.future' has the unknown type 0x7000000c, but relocations refer to it" in (
        result.messages
    )
    assert not result.output.exists()
