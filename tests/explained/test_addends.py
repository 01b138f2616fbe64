"""When nvlink turns a REL entry into RELA, it loses the addend in the relocation field. The
comparison with nvlink recognises this difference, and accepts no other."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from cubin import read_cubin
from fault import Case, Difference
from faults_relocations import forgotten_addends

TESTS = Path(__file__).resolve().parents[1]
OBJECTS = TESTS / "golden" / "section-relocations-of-one-place"
DATA = ".nv.global.init"
HELD = 0x1234


def holding(folder: Path, value: int) -> Path:
    """Writes an object in which the relocation field at offset 16 holds the value. The entry for
    that field has no addend."""
    cubin = read_cubin(OBJECTS / "b.cubin")
    content = bytearray(cubin.section(DATA).data)
    struct.pack_into("<Q", content, 16, value)
    cubin.section(DATA).data = content
    path = folder / "b.cubin"
    path.write_bytes(cubin.write())
    return path


def difference(theirs: int, ours: int, **changes: str) -> Difference:
    return {
        "section": ".rela" + DATA,
        "entry": "offset=0x30",
        "field": "addend",
        "a": hex(theirs),
        "b": hex(ours),
        **changes,
    }


@pytest.mark.parametrize(
    ("differences", "is_known"),
    [
        ([difference(0x10, 0x10 + HELD)], True),
        ([difference(0x10, 0x10 + HELD), difference(0x20, 0x20 + HELD)], True),
        ([difference(0x10, 0x11 + HELD)], False),
        ([difference(0x10 + HELD, 0x10)], False),
        ([difference(0x10, 0x10 + HELD, section=".rela.nv.constant3")], False),
        ([difference(0x10, 0x10 + HELD, field="symbol")], False),
        ([difference(0x10, 0x10 + HELD), difference(0x20, 0x20)], False),
        ([], False),
    ],
)
def test_addends(tmp_path: Path, differences: list[Difference], is_known: bool) -> None:
    changed = holding(tmp_path, HELD)
    first = OBJECTS / "a.cubin"
    assert forgotten_addends(Case(differences, first, first, [first, changed])) == is_known
    assert not forgotten_addends(Case(differences, first, first, [changed, first]))
