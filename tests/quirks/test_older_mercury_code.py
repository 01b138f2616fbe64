"""Mercury code with the header of ptxas 12.8 keeps its form, and is relocated like any other.

nvlink 13.0.88 converts it to the form of 13.0, both the header and the items
(docs/older-objects.md). The test replaces the headers in objects of a golden link, which ptxas 12.9
made, by headers of 12.8. The items of these objects have the newer form."""

from __future__ import annotations

import struct
from pathlib import Path

from cubin import Cubin, read_cubin
from quirk_link import DATA, link

GOLDEN = DATA.parents[1] / "golden" / "mercury-older-objects-sm100"
CODE = ".nv.capmerc.text."
FORM, OLDER = 0xC0000001, 0x40000000


def with_older_headers(path: Path, folder: Path) -> Path:
    cubin = read_cubin(path)
    for section in cubin.sections:
        if section.name.startswith(CODE):
            native, form, count = struct.unpack_from("<III", section.data)
            assert form == FORM
            section.data[:12] = struct.pack("<II", native, OLDER | count)
    older = folder / path.name
    older.write_bytes(cubin.write())
    return older


def mercury_code(cubin: Cubin) -> dict[str, bytes]:
    """For each function, the number of items in its Mercury code, and the items. Both forms of the
    header have that number; their other fields are left out."""
    found = {}
    for section in cubin.sections:
        if not section.name.startswith(CODE):
            continue
        form = struct.unpack_from("<I", section.data, 4)[0]
        is_older = form >> 28 == OLDER >> 28
        count = form & 0xFFFFFFF if is_older else struct.unpack_from("<I", section.data, 8)[0]
        start = 8 if is_older else 12
        found[section.name] = struct.pack("<I", count) + bytes(section.data[start:])
    return found


def test_items_are_relocated(tmp_path: Path) -> None:
    inputs = [with_older_headers(GOLDEN / name, tmp_path) for name in ("a.cubin", "b.cubin")]
    result = link(tmp_path, "sm_100", *inputs)
    assert (result.status, result.messages) == (0, "")
    ours = Cubin(result.output.read_bytes())
    assert mercury_code(ours) == mercury_code(read_cubin(GOLDEN / "expected.cubin"))
    assert all(
        struct.unpack_from("<I", section.data, 4)[0] >> 28 == OLDER >> 28
        for section in ours.sections
        if section.name.startswith(CODE)
    )
