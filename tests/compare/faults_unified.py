"""Computes nvlink's unified tables by adding its faults to warpld's (docs/quirks/unified.md).

Each fault is a function that changes our output as the fault changes nvlink's, as far as this can
be computed from the inputs. Some faulty bytes are left over in nvlink's memory and cannot be
computed; these are copied from nvlink's output. If the result still differs from nvlink's output,
there is another cause.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cubin import (
    ELF_HEADER,
    SECTION_HEADER,
    SHT_MERCURY_RELA,
    SHT_RELA,
    STO_ENTRY,
    STT_FUNC,
    STT_SECTION,
    SYMBOL,
    Cubin,
    Section,
    Symbol,
)
from fault import unchanged_cubin

STUB = "__cuda_uf_stub_"
FUNCTION_TABLE, DATA_TABLE = ".nv.uft", ".nv.udt"
DATA_TABLES = (DATA_TABLE, ".nv.merc.nv.udt")
DATA_LISTS = (".rela.nv.udt", ".nv.merc.rela.nv.udt")
SYMBOL_TABLES = (".symtab", ".nv.merc.symtab")
ATTRIBUTES = ".nv.info"
FORMAT_SIZED, MIN_STACK_SIZE = 4, 0x12
VALUE_AT, SIZE_AT = 8, 16  # offsets of st_value and st_size
RELOCATION_SIZE = 24

GAPS = "gaps between unified variables not initialised"
LEFT_BEHIND = "addresses in unified variables left behind"
STACK_SIZES = "native stack sizes of slots"
ONE_NAME = "stubs of one name not told apart"
LOST_CALLEES = "callees of unified functions removed"


def section_place(content: bytearray, index: int) -> int:
    headers = ELF_HEADER.unpack_from(content)[6]
    return int(SECTION_HEADER.unpack_from(content, headers + SECTION_HEADER.size * index)[4])


@dataclass
class Outputs:
    """Both outputs. `content` has the bytes of our output; each fault makes them more like those of
    nvlink's."""

    theirs: Cubin
    ours: Cubin
    inputs: list[Path]
    content: bytearray

    def place(self, section: Section) -> int:
        """The file offset of a section of our output."""
        index = next(i for i, other in enumerate(self.ours.sections) if other is section)
        return section_place(self.content, index)

    def pairs(self, names: tuple[str, ...]) -> Iterator[tuple[Section, Section]]:
        """For each name, the sections of both outputs, if both have one and their sizes are
        equal."""
        for name in names:
            if self.theirs.has_section(name) and self.ours.has_section(name):
                pair = self.theirs.section(name), self.ours.section(name)
                if len(pair[0].data) == len(pair[1].data):
                    yield pair

    def write(self, section: Section, offset: int, content: bytes) -> bool:
        """Overwrites bytes in a section of our output. Returns whether that changed anything."""
        place = self.place(section) + offset
        same = self.content[place : place + len(content)] == content
        self.content[place : place + len(content)] = content
        return not same


def symbols_in(cubin: Cubin, table: str) -> list[tuple[int, Symbol]]:
    home = next((i for i, s in enumerate(cubin.sections) if s.name == table), 0)
    return [
        (index, symbol)
        for index, symbol in enumerate(cubin.symbols)
        if home and symbol.section == home and symbol.type != STT_SECTION
    ]


# The data table -----------------------------------------------------------------------------------


def merged_parts(inputs: list[Path]) -> Iterator[tuple[Cubin, int]]:
    """Yields each object with data for the table, and the offset that these data would have if the
    data of all objects were concatenated."""
    end = 0
    for cubin in map(unchanged_cubin, inputs):
        if cubin.has_section(DATA_TABLE):
            section = cubin.section(DATA_TABLE)
            end += -end % section.alignment
            yield cubin, end
            end += len(section.data)


def merged_end(inputs: list[Path]) -> int:
    parts = list(merged_parts(inputs))
    return parts[-1][1] + len(parts[-1][0].section(DATA_TABLE).data) if parts else 0


def unknown_bytes(outputs: Outputs) -> set[int]:
    """Returns the offsets of the table's bytes that cannot be computed. They belong to no variable,
    or are past the memory that nvlink allocates for the table. nvlink allocates the size of the
    concatenated data of all objects."""
    size = len(outputs.ours.section(DATA_TABLE).data)
    unknown = set(range(size))
    for _, symbol in symbols_in(outputs.ours, DATA_TABLE):
        unknown -= set(range(symbol.value, symbol.value + symbol.size))
    return unknown | set(range(merged_end(outputs.inputs), size))


def is_written_past(ours: Path, inputs: list[Path]) -> bool:
    """Whether the data table is larger than the concatenated data of all inputs, so that nvlink
    writes past the memory that it allocates for the table."""
    cubin = unchanged_cubin(ours)
    has_table = cubin.has_section(DATA_TABLE)
    return has_table and len(cubin.section(DATA_TABLE).data) > merged_end(inputs)


def fill_gaps(outputs: Outputs) -> bool:
    changed = False
    for theirs, ours in outputs.pairs(DATA_TABLES):
        for at in unknown_bytes(outputs):
            changed |= outputs.write(ours, at, bytes(theirs.data[at : at + 1]))
    return changed


def places_before(outputs: Outputs) -> dict[int, int]:
    """Maps the offset of each byte of a variable in the table to its offset in the concatenated
    data of the objects. Variables that share a name are left out."""
    found: dict[int, int] = {}
    symbols = [symbol for _, symbol in symbols_in(outputs.ours, DATA_TABLE)]
    ours = {symbol.name: symbol for symbol in symbols}
    names = Counter(symbol.name for symbol in symbols)
    for cubin, begin in merged_parts(outputs.inputs):
        for _, symbol in symbols_in(cubin, DATA_TABLE):
            if names[symbol.name] == 1:
                place = ours[symbol.name].value
                found.update({place + i: begin + symbol.value + i for i in range(symbol.size)})
    return found


def leave_relocations_behind(outputs: Outputs) -> bool:
    changed, before = False, places_before(outputs)
    for _, ours in outputs.pairs(DATA_LISTS):
        for at in range(0, len(ours.data), RELOCATION_SIZE):
            offset = struct.unpack_from("<Q", ours.data, at)[0]
            changed |= outputs.write(ours, at, struct.pack("<Q", before.get(offset, offset)))
    return changed


def holds_addresses(inputs: list[Path]) -> bool:
    """Whether an object has relocations in its data for the table."""
    cubins = map(unchanged_cubin, inputs)
    return any(cubin.has_section(DATA_LISTS[0]) for cubin in cubins)


# The function table -------------------------------------------------------------------------------


def stack_sizes(outputs: Outputs) -> Iterator[tuple[int, int, int]]:
    """Yields the native MIN_STACK_SIZE records, each as the offset of its value in the section, its
    symbol and its value."""
    data, at = outputs.ours.section(ATTRIBUTES).data, 0
    while at < len(data):
        form, code, size = struct.unpack_from("<BBH", data, at)
        if (form, code) == (FORMAT_SIZED, MIN_STACK_SIZE):
            symbol, value = struct.unpack_from("<II", data, at + 4)
            yield at + 8, symbol, value
        at += 4 + (size if form == FORMAT_SIZED else 0)


def has_mercury(cubin: Cubin) -> bool:
    return cubin.has_section(SYMBOL_TABLES[1])


def spread_last_stack_size(outputs: Outputs) -> bool:
    """Writes the stack size of the last slot into the records of all slots."""
    stubs = {index for index, _ in symbols_in(outputs.ours, FUNCTION_TABLE)}
    records = [record for record in stack_sizes(outputs) if record[1] in stubs]
    if not has_mercury(outputs.ours) or not records:
        return False
    last, section = struct.pack("<I", records[-1][2]), outputs.ours.section(ATTRIBUTES)
    return any([outputs.write(section, at, last) for at, _, _ in records])


def repeated_stubs(symbols: list[Symbol]) -> set[str]:
    names = Counter(symbol.name for symbol in symbols if symbol.name.startswith(STUB))
    return {name for name, count in names.items() if count > 1}


def mix_up_stubs(outputs: Outputs) -> bool:
    """Copies nvlink's bytes if stubs share a name: the values of the stubs' functions, the values
    and sizes of all stubs, and the offsets of the relocations in all stubs."""
    repeated = repeated_stubs(outputs.ours.symbols)
    changed = False
    functions = {name.removeprefix(STUB) for name in repeated}
    for theirs, ours in outputs.pairs(SYMBOL_TABLES if repeated else ()):
        for index, symbol in enumerate(outputs.ours.symbols):
            begin = index * SYMBOL.size
            is_stub = symbol.name.startswith(STUB)
            if is_stub or symbol.name in functions:
                end = begin + (SYMBOL.size if is_stub else SIZE_AT)
                taken = bytes(theirs.data[begin + VALUE_AT : end])
                changed |= outputs.write(ours, begin + VALUE_AT, taken)
    for theirs, ours in outputs.pairs((".rela.nv.uft",) if repeated else ()):
        for at in range(0, len(ours.data), RELOCATION_SIZE):
            changed |= outputs.write(ours, at, bytes(theirs.data[at : at + 8]))
    return changed


FAULTS: dict[str, Callable[[Outputs], bool]] = {
    GAPS: fill_gaps,
    LEFT_BEHIND: leave_relocations_behind,
    STACK_SIZES: spread_last_stack_size,
    ONE_NAME: mix_up_stubs,
}


def nvlink_form(theirs: Path, ours: Path, inputs: list[Path], made: Path) -> list[str]:
    """Writes our output with nvlink's faults to `made`. Returns the names of the faults that
    changed it."""
    outputs = Outputs(
        unchanged_cubin(theirs), unchanged_cubin(ours), inputs, bytearray(ours.read_bytes())
    )
    faults = [name for name, changes in FAULTS.items() if changes(outputs)]
    made.write_bytes(outputs.content)
    return faults


# Callees that nvlink removes ----------------------------------------------------------------------


def lost_callees(theirs: Path, ours: Path) -> set[str]:
    """Returns the functions that only our output has. Returns no functions if the program has
    several kernels, because the fault needs a single kernel."""
    names = [
        {symbol.name for symbol in unchanged_cubin(path).symbols if symbol.type == STT_FUNC}
        for path in (theirs, ours)
    ]
    output = unchanged_cubin(ours)
    kernels = [s for s in output.symbols if s.type == STT_FUNC and s.other & STO_ENTRY]
    if len(kernels) != 1 or not output.has_section(FUNCTION_TABLE) or names[0] - names[1]:
        return set()
    return names[1] - names[0]


def without_calls(path: Path, lost: set[str]) -> bytes:
    """Returns the object without the relocations and call graph pairs through which its unified
    functions refer to functions in `lost`."""
    cubin = Cubin(path.read_bytes())
    unified = {s.name.removeprefix(STUB) for s in cubin.symbols if s.name.startswith(STUB)}
    callers = {i for i, symbol in enumerate(cubin.symbols) if symbol.name in unified}
    callees = {i for i, symbol in enumerate(cubin.symbols) if symbol.name in lost}
    for section in cubin.sections:
        name = section.name.rpartition(".rela.text.")[2]
        if section.type in (SHT_RELA, SHT_MERCURY_RELA) and name in unified:
            entries = struct.iter_unpack("<QQq", bytes(section.data))
            kept = [struct.pack("<QQq", *e) for e in entries if e[1] >> 32 not in callees]
            section.data = bytearray(b"".join(kept))
        elif section.name == ".nv.callgraph":
            calls = struct.iter_unpack("<II", bytes(section.data))
            kept = [
                struct.pack("<II", *c) for c in calls if not (c[0] in callers and c[1] in callees)
            ]
            section.data = bytearray(b"".join(kept))
    return cubin.write()
