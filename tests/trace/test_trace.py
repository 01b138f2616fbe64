"""For each row of the table of trace lines, a link makes --trace print that line."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from constant_link import (
    ADDRESS,
    BANK,
    LITERALS,
    MERGE,
    REMOVE,
    add_constants,
    base,
    refer_from_code,
    write,
)
from cubin import STB_WEAK, STT_FUNC, STT_SECTION, read_cubin
from golden_folder import GOLDEN, GoldenFolder, golden_folders
from quirk_link import BUILD, REPOSITORY

TABLE = (REPOSITORY / "src" / "base" / "trace.def").read_text()
LINES = {
    name: (category, text)
    for name, category, text in re.findall(
        r'^TRACE_LINE\((\w+), (\w+), "(.*)"\)$', TABLE, re.MULTILINE
    )
}
CATEGORIES = re.findall(r'^TRACE_CATEGORY\(\w+, "(\w+)"', TABLE, re.MULTILINE)
PRINTED = {
    name: (category, re.compile(re.sub(r"%(016)?(ll|z)?[dusx]", ".*", re.escape(text)) + "$"))
    for name, (category, text) in LINES.items()
}

# Maps rows of the table of trace lines to a golden link, options, and a line that this link prints.
SHOWN = {
    "COMMON_GROWS": ("common-largest-size-first-alignment", (), "increase size of common table"),
    "COMMON_DEFINED": ("common-with-definition", (), "global.init replaces common for table"),
    "WEAK_PROCESSED": ("weak-kernel-parameters-differ", (), "weak kernel already processed"),
    "NEW_COUNT_MISSING": (
        "weak-dead-replaced-relocated-copy-sm90",
        (),
        "no new register count found for pick, checking .nv.info",
    ),
    "OLD_COUNT_MISSING": (
        "weak-dead-replaced-relocated-copy-sm90",
        (),
        "no original register count found for pick, checking .nv.info",
    ),
    "PARAMETERS_REPEATED": (
        "weak-rejected-indirect-caller",
        (),
        "duplicate param bank on weak entry kernel",
    ),
    "CONSTANTS_OVERLAP": (
        "weak-kernel-constants-overlay",
        (),
        "offset 0 (sym 3) overlaps in section 18",
    ),
    "WEAK_RECORDS": ("weak-rejected-indirect-caller", (), "remove weak nvinfo"),
    "WEAK_FRAME_SIZE": ("weak-rejected-indirect-caller", (), "remove weak frame_size"),
    "SHARED_IN_PLACE": ("shared-limit-of-sm90a", ("-r",), "esh $__large__25 has offset 4"),
    "RECURSION": ("kernels-used-debug", (), "recursion at function 1"),
    "VARIABLE": ("compiler-constants-of-many-kernels", (), "variable out at offset 0"),
    "LOCAL_ENTRY": ("local-memory-by-symbols", (), "local entry .nv.local.k:"),
    "SHARED_GLOBAL": ("mercury-data-and-calls-sm120", (), "global shared:"),
    "SHARED_UNUSED": ("reserved-shared-cap-sm90", (), "remove unused global shared bytes"),
    "SHARED_OF_ONE": (
        "shared-limit-of-sm90a",
        (),
        "global shared $__large__12 only used in entry 1",
    ),
    "SHARED_GROUP": ("mercury-data-and-calls-sm120", (), "allocate to group 0"),
    "SHARED_NOT_REACHED": (
        "mercury-data-and-calls-sm120",
        (),
        "entry _Z2k2Pi does not reach global shared",
    ),
    "SHARED_ENTRY": ("mercury-data-and-calls-sm120", (), "shared entry _Z2k1PiPd:"),
    "SHARED_PLACED": (
        "whole-programs-of-kernels",
        (),
        "shared entry _Z7anotherPi from EWP ignored",
    ),
    "SHARED_EXTERN": ("mercury-data-and-calls-sm120", (), "extern shared"),
    "SHARED_SETS": ("shared-variable-of-size-zero", (), "overlapping sets 1 and 0"),
    "SHARED_INSTANCE": ("mercury-data-and-calls-sm120", (), "extern shared instance 0 at offset 0"),
    "SHARED_EXTERN_VARIABLE": (
        "mercury-data-and-calls-sm120",
        (),
        "extern shared variable dyn at offset 0",
    ),
    "SHARED_RESERVED": ("reserved-shared-variables", (), "global reserved shared:"),
    "CONSTANT_SPACE": (
        "constants-packed-when-they-overflow",
        (),
        "optimize space in .nv.constant3 (65583)",
    ),
    "CONSTANT_UNUSED": ("no-code-only-variables", (MERGE, REMOVE), "remove unused constant factor"),
    "CONSTANT_LOCAL": (
        "constants-packed-when-they-overflow",
        (),
        "local constant own at offset 65056",
    ),
    "CONSTANT_GLOBAL": ("constants-packed-when-they-overflow", (), "constant first at offset 0"),
    "BLOCK": (
        "compiler-constants-of-many-kernels",
        (),
        "ocg const bank .nv.constant2.device_5, size=32:",
    ),
    "BLOCK_REACHES": (
        "compiler-constants-of-many-kernels",
        (),
        "OCG constant section 2 reaches entry 9(kernel_9)",
    ),
    "BLOCK_NEW_BANK": (
        "mercury-data-and-calls-sm120",
        (),
        "need new ocg section .nv.constant2._Z2k1PiPd",
    ),
    "BLOCK_PLACE": ("compiler-constants-of-many-kernels", (), "new ocg device_5 offset = 56 in 48"),
    "CONSTANT_ENTRY": ("compiler-constants-of-many-kernels", (), "constant entry .nv.constant3:"),
    "CONSTANTS_MERGED": (
        "compiler-constants-of-many-kernels",
        (MERGE, REMOVE),
        "layout and merge section .nv.constant2.kernel_6",
    ),
    "CONSTANTS_OLD_SIZE": (
        "compiler-constants-of-many-kernels",
        (MERGE, REMOVE),
        "optimize OCG constants for .nv.constant2.kernel_6, old size = 192",
    ),
    "CONSTANTS_EQUAL_64": (
        "compiler-constants-of-many-kernels",
        (MERGE, REMOVE),
        "found duplicate 64bit value 0x3ff00a7723456789, alias device_5.const_opt.0.8"
        " to kernel_6.const_opt.40.48",
    ),
    "CONSTANTS_NEW_SIZE": (
        "compiler-constants-of-many-kernels",
        (MERGE, REMOVE),
        "new OCG constant size = 168",
    ),
    "CONSTANTS_GIVEN_UP": (
        "too-much-constant-data-of-kernel",
        (),
        "ocg const optimization didn't help so give up",
    ),
    "BARRIERS_MOVED": (
        "barriers-in-section-flags",
        (),
        "Creating new EIATTR_NUM_BARRIERS and moving barcount 5 from section flags of .text.near"
        " to nvinfo for entry symbol near",
    ),
    "BARRIERS_RAISED": (
        "mixed-optimisation-levels",
        (),
        "Propagating higher barcount 1 to the section .nv.info.kernel_a of entry symbol kernel_a",
    ),
    "BARRIER_FLAGS_RAISED": (
        "abi7-objects",
        (),
        "Propagating higher barcount 3 to the section flags of .text.kernel of entry symbol kernel",
    ),
    "REGISTERS_RAISED": (
        "too-many-registers-for-kernel",
        (),
        "regcount 94 for needs_many propagated to entry kernel_a",
    ),
    "RECORD": ("compiler-constants-of-many-kernels", (), "nvinfo <fmt=4,attr=47,size=8>, secidx=8"),
    "RELOCATION_MOVED": (
        "constants-packed-when-they-overflow",
        (),
        "change reloc in section 12, offset from 280 to 24",
    ),
    "RELOCATION_COPIED": (
        "mercury-data-and-calls-sm120",
        (),
        "reset ocg constant reloc offset from 44 to 76",
    ),
    "UNIFIED_REPLACED": (
        "relocations-of-reserved-shared-memory",
        (),
        "replace unified reloc 65586 with 65538",
    ),
    "UNIFIED_IGNORED": ("relocations-of-unified-placeholders", (), "ignore reloc on UFT_OFFSET"),
    "UNIFIED_INDEX": ("unified-tables-of-two-files", (), "uftNumEntries=4, udtNumEntries=4"),
    "UNIFIED_INDEX_FUNCTION": (
        "unified-tables-of-two-files",
        (),
        "uft uuid = <0000000000000001,0000000000000002>, offset = 80",
    ),
    "UNIFIED_INDEX_VARIABLE": (
        "unified-tables-of-two-files",
        (),
        "udt uuid = <0000000000000005,0000000000000006>, offset = 10",
    ),
    "UNIFIED_MERGE": ("unified-tables-of-two-files", (), "UFT Entry Merge"),
    "UNIFIED_MERGE_COUNT": (
        "unified-tables-of-two-files",
        (),
        "  Number of UFT Entries in ET_REL is 2",
    ),
    "UNIFIED_ENTRY_SYMBOL": ("unified-tables-of-two-files", (), "  er-symidx = 27"),
    "UNIFIED_ENTRY_FUNCTION": ("unified-tables-of-two-files", (), "  ew-symidx = 4"),
    "UNIFIED_ENTRY_OFFSET": ("unified-tables-of-two-files", (), "  offset    = 0x80"),
    "UNIFIED_ENTRY_STUB": (
        "unified-tables-of-two-files",
        (),
        "  stub name = __cuda_uf_stub_second",
    ),
    "UNIFIED_FUNCTION_ADDED": ("unified-tables-of-two-files", (), "Adding UFT Entry"),
    "UNIFIED_VARIABLE_ADDED": ("unified-tables-of-two-files", (), "Adding UDT Entry"),
    "UNIFIED_ADDED_ID": ("unified-tables-of-two-files", (), "  uuid   = 0xf-0x10"),
    "UNIFIED_ADDED_OFFSET": ("unified-tables-of-two-files", (), "  offset = 0x4"),
    "UNIFIED_ADDED_SYMBOL": ("unified-tables-of-two-files", (), "  symidx = 16"),
    "UNIFIED_WINDOW": ("unified-function-window-differs", (), "uftWindowSize = 256"),
    "UNIFIED_SIZE": ("unified-function-window-differs", (), ".nv.uft section size = 128"),
    "UNIFIED_KEY": ("unified-ids-duplicate", (), "map uid <2,1> to key=3"),
    "UNIFIED_KEY_TAKEN": ("unified-ids-duplicate", (), "uft map conflict: 0x3"),
    "UNIFIED_PLACES": ("unified-tables-of-two-files", (), "Re-ordering UFT entries"),
    "UNIFIED_DATA_PLACES": ("unified-tables-of-two-files", (), "Re-ordering UDT entries"),
    "UNIFIED_LOOKUP": (
        "unified-tables-of-two-files",
        (),
        "get uft entry for <0000000000000009,000000000000000a>",
    ),
    "UNIFIED_PLACE_ID": ("unified-tables-of-two-files", (), "  Index file UUID = 0x9-0xa"),
    "UNIFIED_PLACE": ("unified-tables-of-two-files", (), "  Mapped Entry:"),
    "UNIFIED_PLACE_SYMBOL": ("unified-tables-of-two-files", (), "    symidx          = 25"),
    "UNIFIED_PLACE_OLD": ("unified-tables-of-two-files", (), "    orig-offset     = 0xc"),
    "UNIFIED_PLACE_NEW": ("unified-tables-of-two-files", (), "    re-order offset = 0x180"),
    "UNIFIED_SYMBOL": (
        "unified-tables-of-two-files",
        (),
        "Patching real symidx in UFT Entry with UUID 0x5-0x6",
    ),
    "UNIFIED_SYMBOL_OLD": ("unified-tables-of-two-files", (), "  Virtual symidx = 27"),
    "UNIFIED_SYMBOL_NEW": ("unified-tables-of-two-files", (), "  Real symidx    = 39"),
}


def run(folder: Path, *words: str | Path) -> tuple[int, list[str], Path]:
    """Runs a link. Returns its exit status, the lines that it prints, and the output's path."""
    output = folder / "output.cubin"
    done = subprocess.run(
        [BUILD / "warpld", *words, "-o", output],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr.splitlines(), output


def arguments_of(golden: str) -> list[str]:
    """The arguments of a golden link, with absolute paths of the inputs."""
    folder = GoldenFolder(GOLDEN / golden)
    return [
        re.sub(r"[\w.-]+\.(cubin|index|txt)$", rf"{folder.path}/\g<0>", w) for w in folder.arguments
    ]


def word_of(name: str) -> str:
    return str(LINES[name][0]).lower()


@pytest.mark.parametrize("name", SHOWN)
def test_pass_reports(name: str, tmp_path: Path) -> None:
    golden, options, line = SHOWN[name]
    command = [*arguments_of(golden), *options]
    assert line in run(tmp_path, *command, f"--trace={word_of(name)}")[1]
    assert PRINTED[name][1].match(line)


# --------------------------------------------------------------------------------------------------
# Lines that no compiled object causes


Words = list[str | Path]


def skipped_mercury(folder: Path) -> tuple[Words, str]:
    cubin = base()
    section = cubin.add_section(".nv.merc.debug_info", 1, 0x10000000, bytes(4), align=1)
    return ["-arch=sm_80", write(folder, "a.cubin", cubin)], f"skip mercury section {section}"


def relocations_of_weak_constants(folder: Path) -> tuple[Words, str]:
    inputs = []
    for number in range(2):
        cubin = base()
        for symbol in cubin.symbols:
            if symbol.type == STT_FUNC:
                symbol.bind(STB_WEAK)
        code = cubin.section_index(".text.j")
        block = cubin.add_section(".nv.constant2.j", 0x70000066, 0x42, bytes(8), code, align=8)
        cubin.add_relocation(block, 0, ADDRESS, cubin.symbol_index("j"), 0, explicit=True)
        inputs.append(write(folder, f"{number}.cubin", cubin))
    return ["-arch=sm_80", *inputs], "remove weak reloc for j"


def shifted_reserved_variable(folder: Path) -> tuple[Words, str]:
    """Turns a constant into a variable in reserved shared memory, in both views."""
    cubin = read_cubin(GOLDEN / "mercury-constants-packed-sm100" / "a.cubin")
    views = [
        cubin.add_section(name, 0x70000015, flags, 16, align=4)
        for name, flags in (
            (".nv.shared.reserved.0", 3),
            (".nv.merc.nv.shared.reserved.0", 0x10000003),
        )
    ]
    index = cubin.symbol_index("five")
    symbol = cubin.symbols[index]
    symbol.section, symbol.value, symbol.size, symbol.other = views[0], 8, 16, 0xA0
    symbol.bind(STB_WEAK)
    table = cubin.section(".nv.merc.symtab")
    struct.pack_into(
        "<BBHQQ", table.data, 24 * index + 4, symbol.info, symbol.other, views[1], 8, 16
    )
    command: Words = ["-arch=sm_100", write(folder, "a.cubin", cubin)]
    return command, "shared variable five updated offset to 64"


def relocation_of_no_constant(folder: Path) -> tuple[Words, str]:
    cubin = base()
    bank = add_constants(cubin, {"unused": (0, b"12345678"), "read": (16, b"87654321")})
    refer_from_code(cubin, "read")
    cubin.add_relocation(bank, 8, ADDRESS, cubin.symbol_index("j"), 0, explicit=True)
    command: Words = ["-arch=sm_80", REMOVE, write(folder, "a.cubin", cubin)]
    return command, f"no symbol for reloc section {bank} at offset 8?"


def equal_words(folder: Path) -> tuple[Words, str]:
    """Replaces three literals of eight bytes by three equal ones of four bytes."""
    cubin = read_cubin(LITERALS / "a.cubin")
    block = cubin.section_index(".nv.constant2.own_constants")
    cubin.sections[block].data = bytearray(b"\1\2\3\4" * 3)
    cubin.sections[block].alignment = 4
    literals = [s for s in cubin.symbols if s.section == block and s.type != STT_SECTION]
    for number, symbol in enumerate(literals):
        symbol.value, symbol.size = 4 * number, 4
    names = [symbol.name for symbol in literals]
    command: Words = ["-arch=sm_80", MERGE, write(folder, "a.cubin", cubin), LITERALS / "b.cubin"]
    return command, f"found duplicate value 0x4030201, alias {names[2]} to {names[1]}"


def unaligned_variables(folder: Path) -> tuple[Words, str]:
    """The file that is read first has 7 bytes of variables in its unified data table. The link must
    align the table before it adds the variables of the second file."""
    *words, first, second = arguments_of("unified-tables-of-two-files")
    return [*words, second, first], "udt size 7 needs aligning"


BUILT: dict[str, Callable[[Path], tuple[Words, str]]] = {
    "MERCURY_SKIPPED": skipped_mercury,
    "WEAK_RELOCATIONS": relocations_of_weak_constants,
    "SHARED_SHIFTED": shifted_reserved_variable,
    "CONSTANT_NAMELESS": relocation_of_no_constant,
    "CONSTANTS_EQUAL_32": equal_words,
    "UNIFIED_DATA_ALIGNED": unaligned_variables,
}


@pytest.mark.parametrize("name", BUILT)
def test_pass_reports_rare_facts(name: str, tmp_path: Path) -> None:
    command, line = BUILT[name](tmp_path)
    assert line in run(tmp_path, *command, f"--trace={word_of(name)}")[1]


def test_kept_types_are_not_reported(tmp_path: Path) -> None:
    """With an index file, the driver assigns the addresses of unified functions and variables. So
    the link does not replace the unified types of relocations, and the trace reports none."""
    command = arguments_of("unified-references-across-files")
    lines = run(tmp_path, *command, "--trace=unified")[1]
    assert lines
    assert not any(PRINTED["UNIFIED_REPLACED"][1].match(line) for line in lines)


def test_records_are_as_the_trace_says(tmp_path: Path) -> None:
    command = arguments_of("unified-tables-of-two-files")
    _, lines, output = run(tmp_path, *command, "--trace=unified")
    cubin = read_cubin(output)
    records = [
        record
        for name in (".nv.uft.entry", ".nv.udt.entry")
        for record in struct.iter_unpack("<IIQQQ", cubin.section(name).data)
    ]
    assert len(records) == 8
    for symbol, _, offset, low, high in records:
        place = lines.index(f"  Index file UUID = {low:#x}-{high:#x}")
        assert lines[place + 4] == f"    re-order offset = {offset:#x}"
        patch = lines.index(f"Patching real symidx in UFT Entry with UUID {low:#x}-{high:#x}")
        assert lines[patch + 2] == f"  Real symidx    = {symbol}"


def test_every_line_is_shown() -> None:
    assert {*SHOWN, *BUILT} == set(LINES)
    assert {category for category, _ in LINES.values()} == {c.upper() for c in CATEGORIES}


# --------------------------------------------------------------------------------------------------
# The option


@pytest.mark.parametrize("category", CATEGORIES)
def test_only_requested_categories_are_reported(category: str, tmp_path: Path) -> None:
    patterns = [p for c, p in PRINTED.values() if c == category.upper()]
    for golden, options, _ in SHOWN.values():
        command = [*arguments_of(golden), *options]
        quiet = run(tmp_path, *command)[1]
        told = [x for x in run(tmp_path, *command, f"--trace={category}")[1] if x not in quiet]
        assert all(any(p.match(line) for p in patterns) for line in told), told


def test_categories_add_up(tmp_path: Path) -> None:
    command = arguments_of("compiler-constants-of-many-kernels")
    every = run(tmp_path, *command, "--trace=all")[1]
    assert every == run(tmp_path, *command, "--trace=" + ",".join(CATEGORIES))[1]
    assert every == run(tmp_path, *command, *(f"--trace={word}" for word in CATEGORIES))[1]
    single = [run(tmp_path, *command, f"--trace={word}")[1] for word in CATEGORIES]
    assert sorted(every) == sorted(line for lines in single for line in lines)


def test_tracing_changes_no_byte(tmp_path: Path) -> None:
    for folder in golden_folders():
        command = arguments_of(folder.path.name)
        status, _, output = run(tmp_path, *command)
        plain = output.read_bytes() if status == 0 else b""
        assert run(tmp_path, *command, "--trace=all")[0] == status
        assert status or output.read_bytes() == plain


def test_unknown_category_is_refused(tmp_path: Path) -> None:
    status, lines, _ = run(tmp_path, "-arch=sm_80", "a.cubin", "--trace=layout,places")
    assert status == 1
    known = "merge, layout, relocate, unified, info, all"
    assert lines == [f"warpld fatal   : Unknown trace category 'places'; known categories: {known}"]


def test_names_cannot_look_like_lines(tmp_path: Path) -> None:
    cubin = base()
    add_constants(cubin, {"two\nlines": (0, b"12345678")})
    command: list[str | Path] = ["-arch=sm_80", write(tmp_path, "a.cubin", cubin), "--trace=layout"]
    assert r"variable two\x0alines at offset 0" in run(tmp_path, *command)[1]


def test_long_names_are_whole(tmp_path: Path) -> None:
    cubin = base()
    name = "n" * 3000
    add_constants(cubin, {name: (0, b"12345678")})
    command: list[str | Path] = ["-arch=sm_80", write(tmp_path, "a.cubin", cubin), "--trace=layout"]
    assert f"variable {name} at offset 0" in run(tmp_path, *command)[1]


MEMORY = (".nv.global", ".nv.global.init", BANK)


@pytest.mark.parametrize("folder", golden_folders(), ids=str)
def test_variables_are_where_the_trace_says(folder: GoldenFolder, tmp_path: Path) -> None:
    if folder.expected_status or "-r" in folder.arguments:
        return
    _, lines, output = run(tmp_path, *arguments_of(folder.path.name), "--trace=layout")
    cubin = read_cubin(output)
    for symbol in cubin.symbols:
        if not 0 < symbol.section < len(cubin.sections) or symbol.type in (STT_FUNC, STT_SECTION):
            continue
        if cubin.sections[symbol.section].name in MEMORY:
            assert f"variable {symbol.name} at offset {symbol.value}" in lines
