"""If the user constants would exceed their bank, warpld packs them: it assigns the variables new
offsets without unused bytes between them. nvlink 13.0.88 then misaligns or drops some of them."""

from __future__ import annotations

from pathlib import Path

from cubin import STB_WEAK, STT_FUNC, read_cubin
from quirk_link import DATA, REPOSITORY, Link, link, relocations, symbol_value

GOLDEN = REPOSITORY / "tests" / "golden"
CONSTANT3, ALLOCATED, IN_CONSTANT = 0x70000067, 2, 0x80
LARGEST_BANK, R_CUDA_64 = 0x10000, 2
BANK = ".nv.constant3"
LARGE = 65000
NAMELESS = "no symbol"


def link_constants(
    folder: Path, alignment: int, places: dict[str, tuple[int, int]], *options: str
) -> Link:
    """Links an object with variables. `places` maps the name of each variable to its offset and
    size. A variable contains the first letter of its name in each byte."""
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
    """nvlink assigns the vector the offset 8, at which 16 bytes cannot be read at once."""
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


def test_constants_that_only_the_host_uses_are_kept(tmp_path: Path) -> None:
    """nvlink drops constants to which no code refers, here the whole bank."""
    places = {"one": (0, 8), "last": (256, 24), "large": (1024, LARGE)}
    result = link_constants(tmp_path, 8, places, "-kernels-used=j")
    assert result.status == 0, result.messages
    assert len(read_cubin(result.output).section(BANK).data) == 8 + 24 + LARGE
    assert symbol_value(result.output, "large") == 32


def test_variables_that_share_bytes_are_not_packed(tmp_path: Path) -> None:
    """nvlink packs variables that share bytes, and assigns separate bytes to each. warpld reports
    that the constants do not fit."""
    places = {"one": (0, 8), "part": (4, 8), "large": (1024, LARGE)}
    result = link_constants(tmp_path, 8, places)
    assert result.status == 255
    assert "(0x101e8 bytes, 0x10000 max)" in result.messages


def test_bytes_of_no_variable_are_kept(tmp_path: Path) -> None:
    """nvlink drops bytes that belong to no variable. warpld reports that the constants do not
    fit."""
    places = {"one": (0, 8), NAMELESS: (16, 8), "large": (1024, LARGE)}
    result = link_constants(tmp_path, 8, places)
    assert result.status == 255
    assert "(0x101e8 bytes, 0x10000 max)" in result.messages


def constant_object(folder: Path, name: str, own: bytes, address: int = -1) -> Path:
    """Writes an object with a weak variable of 16 bytes and a variable that no other object
    defines. A relocation at the offset `address` of the section stores a kernel's address there; a
    negative offset means no relocation."""
    cubin = read_cubin(DATA / f"{name}.sm_80.cubin")
    section = cubin.add_section(BANK, CONSTANT3, ALLOCATED, bytes(16) + own, align=8)
    cubin.add_symbol("in_both", section, 0, 16, other=IN_CONSTANT, binding=STB_WEAK)
    cubin.add_symbol(f"own_{name}", section, 16, len(own), other=IN_CONSTANT)
    kernel = next(i for i, s in enumerate(cubin.symbols) if s.type == STT_FUNC and s.section)
    if address >= 0:
        cubin.add_relocation(section, address, R_CUDA_64, kernel, 0, explicit=False)
    object_file = folder / f"{name}.cubin"
    object_file.write_bytes(cubin.write())
    return object_file


def test_addresses_of_a_discarded_variable_are_removed_with_it(tmp_path: Path) -> None:
    """The second object's `in_both` is discarded, and holds an address. nvlink writes such an
    address into another variable."""
    a = constant_object(tmp_path, "static_kernel", b"a" * 0x7000)
    b = constant_object(tmp_path, "weak_function", b"b" * 0x8FE8, 0)
    result = link(tmp_path, "sm_80", a, b)
    assert result.status == 0, result.messages
    assert relocations(result.output, BANK) == {}
    assert len(read_cubin(result.output).section(BANK).data) == 0x7000 + 0x8FE8 + 16
    assert symbol_value(result.output, "in_both") == 0x7000 + 0x8FE8


def test_an_address_in_two_variables_is_damage(tmp_path: Path) -> None:
    a = constant_object(tmp_path, "static_kernel", b"a" * 0x7000)
    b = constant_object(tmp_path, "weak_function", b"b" * 0x8FE8, 12)
    result = link(tmp_path, "sm_80", a, b)
    assert result.status == 1
    assert "a relocation field is in two variables or records" in result.messages
    assert f"{b}:(.nv.constant3+0xc): relocation R_CUDA_64" in result.messages
