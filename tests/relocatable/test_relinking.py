"""Links in steps with -r give the same result as one direct link. For each golden link, the objects
are linked with -r before the final link: all of them in one step, and each of them alone."""

from __future__ import annotations

import io
import os
import re
import struct
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from golden_folder import GoldenFolder, golden_folders
from relink_meaning import difference_in_meaning

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("WARPLD_BUILD", TESTS.parent / "build")).absolute()
TIMEOUT_SECONDS = 60
# Golden links that differ after a step with -r. The joined object does not show which bytes come
# from unused weak copies, so the final link does not pack a bank that overflows
# (docs/quirks/known-differences.md).
LEFT_OUT = {"constants-packed-when-they-overflow", "mercury-constants-packed-sm100"}
WITHOUT_STEPS = (
    # -r does not support objects of nvcc -ewp together with others.
    "whole-programs-with-other-objects",
    "whole-programs-beside-extern-shared",
    "whole-programs-removed-kernel-with-memory",
    "whole-programs-unnamed-kernels-preserved",
    # Symbol 0 has a value that depends on discarded copies, and an output of -r lacks these copies.
    # The golden link for sm_90, whose name starts alike, also has objects of nvcc -ewp.
    "symbol-zero-in-debug-data",
    # The names of parameters and constants of unused copies are not in an output of -r.
    "resolved-relocations-of-lost-parameters",
    "preserved-names-of-lost-copies",
    "preserved-compiler-constants-enter-no-name",
    # What kernels inherit from kernels depends on the order of the records, which -r changes.
    "mbarriers-of-kernels-that-reach-kernels",
    "register-reconfiguration-of-kernels-that-reach-kernels",
)
FOLDERS = [
    f
    for f in golden_folders()
    if f.expected_status == 0
    and f.path.name not in LEFT_OUT
    and not f.path.name.startswith(WITHOUT_STEPS)
]


def link(*words: str | Path, folder: Path) -> str:
    """Runs a link, which must succeed. Returns its messages."""
    done = subprocess.run(
        [BUILD / "warpld", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def split(folder: GoldenFolder) -> tuple[list[str], list[Path]]:
    options = [word for word in folder.arguments if not word.endswith(".cubin")]
    return options, [folder.path / word for word in folder.arguments if word.endswith(".cubin")]


def of_a_step(options: list[str]) -> list[str]:
    """The options of a step with -r: all options except that of the index file. A step with this
    option would write the index file to .nv.uidx, and the final link would append a second copy
    (docs/unified.md)."""
    return [option for option in options if not option.startswith("-uidx=")]


def check(folder: GoldenFolder, tmp_path: Path, objects: list[Path]) -> None:
    options, inputs = split(folder)
    link(*options, *inputs, "-o", tmp_path / "direct", folder=folder.path)
    link(*options, *objects, "-o", tmp_path / "relinked", folder=folder.path)
    difference, of_weak_copies = difference_in_meaning(
        tmp_path / "direct", tmp_path / "relinked", inputs
    )
    assert not difference or of_weak_copies, difference


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_all_objects_joined(folder: GoldenFolder, tmp_path: Path) -> None:
    options, inputs = split(folder)
    joined = tmp_path / "joined.cubin"
    link("-r", *of_a_step(options), *inputs, "-o", joined, folder=folder.path)
    check(folder, tmp_path, [joined])


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_each_object_twice(folder: GoldenFolder, tmp_path: Path) -> None:
    options, inputs = split(folder)
    objects = []
    for number, path in enumerate(inputs):
        once, twice = (
            tmp_path / f"once{number}.cubin",
            tmp_path / f"twice{number}.cubin",
        )
        link("-r", *of_a_step(options), path, "-o", once, folder=folder.path)
        link("-r", *of_a_step(options), once, "-o", twice, folder=folder.path)
        objects.append(twice)
    check(folder, tmp_path, objects)


@pytest.mark.parametrize("name", ["shared-ties-of-static-and-global", "shared-grouping-ties"])
def test_shared_variables_keep_their_order(name: str, tmp_path: Path) -> None:
    """Shared variables of equal size get the same addresses as in a direct link. The test compares
    the addresses in code that stores to the variables."""
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


def test_large_parameters_of_old_objects_wait_for_the_final_link(tmp_path: Path) -> None:
    """warpld links the objects of this golden link with -r. nvlink 13.0.88 refuses their large
    parameters in a link with -r."""
    folder = TESTS / "golden" / "large-parameters-of-old-objects"
    words = (folder / "link").read_text().split()
    link("-r", *words, "-o", tmp_path / "joined.cubin", folder=folder)


def test_unified_tables_are_kept_apart(tmp_path: Path) -> None:
    """In an output of -r each stub has its own section, as in the inputs. The records of unified
    variables have the new offsets of the variables, as in outputs of nvlink."""
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


DATA = Path(__file__).resolve().parent / "data"
OBJECTS = [DATA / f"{name}.sm_100.cubin" for name in ("first", "second")]


@pytest.fixture(name="joined")
def joined_objects(tmp_path: Path) -> ELFFile:
    """The -r output of two objects for sm_100. Both define the same weak function, and each has a
    static function `same`."""
    link("-r", "-arch=sm_100", *OBJECTS, "-o", tmp_path / "joined.cubin", folder=tmp_path)
    return ELFFile(io.BytesIO((tmp_path / "joined.cubin").read_bytes()))


def test_steps_of_both_views(joined: ELFFile, tmp_path: Path) -> None:
    link("-arch=sm_100", *OBJECTS, "-o", tmp_path / "direct", folder=tmp_path)
    link("-arch=sm_100", "joined.cubin", "-o", tmp_path / "relinked", folder=tmp_path)
    difference, _ = difference_in_meaning(tmp_path / "direct", tmp_path / "relinked", OBJECTS)
    assert not difference


def test_lists_of_static_functions_have_names_of_their_own(joined: ELFFile) -> None:
    """From sm_100 on nvlink finds the attributes and relocations of a function by the names of
    their sections, so these names must differ."""
    lists = [s.name for s in joined.iter_sections() if ".same" in s.name and "text" not in s.name]
    relocations = [s.name for s in joined.iter_sections() if ".rela.text.same" in s.name]
    codes = [s.name for s in joined.iter_sections() if s.name == ".text.same"]
    assert len(lists) == len(relocations) == 4 and len(codes) == 2
    for names in (lists, relocations):
        assert len(set(names)) == len(names)


def test_records_that_are_left_out_leave_no_relocations(joined: ELFFile) -> None:
    """The -r output lacks the native debug frames and line tables of an unused weak copy. It must
    also lack the relocations of these records."""
    expected = {".rela.debug_frame": 10, ".rela.debug_line": 5, ".rela.nv_debug_line_sass": 5}
    for name, count in expected.items():
        section = joined.get_section_by_name(name)
        entries = [entry[0] for entry in struct.iter_unpack("<QQq", section.data())]
        assert len(entries) == len(set(entries)) == count


def test_parameter_banks_stand_last_natively(joined: ELFFile) -> None:
    """Parameter banks are the last native sections of memory, their symbols are the last symbols,
    and they have no Mercury counterparts. Objects of compilers and outputs of nvlink -r have the
    same order."""
    sections = [s.name for s in joined.iter_sections()]
    banks = [f".nv.constant0.{name}_kernel" for name in ("first", "second")]
    start = sections.index(banks[0])
    assert sections[start - 1] == ".nv.global"
    assert sections[start : start + 2] == banks
    assert sections[start + 2].startswith(".nv.capmerc")
    symbols = joined.get_section_by_name(".symtab")
    places = [symbol["st_shndx"] for symbol in symbols.iter_symbols()]
    assert places[-2:] == [start, start + 1]
    mercury = joined.get_section_by_name(".nv.merc.symtab")
    assert mercury["sh_size"] == symbols["sh_size"] - 2 * symbols["sh_entsize"]
    assert joined["e_phentsize"] == 0


def test_offsets_in_slots_stay(tmp_path: Path) -> None:
    """Outputs of -r keep the offsets of the Mercury relocations in slots of the unified function
    table. Only in executables are these offsets lost."""
    cubin = TESTS / "quirks" / "data" / "unified_mercury.sm_100.cubin"
    link("-r", "-arch=sm_100", cubin, "-o", tmp_path / "joined.cubin", folder=tmp_path)
    found = []
    for path in (cubin, tmp_path / "joined.cubin"):
        elf = ELFFile(io.BytesIO(path.read_bytes()))
        found.append(
            {
                s.name: [entry[0] for entry in struct.iter_unpack("<QQq", s.data())]
                for s in elf.iter_sections()
                if s.name.startswith(".nv.merc.rela.nv.uft.rel.")
            }
        )
    assert found[0] == found[1]
    assert found[0]


def test_own_symbols_of_the_linker(tmp_path: Path) -> None:
    """The linker's own symbols have type 13 in both symbol tables, and values in the native table
    only, as in nvlink's -r outputs."""
    folder = GoldenFolder(TESTS / "golden" / "mercury-tensor-memory-sm100a")
    options, inputs = split(folder)
    link("-r", *options, *inputs, "-o", tmp_path / "joined.cubin", folder=folder.path)
    elf = ELFFile(io.BytesIO((tmp_path / "joined.cubin").read_bytes()))
    rows = list(struct.iter_unpack("<IBBHQQ", elf.get_section_by_name(".nv.merc.symtab").data()))
    found = {
        symbol.name: (rows[number][1] & 15, symbol["st_value"], rows[number][4])
        for number, symbol in enumerate(elf.get_section_by_name(".symtab").iter_symbols())
        if symbol.name.startswith(".nv.reservedSmem")
    }
    assert found == {
        ".nv.reservedSmem.offset0": (13, 0x40, 0),
        ".nv.reservedSmem.cap": (13, 0x400, 0),
    }


def test_zeros_define_a_common_symbol(tmp_path: Path) -> None:
    """If a zeroed global variable defines a common symbol, the output of -r defines the symbol. The
    final link then refuses a second definition, as a direct link does."""
    folder = GoldenFolder(TESTS / "golden" / "common-with-zeroed-definition")
    options, inputs = split(folder)
    joined, second = tmp_path / "joined.cubin", inputs[1]
    link("-r", *options, *inputs, "-o", joined, folder=folder.path)
    with joined.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab").iter_symbols()
        common = {s.name for s in symbols if s["st_shndx"] == "SHN_COMMON"}
    assert common == {"then_weak", "weak_first", "only_common"}
    for first in ([joined], inputs):
        words: list[str | Path] = [
            BUILD / "warpld",
            *options,
            *first,
            second,
            "-o",
            tmp_path / "out",
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert "Multiple definition of 'then_global'" in done.stderr


def test_lists_of_unified_functions_are_aligned_alike(tmp_path: Path) -> None:
    cubin = TESTS / "quirks" / "data" / "unified_mercury.sm_100.cubin"
    link("-r", "-arch=sm_100", cubin, "-o", tmp_path / "joined.cubin", folder=tmp_path)
    elf = ELFFile(io.BytesIO((tmp_path / "joined.cubin").read_bytes()))
    names = (".nv.uft.entry", ".nv.merc.nv.uft.entry")
    assert [elf.get_section_by_name(name)["sh_addralign"] for name in names] == [8, 8]


def test_nothing_refers_to_symbol_zero_with_mercury_code(tmp_path: Path) -> None:
    """In the debug information, a relocation for the range of a variable refers to symbol 0. An
    output of -r with Mercury code must not contain this relocation: nvlink's outputs lack it, and
    nvlink's final link crashes if an input has it."""
    cubin = DATA / "range.sm_100.cubin"
    link("-r", "-arch=sm_100", cubin, "-o", tmp_path / "joined.cubin", folder=tmp_path)
    with (tmp_path / "joined.cubin").open("rb") as file:
        sections = {section.name: section for section in ELFFile(file).iter_sections()}
    assert ".debug_loc" in sections
    assert not [name for name in sections if name.endswith("rela.debug_loc")]


def messages(*words: str | Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        [BUILD / "warpld", *words, "--no-notes", "-o", os.devnull],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return done.returncode, done.stderr.splitlines()


def test_reported_shared_memory_excludes_what_the_final_link_reserves() -> None:
    """Only the final link adds the reserved shared memory. The sizes that a link with -r reports
    must not contain it."""
    folder = TESTS / "golden" / "mercury-shared-without-reservation-sm100"
    objects = sorted(folder.glob("[a-d].cubin"))
    status, lines = messages("-r", "-v", "-arch=sm_100", *objects)
    assert status == 0
    assert " 24 bytes smem, " in lines[-1]


def test_use_of_reserved_memory_is_refused_with_r_too() -> None:
    """A link with -r refuses only uses that the objects' own records state. Kernels inherit the
    uses of functions in the final link."""
    folder = GoldenFolder(TESTS / "golden" / "reserved-shared-not-allowed")
    options, inputs = split(folder)
    status, lines = messages("-r", *options, *inputs)
    assert status == folder.expected_status
    assert [line.replace("warpld", "nvlink") for line in lines] == folder.expected_messages[-1:]


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("constants-packed-and-still-too-many", 0x14528),
        ("constants-packed-when-they-overflow", 0x1002F),
        ("mercury-constants-packed-sm100", 0x1002F),
        ("null-pointer-room-in-constants", 0x14528),
        ("too-much-constant-data", 0x13880),
    ],
)
def test_too_many_constants_are_refused_with_r_too(name: str, size: int) -> None:
    """A link with -r refuses the constants even if a direct link could leave out some of them. The
    sizes are those that nvlink 13.0.88 reports."""
    options, inputs = split(GoldenFolder(TESTS / "golden" / name))
    status, lines = messages("-r", *options, *inputs)
    assert status == 255
    assert lines[0] == (
        f"warpld error   : File uses too much global constant data (0x{size:x} bytes, 0x10000 max)"
    )


def test_report_counts_the_constants_of_each_kernel(tmp_path: Path) -> None:
    inputs = [TESTS / "golden" / "jump-table-of-kernel" / f"{name}.cubin" for name in "ab"]
    report = link("-r", "-v", "-arch=sm_90", *inputs, "-o", "joined.cubin", folder=tmp_path)
    elf = ELFFile(io.BytesIO((tmp_path / "joined.cubin").read_bytes()))
    sizes = [s.data_size for s in elf.iter_sections() if s.name.startswith(".nv.constant2.")]
    told = [int(size) for size in re.findall(r"(\d+) bytes cmem\[2\]", report)]
    assert sizes and sorted(told) == sorted(sizes)
