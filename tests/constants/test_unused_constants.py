"""--remove-unused-constants removes constants to which nothing refers."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from constant_link import (
    ADDRESS,
    BANK,
    GLOBAL_INIT,
    IN_GLOBAL,
    LITERALS,
    MERGE,
    REMOVE,
    WRITABLE,
    Link,
    add_constants,
    base,
    link,
    refer_from_code,
    write,
    write_all,
)
from container_files import HostObject, cubin_entry, fat_binary
from cubin import Cubin, read_cubin
from golden_folder import GOLDEN

PLACES = {
    "unused": (0, b"unused--"),
    "read": (16, b"read by code has"),
    "_static": (32, b"static"),
    "held": (40, b"a table "),
}
NOWHERE = (1 << 64) - 1


def sample() -> Cubin:
    """An object whose code reads one variable, and whose table in global memory holds the address
    of another one."""
    cubin = base()
    add_constants(cubin, PLACES)
    refer_from_code(cubin, "read")
    table = cubin.add_section(".nv.global.init", GLOBAL_INIT, WRITABLE, bytes(8), align=8)
    cubin.add_symbol("table", table, 0, 8, other=IN_GLOBAL)
    cubin.add_relocation(table, 0, ADDRESS, cubin.symbol_index("held"), 0, explicit=True)
    return cubin


def link_sample(folder: Path, *options: str, cubin: Cubin | None = None) -> Link:
    result = link(folder, *options, write(folder, "a.cubin", cubin or sample()))
    assert result.status == 0, result.messages
    return result


def test_what_nothing_refers_to_is_removed(tmp_path: Path) -> None:
    result = link_sample(tmp_path, REMOVE)
    assert not result.has("unused")
    assert not result.has("_static")
    assert result.bank() == b"read by code hasa table "
    assert result.content("read") == b"read by code has"
    assert result.content("held") == b"a table "


def test_code_and_data_get_the_new_addresses(tmp_path: Path) -> None:
    result = link_sample(tmp_path, REMOVE)
    (field,) = struct.unpack_from("<Q", result.cubin.section(".text.j").data)
    assert field == result.value("read")
    assert result.content("table") == struct.pack("<Q", result.value("held"))


def test_removing_is_asked_for(tmp_path: Path) -> None:
    result = link_sample(tmp_path, MERGE)
    assert all(result.has(name) for name in PLACES)
    assert len(result.bank()) == 48


def test_removed_code_does_not_count(tmp_path: Path) -> None:
    cubin = sample()
    refer_from_code(cubin, "unused", function="dd")  # which nothing calls
    assert not link_sample(tmp_path, REMOVE, cubin=cubin).has("unused")


def test_what_another_constant_points_to_is_kept(tmp_path: Path) -> None:
    cubin = sample()
    bank = cubin.section_index(BANK)
    cubin.add_relocation(bank, 40, ADDRESS, cubin.symbol_index("unused"), 0, explicit=True)
    result = link_sample(tmp_path, REMOVE, cubin=cubin)
    assert result.content("unused") == b"unused--"
    assert result.content("held") == struct.pack("<Q", result.value("unused"))


@pytest.mark.parametrize("explicit", [True, False])
def test_relocations_go_with_their_constant(tmp_path: Path, explicit: bool) -> None:
    cubin = sample()
    bank = cubin.section_index(BANK)
    for offset in (0, 40):  # the offset of a removed constant, and that of a kept one
        cubin.add_relocation(bank, offset, ADDRESS, cubin.symbol_index("j"), 0, explicit)
    result = link_sample(tmp_path, REMOVE, cubin=cubin)
    assert [entry.offset for entry in result.relocations(BANK)] == [result.value("held")]


def test_debug_information_leads_nowhere(tmp_path: Path) -> None:
    cubin = sample()
    section = cubin.add_section(".debug_info", 1, 0, bytes(8), align=1)
    cubin.add_relocation(section, 0, ADDRESS, cubin.symbol_index("unused"), 0, explicit=True)
    result = link_sample(tmp_path, REMOVE, cubin=cubin)
    assert not result.has("unused")
    assert struct.unpack("<Q", result.bank(".debug_info")) == (NOWHERE,)


def test_all_may_go(tmp_path: Path) -> None:
    cubin = base()
    add_constants(cubin, {"unused": (0, b"unused--")})
    result = link_sample(tmp_path, REMOVE, cubin=cubin)
    assert not result.cubin.has_section(BANK)


def test_named_variables_are_kept(tmp_path: Path) -> None:
    result = link_sample(tmp_path, REMOVE, "-kernels-used=j", "-variables-used=nuse")
    assert result.has("unused")
    assert not result.has("_static")


def test_nothing_is_removed_for_a_debugger(tmp_path: Path) -> None:
    assert all(link_sample(tmp_path, REMOVE, "-g").has(name) for name in PLACES)


def test_bytes_of_no_variable_are_kept(tmp_path: Path) -> None:
    cubin = sample()
    bank = cubin.section_index(BANK)
    cubin.sections[bank].data += b"whose?--"
    result = link_sample(tmp_path, REMOVE, cubin=cubin)
    assert all(result.has(name) for name in PLACES)
    assert result.bank().endswith(b"whose?--")


def host_object(folder: Path, references: dict[str, tuple[str, ...]]) -> Path:
    code = fat_binary(cubin_entry(write(folder, "a.cubin", sample())))
    path = folder / "a.o"
    path.write_bytes(HostObject(code=code, references=references).write())
    return path


@pytest.mark.parametrize(
    ("lists", "kept"),
    [
        ({}, set()),
        ({".nvHRCE": ("unu*",)}, {"unused"}),
        ({".nvHRCI": ("*stat*",)}, {"_static"}),
        ({".nvHRCE": ("_static", "other"), ".nvHRCI": ("unused",)}, set()),
    ],
)
def test_what_host_code_lists_is_kept(
    tmp_path: Path, lists: dict[str, tuple[str, ...]], kept: set[str]
) -> None:
    every = {".nvHRKE": ("j",), ".nvHRKI": (), ".nvHRCE": (), ".nvHRCI": ()}
    result = link(tmp_path, REMOVE, host_object(tmp_path, every | lists))
    assert result.status == 0, result.messages
    assert {name for name in ("unused", "_static") if result.has(name)} == kept


def test_nothing_is_removed_when_a_host_object_lists_nothing(tmp_path: Path) -> None:
    result = link(tmp_path, REMOVE, host_object(tmp_path, {}))
    assert all(result.has(name) for name in PLACES)


def forget(cubin: Cubin, function: str, *names: str) -> None:
    """Removes the relocations by which the function's code reads these literals."""
    text = cubin.section(".rel.text." + function)
    unread = {cubin.symbol_index(f"{function}.const_opt.{name}") for name in names}
    entries = [text.data[i : i + 16] for i in range(0, len(text.data), 16)]
    symbols = [struct.unpack_from("<I", entry, 12)[0] for entry in entries]
    kept = [e for e, symbol in zip(entries, symbols, strict=True) if symbol not in unread]
    text.data = bytearray(b"".join(kept))


def literal_objects() -> list[Cubin]:
    return [read_cubin(LITERALS / name) for name in ("a.cubin", "b.cubin")]


def test_unused_literals_go(tmp_path: Path) -> None:
    cubins = literal_objects()
    forget(cubins[0], "own_constants", "8.16")
    inputs = write_all(tmp_path, cubins)
    for option, size in ((REMOVE, 8 * (3 + 5 - 1)), (MERGE, 8 * (3 + 5))):
        banks = link(tmp_path, option, *inputs).literal_banks()
        assert len(banks["own_constants"]) == size


def test_kept_names_of_literals_go_with_them(tmp_path: Path) -> None:
    cubins = literal_objects()
    forget(cubins[0], "own_constants", "8.16")
    inputs = write_all(tmp_path, cubins)
    for options, kept in ((("--preserve-relocs",), True), (("--preserve-relocs", REMOVE), False)):
        result = link(tmp_path, *options, *inputs)
        assert result.has("own_constants.const_opt.8.16") == kept
        assert result.has("own_constants.const_opt.0.8")


def test_bank_without_literals_is_removed(tmp_path: Path) -> None:
    cubins = literal_objects()
    forget(cubins[0], "short_one", "0.8", "8.16")
    inputs = write_all(tmp_path, cubins)
    assert "only_short" in link(tmp_path, *inputs).literal_banks()
    assert "only_short" not in link(tmp_path, REMOVE, *inputs).literal_banks()


def test_both_views_lose_them(tmp_path: Path) -> None:
    packed = GOLDEN / "mercury-constants-packed-sm100" / "b.cubin"
    result = link(tmp_path, REMOVE, packed, arch="sm_100")
    banks = [result.bank(name) for name in (BANK, ".nv.merc.nv.constant.user")]
    assert banks[0] == banks[1]
    assert not result.has("three")
    assert result.content("own") == bytes([6, 0, 0, 0])


def sample_with_address(sizes: dict[str, int]) -> Cubin:
    """An object with two variables at offset 0, where a relocation stores an address. `sizes` maps
    names of variables to other sizes for their symbols, such as 0, which no compiler writes."""
    cubin = base()
    places = {"empty": (0, bytes(8)), "pointer": (0, bytes(8)), "unused": (8, b"unused--")}
    add_constants(cubin, places)
    for symbol in cubin.symbols:
        symbol.size = sizes.get(symbol.name, symbol.size)
    table = cubin.add_section(".nv.global.init", GLOBAL_INIT, WRITABLE, bytes(8), align=8)
    target = cubin.add_symbol("table", table, 0, 8, other=IN_GLOBAL)
    bank = next(i for i, section in enumerate(cubin.sections) if section.name == BANK)
    cubin.add_relocation(bank, 0, ADDRESS, target, 0, explicit=True)
    refer_from_code(cubin, "pointer")
    refer_from_code(cubin, "empty", offset=8)
    return cubin


@pytest.mark.parametrize("empty", [0, 8])
def test_an_address_beside_an_empty_variable_is_kept(tmp_path: Path, empty: int) -> None:
    cubin = sample_with_address({"empty": empty})
    result = link_sample(tmp_path, REMOVE, cubin=cubin)
    (entry,) = result.relocations(BANK)
    assert entry.offset == result.value("pointer")
    assert len(result.bank()) == (8 if empty == 0 else 16)


def test_an_address_that_no_variable_has_is_kept(tmp_path: Path) -> None:
    cubin = sample_with_address({"empty": 0, "pointer": 0})
    result = link_sample(tmp_path, REMOVE, cubin=cubin)
    (entry,) = result.relocations(BANK)
    assert entry.offset == result.value("pointer")
    assert len(result.bank()) == 16
