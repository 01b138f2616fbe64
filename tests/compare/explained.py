"""Differences that are known faults of nvlink, which warpld does not repeat.

A row says how a fault is recognised from the complete list of differences and the inputs; it must
account for every difference. Its section of docs/quirks.md says what nvlink does, how it was
observed, and why ours is right.
"""

from __future__ import annotations

import itertools
import json
import re
import struct
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

from cubin import STB_LOCAL, STT_FUNC, Cubin, Section, read_cubin
from fault import Case, Difference, Fault, weak_names_of_several
from regenerated import accounts_for_all

MOST_DIFFERENCES = 100_000
# A lost function descriptor does not take the function's address.
TAKEN_ADDRESSES = (".nv.callgraph", ".nv.prototype")
CONSTANTS = ".nv.constant3"
MERCURY_CONSTANTS = ".nv.merc.nv.constant.user"  # the same bytes in the file
WORD = 8
CONSTANT_RELOCATIONS = re.compile(
    r"\.rela?\.nv\.constant(\d+|\.user)|\.nv\.merc\.rela\.nv\.constant\.user"
)


def explain(differ: list[str], theirs: Path, ours: Path, inputs: list[Path]) -> str | None:
    """The name of the known fault that accounts for all differences of two outputs."""
    command = [*differ, "--json", "--limit", str(MOST_DIFFERENCES), str(theirs), str(ours)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 1:
        return None
    case = Case(json.loads(done.stdout)["differences"], theirs, ours, inputs)
    single = next((fault.name for fault in FAULTS if fault.accounts_for(case)), None)
    return single or explain_by_several(case, 2) or explain_by_several(case, 3)


def explain_by_several(case: Case, count: int) -> str | None:
    """The names of so many faults that account for all differences together, each for those that
    none before it does."""
    for faults in itertools.permutations(FAULTS, count):
        parts: list[list[Difference]] = [[] for _ in faults]
        for difference in case.differences:
            alone = replace(case, differences=[difference])
            known = (i for i, fault in enumerate(faults[:-1]) if fault.accounts_for(alone))
            parts[next(known, count - 1)].append(difference)
        if all(
            part and fault.accounts_for(replace(case, differences=part))
            for fault, part in zip(faults, parts, strict=True)
        ):
            return ", ".join(sorted(fault.name for fault in faults))
    return None


def constant_relocations(path: Path) -> Counter[tuple]:
    """Name, section, offset, type and addend of the entries for constant banks."""
    cubin = read_cubin(path)
    return Counter(
        (cubin.symbols[entry.symbol].name, section.name, entry.offset, entry.type, entry.addend)
        for section in cubin.sections
        if CONSTANT_RELOCATIONS.fullmatch(section.name)
        for entry in section.relocations()
    )


def concerns_constant_relocations(difference: Difference) -> bool:
    section, field = difference["section"] or "", difference["field"]
    if section == "ELF header":
        return field == "sections"
    if section in (".shstrtab", ".strtab"):
        only_ours = difference["a"] is None and difference["b"]
        return bool(only_ours and CONSTANT_RELOCATIONS.fullmatch(only_ours))
    return (
        section in TAKEN_ADDRESSES
        or section in (CONSTANTS, MERCURY_CONSTANTS)
        or bool(CONSTANT_RELOCATIONS.fullmatch(section))
    )


def words_of_weak_addresses(inputs: list[Path], weak: set[str]) -> set[int]:
    """Where in the output's constants the objects have addresses of these names, in words."""
    words, end = set(), 0
    for path in inputs:
        cubin = read_cubin(path)
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
    theirs, ours = read_cubin(case.theirs), read_cubin(case.ours)
    if not theirs.has_section(CONSTANTS) or not ours.has_section(CONSTANTS):
        return False
    a, b = theirs.section(CONSTANTS).data, ours.section(CONSTANTS).data
    differing = {at // WORD for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y}
    return len(a) != len(b) or not differing <= words_of_weak_addresses(case.inputs, weak)


def lost_constant_relocations(case: Case) -> bool:
    """Ours has more entries for constant banks, or addresses in them, all of them of weak names,
    and nothing else.

    Where the function is dead there are no entries either, but the section's name is left."""
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


# Static kernels of one name ----------------------------------------------------------------------

STATIC_KERNELS = "memory of a second static kernel of one name forgotten"
USAGE = "nvlink info    : used "
STO_ENTRY, STO_SPACE, STO_SHARED = 0x10, 0xE0, 0x40
STT_TEXTURE, STT_SURFACE = 10, 12
INSTRUCTION = 16
# Sections, and their names in the Mercury view and in the tables of names.
SECTION_OF_KERNEL = re.compile(
    r"\.nv\.shared\.|(\.nv\.merc)?(\.rela?)?\.nv\.constant(0|\.entry_image_header_indices)\."
)
NAME_TABLES = (".strtab", ".shstrtab")
SYMBOL_TABLES = (".symtab", ".nv.merc.symtab")
TEXTURE_BANKS = ("BINDLESS_TEXTURE_BANK", "BINDLESS_SURFACE_BANK")


def static_kernels_of_several(inputs: list[Path]) -> set[str]:
    """Names of local kernels that more than one input has."""
    kernels = Counter(
        symbol.name
        for path in inputs
        for symbol in read_cubin(path).symbols
        if symbol.type == STT_FUNC and symbol.binding == STB_LOCAL and symbol.other & STO_ENTRY
    )
    return {name for name, count in kernels.items() if count > 1}


def memory_operands(cubin: Cubin) -> set[tuple[str, int]]:
    """Code section and offset of the instructions that refer to shared memory or textures."""
    return {
        (cubin.sections[section.info].name, entry.offset // INSTRUCTION)
        for section in cubin.sections
        if section.name.startswith((".rel.text.", ".rela.text."))
        for entry in section.relocations()
        for symbol in [cubin.symbols[entry.symbol]]
        if symbol.other & STO_SPACE == STO_SHARED or STT_TEXTURE <= symbol.type <= STT_SURFACE
    }


def differing_instructions(case: Case) -> set[tuple[str, int]]:
    """In the code that the differences name; functions that only one output has differ in all
    instructions."""
    named = {plain_name(difference["section"] or "") for difference in case.differences}
    theirs, ours = read_cubin(case.theirs), read_cubin(case.ours)
    pairs = itertools.zip_longest(
        [s for s in theirs.sections if s.name.startswith(".text.")],
        [s for s in ours.sections if s.name.startswith(".text.")],
        fillvalue=Section("", 0),
    )
    return {
        (a.name or b.name, at // INSTRUCTION)
        for a, b in pairs
        if a.name in named or b.name in named
        for at, (x, y) in enumerate(itertools.zip_longest(a.data, b.data))
        if x != y
    }


def plain_name(label: str) -> str:
    """Without the number of one of several sections of a name."""
    return re.sub(r"#\d+$", "", label)


def symbols_in_sections_of(cubin: Cubin, kernels: set[str]) -> set[str]:
    """With -g: the variables in the sections that these kernels share, and extern shared memory
    behind them."""
    homes = {f".nv.shared.{kernel}" for kernel in kernels} | {".nv_debug.shared"}
    return {
        symbol.name
        for symbol in cubin.symbols
        if 0 < symbol.section < len(cubin.sections) and cubin.sections[symbol.section].name in homes
    }


def concerns_sections_of(difference: Difference, kernels: set[str], symbols: set[str]) -> bool:
    section = difference["section"] or ""
    if section in ("ELF header", "program headers"):
        return True
    texts = (difference["entry"], difference["a"], difference["b"])
    named = [re.split("[ @]", text)[0] for text in texts if text]
    if section in SYMBOL_TABLES:
        return difference["field"] == "size" or any(
            is_memory_of(name, kernels) or name in symbols for name in named
        )
    if section in NAME_TABLES:
        return any(is_memory_of(name, kernels) for name in named)
    if section.startswith(".nv.info."):
        in_kernel = plain_name(section).removeprefix(".nv.info.") in kernels
        return in_kernel and (difference["field"] == "size" or named[0] in TEXTURE_BANKS)
    # Extern shared memory has one address for all kernels that share a user of it.
    return section.startswith((".text.", ".nv.shared.")) or is_memory_of(section, kernels)


def is_memory_of(section: str, kernels: set[str]) -> bool:
    found = SECTION_OF_KERNEL.match(section)
    return bool(found) and plain_name(section[found.end() :]) in kernels


def explain_usage(theirs: list[str], ours: list[str], inputs: list[Path]) -> str | None:
    """The name of the fault if only what static kernels of one name use differs in the messages."""
    kernels = static_kernels_of_several(inputs)
    if len(theirs) != len(ours):
        return None
    for index, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        name = re.search("'(.*)'", theirs[index - 1])
        usage = a.startswith(USAGE) and b.startswith(USAGE)
        if a != b and not (usage and name and name.group(1) in kernels):
            return None
    return STATIC_KERNELS if theirs != ours else None


TOO_MUCH_SHARED = re.compile(r"nvlink error   : Entry function '(.*)' uses too much shared data")


def explain_forgotten_limit(
    theirs: tuple[int, list[str]], ours: tuple[int, list[str]], inputs: list[Path]
) -> str | None:
    """The same if forgotten memory is what makes a kernel use too much, and others whose shared
    variables come behind it."""
    kernels = static_kernels_of_several(inputs)
    more = [line for line in ours[1] if line not in theirs[1]]
    named = [TOO_MUCH_SHARED.match(line) for line in more]
    forgotten = all(named) and any(match and match.group(1) in kernels for match in named)
    rest = [line for line in ours[1] if line not in more]
    return STATIC_KERNELS if forgotten and rest == theirs[1] and ours[0] == 255 else None


# Removed functions that use reserved shared memory -----------------------------------------------

REMOVED_USER = "nvlink error   : Function '(null)' uses reserved shared memory when not allowed."


def explain_removed_users(theirs: tuple[int, list[str]], ours: tuple[int, list[str]]) -> str | None:
    """The name of the fault if nvlink complains of removed functions and of nothing else more."""
    left = [line for line in theirs[1] if not line.startswith(REMOVED_USER)]
    fails = any(line.startswith(("nvlink error", "nvlink fatal")) for line in left)
    if left == theirs[1] or left != ours[1] or fails != (ours[0] != 0):
        return None
    return "error about a removed function that uses reserved shared memory"


def forgotten_memory_of_static_kernels(case: Case) -> bool:
    """Only the sections that static kernels of one name share differ, and operands that refer to
    the memory in them."""
    kernels = static_kernels_of_several(case.inputs)
    symbols = set().union(
        *(symbols_in_sections_of(read_cubin(path), kernels) for path in (case.theirs, case.ours))
    )
    concerned = (concerns_sections_of(d, kernels, symbols) for d in case.differences)
    if not kernels or not all(concerned):
        return False
    operands = set().union(*(memory_operands(read_cubin(path)) for path in case.inputs))
    return differing_instructions(case) <= operands


# Equal constants with -kernels-used ---------------------------------------------------------------

COMPARED_SIZES = (12, 16, 20, 24, 32, 48, 64)


def is_compared(section: Section) -> bool:
    size = len(section.data)
    return size in COMPARED_SIZES or (size in (4, 8) and section.alignment == size)


def merged_constants(inputs: list[Path]) -> bytes:
    """The objects' constants one behind the other, without those that equal earlier ones."""
    content, seen = bytearray(), set()
    for path in inputs:
        cubin = read_cubin(path)
        if not cubin.has_section(CONSTANTS):
            continue
        section = cubin.section(CONSTANTS)
        if is_compared(section) and bytes(section.data) in seen:
            continue
        if is_compared(section):
            seen.add(bytes(section.data))
        content += bytes(-len(content) % section.alignment) + section.data
    return bytes(content)


def concerns_constants(difference: Difference) -> bool:
    section = difference["section"] or ""
    null_symbol = section == ".symtab" and not (difference["entry"] or "").strip(": ")
    constants = (CONSTANTS, MERCURY_CONSTANTS)
    return section in ("ELF header", "program headers", *constants) or null_symbol


def merged_user_constants(case: Case) -> bool:
    """nvlink has left out what equals an earlier object's constants, and nothing else differs."""
    if not all(concerns_constants(difference) for difference in case.differences):
        return False
    theirs = read_cubin(case.theirs)
    return theirs.has_section(CONSTANTS) and theirs.section(CONSTANTS).data == merged_constants(
        case.inputs
    )


# Constants that overflow their bank ---------------------------------------------------------------

LARGEST_BANK = 0x10000
OVERFLOW = "File uses too much global constant data"
DROPPED_CONSTANTS = "constants dropped with -kernels-used when they overflow"
MISALIGNED_CONSTANTS = "alignment of constants lost when they overflow"
STO_CONSTANT = 0x80
CONSTANT_SIZE = re.compile(r"(?<=\()0x[0-9a-f]+(?= bytes)|, \d+ bytes cmem\[3\]")
MOVED_WITH_CONSTANTS = ("ELF header", "program headers", *SYMBOL_TABLES, *NAME_TABLES)


def constants_overflow(inputs: list[Path]) -> bool:
    end = 0
    for path in inputs:
        cubin = read_cubin(path)
        if cubin.has_section(CONSTANTS):
            section = cubin.section(CONSTANTS)
            end += -end % section.alignment + len(section.data)
    return end > LARGEST_BANK


def constant_values(path: Path) -> Counter[tuple[str, int]]:
    """Names and values of the constants that are in an output."""
    cubin = read_cubin(path)
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
    """Nothing differs but the bank, what names it, and operands that refer to it."""
    for difference in case.differences:
        section = difference["section"] or ""
        moved = (*MOVED_WITH_CONSTANTS, CONSTANTS, MERCURY_CONSTANTS)
        known = section in moved or section.startswith(".text.")
        if not known and not CONSTANT_RELOCATIONS.fullmatch(section):
            return False
    operands = set().union(*(constant_operands(read_cubin(path)) for path in case.inputs))
    return differing_instructions(case) <= operands


def constant_names(path: Path) -> Counter[str]:
    return Counter(name for name, _ in constant_values(path).elements())


def dropped_constants(case: Case) -> bool:
    dropped = constant_names(case.ours) - constant_names(case.theirs)
    return bool(dropped) and constants_overflow(case.inputs) and only_constants_moved(case)


def misaligned_constants(case: Case) -> bool:
    """The same variables, some at other addresses."""
    moved = constant_values(case.ours) != constant_values(case.theirs)
    same = constant_names(case.ours) == constant_names(case.theirs)
    return moved and same and constants_overflow(case.inputs) and only_constants_moved(case)


def are_aligned(inputs: list[Path]) -> bool:
    """Whether some constants ask for more than nvlink gives when it packs."""
    cubins = [cubin for cubin in map(read_cubin, inputs) if cubin.has_section(CONSTANTS)]
    return any(cubin.section(CONSTANTS).alignment > 1 for cubin in cubins)


def explain_overflow(
    arguments: list[str],
    theirs: tuple[int, list[str]],
    ours: tuple[int, list[str]],
    inputs: list[Path],
) -> str | None:
    """The name of the fault if only the size of the constants differs in the messages, or ours are
    too many and nvlink's, of which it dropped some, are not."""
    dropping = any("-kernels-used" in argument for argument in arguments)
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


# Jump tables of copies that lost ------------------------------------------------------------------

TABLES, MERCURY_TABLES = ".nv.constant2.", ".nv.merc.rela.nv.constant.optimizer."


def entries_of_lost_tables(case: Case) -> bool:
    """nvlink has more entries for jump tables, all of code of which it took another copy, and no
    native tables where two entries are for one place."""
    weak = weak_names_of_several(case.inputs)
    for difference in case.differences:
        section = difference["section"] or ""
        if section.startswith(TABLES):
            known = tables_are_lost(case, section)
        else:
            known = section.startswith(MERCURY_TABLES) and (
                difference["field"] == "size" or is_table_entry(difference, weak)
            )
        if not known:
            return False
    return True


def tables_are_lost(case: Case, name: str) -> bool:
    theirs, ours = read_cubin(case.theirs), read_cubin(case.ours)
    entries = name.replace(TABLES, MERCURY_TABLES)
    if not all(c.has_section(n) for c in (theirs, ours) for n in (name, entries)):
        return False
    places = Counter(entry.offset for entry in theirs.section(entries).relocations())
    words = [list(struct.iter_unpack("<I", bytes(c.section(name).data))) for c in (theirs, ours)]
    return len(words[0]) == len(words[1]) and all(
        a == b or (a == (0,) and places[4 * index] > 1)
        for index, (a, b) in enumerate(zip(*words, strict=True))
    )


def is_table_entry(difference: Difference, weak: set[str]) -> bool:
    entry = difference["a"] or ""
    symbol = entry.partition("symbol=")[2].partition("@")[0]
    return difference["b"] is None and "R_MERCURY_PROG_REL32" in entry and symbol in weak


FAULTS = (
    Fault(
        "native view generated anew",
        "From sm_100 on native code and its debug information are generated anew",
        accounts_for_all,
    ),
    Fault(
        DROPPED_CONSTANTS,
        "Constants are dropped with -kernels-used when they overflow",
        dropped_constants,
    ),
    Fault(
        MISALIGNED_CONSTANTS,
        "Constants lose their alignment when they overflow",
        misaligned_constants,
    ),
    Fault(
        "equal constants of the user's merged",
        "Equal constants are merged with -kernels-used",
        merged_user_constants,
    ),
    Fault(
        STATIC_KERNELS,
        "Static kernels of one name lose memory",
        forgotten_memory_of_static_kernels,
    ),
    Fault(
        "relocation lost with a rejected weak copy",
        "Addresses in constant memory are lost with a weak copy",
        lost_constant_relocations,
    ),
    Fault(
        "jump tables of a copy that lost",
        "Jump tables lead nowhere with a copy that lost",
        entries_of_lost_tables,
    ),
)
