"""The user's constants, too large for their bank: nvlink 13.0.88 misaligns or drops them."""

from __future__ import annotations

from pathlib import Path

from cubin import read_cubin
from quirk_link import REPOSITORY, Link, link, symbol_value

GOLDEN = REPOSITORY / "tests" / "golden"
CONSTANT3, ALLOCATED, IN_CONSTANT = 0x70000067, 2, 0x80
LARGEST_BANK = 0x10000
BANK = ".nv.constant3"
LARGE = 65000
NAMELESS = "no symbol"


def link_constants(
    folder: Path, alignment: int, places: dict[str, tuple[int, int]], *options: str
) -> Link:
    """An object whose variables, each of its name's first letter, are at (offset, size)."""
    cubin = read_cubin(GOLDEN / "local-memory-by-symbols" / "b.cubin")
    content = bytearray(max(offset + size for offset, size in places.values()))
    section = cubin.add_section(BANK, CONSTANT3, ALLOCATED, content, align=alignment)
    for name, (offset, size) in places.items():
        cubin.sections[section].data[offset : offset + size] = name[:1].encode() * size
        if name != NAMELESS:
            cubin.add_symbol(name, section, offset, size, other=IN_CONSTANT)
    object_file = folder / "a.cubin"
    object_file.write_bytes(cubin.write())
    return link(folder, "sm_80", object_file, options=options)


def test_vectors_keep_their_alignment(tmp_path: Path) -> None:
    """nvlink puts the vector at 8, where 16 bytes cannot be read at once."""
    places = {"one": (0, 8), "vector": (16, 16), "last": (256, 24), "large": (1024, LARGE)}
    result = link_constants(tmp_path, 16, places)
    assert result.status == 0, result.messages
    bank = read_cubin(result.output).section(BANK)
    values = {name: symbol_value(result.output, name) for name in places}
    assert values == {"one": 0, "vector": 16, "last": 32, "large": 64}
    assert bank.alignment == 16
    for name, (_, size) in places.items():
        value = values[name]
        assert bank.data[value : value + size] == name[:1].encode() * size


def test_what_fits_only_without_alignment_is_refused(tmp_path: Path) -> None:
    places = {"one": (0, 8), "vector": (16, 16), "large": (1024, LARGEST_BANK - 24)}
    result = link_constants(tmp_path, 16, places)
    assert result.status == 255
    assert "File uses too much global constant data" in result.messages


def test_constants_that_only_the_host_uses_stay(tmp_path: Path) -> None:
    """nvlink drops what no code refers to, here the whole bank."""
    places = {"one": (0, 8), "last": (256, 24), "large": (1024, LARGE)}
    result = link_constants(tmp_path, 8, places, "-kernels-used=j")
    assert result.status == 0, result.messages
    assert len(read_cubin(result.output).section(BANK).data) == 8 + 24 + LARGE
    assert symbol_value(result.output, "large") == 32


def test_variables_that_share_bytes_are_not_packed(tmp_path: Path) -> None:
    """nvlink gives each bytes of its own."""
    places = {"one": (0, 8), "part": (4, 8), "large": (1024, LARGE)}
    result = link_constants(tmp_path, 8, places)
    assert result.status == 255
    assert "(0x101e8 bytes, 0x10000 max)" in result.messages


def test_bytes_of_no_variable_are_not_lost(tmp_path: Path) -> None:
    """nvlink drops them."""
    places = {"one": (0, 8), NAMELESS: (16, 8), "large": (1024, LARGE)}
    result = link_constants(tmp_path, 8, places)
    assert result.status == 255
    assert "(0x101e8 bytes, 0x10000 max)" in result.messages
