"""--suppress-debug-info removes the debug sections; nvlink keeps all of them."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
GOLDEN = REPOSITORY / "tests" / "golden"
WITH_DEBUG_INFORMATION = [
    "line-information-concatenated",
    "line-information-concatenated-sm90",
    "debug-text-of-one-name-concatenated",
    "weak-rejected-copy-stays-in-debug-information",
]
DEBUG = tuple(
    f"{prefix}.{name}_" for prefix in ("", ".rel", ".rela") for name in ("debug", "nv_debug")
)


def link(folder: Path, golden: str, *words: str) -> ELFFile:
    linker = folder / "nvlink"
    if not linker.exists():
        linker.symlink_to(BUILD / "warpld")
    arguments = [a for a in (GOLDEN / golden / "link").read_text().split() if a != "-g"]
    output = folder / f"{len(words)}.cubin"
    subprocess.run(
        [linker, *arguments, "-g", *words, "-o", output],
        cwd=GOLDEN / golden,
        capture_output=True,
        check=True,
    )
    subprocess.run([BUILD / "cubintool", "verify", output], check=True, capture_output=True)
    return ELFFile(io.BytesIO(output.read_bytes()))


@pytest.mark.parametrize("golden", WITH_DEBUG_INFORMATION)
def test_debug_sections_are_removed_and_the_rest_is_kept(golden: str, tmp_path: Path) -> None:
    plain, without = link(tmp_path, golden), link(tmp_path, golden, "-suppress-debug-info")
    names = [section.name for section in plain.iter_sections()]
    kept = [name for name in names if not name.startswith(DEBUG)]
    assert kept != names
    assert [section.name for section in without.iter_sections()] == kept
    for section in without.iter_sections():
        if section.name.startswith((".text.", ".nv.constant", ".nv.global")):
            assert section.data() == plain.get_section_by_name(section.name).data()


def test_nothing_refers_to_what_went(tmp_path: Path) -> None:
    without = link(tmp_path, WITH_DEBUG_INFORMATION[0], "-suppress-debug-info")
    names = [symbol.name for symbol in without.get_section_by_name(".symtab").iter_symbols()]
    assert not any(name.startswith(DEBUG) for name in names)
    strings = without.get_section_by_name(".strtab").data()
    assert b"debug_" not in strings
    for section in without.iter_sections():
        if isinstance(section, RelocationSection):
            assert all(entry["r_info_sym"] for entry in section.iter_relocations())
