"""If two objects define a name in different ways, nvlink 13.0.88 loses what warpld keeps:

* One object declares an extern shared variable, and another defines it with a size. If the
  declaration is read first, nvlink assigns the variable no space, and code uses address -1.
* One object has a common symbol, and another a weak definition with initial contents. If the common
  symbol is read first, nvlink crashes. The contents must not silently become zeros.
* One object has a weak function, and another an alias of the name. If the function is read first,
  nvlink drops the attributes of the function that the alias stands for. If only the address of the
  name is used, nvlink also drops that function's code."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from quirk_link import DATA, Link, link, relocations

ARCHITECTURES = ["sm_80", "sm_90"]
RESERVED = {"sm_80": 0, "sm_90": 0x400}


def link_pair(folder: Path, architecture: str, names: tuple[str, str]) -> Link:
    return link(folder, architecture, *(DATA / f"{name}.{architecture}.cubin" for name in names))


def section_sizes(cubin: Path) -> dict[str, int]:
    with cubin.open("rb") as stream:
        return {s.name: s["sh_size"] for s in ELFFile(stream).iter_sections()}


def orders(first: str, second: str) -> list[tuple[str, str]]:
    return [(first, second), (second, first)]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("names", orders("extern_shared", "defines_shared"), ids="-".join)
def test_extern_shared_memory_with_a_definition_has_space(
    names: tuple[str, str], architecture: str, tmp_path: Path
) -> None:
    result = link_pair(tmp_path, architecture, names)
    assert (result.status, result.messages) == (0, "")
    sizes = section_sizes(result.output)
    for kernel in ("fills_tile", "reads_tile"):
        assert sizes[f".nv.shared.{kernel}"] == 16 + RESERVED[architecture]


def test_weak_contents_beat_a_later_common_symbol(tmp_path: Path) -> None:
    result = link_pair(tmp_path, "sm_80", ("weak_value", "common_value"))
    assert (result.status, result.messages) == (0, "")
    assert section_sizes(result.output)[".nv.global.init"] == 4


def test_an_earlier_common_symbol_does_not_clear_weak_contents(tmp_path: Path) -> None:
    result = link_pair(tmp_path, "sm_80", ("common_value", "weak_value"))
    assert result.status == 1
    assert "Common symbol 'value'" in result.messages
    assert not result.output.exists()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("names", orders("weak_function", "alias_function"), ids="-".join)
def test_the_function_of_an_alias_keeps_its_attributes(
    names: tuple[str, str], architecture: str, tmp_path: Path
) -> None:
    result = link_pair(tmp_path, architecture, names)
    assert (result.status, result.messages) == (0, "")
    assert section_sizes(result.output)[".nv.info.behind"] > 0


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_an_address_of_an_alias_leads_to_its_code(architecture: str, tmp_path: Path) -> None:
    names = ("weak_function_by_address", "alias_function_alone")
    result = link_pair(tmp_path, architecture, names)
    assert (result.status, result.messages) == (0, "")
    assert section_sizes(result.output)[".text.behind"] > 0
    (found,) = relocations(result.output, ".nv.global.init").values()
    assert found in ("name", "behind")
