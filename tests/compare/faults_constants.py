"""Known faults of nvlink about constant memory; see explained.py."""

from __future__ import annotations

import re
import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from cubin import Cubin, Section
from fault import (
    INSTRUCTION,
    NAME_TABLES,
    STO_SPACE,
    SYMBOL_TABLES,
    Case,
    Difference,
    differing_instructions,
    follows_sections,
    unchanged_cubin,
    weak_names_of_several,
)

# These sections record which functions' addresses are taken. If nvlink loses a relocation with the
# address of a function, it also loses the function's records.
TAKEN_ADDRESSES = (".nv.callgraph", ".nv.prototype")
CONSTANTS = ".nv.constant3"
MERCURY_CONSTANTS = ".nv.merc.nv.constant.user"  # shares the bytes of CONSTANTS
WORD = 8
CONSTANT_RELOCATIONS = re.compile(
    r"\.rela?\.nv\.constant(\d+|\.user)|\.nv\.merc\.rela\.nv\.constant\.(user|pic)"
    r"|\.nv\.resolvedrela\.nv\.constant\d+"
)


# Addresses lost with a weak copy ------------------------------------------------------------------


def constant_relocations(path: Path) -> Counter[tuple[str, str, int, int, int | None]]:
    """The relocation entries of constant banks, each as the symbol's name, section, offset, type
    and addend."""
    cubin = unchanged_cubin(path)
    return Counter(
        (cubin.symbols[entry.symbol].name, section.name, entry.offset, entry.type, entry.addend)
        for section in cubin.sections
        if CONSTANT_RELOCATIONS.fullmatch(section.name)
        for entry in section.relocations()
    )


def is_list_or_its_name(difference: Difference) -> bool:
    """Whether a difference concerns a relocation section of a constant bank, or the name of such a
    section. A table of names contains the name even if the section has no entries and is not
    written."""
    section = difference["section"] or ""
    name = difference["a"] or difference["b"] or "" if section in NAME_TABLES else section
    return bool(CONSTANT_RELOCATIONS.fullmatch(name))


def concerns_constant_relocations(difference: Difference) -> bool:
    section, field = difference["section"] or "", difference["field"]
    if section == "ELF header":
        return field == "sections"
    concerned = (*TAKEN_ADDRESSES, CONSTANTS, MERCURY_CONSTANTS)
    return section in concerned or is_list_or_its_name(difference)


def words_of_weak_addresses(inputs: list[Path], weak: set[str]) -> set[int]:
    """Returns the indices of the words in the output's constant bank that relocations against names
    in `weak` write."""
    words, end = set(), 0
    for path in inputs:
        cubin = unchanged_cubin(path)
        if not cubin.has_section(CONSTANTS):
            continue
        section = cubin.section(CONSTANTS)
        base = end + -end % section.alignment
        end = base + len(section.data)
        words |= {
            (base + entry.offset) // WORD
            for entries in cubin.sections
            if entries.name in (f".rel{CONSTANTS}", f".rela{CONSTANTS}")
            for entry in entries.relocations()
            if cubin.symbols[entry.symbol].name in weak
        }
    return words


def constants_differ_elsewhere(case: Case, weak: set[str]) -> bool:
    theirs, ours = unchanged_cubin(case.theirs), unchanged_cubin(case.ours)
    if not theirs.has_section(CONSTANTS) or not ours.has_section(CONSTANTS):
        return False
    a, b = theirs.section(CONSTANTS).data, ours.section(CONSTANTS).data
    differing = {at // WORD for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y}
    return len(a) != len(b) or not differing <= words_of_weak_addresses(case.inputs, weak)


def lost_constant_relocations(case: Case) -> bool:
    """Whether nvlink's output lacks relocation entries for constant banks, or addresses in the
    banks, and nothing else differs. All of them must refer to weak names. If the functions with
    these names are dead, our output does not have these entries either. Then only the name of the
    relocation section differs."""
    if not all(concerns_constant_relocations(difference) for difference in case.differences):
        return False
    theirs, ours = constant_relocations(case.theirs), constant_relocations(case.ours)
    weak = weak_names_of_several(case.inputs)
    if constants_differ_elsewhere(case, weak):
        return False
    if any(d["section"] in TAKEN_ADDRESSES for d in case.differences) and not ours - theirs:
        return False
    read = {entry[0] for path in case.inputs for entry in constant_relocations(path)}
    return not theirs - ours and bool(weak & read) and all(e[0] in weak for e in ours - theirs)


# Equal constants with -kernels-used ---------------------------------------------------------------

COMPARED_SIZES = (12, 16, 20, 24, 32, 48, 64)


def is_compared(section: Section) -> bool:
    size = len(section.data)
    return size in COMPARED_SIZES or (size in (4, 8) and section.alignment == size)


@dataclass
class ConstantBlock:
    """The user constants of one object. `place` is their offset in the bank if all constants are
    kept, and `merged_place` is their offset if equal constants are merged."""

    size: int
    place: int
    merged_place: int | None  # None: an earlier object has equal constants


def constant_blocks(inputs: list[Path]) -> list[ConstantBlock]:
    blocks, seen, end, merged_end = [], set(), 0, 0
    for path in inputs:
        cubin = unchanged_cubin(path)
        if not cubin.has_section(CONSTANTS):
            continue
        section = cubin.section(CONSTANTS)
        size, content = len(section.data), (section.alignment, bytes(section.data))
        place, merged_place = (at + -at % section.alignment for at in (end, merged_end))
        is_merged = is_compared(section) and content in seen
        seen.add(content)
        blocks.append(ConstantBlock(size, place, None if is_merged else merged_place))
        end = place + size
        merged_end = merged_end if is_merged else merged_place + size
    return blocks


def without_merged(blocks: list[ConstantBlock], constants: bytes) -> bytes:
    """Returns the bank after merging: `constants`, which is the bank in our output, without the
    constants that equal those of an earlier object."""
    left = bytearray()
    for block in blocks:
        if block.merged_place is not None:
            left += bytes(block.merged_place - len(left))
            left += constants[block.place : block.place + block.size]
    return bytes(left)


def concerns_constants(difference: Difference) -> bool:
    section, entry = difference["section"] or "", difference["entry"]
    null_symbol = section in SYMBOL_TABLES and entry is not None and not entry.strip(": ")
    constants = (CONSTANTS, MERCURY_CONSTANTS)
    return follows_sections(difference) or section in constants or null_symbol


def merged_user_constants(case: Case) -> bool:
    """Whether the only difference is that nvlink has left out constants that equal those of an
    earlier object, and the relocations in them."""

    theirs, ours = unchanged_cubin(case.theirs), unchanged_cubin(case.ours)
    known = all(concerns_constants(d) or is_list_or_its_name(d) for d in case.differences)
    if not known or not theirs.has_section(CONSTANTS):
        return False
    blocks = constant_blocks(case.inputs)
    constants = ours.section(CONSTANTS).data
    return (
        any(block.merged_place is None for block in blocks)
        and len(constants) == blocks[-1].place + blocks[-1].size
        and theirs.section(CONSTANTS).data == without_merged(blocks, constants)
    )


MERGED_CONSTANTS = "equal constants of the user's merged"
CONSTANTS_IN_USE = re.compile(r"(?<=, )\d+(?= bytes cmem\[3\])")


def explain_merged_usage(theirs: list[str], ours: list[str], inputs: list[Path]) -> str | None:
    """The name of the fault if the texts of -v differ only in the size of the user constants, and
    the difference is the size of the constants that nvlink has left out."""
    texts = ["\n".join(lines) for lines in (theirs, ours)]
    sizes = [CONSTANTS_IN_USE.findall(text) for text in texts]
    rests = {CONSTANTS_IN_USE.sub("", text) for text in texts}
    blocks = constant_blocks(inputs) if len(rests) == 1 and sizes[0] != sizes[1] else []
    if not blocks:
        return None
    whole = blocks[-1].place + blocks[-1].size
    expected = [[str(size)] for size in (len(without_merged(blocks, bytes(whole))), whole)]
    return MERGED_CONSTANTS if sizes == expected else None


# Constants that overflow their bank ---------------------------------------------------------------

LARGEST_BANK = 0x10000
OVERFLOW = "File uses too much global constant data"
DROPPING_OPTIONS = ("-kernels-used", "-variables-used")
DROPPED_CONSTANTS = "constants dropped with -kernels-used when they overflow"
MISALIGNED_CONSTANTS = "alignment of constants lost when they overflow"
STO_CONSTANT = 0x80
CONSTANT_SIZE = re.compile(r"(?<=\()0x[0-9a-f]+(?= bytes)|, \d+ bytes cmem\[3\]")
MOVED_WITH_CONSTANTS = ("ELF header", "program headers", *SYMBOL_TABLES, *NAME_TABLES)


def constants_overflow(inputs: list[Path]) -> bool:
    end = 0
    for path in inputs:
        cubin = unchanged_cubin(path)
        if cubin.has_section(CONSTANTS):
            section = cubin.section(CONSTANTS)
            end += -end % section.alignment + len(section.data)
    return end > LARGEST_BANK


def constant_values(path: Path) -> Counter[tuple[str, int]]:
    """Names and values of the constants that are in an output."""
    cubin = unchanged_cubin(path)
    if not cubin.has_section(CONSTANTS):
        return Counter()
    home = cubin.section_index(CONSTANTS)
    return Counter((s.name, s.value) for s in cubin.symbols if s.name and s.section == home)


def constant_operands(cubin: Cubin) -> set[tuple[str, int]]:
    return {
        (cubin.sections[section.info].name, entry.offset // INSTRUCTION)
        for section in cubin.sections
        if section.name.startswith((".rel.text.", ".rela.text."))
        for entry in section.relocations()
        if cubin.symbols[entry.symbol].other & STO_SPACE == STO_CONSTANT
    }


def only_constants_moved(case: Case) -> bool:
    """Whether nothing differs but the bank of user constants, symbols in it, and operands that
    refer to it."""
    for difference in case.differences:
        section = difference["section"] or ""
        moved = (*MOVED_WITH_CONSTANTS, CONSTANTS, MERCURY_CONSTANTS)
        known = section in moved or section.startswith(".text.")
        if not known and not CONSTANT_RELOCATIONS.fullmatch(section):
            return False
    operands = set().union(*(constant_operands(unchanged_cubin(path)) for path in case.inputs))
    return differing_instructions(case) <= operands


def constant_names(path: Path) -> Counter[str]:
    return Counter(name for name, _ in constant_values(path).elements())


def dropped_constants(case: Case) -> bool:
    dropped = constant_names(case.ours) - constant_names(case.theirs)
    return bool(dropped) and constants_overflow(case.inputs) and only_constants_moved(case)


def misaligned_constants(case: Case) -> bool:
    """Whether the banks of both outputs have the same variables, but some of these are at other
    addresses."""
    moved = constant_values(case.ours) != constant_values(case.theirs)
    same = constant_names(case.ours) == constant_names(case.theirs)
    return moved and same and constants_overflow(case.inputs) and only_constants_moved(case)


def are_aligned(inputs: list[Path]) -> bool:
    """Whether the constants of some object need an alignment. nvlink ignores alignments when it
    packs constants that overflow their bank."""
    cubins = [cubin for cubin in map(unchanged_cubin, inputs) if cubin.has_section(CONSTANTS)]
    return any(cubin.section(CONSTANTS).alignment > 1 for cubin in cubins)


def explain_overflow(
    arguments: list[str],
    theirs: tuple[int, list[str]],
    ours: tuple[int, list[str]],
    inputs: list[Path],
) -> str | None:
    """Returns the name of the fault if the messages differ only in the size of the constants, or if
    only warpld reports that the constants overflow their bank. nvlink does not report the overflow,
    because it has dropped some constants."""
    dropping = any(option in a for a in arguments for option in DROPPING_OPTIONS)
    if not constants_overflow(inputs):
        return None
    refused = theirs[0] == 0 and ours[0] != 0
    if not refused and theirs[0] != ours[0]:
        return None
    without_size = [CONSTANT_SIZE.sub("", line) for line in ours[1]]
    if refused or dropping:
        without_size = [line for line in without_size if OVERFLOW not in line]
    their_lines = [CONSTANT_SIZE.sub("", line) for line in theirs[1]]
    if refused or dropping:
        their_lines = [line for line in their_lines if OVERFLOW not in line]
    if without_size != their_lines:
        return None
    if dropping:
        return DROPPED_CONSTANTS
    return MISALIGNED_CONSTANTS if theirs[0] == 0 and are_aligned(inputs) else None


# Jump tables of unused copies ---------------------------------------------------------------------

TABLE_WORD = 4
TABLES, MERCURY_TABLES = ".nv.constant2.", ".nv.merc.rela.nv.constant.optimizer."


def entries_of_lost_tables(case: Case) -> bool:
    """Whether all differences are in jump tables of superseded copies of functions. nvlink keeps
    the Mercury relocation entries of these tables. If such an entry patches the same word as an
    entry of the copy that is used, this word of the native table differs, too."""
    weak = weak_names_of_several(case.inputs)
    for difference in case.differences:
        section = difference["section"] or ""
        if section.startswith(TABLES):
            known = tables_are_lost(case, section, weak)
        else:
            known = section.startswith(MERCURY_TABLES) and (
                difference["field"] == "size" or is_table_entry(difference, weak)
            )
        if not known:
            return False
    return True


def tables_are_lost(case: Case, name: str, weak: set[str]) -> bool:
    """Whether only two kinds of words differ in a native jump table. The first kind is a word that
    two entries of nvlink's output patch. The second kind is a word of a superseded copy: it is 0 in
    our output, and an offset into the code of the used copy in nvlink's output."""
    theirs, ours = unchanged_cubin(case.theirs), unchanged_cubin(case.ours)
    entries = name.replace(TABLES, MERCURY_TABLES)
    if not all(c.has_section(n) for c in (theirs, ours) for n in (name, entries)):
        return False
    symbols: dict[int, list[str]] = {}
    for entry in theirs.section(entries).relocations():
        symbols.setdefault(entry.offset, []).append(theirs.symbols[entry.symbol].name)
    words = [list(struct.iter_unpack("<I", bytes(c.section(name).data))) for c in (theirs, ours)]
    return len(words[0]) == len(words[1]) and all(
        a == b or is_lost_word(symbols.get(TABLE_WORD * index, []), b[0], weak)
        for index, (a, b) in enumerate(zip(*words, strict=True))
    )


def is_lost_word(symbols: list[str], ours: int, weak: set[str]) -> bool:
    return len(symbols) > 1 or (ours == 0 and len(symbols) == 1 and symbols[0] in weak)


def is_table_entry(difference: Difference, weak: set[str]) -> bool:
    entry = difference["a"] or ""
    symbol = entry.partition("symbol=")[2].partition("@")[0]
    return difference["b"] is None and "R_MERCURY_PROG_REL32" in entry and symbol in weak
