"""Tests links of more objects than a golden folder can hold. The numbers of objects are those at
which the behaviour of nvlink 13.0.88 changes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from golden_folder import GOLDEN
from test_golden import BUILD, TIMEOUT_SECONDS

OBJECTS = GOLDEN.parent / "quirks" / "data"
NUMBER = b"0000000"
FEWEST_FOR_LONG_INDICES = 13_053
TABLE = 64
MOST_TABLES = 65536 // TABLE


def link_copies(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    """Links copies of these objects, each with a different number in its names."""
    contents = {name: (OBJECTS / f"{name}.cubin").read_bytes() for name in set(names)}
    paths = [folder / f"{number}.cubin" for number in range(len(names))]
    for number, path in enumerate(paths):
        path.write_bytes(contents[names[number]].replace(NUMBER, b"%07d" % number))
    options = folder / "options"
    options.write_text("\n".join(map(str, paths)))
    architecture = names[0].rpartition(".")[2]
    command: list[str | Path] = [
        BUILD / "warpld",
        f"-arch={architecture}",
        "--options-file",
        options,
    ]
    return subprocess.run(
        [*command, "-o", folder / "output.cubin"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@pytest.mark.parametrize(
    ("count", "has_table"),
    [(FEWEST_FOR_LONG_INDICES - 1, False), (FEWEST_FOR_LONG_INDICES, True)],
)
def test_sections_that_go_count(tmp_path: Path, count: int, has_table: bool) -> None:
    """Each section that the link creates counts towards the limit, even if it is not written. About
    26,000 of the 65,279 sections are not written, such as .nv.shared.K of each kernel."""
    assert link_copies(tmp_path, *["numbered_kernel.sm_90"] * count).returncode == 0
    with (tmp_path / "output.cubin").open("rb") as stream:
        names = {section.name for section in ELFFile(stream).iter_sections()}
    assert (".symtab_shndx" in names) == has_table


def banks(folder: Path) -> tuple[set[int], int]:
    """The sizes of the banks of compiler-made constants, and the value of symbol 0."""
    with (folder / "output.cubin").open("rb") as stream:
        elf = ELFFile(stream)
        sizes = {s["sh_size"] for s in elf.iter_sections() if s.name.startswith(".nv.constant2.")}
        return sizes, elf.get_section_by_name(".symtab").get_symbol(0)["st_value"]


@pytest.mark.parametrize(
    ("count", "size", "symbol"),
    [(MOST_TABLES, 65536, 65536 - TABLE), (MOST_TABLES + 1, TABLE, 0)],
)
def test_tables_of_rejected_copies(tmp_path: Path, count: int, size: int, symbol: int) -> None:
    """Each kernel's bank has the tables of all copies of the weak function, and the value of symbol
    0 is the offset of the last table. If the banks overflow, the equal tables are merged into one,
    and the value of symbol 0 is the offset of that table."""
    assert link_copies(tmp_path, *["numbered_switch.sm_90"] * count).returncode == 0
    assert banks(tmp_path) == ({size}, symbol)


@pytest.mark.parametrize(
    ("last", "symbol"), [("numbered_switch.sm_90", 0), ("numbered_two_switches.sm_90", TABLE)]
)
def test_tables_of_the_bank_that_is_read_last(tmp_path: Path, last: str, symbol: int) -> None:
    """Each bank can change the value of symbol 0, and the first kernel's bank is the last to do so.
    So the value is the offset, in that bank, of the last table of a discarded copy."""
    names = [last, *["numbered_two_switches.sm_90"] * (MOST_TABLES // 2)]
    assert link_copies(tmp_path, *names).returncode == 0
    assert banks(tmp_path) == ({2 * TABLE}, symbol)


def test_tables_of_mercury_code_are_not_merged(tmp_path: Path) -> None:
    """If tables of Mercury code overflow the bank, warpld reports an error. In a link with one
    kernel, nvlink merges the native tables and fails with "relocation is past end of offset". With
    as many kernels as here, nvlink does not finish within a minute."""
    result = link_copies(tmp_path, *["numbered_switch.sm_100"] * (MOST_TABLES + 1))
    assert result.returncode == 255
    assert "uses too much data for compiler-generated constants" in result.stderr
