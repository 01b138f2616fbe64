#!/usr/bin/env python3
"""Recognises differences in the parts of an output that nvlink regenerates from the Mercury view.

From sm_100 on nvlink makes the native code, its debug information and its attributes from the
Mercury view. Then the instructions of some functions differ from those in the objects, and the
debug information of some functions is damaged (docs/quirks/mercury.md). This module computes
nvlink's contents from warpld's, as far as they can be computed. It accounts for a difference if the
computed contents equal those of nvlink.

usage: regenerated.py THEIRS OURS INPUT...      names the functions and what is different in them
"""

from __future__ import annotations

import functools
import itertools
import struct
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from cubin import Cubin
from debug_records import (
    UNIT_PLACE,
    Frame,
    Malformed,
    Sequence,
    Unit,
    code_unit,
    frame_rules,
    line_rows,
    read_frames,
    read_lines,
    read_registers,
    relocations_of,
    unit_starts,
)
from fault import Case, Difference, unchanged_cubin
from moved_records import moved_range
from native_code import Correspondence
from regenerated_code import CODE, INFO, MERCURY_CODE, MERCURY_SYMBOLS, TABLES, RegeneratedCode

RELOCATIONS = (".rela.text.", ".nv.resolvedrela.text.")
DEBUG_RELOCATIONS = (
    ".rela.debug_info",
    ".rela.debug_loc",
    ".rela.debug_ranges",
    ".rela.debug_aranges",
)
FRAMES, MERCURY_FRAMES = ".debug_frame", ".nv.merc.debug_frame"
LINES = (".debug_line", ".nv_debug_line_sass")
R_CUDA_64 = 2
REGISTERS = ".nv_debug_info_reg_sass"
DEBUG_INFO = ".debug_info"
EMPTY_FRAME = "frame without rules"
UNMOVED_LINES = "line table of expanded code"
LOST_COPY = "debug information of a replaced copy"

CONTENT_FIELDS = ("bytes", "size")

Rows = list[tuple[Any, ...]]  # of a line table


class Regenerated(RegeneratedCode):
    """Two outputs of one link, nvlink's and warpld's, with their debug information."""

    # Frames ---------------------------------------------------------------------------------------

    @functools.cached_property
    def frames_follow(self) -> bool:
        try:
            theirs, ours, mercury = (
                read_frames(o.cubin, name)
                for o, name in (
                    (self.theirs, FRAMES),
                    (self.ours, FRAMES),
                    (self.theirs, MERCURY_FRAMES),
                )
            )
            described = Counter(frame.symbol for frame in mercury if frame.symbol)
        except Malformed:
            return False
        at = 0
        for frame in theirs:
            same = at < len(ours) and self.is_same_function(frame.symbol, ours[at].symbol)
            if same and self.frame_follows(frame, ours[at], described, mercury):
                at += 1
            elif not self.is_of_lost_copy(frame, described, mercury):
                return False
        return at == len(ours)

    def is_replaceable(self, symbol: int) -> bool:
        """Whether several objects define the function, at least one of them as weak."""
        return bool(symbol) and self.theirs.cubin.symbols[symbol].name in self.replaceable

    def is_same_function(self, theirs: int, ours: int) -> bool:
        return self.theirs.symbol_label(theirs) == self.ours.symbol_label(ours)

    def frame_follows(
        self, theirs: Frame, ours: Frame, described: Counter[int], mercury: list[Frame]
    ) -> bool:
        code = self.ours.code_of(ours.symbol)
        if theirs.start != ours.start or theirs.others or ours.others:
            return False
        facts = [(frame.common, frame.size, frame.rules) for frame in (theirs, ours)]
        if code not in self.codes and facts[0] == facts[1]:
            return True  # frames of slots in the unified function table have other sizes than code
        if is_empty(theirs):
            several = self.is_replaceable(theirs.symbol) or len(self.ours.names_of(code)) > 1
            same = without_unit(theirs.common) == without_unit(ours.common)
            if several and same and is_unmoved(theirs, mercury) and self.is_of_input(ours):
                self.note(code, EMPTY_FRAME)
                return True
            return False
        sizes = [len(o.sections[code].data) for o in (self.theirs, self.ours)]
        if theirs.common != ours.common or [theirs.size, ours.size] != sizes:
            return False
        return rules_follow(self.codes.get(code), theirs, ours)

    def is_of_input(self, frame: Frame) -> bool:
        """Whether one of the objects has the same record as our output."""
        name = self.ours.cubin.symbols[frame.symbol].name
        return (name, frame.size, frame.rules) in self.input_frames

    @functools.cached_property
    def input_frames(self) -> set[tuple[Any, ...]]:
        return {
            (cubin.symbols[frame.symbol].name, frame.size, frame.rules)
            for cubin in map(unchanged_cubin, self.inputs)
            for frame in read_frames(cubin, FRAMES)
        }

    @functools.cache  # noqa: B019  (lives as long as its object)
    def input_lines(self, name: str) -> list[tuple[Any, ...]]:
        return [
            (cubin.symbols[sequence.symbol].name, sequence.data)
            for cubin in map(unchanged_cubin, self.inputs)
            for unit in read_lines(cubin, name)
            for sequence in unit.sequences
        ]

    def is_of_lost_copy(self, frame: Frame, described: Counter[int], mercury: list[Frame]) -> bool:
        """Whether nvlink's record belongs to a superseded copy. nvlink can write the rules of the
        used copy into such a record, or no rules."""
        if not described[frame.symbol] or not self.is_replaceable(frame.symbol) or frame.others:
            return False
        code = self.theirs.code_of(frame.symbol)
        self.note(code, LOST_COPY)
        has_size = frame.size == len(self.theirs.sections[code].data)
        return has_size or (is_empty(frame) and is_unmoved(frame, mercury))

    # Line tables ----------------------------------------------------------------------------------

    @functools.cache  # noqa: B019
    def lines_follow(self, name: str) -> bool:
        try:
            theirs, ours = (read_lines(o.cubin, name) for o in (self.theirs, self.ours))
            mercury = mercury_rows(self.theirs.cubin, f".nv.merc{name}")
        except Malformed:
            return False
        return len(theirs) == len(ours) and all(
            self.unit_follows(name, a, b, mercury) for a, b in zip(theirs, ours, strict=True)
        )

    def unit_follows(
        self, name: str, theirs: Unit, ours: Unit, mercury: dict[int, list[Rows]]
    ) -> bool:
        """Whether nvlink's unit of a line table follows from warpld's. nvlink's unit can also have
        sequences of superseded copies."""
        at = 0
        for sequence in theirs.sequences:
            same = at < len(ours.sequences) and self.is_same_function(
                sequence.symbol, ours.sequences[at].symbol
            )
            if same and self.sequence_follows(name, ours, (sequence, ours.sequences[at]), mercury):
                at += 1
            elif sequence.symbol in mercury and self.is_replaceable(sequence.symbol):
                self.note(self.theirs.code_of(sequence.symbol), LOST_COPY)
            else:
                return False
        return theirs.header == ours.header and at == len(ours.sequences)

    def sequence_follows(
        self,
        name: str,
        unit: Unit,
        pair: tuple[Sequence, Sequence],
        mercury: dict[int, list[Rows]],
    ) -> bool:
        theirs, ours = pair
        if not self.is_same_function(theirs.symbol, ours.symbol):
            return False
        if theirs.data == ours.data:
            return True
        code = self.ours.code_of(ours.symbol)
        rows = [line_rows(unit, sequence) for sequence in (theirs, ours)]
        aliased = len(self.ours.names_of(code)) > 1
        unmoved = map(unmoved_rows, mercury.get(theirs.symbol, []))
        of_input = (self.ours.cubin.symbols[ours.symbol].name, ours.data) in self.input_lines(name)
        if aliased and of_input and rows[0] in unmoved:
            self.note(code, UNMOVED_LINES)
            return True
        found = self.codes.get(code)
        return found is not None and rows[0] == [(found.begin(at), *what) for at, *what in rows[1]]

    @functools.cached_property
    def info_follows(self) -> bool:
        """Whether nvlink's .debug_info follows from warpld's. A unit contains the offset of its
        line table; only these offsets may differ."""
        try:
            starts = [unit_starts(o.cubin, LINES[0]) for o in (self.theirs, self.ours)]
            places = line_table_places([unchanged_cubin(path) for path in self.inputs])
        except Malformed:
            return False
        ours = bytearray(self.ours.sections[DEBUG_INFO].data)
        theirs = dict(zip(starts[1], starts[0], strict=False))
        for place in places:
            (value,) = struct.unpack_from("<I", ours, place)
            struct.pack_into("<I", ours, place, theirs.get(value, value))
        return len(starts[0]) == len(starts[1]) and ours == self.theirs.sections[DEBUG_INFO].data

    # ----------------------------------------------------------------------------------------------

    @functools.cached_property
    def registers_follow(self) -> bool:
        try:
            theirs, ours = (
                read_registers(bytes(o.sections[REGISTERS].data)) for o in (self.theirs, self.ours)
            )
        except Malformed:
            return False
        codes = {name: self.codes.get(CODE + name.decode(errors="replace")) for name, _ in ours}
        return theirs == [
            (name, [moved_range(codes[name], r) for r in ranges]) for name, ranges in ours
        ]

    @functools.cache  # noqa: B019
    def debug_relocations_follow(self, label: str) -> bool:
        """Whether nvlink's relocations of debug information follow from warpld's. Only the addends
        may differ, because they are offsets in code."""
        ours, theirs = (o.sections.get(label) for o in (self.ours, self.theirs))
        if not ours or not theirs:
            return False
        entries = [self.ours.entries(ours), self.theirs.entries(theirs)]
        codes = [self.codes.get(self.ours.code_of(e.symbol)) for e in ours.relocations()]
        return entries[1] == [
            (*what, found.begin(addend) if found else addend)
            for found, (*what, addend) in zip(codes, entries[0], strict=True)
        ]

    def accounts_for(self, difference: Difference) -> bool:
        section, field = difference["section"] or "", difference["field"]
        content = field in CONTENT_FIELDS
        entry = field == "size" or not difference["entry"] or "offset=" in difference["entry"]
        if section.startswith(CODE):
            return content and bool(self.codes.get(section))
        if section.startswith(MERCURY_CODE):
            return content and self.mercury_code_follows(section)
        if section.startswith(RELOCATIONS):
            return entry and self.relocations_follow(section)
        if section.startswith(INFO) and field in ("offsets", "values"):
            return self.offsets_follow(difference)
        if section.startswith(TABLES):
            return content and self.tables_follow(section)
        if section == ".symtab" and field == "size":
            return self.size_follows(difference)
        if section in (FRAMES, f".rela{FRAMES}"):
            return (content or entry) and self.frames_follow
        if section in DEBUG_RELOCATIONS:
            return entry and self.debug_relocations_follow(section)
        if section == REGISTERS:
            return content and self.registers_follow
        if section == DEBUG_INFO:
            return content and self.info_follows
        if section.removeprefix(".rela") in LINES:
            return (content or entry) and self.lines_follow(section.removeprefix(".rela"))
        return False


MERCURY_ONLY = 0x92  # an extended opcode that only line tables of the Mercury view have


def mercury_rows(cubin: Cubin, name: str) -> dict[int, list[Rows]]:
    """For each symbol, the rows of the line table sequences whose relocations name it."""
    found: dict[int, list[Rows]] = {}
    for unit in read_lines(cubin, name):
        for sequence in unit.sequences:
            if sequence.symbol:
                found.setdefault(sequence.symbol, []).append(line_rows(unit, sequence))
    return found


def line_table_places(inputs: list[Cubin]) -> list[int]:
    """The offsets of the words in the output's .debug_info that hold offsets of line tables. This
    section is the concatenation of the objects' sections."""
    places, base = [], 0
    for cubin in inputs:
        if not cubin.has_section(DEBUG_INFO):
            continue
        lines = cubin.section_index(LINES[0]) if cubin.has_section(LINES[0]) else 0
        places += [
            base + entry.offset
            for entries in relocations_of(cubin, DEBUG_INFO).values()
            for entry in entries
            if lines and cubin.symbols[entry.symbol].section == lines
        ]
        base += len(cubin.section(DEBUG_INFO).data)
    return places


def is_row(row: tuple[Any, ...]) -> bool:
    return bool(row[2] == "row")


def unmoved_rows(mercury: Rows) -> Rows:
    """The rows that nvlink writes if it does not find the function: one row for each address of the
    expanded code, and an end of the sequence at the last address."""
    rows = [row for row in mercury if row[2] != "extended" or row[3][0] != MERCURY_ONLY]
    rows = [
        row
        for row, after in itertools.zip_longest(rows, rows[1:])
        if not (after and is_row(row) and is_row(after) and row[0] == after[0])
    ]
    last = rows[-2][0] if len(rows) > 1 else 0
    return [*rows[:-1], *((last, *row[1:]) for row in rows[-1:])]


def is_unmoved(frame: Frame, mercury: list[Frame]) -> bool:
    """Whether the frame has the same CIE and size as the frame of its function in the Mercury
    view."""
    known = [(f.common, f.size) for f in mercury if f.symbol == frame.symbol]
    return (frame.common, frame.size) in known


def without_unit(common: bytes) -> bytes:
    """The CIE without its code alignment factor, which is 1 for expanded code and 4 for native
    code."""
    return common[:UNIT_PLACE] + common[UNIT_PLACE + 1 :]


def is_empty(frame: Frame) -> bool:
    return code_unit(frame.common) == 1 and not any(frame.rules)


def rules_follow(found: Correspondence | None, theirs: Frame, ours: Frame) -> bool:
    if found is None:
        return theirs.rules == ours.rules and theirs.size == ours.size
    rules = [frame_rules(f.rules, code_unit(f.common)) for f in (theirs, ours)]
    return rules[0] == [(found.begin(at), *what) for at, *what in rules[1]]


@functools.lru_cache(maxsize=8)
def regenerated(
    theirs: Path, ours: Path, inputs: tuple[Path, ...], _stamps: tuple[int, ...]
) -> Regenerated:
    return Regenerated(theirs, ours, list(inputs))


def accounts_for_all(case: Case) -> bool:
    if not unchanged_cubin(case.ours).has_section(MERCURY_SYMBOLS):
        return False
    stamps = tuple(path.stat().st_mtime_ns for path in (case.theirs, case.ours))
    outputs = regenerated(case.theirs, case.ours, tuple(case.inputs), stamps)
    return all(outputs.accounts_for(difference) for difference in case.differences)


def main() -> None:
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    theirs, ours, *inputs = (Path(argument) for argument in sys.argv[1:])
    outputs = Regenerated(theirs, ours, inputs)
    outputs.accounts_for({"section": FRAMES, "entry": None, "field": None, "a": None, "b": None})
    for name in LINES:
        outputs.lines_follow(name)
    for code, reasons in sorted(outputs.functions.items()):
        print(f"{code.removeprefix(CODE)}: {', '.join(sorted(reasons))}")


if __name__ == "__main__":
    main()
