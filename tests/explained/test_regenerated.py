"""From sm_100 on nvlink regenerates the native view. Random comparisons accept the differences that
this causes, and no others.

The data are outputs of nvlink for three programs:
- In the first, a kernel has fences, a function has an alias that precedes it, and a weak function
  has a superseded copy.
- In the second, `ptxas -g` compiled an object, so nvlink adds barriers before exits.
- In the third, such barriers move line tables.
The first two are linked with and without -g, the third only with -g.
"""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cubin import ELF_HEADER, SECTION_HEADER, WITHOUT_BYTES, read_cubin
from explained import explain
from moved_records import moved_words
from native_code import (
    AWAITED,
    OTHER_WAITS,
    PREDICATE,
    WEAKER_FENCE,
    Correspondence,
    awaited,
    correspond,
    instructions,
    work_around,
)
from regenerated import Regenerated

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("WARPLD_BUILD", TESTS.parent / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"
INPUTS = [DATA / "first.sm_100.cubin", DATA / "second.sm_100.cubin"]
LINKS: dict[str, list[str]] = {"linked.cubin": [], "linked-debug.cubin": ["-g"]}
EXIT_INPUTS = [DATA / "exits.sm_100.cubin", DATA / "branches.sm_100.cubin"]
EXIT_LINKS: dict[str, list[str]] = {"linked-exits.cubin": [], "linked-exits-debug.cubin": ["-g"]}
LINES_INPUTS = [DATA / "lines.sm_100.cubin", DATA / "information.sm_100.cubin"]
REGISTERS = ".nv_debug_info_reg_sass"
GENERATED = "native view generated anew"
INSTRUCTION, SYMBOL_SIZE, RELOCATION_SIZE = 16, 24, 24
SECTION_HEADER_SIZE = 64


def link(output: Path, options: list[str], inputs: list[Path] = INPUTS) -> None:
    command = [str(BUILD / "warpld"), "-arch=sm_100", *options, *map(str, inputs), "-o"]
    subprocess.run([*command, str(output)], check=True, timeout=60)


def reason(theirs: Path, ours: Path, inputs: list[Path] = INPUTS) -> str | None:
    return explain([str(BUILD / "cubintool"), "diff"], theirs, ours, inputs)


class Output:
    """The bytes of an output, to be changed in place."""

    def __init__(self, path: Path):
        self.path, self.data, self.cubin = path, bytearray(path.read_bytes()), read_cubin(path)

    def place(self, section: str) -> int:
        index = self.cubin.section_index(section)
        assert self.cubin.sections[index].type not in WITHOUT_BYTES
        headers = ELF_HEADER.unpack_from(self.data)[6]
        at = headers + index * SECTION_HEADER_SIZE
        return int(SECTION_HEADER.unpack_from(self.data, at)[4])

    def flip(self, section: str, offset: int, bits: int = 1) -> None:
        self.data[self.place(section) + offset] ^= bits
        self.path.write_bytes(self.data)

    def find(self, section: str, content: bytes) -> int:
        return bytes(self.cubin.section(section).data).index(content)


@pytest.mark.parametrize("name", LINKS)
def test_what_nvlink_generates_is_explained(name: str, tmp_path: Path) -> None:
    link(tmp_path / "ours.cubin", LINKS[name])
    assert reason(DATA / name, tmp_path / "ours.cubin") == GENERATED


def test_the_functions_are_named(tmp_path: Path) -> None:
    link(tmp_path / "ours.cubin", [])
    outputs = Regenerated(DATA / "linked.cubin", tmp_path / "ours.cubin", INPUTS)
    assert outputs.frames_follow
    assert outputs.lines_follow(".nv_debug_line_sass")
    assert set(outputs.functions) == {".text.fences", ".text.named", ".text.pick"}


# --------------------------------------------------------------------------------------------------
# Faults of a linker


def operand(output: Output) -> None:
    output.flip(".text.fences", INSTRUCTION + 4)


def instruction_of_other_function(output: Output) -> None:
    output.flip(".text.calls", INSTRUCTION + 4)


def scheduling_of_function(output: Output) -> None:
    output.flip(".text.pick", INSTRUCTION + 14)


def awaited_scoreboard(output: Output) -> None:
    """Removes the wait from the last instruction of `fences` that waits for a scoreboard."""
    words = instructions(bytes(output.cubin.section(".text.fences").data))
    index = max(at for at, waits in enumerate(awaited(words)) if waits)
    waits = words[index] >> AWAITED & 0x3F
    output.flip(".text.fences", INSTRUCTION * index + AWAITED // 8, waits << AWAITED % 8)


def stall(output: Output) -> None:
    """Changes the number of cycles that pass after the second instruction of `fences`."""
    output.flip(".text.fences", INSTRUCTION + 13, 1 << 2)


def branch_target(output: Output) -> None:
    """Changes the target of the branch that closes the loop in `fences`."""
    code = bytes(output.cubin.section(".text.fences").data)
    branches = [at for at in range(0, len(code), INSTRUCTION) if code[at] == 0x47]
    output.flip(".text.fences", branches[0] + 2, 4)


def entry_offset(output: Output) -> None:
    output.flip(".rela.text.fences", 0, 0x10)


def entry_type(output: Output) -> None:
    output.flip(".rela.text.fences", 8)


def entry_symbol(output: Output) -> None:
    output.flip(".rela.text.fences", 12)


def entry_addend(output: Output) -> None:
    output.flip(".rela.text.fences", 16)


def return_address(output: Output) -> None:
    """Changes the addend of a relocation by which `calls` refers to an address in its own code."""
    entries = output.cubin.section(".rela.text.calls").relocations()
    index = next(i for i, entry in enumerate(entries) if entry.addend)
    output.flip(".rela.text.calls", RELOCATION_SIZE * index + 16, 0x10)


def exit_offset(output: Output) -> None:
    record = bytes((4, 0x1C, 4, 0))
    output.flip(".nv.info.fences", output.find(".nv.info.fences", record) + len(record), 0x10)


def register_count(output: Output) -> None:
    record = bytes((4, 0x2F, 8, 0))
    output.flip(".nv.info", output.find(".nv.info", record) + len(record) + 4)


def frame_size(output: Output) -> None:
    """Changes the frame size of the kernel `plain`."""
    output.flip(".debug_frame", frame_of(output, "plain") + 16, 0x80)


def frame_rule(output: Output) -> None:
    output.flip(".debug_frame", frame_of(output, "plain") + 25)


def frame_symbol(output: Output) -> None:
    output.flip(".rela.debug_frame", 12)


def frame_of(output: Output, name: str) -> int:
    """The offset in .debug_frame of the CIE pointer in the function's FDE."""
    entries = output.cubin.section(".rela.debug_frame").relocations()
    names = {e.offset: output.cubin.symbols[e.symbol].name for e in entries}
    return next(at for at, found in names.items() if found == name) - 8


def line_row(output: Output) -> None:
    output.flip(".nv_debug_line_sass", len(output.cubin.section(".nv_debug_line_sass").data) - 6)


def symbol_field(name: str, offset: int) -> Callable[[Output], None]:
    def change(output: Output) -> None:
        index = output.cubin.symbol_index(name)
        output.flip(".symtab", SYMBOL_SIZE * index + offset)

    return change


def mercury_item(output: Output) -> None:
    output.flip(".nv.capmerc.text.fences", 40)


def mercury_frame(output: Output) -> None:
    output.flip(".nv.merc.debug_frame", 0x30)


def initialiser(output: Output) -> None:
    output.flip(".nv.global.init", 0)


def section_flags(output: Output) -> None:
    headers = ELF_HEADER.unpack_from(output.data)[6]
    index = output.cubin.section_index(".text.fences")
    place = headers + index * SECTION_HEADER_SIZE + 8
    struct.pack_into("<Q", output.data, place, struct.unpack_from("<Q", output.data, place)[0] ^ 1)
    output.path.write_bytes(output.data)


FAULTS = [
    operand,
    instruction_of_other_function,
    scheduling_of_function,
    awaited_scoreboard,
    stall,
    branch_target,
    entry_offset,
    entry_type,
    entry_symbol,
    entry_addend,
    return_address,
    exit_offset,
    register_count,
    frame_size,
    frame_rule,
    frame_symbol,
    line_row,
    symbol_field("fences", 4),
    symbol_field("fences", 8),
    symbol_field("fences", 16),
    symbol_field("plain", 16),
    mercury_item,
    mercury_frame,
    initialiser,
    section_flags,
]
NAMES = [getattr(fault, "__name__", "") for fault in FAULTS]


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_a_fault_is_not_explained(
    fault: Callable[[Output], None], name: str, tmp_path: Path
) -> None:
    ours = tmp_path / "ours.cubin"
    link(ours, LINKS[name])
    fault(Output(ours))
    assert reason(DATA / name, ours) is None


# Exits --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXIT_LINKS)
def test_barriers_before_exits_are_explained(name: str, tmp_path: Path) -> None:
    ours = tmp_path / "ours.cubin"
    link(ours, EXIT_LINKS[name], EXIT_INPUTS)
    assert reason(DATA / name, ours, EXIT_INPUTS) == GENERATED


def second_branch_target(output: Output) -> None:
    """Changes the last word of the record that describes two branches."""
    record = bytes((4, 0x34, 56, 0))
    place = output.find(".nv.info.branches", record) + len(record)
    output.flip(".nv.info.branches", place + 56 - 4, 0x10)


def register_range(output: Output) -> None:
    """Changes the end of the last address range in the register records."""
    output.flip(REGISTERS, len(output.cubin.section(REGISTERS).data) - 4, 0x10)


def fence_before_exit(output: Output) -> None:
    """Changes the kind of the fence in the code of `exits`."""
    code = bytes(output.cubin.section(".text.exits").data)
    places = range(0, len(code), INSTRUCTION)
    fence = next(at for at in places if code[at] == 0x92 and code[at + 9] == 0x50)
    output.flip(".text.exits", fence + 9, 0x20)


@pytest.mark.parametrize("name", EXIT_LINKS)
@pytest.mark.parametrize("fault", [second_branch_target, register_range, fence_before_exit])
def test_a_fault_at_exits_is_not_explained(
    fault: Callable[[Output], None], name: str, tmp_path: Path
) -> None:
    ours = tmp_path / "ours.cubin"
    link(ours, EXIT_LINKS[name], EXIT_INPUTS)
    fault(Output(ours))
    assert reason(DATA / name, ours, EXIT_INPUTS) is None


@pytest.mark.parametrize("predicates", [(7, 7), (0, 0), (0, 1)])
def test_fences_of_one_predicate_belong_together(predicates: tuple[int, int]) -> None:
    """Two fences belong together only if they have the same predicate. A kernel that waits for the
    whole grid has fences with a predicate, because only its first thread executes them."""
    wider = WEAKER_FENCE ^ 0x20 << 72
    weaker, wider = (
        word & ~PREDICATE | predicate << 12
        for word, predicate in zip((WEAKER_FENCE, wider), predicates, strict=True)
    )
    assert work_around([weaker, wider], 0) == (predicates[0] == predicates[1])


# Debug information --------------------------------------------------------------------------------


def test_units_follow_the_line_tables(tmp_path: Path) -> None:
    """nvlink's barriers before exits lengthen the first object's line table, so the second object's
    line table begins later. The second object's compilation unit in .debug_info stores the offset
    of that table, so .debug_info differs, too."""
    ours = tmp_path / "ours.cubin"
    link(ours, ["-g"], LINES_INPUTS)
    assert reason(DATA / "linked-lines-debug.cubin", ours, LINES_INPUTS) == GENERATED


@pytest.mark.parametrize("place", [11, 12])
def test_other_debug_information_is_not_explained(place: int, tmp_path: Path) -> None:
    """A changed offset of a line table is not accepted, and neither is a change of the byte before
    it."""
    ours = tmp_path / "ours.cubin"
    link(ours, ["-g"], LINES_INPUTS)
    Output(ours).flip(".debug_info", place)
    assert reason(DATA / "linked-lines-debug.cubin", ours, LINES_INPUTS) is None


# Attributes ---------------------------------------------------------------------------------------

MOVED = Correspondence({0: 0, 1: 3}, {0: 0, 1: 2})


@pytest.mark.parametrize(
    ("record", "ours", "theirs"),
    [
        ("UNUSED_LOAD_BYTE_OFFSET", [0x10, 0x10, 0, 0xFFF], [0x30, 0x10, 0, 0xFFF]),
        ("ATOM16_EMUL_INSTR_REG_MAP", [0x10, 0x10, 0, 8], [0x30, 0x10, 0, 8]),
        (
            "ANNOTATIONS",
            [1, 0x10, 2, 0x10, 5, 0x10, 0x10, 1, 0x10],
            [1, 0x30, 2, 0x30, 5, 0x10, 0x10, 1, 0x30],
        ),
        ("ANNOTATIONS", [3, 8, 0x10, 0x10, 1, 0x10], [3, 8, 0x10, 0x10, 1, 0x30]),
        ("ANNOTATIONS", [7, 0x10], [7, 0x10]),
    ],
)
def test_offsets_in_attributes_move(record: str, ours: list[int], theirs: list[int]) -> None:
    """Some kinds of annotations contain the offset of an instruction, which moves. Others describe
    the whole function, or contain a text and its length; these words do not change. If a record has
    an annotation of an unknown kind, none of its words change."""
    assert moved_words(MOVED, record, ours) == theirs


# Scheduling ---------------------------------------------------------------------------------------


def other_waits(code: bytes) -> bytes:
    """The code without the wait of the last instruction that waits for a scoreboard."""
    words = instructions(code)
    index = max(at for at, waits in enumerate(awaited(words)) if waits)
    changed = bytearray(code)
    changed[INSTRUCTION * index + AWAITED // 8] ^= (words[index] >> AWAITED & 0x3F) << AWAITED % 8
    return bytes(changed)


def test_waits_that_are_not_understood_are_those_of_the_object() -> None:
    """In code with branches, the comparison cannot find out which instructions a wait is for. So it
    accepts other waits in nvlink's code only if our code has the waits of the input object."""
    objects = map(read_cubin, INPUTS)
    section = next(o.section(".text.fences") for o in objects if o.has_section(".text.fences"))
    code = bytes(section.data)
    assert correspond(code, code)
    assert correspond(code, other_waits(code)) is None
    found = correspond(code, other_waits(code), of_input=True)
    assert found
    assert OTHER_WAITS in found.reasons
