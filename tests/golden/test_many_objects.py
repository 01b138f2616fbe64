"""What begins with a number of objects: too many for folders of their own. The numbers are those
at which nvlink 13.0.88 changes what it does."""

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


def link_copies(folder: Path, name: str, count: int) -> subprocess.CompletedProcess[str]:
    """So many copies of the object, each with a number of its own."""
    content = (OBJECTS / f"{name}.cubin").read_bytes()
    paths = [folder / f"{number}.cubin" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_bytes(content.replace(NUMBER, b"%07d" % number))
    options = folder / "options"
    options.write_text("\n".join(map(str, paths)))
    architecture = name.rpartition(".")[2]
    command = [BUILD / "warpld", f"-arch={architecture}", "--options-file", options]
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
    """39,000 sections stay of 65,279 that there were, .nv.shared.K of each kernel among them."""
    assert link_copies(tmp_path, "numbered_kernel.sm_90", count).returncode == 0
    with (tmp_path / "output.cubin").open("rb") as stream:
        names = {section.name for section in ELFFile(stream).iter_sections()}
    assert (".symtab_shndx" in names) == has_table


@pytest.mark.parametrize(
    ("count", "size", "symbol"),
    [(MOST_TABLES, 65536, 65536 - TABLE), (MOST_TABLES + 1, TABLE, 0)],
)
def test_tables_of_rejected_copies(tmp_path: Path, count: int, size: int, symbol: int) -> None:
    """Each kernel's bank has the tables of all copies of the weak function; symbol 0 gets the place
    of the last. When they overflow one stays, and symbol 0 follows."""
    assert link_copies(tmp_path, "numbered_switch.sm_90", count).returncode == 0
    with (tmp_path / "output.cubin").open("rb") as stream:
        elf = ELFFile(stream)
        sizes = {s["sh_size"] for s in elf.iter_sections() if s.name.startswith(".nv.constant2.")}
        value = elf.get_section_by_name(".symtab").get_symbol(0)["st_value"]
    assert (sizes, value) == ({size}, symbol)


def test_tables_of_mercury_code_are_not_merged(tmp_path: Path) -> None:
    """nvlink merges the native ones and ends with "relocation is past end of offset"."""
    result = link_copies(tmp_path, "numbered_switch.sm_100", MOST_TABLES + 1)
    assert result.returncode == 255
    assert "uses too much data for compiler-generated constants" in result.stderr
