"""Records of .debug_frame and sequences of line tables, taken apart to be compared one by one."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cubin import Cubin, Relocation

LONG_MARK, LENGTH_SIZE, POINTER_SIZE = 4, 8, 8
COMMON_ID = 0xFFFFFFFFFFFFFFFF
CFA_NOP, CFA_ADVANCE_4 = 0, 4
# For each opcode the kinds of its operands: u and s are LEB128 numbers, b is a block, and a digit
# is a number of that many bytes.
CFA_OPERANDS = {
    0x00: "", 0x01: "8", 0x02: "1", 0x03: "2", 0x04: "4", 0x05: "uu", 0x06: "u", 0x07: "u",
    0x08: "u", 0x09: "uu", 0x0A: "", 0x0B: "", 0x0C: "uu", 0x0D: "u", 0x0E: "u", 0x0F: "b",
    0x10: "ub", 0x11: "us", 0x12: "us", 0x13: "s", 0x14: "uu", 0x15: "us", 0x16: "ub",
}  # fmt: skip


class Malformed(Exception):
    """Records in a form that ptxas and nvlink are not known to write."""


def read_uleb(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def read_sleb(data: bytes, at: int) -> tuple[int, int]:
    value, end = read_uleb(data, at)
    bits = 7 * (end - at)
    return (value - (1 << bits) if value >> (bits - 1) else value), end


def relocations_of(cubin: Cubin, name: str) -> dict[int, list[Relocation]]:
    """The relocations that patch the section of that name, by offset. A section of the Mercury view
    has its own list, whose entries always have addends."""
    mercury = name.startswith(".nv.merc.")
    plain = name.removeprefix(".nv.merc")
    lists = (f".nv.merc.rela{plain}",) if mercury else (f".rela{plain}", f".rel{plain}")
    found: dict[int, list[Relocation]] = {}
    for section in cubin.sections:
        if section.name not in lists:
            continue
        for entry in section.relocations():
            found.setdefault(entry.offset, []).append(entry)
    return found


# Frames -------------------------------------------------------------------------------------------


class OtherRelocation(NamedTuple):
    """A relocation in a record, except for that of the start address."""

    offset: int  # in the record
    type: int
    symbol: int
    addend: int | None


@dataclass
class Frame:
    """A frame description (FDE) with its CIE. `symbol` is the index of its function's symbol; 0 if
    no relocation names one."""

    symbol: int
    common: bytes  # the CIE, without its length
    start: int
    size: int
    rules: bytes
    others: list[OtherRelocation] = field(default_factory=list)


def read_frames(cubin: Cubin, name: str) -> list[Frame]:
    if not cubin.has_section(name):
        return []
    data, entries = bytes(cubin.section(name).data), relocations_of(cubin, name)
    frames: list[Frame] = []
    commons: dict[int, bytes] = {}
    at = 0
    while at < len(data):
        mark, length, pointer = struct.unpack_from("<IQQ", data, at)
        body, end = at + LONG_MARK + LENGTH_SIZE, at + LONG_MARK + LENGTH_SIZE + length
        if mark != 0xFFFFFFFF or end > len(data):
            raise Malformed(f"{name} at {at:#x}")
        if pointer == COMMON_ID:
            commons[at] = data[body:end]
        else:
            frames.append(read_frame(data[body:end], commons, body, entries))
        at = end
    return frames


def read_frame(
    body: bytes, commons: dict[int, bytes], place: int, entries: dict[int, list[Relocation]]
) -> Frame:
    pointer, start, size = struct.unpack_from("<QQQ", body)
    first = entries.get(place + POINTER_SIZE, [])
    if pointer not in commons or len(first) > 1:
        raise Malformed(f"frame at {place:#x}")
    others = [
        OtherRelocation(at - place, entry.type, entry.symbol, entry.addend)
        for at in range(place, place + len(body))
        for entry in entries.get(at, [])
        if entry not in first
    ]
    symbol = first[0].symbol if first else 0
    return Frame(symbol, commons[pointer], start, size, body[3 * POINTER_SIZE :], others)


def frame_rules(rules: bytes, unit: int) -> list[tuple[Any, ...]]:
    """Opcode and operands of each rule, with the code offset from which it applies."""
    found: list[tuple[Any, ...]] = []
    at = offset = 0
    while at < len(rules):
        code = rules[at]
        at += 1
        if code >> 6 in (1, 3):
            raise Malformed("short frame rules")
        if code >> 6 == 2:
            value, at = read_uleb(rules, at)
            found.append((offset, code, value))
        elif code in (2, 3, CFA_ADVANCE_4):
            width = {2: 1, 3: 2, 4: 4}[code]
            offset += unit * int.from_bytes(rules[at : at + width], "little")
            found.append((offset, "advance"))
            at += width
        else:
            operands, at = read_operands(rules, at, code)
            found.append((offset, code, *operands))
    return found


def read_operands(rules: bytes, at: int, code: int) -> tuple[list[int | bytes], int]:
    operands: list[int | bytes] = []
    value: int | bytes
    for kind in CFA_OPERANDS.get(code, "?"):
        if kind == "u":
            value, at = read_uleb(rules, at)
        elif kind == "s":
            value, at = read_sleb(rules, at)
        elif kind == "b":
            size, at = read_uleb(rules, at)
            value, at = rules[at : at + size], at + size
        elif kind == "?":
            raise Malformed(f"frame rule {code:#x}")
        else:
            value, at = rules[at : at + int(kind)], at + int(kind)
        operands.append(value)
    return operands, at


UNIT_PLACE = POINTER_SIZE + 2  # after identifier, version and an empty augmentation


def code_unit(common: bytes) -> int:
    """The code alignment factor of a CIE, the unit of its code offsets."""
    return read_uleb(common, UNIT_PLACE)[0]


# Line tables --------------------------------------------------------------------------------------

EXTENDED_ADDRESS = 2
OPCODE_COPY, OPCODE_ADVANCE_PC, OPCODE_ADVANCE_LINE, OPCODE_FIXED = 1, 2, 3, 9


ADDRESS_OPCODE = bytes((0, 9, EXTENDED_ADDRESS))


@dataclass
class Sequence:
    symbol: int  # of the function; 0 if no relocation names one
    data: bytes  # the opcodes after that of the start address


@dataclass
class Unit:
    header: bytes  # without the unit's length
    # line_base, line_range, opcode_base, minimum_instruction_length, standard_opcode_lengths
    encoding: tuple[int, int, int, int, bytes]
    sequences: list[Sequence]


def read_lines(cubin: Cubin, name: str) -> list[Unit]:
    if not cubin.has_section(name):
        return []
    data, entries = bytes(cubin.section(name).data), relocations_of(cubin, name)
    units, at = [], 0
    while at < len(data):
        length, _, rest = struct.unpack_from("<IHI", data, at)
        begin, end = at + 10 + rest, at + 4 + length
        if end > len(data) or begin > end:
            raise Malformed(f"{name} at {at:#x}")
        units.append(read_unit(data, (at, begin, end), entries))
        at = end
    named = sum(bool(s.symbol) for unit in units for s in unit.sequences)
    if named != len(entries):
        raise Malformed(f"{name}: relocations elsewhere")
    return units


def unit_starts(cubin: Cubin, name: str) -> list[int]:
    """The offsets at which the line tables of the units begin."""
    data = bytes(cubin.section(name).data) if cubin.has_section(name) else b""
    starts, at = [], 0
    while at < len(data):
        starts.append(at)
        at += 4 + int.from_bytes(data[at : at + 4], "little")
    return starts


def read_unit(
    data: bytes, bounds: tuple[int, int, int], entries: dict[int, list[Relocation]]
) -> Unit:
    at, begin, end = bounds
    step, _, base, line_range, first = struct.unpack_from("<BBbBB", data, at + 10)
    unit = Unit(data[at + 4 : begin], (base, line_range, first, step, b""), [])
    counts = data[at + 15 : at + 14 + first]
    unit.encoding = (base, line_range, first, step, counts)
    while begin < end:
        if not data.startswith(ADDRESS_OPCODE, begin):
            raise Malformed(f"line table without an address at {begin:#x}")
        address = begin + len(ADDRESS_OPCODE)
        start = address + POINTER_SIZE
        begin = end_of_sequence(data, start, end, unit)
        symbol = entries[address][0].symbol if address in entries else 0
        unit.sequences.append(Sequence(symbol, data[start:begin]))
    return unit


def end_of_sequence(data: bytes, at: int, end: int, unit: Unit) -> int:
    """The offset after the opcode that ends the sequence."""
    while at < end:
        (what, _), at = read_opcode(data, at, unit)
        if what == ("extended", b"\x01"):
            return at
    raise Malformed("line table without an end")


def read_opcode(
    data: bytes, at: int, unit: Unit
) -> tuple[tuple[tuple[Any, ...], tuple[int, int]], int]:
    """Decodes an opcode. Returns what it does besides advancing, how far it advances address and
    line, and the offset of the next opcode."""
    base, line_range, first, step, counts = unit.encoding
    code = data[at]
    at += 1
    if code >= first:
        adjusted = code - first
        return (("row",), (adjusted // line_range * step, base + adjusted % line_range)), at
    if code == 0:
        size, at = read_uleb(data, at)
        return (("extended", data[at : at + size]), (0, 0)), at + size
    if code == OPCODE_COPY:
        return (("row",), (0, 0)), at
    if code == OPCODE_ADVANCE_LINE:
        value, at = read_sleb(data, at)
        return ((), (0, value)), at
    if code == OPCODE_FIXED:
        return ((), (int.from_bytes(data[at : at + 2], "little"), 0)), at + 2
    operands = []
    for _ in range(counts[code - 1]):
        value, at = read_uleb(data, at)
        operands.append(value)
    if code == OPCODE_ADVANCE_PC:
        return ((), (operands[0] * step, 0)), at
    return (("opcode", code, *operands), (0, 0)), at


def line_rows(unit: Unit, sequence: Sequence) -> list[tuple[Any, ...]]:
    """Returns (address, line, *what) for every opcode that does more than advance the address or
    the line."""
    rows, at, address, line = [], 0, 0, 0
    while at < len(sequence.data):
        (what, (more, lines)), at = read_opcode(sequence.data, at, unit)
        address, line = address + more, line + lines
        if what:
            rows.append((address, line, *what))
    return rows


# Registers of variables ---------------------------------------------------------------------------


@dataclass(frozen=True)
class RegisterRange:
    """The range of code in which a machine register holds a register of the PTX text. `what` has
    the other fields of the record."""

    what: tuple[Any, ...]
    first: int
    last: int


def read_registers(data: bytes) -> list[tuple[bytes, list[RegisterRange]]]:
    """Returns the functions in their order, each with its name and the ranges of its registers."""
    functions, at = [], 0
    try:
        while at < len(data):
            name, at = read_name(data, at)
            (count,) = struct.unpack_from("<I", data, at)
            at += 4
            ranges = []
            for _ in range(count):
                (word,) = struct.unpack_from("<I", data, at)
                register, at = read_name(data, at + 4)
                where, first, last = struct.unpack_from("<3I", data, at)
                at += 12
                ranges.append(RegisterRange((word, register, where), first, last))
            functions.append((name, ranges))
    except (struct.error, ValueError) as error:
        raise Malformed from error
    return functions


def read_name(data: bytes, at: int) -> tuple[bytes, int]:
    end = data.index(0, at)
    return data[at:end], end + 1
