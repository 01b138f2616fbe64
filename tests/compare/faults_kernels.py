"""Known faults of nvlink about the memory of kernels; see explained.py."""

from __future__ import annotations

import re
import struct
from collections import Counter
from pathlib import Path

from cubin import STB_LOCAL, STO_ENTRY, STT_FUNC, Cubin
from fault import (
    INSTRUCTION,
    NAME_TABLES,
    STO_SPACE,
    SYMBOL_TABLES,
    Case,
    Difference,
    differing_instructions,
    follows_sections,
    is_in_code,
    plain_name,
    unchanged_cubin,
)

# Static kernels of one name ----------------------------------------------------------------------

STATIC_KERNELS = "memory of a second static kernel of one name forgotten"
USAGE = "nvlink info    : used "
STO_SHARED = 0x40
STT_TEXTURE, STT_SURFACE = 10, 12
# Matches the memory sections of a kernel in both views, and their relocation sections.
SECTION_OF_KERNEL = re.compile(
    r"\.nv\.shared\.|(\.nv\.merc)?(\.rela?)?\.nv\.constant(0|\.entry_image_header_indices)\."
)
TEXTURE_BANKS = ("BINDLESS_TEXTURE_BANK", "BINDLESS_SURFACE_BANK")


def static_kernels_of_several(inputs: list[Path]) -> set[str]:
    """Names that several kernels of the inputs share, at least one of them LOCAL."""
    kernels = [
        symbol
        for path in inputs
        for symbol in unchanged_cubin(path).symbols
        if symbol.type == STT_FUNC and symbol.section and symbol.other & STO_ENTRY
    ]
    counts = Counter(kernel.name for kernel in kernels)
    local = {kernel.name for kernel in kernels if kernel.binding == STB_LOCAL}
    return {name for name in local if counts[name] > 1}


def memory_operands(cubin: Cubin) -> set[tuple[str, int]]:
    """Code section and index of each instruction that refers to shared memory or a texture."""
    return {
        (cubin.sections[section.info].name, entry.offset // INSTRUCTION)
        for section in cubin.sections
        if section.name.startswith((".rel.text.", ".rela.text."))
        for entry in section.relocations()
        for symbol in [cubin.symbols[entry.symbol]]
        if symbol.other & STO_SPACE == STO_SHARED or STT_TEXTURE <= symbol.type <= STT_SURFACE
    }


def symbols_in_sections_of(cubin: Cubin, kernels: set[str]) -> set[str]:
    """The names of the variables in the shared sections of these kernels and in `.nv_debug.shared`.
    Links with -g put the symbols of extern shared memory, which follows the kernels' variables,
    into `.nv_debug.shared`."""
    homes = {f".nv.shared.{kernel}" for kernel in kernels} | {".nv_debug.shared"}
    return {
        symbol.name
        for symbol in cubin.symbols
        if 0 < symbol.section < len(cubin.sections) and cubin.sections[symbol.section].name in homes
    }


def concerns_sections_of(difference: Difference, kernels: set[str], symbols: set[str]) -> bool:
    section = difference["section"] or ""
    texts = (difference["entry"], difference["a"], difference["b"])
    named = [re.split("[ @]", text)[0] for text in texts if text]
    if section in SYMBOL_TABLES:
        return follows_sections(difference) or any(
            is_memory_of(name, kernels) or name in symbols for name in named
        )
    if section in NAME_TABLES:
        return any(is_memory_of(name, kernels) for name in named)
    if section.startswith(".nv.info."):
        in_kernel = plain_name(section).removeprefix(".nv.info.") in kernels
        return in_kernel and (difference["field"] == "size" or named[0] in TEXTURE_BANKS)
    concerned = is_memory_of(section, kernels) or follows_sections(difference)
    return concerned or is_in_code(difference)


def concerns_extern_shared(difference: Difference, inputs: list[Path]) -> bool:
    """Whether a difference is the size of a shared section, and the inputs have extern shared
    memory. All kernels that reach a function with such memory have it at the same address, so the
    sizes of their shared sections depend on one another."""
    section, field = difference["section"] or "", difference["field"]
    return section.startswith(".nv.shared.") and field == "size" and has_extern_shared(inputs)


def has_extern_shared(inputs: list[Path]) -> bool:
    return any(
        symbol.other & STO_SPACE == STO_SHARED and not symbol.size
        for path in inputs
        for symbol in unchanged_cubin(path).symbols
    )


def is_memory_of(section: str, kernels: set[str]) -> bool:
    found = SECTION_OF_KERNEL.match(section)
    return found is not None and plain_name(section[found.end() :]) in kernels


def without_shared(usage: str) -> str:
    return re.sub(r"\d+ bytes smem", "smem", usage)


def explain_usage(theirs: list[str], ours: list[str], inputs: list[Path]) -> str | None:
    """The name of the fault if the messages differ only in the resources of static kernels that
    share a name. If the inputs have extern shared memory, the shared memory of other kernels can
    differ, too."""
    kernels = static_kernels_of_several(inputs)
    if not kernels or len(theirs) != len(ours):
        return None
    for index, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        name = re.search("'(.*)'", theirs[index - 1])
        usage = a.startswith(USAGE) and b.startswith(USAGE)
        of_kernel = usage and name and name.group(1) in kernels
        of_extern = usage and without_shared(a) == without_shared(b) and has_extern_shared(inputs)
        if a != b and not (of_kernel or of_extern):
            return None
    return STATIC_KERNELS if theirs != ours else None


TOO_MUCH_SHARED = re.compile(r"nvlink error   : Entry function '(.*)' uses too much shared data")


def explain_forgotten_limit(
    theirs: tuple[int, list[str]], ours: tuple[int, list[str]], inputs: list[Path]
) -> str | None:
    """Returns the name of the fault if only warpld refuses the link, because it counts shared
    memory that nvlink forgets. One of the kernels that share a name must exceed the limit. Other
    kernels may exceed the limit as well, if their shared variables follow the forgotten memory."""
    kernels = static_kernels_of_several(inputs)
    more = [line for line in ours[1] if line not in theirs[1]]
    named = [TOO_MUCH_SHARED.match(line) for line in more]
    forgotten = all(named) and any(match and match.group(1) in kernels for match in named)
    rest = [line for line in ours[1] if line not in more]
    return STATIC_KERNELS if forgotten and rest == theirs[1] and ours[0] == 255 else None


def forgotten_memory_of_static_kernels(case: Case) -> bool:
    """Whether nothing differs but the sections that static kernels of one name share, and operands
    that refer to the memory in these sections."""
    kernels = static_kernels_of_several(case.inputs)
    symbols = set().union(
        *(
            symbols_in_sections_of(unchanged_cubin(path), kernels)
            for path in (case.theirs, case.ours)
        )
    )
    concerned = (
        concerns_sections_of(d, kernels, symbols) or concerns_extern_shared(d, case.inputs)
        for d in case.differences
    )
    if not kernels or not all(concerned):
        return False
    operands = set().union(*(memory_operands(unchanged_cubin(path)) for path in case.inputs))
    return differing_instructions(case) <= operands


# Kernels that are kept though the host does not name them -----------------------------------------

SLOTS = ".nv.merc.nv.constant.entry_image_header_indices."
SIZED, MIN_STACK_SIZE, RECORD_HEADER = 4, 0x12, 4


def kernels_without_slots(case: Case) -> set[str]:
    theirs, ours = (
        {s.name.removeprefix(SLOTS) for s in cubin.sections if s.name.startswith(SLOTS)}
        for cubin in map(unchanged_cubin, (case.theirs, case.ours))
    )
    return ours - theirs


def kernels_of_the_program(cubin: Cubin) -> set[str]:
    """The kernels that the host names. Only these kernels have MIN_STACK_SIZE records."""
    if not cubin.has_section(".nv.info"):
        return set()
    data, at, found = bytes(cubin.section(".nv.info").data), 0, set()
    while at < len(data):
        form, code, value = struct.unpack_from("<BBH", data, at)
        at += RECORD_HEADER
        if form == SIZED and code == MIN_STACK_SIZE:
            found.add(cubin.symbols[struct.unpack_from("<I", data, at)[0]].name)
        at += value if form == SIZED else 0
    return found


def lost_slots(case: Case) -> bool:
    """Whether nothing differs but slots of textures and surfaces that only our output has. From
    sm_100 on, nvlink leaves out the slots of kernels that are kept though the host does not name
    them."""
    kernels = kernels_without_slots(case)
    concerned = all(
        concerns_sections_of(difference, kernels, set())
        and not (difference["section"] or "").startswith((".text.", ".nv.shared."))
        for difference in case.differences
    )
    named = kernels_of_the_program(unchanged_cubin(case.ours))
    return bool(kernels) and concerned and not kernels & named


# Removed functions that use reserved shared memory -----------------------------------------------

REMOVED_USER = "nvlink error   : Function '(null)' uses reserved shared memory when not allowed."


def explain_removed_users(theirs: tuple[int, list[str]], ours: tuple[int, list[str]]) -> str | None:
    """The name of the fault if nvlink reports errors about removed functions, and the messages do
    not differ otherwise."""
    left = [line for line in theirs[1] if not line.startswith(REMOVED_USER)]
    fails = any(line.startswith(("nvlink error", "nvlink fatal")) for line in left)
    if left == theirs[1] or left != ours[1] or fails != (ours[0] != 0):
        return None
    return "error about a removed function that uses reserved shared memory"
