"""Links in steps with -r give what one direct link gives: every golden link, its objects joined
before the final link, all at once and one by one."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "golden"), str(TESTS / "compare")]

from golden_folder import GoldenFolder, golden_folders
from relink_meaning import difference_in_meaning

BUILD = Path(os.environ.get("WARPLD_BUILD", TESTS.parent / "build")).absolute()
TIMEOUT_SECONDS = 60
# docs/quirks.md, "Known differences that are not meant": bytes of a weak copy that lost have no
# variable any more, so what overflows is not packed.
LEFT_OUT = {"constants-packed-when-they-overflow"}
# Targets from sm_100 on, and objects of nvcc -ewp with others: -r is not supported there yet.
WITHOUT_STEPS = ("mercury-", "whole-programs-with-other-objects")
FOLDERS = [
    f
    for f in golden_folders()
    if f.expected_status == 0
    and f.path.name not in LEFT_OUT
    and not f.path.name.startswith(WITHOUT_STEPS)
]


def link(*words: object, folder: Path) -> None:
    done = subprocess.run(
        [BUILD / "warpld", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def split(folder: GoldenFolder) -> tuple[list[str], list[Path]]:
    options = [word for word in folder.arguments if not word.endswith(".cubin")]
    return options, [folder.path / word for word in folder.arguments if word.endswith(".cubin")]


def check(folder: GoldenFolder, tmp_path: Path, objects: list[Path]) -> None:
    options, inputs = split(folder)
    link(*options, *inputs, "-o", tmp_path / "direct", folder=folder.path)
    link(*options, *objects, "-o", tmp_path / "relinked", folder=folder.path)
    difference, of_weak_copies = difference_in_meaning(
        tmp_path / "direct", tmp_path / "relinked", inputs
    )
    assert not difference or of_weak_copies, difference


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.path.name)
def test_all_objects_joined(folder: GoldenFolder, tmp_path: Path) -> None:
    options, inputs = split(folder)
    joined = tmp_path / "joined.cubin"
    link("-r", *options, *inputs, "-o", joined, folder=folder.path)
    check(folder, tmp_path, [joined])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.path.name)
def test_each_object_twice(folder: GoldenFolder, tmp_path: Path) -> None:
    options, inputs = split(folder)
    objects = []
    for number, path in enumerate(inputs):
        once, twice = (
            tmp_path / f"once{number}.cubin",
            tmp_path / f"twice{number}.cubin",
        )
        link("-r", *options, path, "-o", once, folder=folder.path)
        link("-r", *options, once, "-o", twice, folder=folder.path)
        objects.append(twice)
    check(folder, tmp_path, objects)


@pytest.mark.parametrize("name", ["shared-ties-of-static-and-global", "shared-grouping-ties"])
def test_shared_variables_keep_their_order(name: str, tmp_path: Path) -> None:
    """Those of equal size get the places of a direct link, in code that stores to them."""
    folder = GoldenFolder(TESTS / "golden" / name)
    options, inputs = split(folder)
    link("-r", *options, *inputs, "-o", tmp_path / "joined", folder=folder.path)
    link(*options, *inputs, "-o", tmp_path / "direct", folder=folder.path)
    link(*options, tmp_path / "joined", "-o", tmp_path / "relinked", folder=folder.path)
    contents = []
    for output in ("direct", "relinked"):
        with (tmp_path / output).open("rb") as file:
            sections = ELFFile(file).iter_sections()
            contents.append({s.name: s.data() for s in sections if s.name.startswith(".text.")})
    assert contents[0] == contents[1]


def test_unified_tables_stay_apart(tmp_path: Path) -> None:
    """Each stub keeps its section; records have the places that the variables have now, as those of
    nvlink do."""
    folder = GoldenFolder(TESTS / "golden" / "unified-tables-of-two-files")
    link("-r", "-arch=sm_90", "b.cubin", "a.cubin", "-o", tmp_path / "joined", folder=folder.path)
    with (tmp_path / "joined").open("rb") as file:
        elf = ELFFile(file)
        stubs = {f".nv.uft.rel.{name}" for name in ("first", "second", "third", "unused")}
        assert {s.name for s in elf.iter_sections() if s.name.startswith(".nv.uft.rel")} == stubs
        symbols = elf.get_section_by_name(".symtab")
        for table, expected in ((".nv.uft.entry", [0, 0, 0, 0]), (".nv.udt.entry", [0, 4, 8, 16])):
            records = list(struct.iter_unpack("<IIQQQ", elf.get_section_by_name(table).data()))
            assert [record[2] for record in records] == expected
            for symbol, _, offset, _, _ in records:
                assert symbols.get_symbol(symbol)["st_value"] == offset
