"""Compares the Mercury view of an executable with those of its objects. Addresses may differ."""

from __future__ import annotations

import struct
from collections import Counter
from typing import Any

from cubin import STT_FUNC, STT_SECTION, STT_TEXTURE, SYMBOL, Cubin, Relocation, Section, Symbol
from mercury_items import Item, read_items

CODE_TYPE, SYMBOLS_TYPE = 0x70000016, 0x70000085
RELOCATIONS = ".nv.merc.rela"
NATIVE_CONSTANTS, CONSTANTS = ".nv.constant2.", ".nv.merc.nv.constant.optimizer."
TEXTURE_TYPES = range(STT_TEXTURE, STT_TEXTURE + 3)
INSTRUCTION = 16
FIELD = 4  # size of a field, which is at the end of its item
ABS16 = 0x10004
FUNCTION_INDEX = 4  # bytes at the start of Mercury code: the index of its native section

Values = dict[Relocation, tuple[int, int]]  # native entry -> known bits, mask of these
Words = tuple[bytes, tuple[tuple[Any, ...], ...]]  # a constant's bytes, and the relocations in it


class MercuryView:
    """The Mercury view of an executable or an object; empty if the file has none."""

    def __init__(self, cubin: Cubin):
        self.cubin = cubin
        self.codes: dict[int, Section] = {}  # index of the native section -> its code
        self.entries: dict[int, list[Relocation]] = {}  # id of a section -> its relocations
        self.symbols: list[Symbol] = []
        for section in cubin.sections:
            if section.type == CODE_TYPE:
                self.codes[int.from_bytes(section.data[:4], "little")] = section
            elif section.name.startswith(RELOCATIONS):
                place = id(cubin.sections[section.info])
                self.entries.setdefault(place, []).extend(section.relocations())
            elif section.type == SYMBOLS_TYPE:
                rows = SYMBOL.iter_unpack(bytes(section.data))
                self.symbols = [
                    Symbol(native.name, *rest)
                    for native, (_, *rest) in zip(cubin.symbols, rows, strict=False)
                ]
        self.texture_starts: set[int] = set()

    def entries_of(self, section: Section) -> list[Relocation]:
        return self.entries.get(id(section), [])

    def facts(self) -> Counter[Any]:
        """The properties of the symbols except addresses, and the relocations in variables. The
        contents of variables are not compared here, because both views share them in the file."""
        found: Counter[Any] = Counter()
        for symbol in self.symbols:
            if symbol.type == STT_SECTION or not 0 < symbol.section < len(self.cubin.sections):
                continue
            section = self.cubin.sections[symbol.section]
            if ".shared" in section.name:
                continue
            is_code = symbol.type == STT_FUNC
            inside = () if is_code else self.words_at(section, symbol.value, symbol.size)[1]
            facts = (section.name, symbol.info, symbol.other, symbol.size, inside)
            found[(symbol.name, *facts)] += 1
        return found

    def words_at(self, section: Section, offset: int, size: int) -> Words:
        inside = sorted(
            (entry.offset - offset, entry.type, self.symbols[entry.symbol].name, entry.addend)
            for entry in self.entries_of(section)
            if offset <= entry.offset < offset + size
        )
        return bytes(section.data[offset : offset + size]), tuple(inside)

    def code_problem(
        self,
        number: int,
        source: MercuryView,
        origin: int,
        native: list[Relocation],
        values: Values,
    ) -> str | None:
        """What is wrong with the Mercury code of the native section `number`; None if nothing is.
        The code of that section comes from the native section `origin` of the object `source`."""
        given = source.codes.get(origin)
        if not given:
            return None
        ours = self.codes.get(number)
        if not ours:
            return f"{given.name}: not there"
        code, expected = bytearray(ours.data), bytearray(given.data)
        items = items_by_instruction(bytes(given.data))
        for entry, partner in partners(source.entries_of(given), native):
            item = items.get(partner.offset // INSTRUCTION)
            if partner not in values or not item or not item.is_full:
                continue
            end = item.offset + len(item.content or b"")
            (held,) = struct.unpack_from("<I", code, end - FIELD)
            texture = source.symbols[entry.symbol].type in TEXTURE_TYPES
            if not self.is_value(entry, held, values[partner], texture):
                return f"{given.name}: another value than native code"
            code[end - FIELD : end] = expected[end - FIELD : end] = bytes(FIELD)
        same = code[FUNCTION_INDEX:] == expected[FUNCTION_INDEX:]
        return None if same else f"{given.name}: other code"

    def is_value(
        self, entry: Relocation, held: int, native: tuple[int, int], texture: bool
    ) -> bool:
        """Whether the field has the same value as the native field. A texture slot is counted from
        the start of its section in Mercury code, but from the start of the bank in native code. So
        the difference must be the same for all slots."""
        value, known = native
        known &= 0xFFFF if entry.type == ABS16 else 0xFFFFFFFF
        if texture:
            self.texture_starts.add(value - held & known)
            return len(self.texture_starts) == 1
        return held & known == value & known

    def constant_problem(self, source: MercuryView, symbol: Symbol, offset: int) -> str | None:
        """Returns what is wrong with a compiler-made constant; None if nothing is. Its bytes and
        jump targets must be at the offset from which native code reads the constant."""
        sections = source.cubin.sections
        if not source.symbols or not 0 < symbol.section < len(sections):
            return None
        native = sections[symbol.section]
        if not native.name.startswith(NATIVE_CONSTANTS):
            return None
        given = source.constants_in_mercury(native)
        expected = given and source.words_at(given, symbol.value, symbol.size)
        places = (s for s in self.cubin.sections if s.name.startswith(CONSTANTS))
        if any(self.words_at(place, offset, symbol.size) == expected for place in places):
            return None
        return f"Mercury constant {symbol.name} is not where it is read"

    def constants_in_mercury(self, native: Section) -> Section | None:
        """The Mercury section of constants for the code to which the native section belongs."""
        code = self.codes.get(native.info)
        found = (
            s
            for s in self.cubin.sections
            if s.name.startswith(CONSTANTS) and self.cubin.sections[s.info] is code
        )
        return next(found, None)


def items_by_instruction(code: bytes) -> dict[int, Item]:
    found, at = {}, 0
    for item in read_items(code):
        if item.count == 1:
            found[at] = item
        at += item.count
    return found


def partners(
    mercury: list[Relocation], native: list[Relocation]
) -> list[tuple[Relocation, Relocation]]:
    """Pairs of a Mercury entry and its native counterpart. Both lists are in the same order, but
    the Mercury list can have additional entries."""
    found, at = [], 0
    for entry in mercury:
        if at < len(native) and native[at].symbol == entry.symbol:
            found.append((entry, native[at]))
            at += 1
    return found
