"""Recognises differences in the code that nvlink regenerates from the Mercury view.

This module finds how the instructions of both outputs correspond, and computes the relocations,
attributes and jump tables that follow from that. regenerated.py does the same for debug
information."""

from __future__ import annotations

import functools
import struct
from collections import Counter
from pathlib import Path
from typing import Any

from cubin import STT_FUNC, Cubin, Section, Symbol, read_cubin
from fault import Difference, unchanged_cubin, weak_names_of_several
from mercury_items import read_items
from moved_records import items_follow, moved_entry, moved_words
from native_code import INSTRUCTION, Correspondence, correspond, scheduling

CODE, MERCURY_CODE, INFO = ".text.", ".nv.capmerc.text.", ".nv.info."
MERCURY_SYMBOLS = ".nv.merc.symtab"
TABLES, MERCURY_TABLES = ".nv.constant2.", ".nv.merc.rela.nv.constant.optimizer."


def labels(cubin: Cubin) -> dict[str, Section]:
    """Maps labels to sections. The label of a section is its name. If several sections share the
    name, a number follows it, as in the output of `cubintool diff`."""
    uses = Counter(section.name for section in cubin.sections)
    seen: Counter[str] = Counter()
    found = {}
    for section in cubin.sections:
        seen[section.name] += 1
        number = f"#{seen[section.name]}" if uses[section.name] > 1 else ""
        found[section.name + number] = section
    return found


class Output:
    """An output whose sections and symbols are found by name."""

    def __init__(self, path: Path):
        self.cubin = read_cubin(path)
        self.sections = labels(self.cubin)
        self.label_of = {id(section): label for label, section in self.sections.items()}
        self.mercury_symbols = mercury_symbols(self.cubin)

    def section_label(self, index: int) -> str:
        known = 0 < index < len(self.cubin.sections)
        return self.label_of[id(self.cubin.sections[index])] if known else str(index)

    def symbol_label(self, index: int) -> tuple[str, str]:
        symbol = self.cubin.symbols[index]
        return symbol.name, self.section_label(symbol.section)

    def entries(self, section: Section) -> list[tuple[Any, ...]]:
        return [
            (entry.offset, entry.type, self.symbol_label(entry.symbol), entry.addend)
            for entry in section.relocations()
        ]

    def code_of(self, symbol: int) -> str:
        """The label of the code section that a function's symbol refers to; empty if the symbol is
        not a function."""
        found = self.cubin.symbols[symbol]
        return self.section_label(found.section) if found.type == STT_FUNC else ""

    def names_of(self, code: str) -> list[Symbol]:
        return [
            symbol
            for symbol in self.cubin.symbols
            if symbol.type == STT_FUNC and self.section_label(symbol.section) == code
        ]


def mercury_symbols(cubin: Cubin) -> list[Symbol]:
    if not cubin.has_section(MERCURY_SYMBOLS):
        return []
    data = bytes(cubin.section(MERCURY_SYMBOLS).data)
    return [Symbol("", *rest[1:]) for rest in struct.iter_unpack("<IBBHQQ", data)]


class RegeneratedCode:
    """Two outputs of one link, nvlink's and warpld's, and the code in them."""

    def __init__(self, theirs: Path, ours: Path, inputs: list[Path]):
        self.inputs, self.replaceable = inputs, weak_names_of_several(inputs)
        self.theirs, self.ours = Output(theirs), Output(ours)
        self.codes = self.find_codes()
        self.functions: dict[str, set[str]] = {
            name: set(found.reasons) for name, found in self.codes.items() if found
        }

    def find_codes(self) -> dict[str, Correspondence | None]:
        """For each code section that differs, how the instructions of both outputs correspond. None
        if they differ in an unknown way."""
        found = {}
        for label, section in self.ours.sections.items():
            other = self.theirs.sections.get(label)
            if label.startswith(CODE) and other and other.data != section.data:
                code = bytes(section.data)
                of_input = scheduling(code) in self.input_scheduling(section.name)
                found[label] = correspond(code, bytes(other.data), of_input)
        return found

    def input_scheduling(self, name: str) -> list[list[int]]:
        """The scheduling of each input's code section with that name."""
        return [
            scheduling(bytes(section.data))
            for cubin in map(unchanged_cubin, self.inputs)
            for section in cubin.sections
            if section.name == name
        ]

    def note(self, code: str, what: str) -> None:
        self.functions.setdefault(code, set()).add(what)

    def owner(self, label: str) -> Correspondence | None:
        """How nvlink's and warpld's code correspond, for the function that owns the section with
        this label. None if its code is the same in both outputs."""
        section = self.ours.sections.get(label)
        return self.codes.get(self.ours.section_label(section.info)) if section else None

    @functools.cache  # noqa: B019  (lives as long as its object)
    def mercury_code_follows(self, label: str) -> bool:
        ours, theirs = (o.sections.get(label) for o in (self.ours, self.theirs))
        if not ours or not theirs:
            return False
        code, same = (
            output.section_label(int.from_bytes(section.data[:4], "little"))
            for output, section in ((self.ours, ours), (self.theirs, theirs))
        )
        found, native = self.codes.get(code), self.ours.sections.get(code)
        if not found or not native or code != same or ours.data[4:12] != theirs.data[4:12]:
            return False
        other = self.theirs.sections[code]
        counts = [len(s.data) // INSTRUCTION for s in (native, other)]
        items = [read_items(bytes(s.data)) for s in (ours, theirs)]
        return items_follow(found, items, counts, bytes(native.data))

    @functools.cache  # noqa: B019
    def relocations_follow(self, label: str) -> bool:
        ours, theirs = (o.sections.get(label) for o in (self.ours, self.theirs))
        found = self.owner(label)
        if not found or not ours or not theirs or ours.type != theirs.type:
            return False
        entries = [self.ours.entries(ours), self.theirs.entries(theirs)]
        code = self.ours.section_label(ours.info)
        return [moved_entry(found, entry, code) for entry in entries[0]] == entries[1]

    def offsets_follow(self, difference: Difference) -> bool:
        found = self.owner(difference["section"] or "")
        theirs, ours = (
            [int(word, 16) for word in (difference[side] or "").split(",") if word]
            for side in ("a", "b")
        )
        if not found:
            return False
        return theirs == moved_words(found, difference["entry"] or "", ours)

    @functools.cache  # noqa: B019
    def tables_follow(self, label: str) -> bool:
        """Whether nvlink's jump tables follow from warpld's. The Mercury relocations of a table say
        which of its words are addresses, and of which code."""
        ours, theirs = (o.sections.get(label) for o in (self.ours, self.theirs))
        mercury = label.replace(TABLES, MERCURY_TABLES)
        if not ours or not theirs or len(ours.data) != len(theirs.data):
            return False
        codes = {
            entry.offset: self.codes.get(self.ours.code_of(entry.symbol))
            for entry in self.ours.sections[mercury].relocations()
        }
        words = (struct.iter_unpack("<I", bytes(s.data)) for s in (theirs, ours))
        return all(
            a == b or ((code := codes.get(4 * index)) is not None and code.begin(b) == a)
            for index, ((a,), (b,)) in enumerate(zip(*words, strict=True))
        )

    def size_follows(self, difference: Difference) -> bool:
        name = (difference["entry"] or "").partition("@")[0]
        place = (difference["entry"] or "").partition("@")[2].rpartition("+")[0]
        sizes = (difference["b"], difference["a"])
        for symbol in self.ours.cubin.symbols:
            code = self.ours.section_label(symbol.section)
            if symbol.name == name and place in ("", code) and self.codes.get(code):
                ours, theirs = (len(o.sections[code].data) for o in (self.ours, self.theirs))
                return sizes == (hex(ours), hex(theirs))
        return False
