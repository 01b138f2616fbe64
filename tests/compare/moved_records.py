"""Computes the records about code that nvlink writes after it regenerates the code.

The records are computed from warpld's records and from the differences between nvlink's and
warpld's code.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from debug_records import RegisterRange
from mercury_items import Item
from native_code import EXIT_FENCES, INSTRUCTION, OPCODE_EXIT, Correspondence, opcode

WORD = 4
RETURN_ADDRESSES = (56, 57)  # R_CUDA_ABS32_LO_32, R_CUDA_ABS32_HI_32


def items_follow(
    found: Correspondence, items: list[list[Item]], counts: list[int], native: bytes
) -> bool:
    """Whether both lists have the same items in the same order, and the instructions of each pair
    of items correspond."""
    if len(items[0]) != len(items[1]):
        return False
    at = other = 0
    for ours, theirs in zip(*items, strict=True):
        word = int.from_bytes(native[at * INSTRUCTION : (at + 1) * INSTRUCTION], "little")
        is_exit = EXIT_FENCES in found.reasons and opcode(word) == OPCODE_EXIT
        if found.start.get(at, other) != other:
            return False
        if ours.content != theirs.content and not (is_exit and ours.content is None):
            return False
        at, other = at + ours.count, other + theirs.count
    return [at, other] == counts


def moved_words(found: Correspondence, record: str, words: list[int]) -> list[int | None]:
    """Returns the words of warpld's attribute. Each offset of an instruction is replaced by the
    offset that the instruction has in nvlink's code."""
    places, targets = offset_places(record, words)
    return [
        found.begin(word) if at in targets else found.place(word) if at in places else word
        for at, word in enumerate(words)
    ]


def offset_places(record: str, words: list[int]) -> tuple[set[int], set[int]]:
    """Returns two sets of indices of words: those of words that are offsets of instructions, and
    those of words that are targets of branches."""
    if record == "MBARRIER_INSTR_OFFSETS":
        return set(range(0, len(words), 4)), set()
    if record in ("UNUSED_LOAD_BYTE_OFFSET", "ATOM16_EMUL_INSTR_REG_MAP"):
        # Each offset is followed by a mask or a register.
        return set(range(0, len(words), 2)), set()
    if record == "ANNOTATIONS":
        return annotation_places(words), set()
    if record == "INDIRECT_BRANCH_TARGETS":
        return branch_places(words)
    is_list = record == "SYSCALL_OFFSETS" or record.endswith("_INSTR_OFFSETS")
    return set(range(len(words))) if is_list else set(), set()


def branch_places(words: list[int]) -> tuple[set[int], set[int]]:
    """The result of offset_places for a record of branches. For each branch, the record has the
    offset of the branch, a flag, the number of targets, and the targets."""
    places, targets, at = set(), set(), 0
    while at + 2 < len(words):
        end = at + 3 + words[at + 2]
        places.add(at)
        targets |= set(range(at + 3, end))
        at = end
    return places, targets


OF_INSTRUCTION, WITH_TEXT, OF_FUNCTION = 1, 2, 3


def annotation_places(words: list[int]) -> set[int]:
    """The indices of the words that are offsets; empty if the record has an unknown kind. An
    annotation begins with its kind. If it is about an instruction, the offset of the instruction
    follows. Two kinds also have a text, which follows its length."""
    places, at = set(), 0
    while at + 1 < len(words):
        kind = words[at]
        if kind in (OF_INSTRUCTION, WITH_TEXT):
            places.add(at + 1)
        text = {OF_INSTRUCTION: None, WITH_TEXT: at + 2, OF_FUNCTION: at + 1}.get(kind, len(words))
        if text is not None and text >= len(words):
            return set()
        at = at + 2 if text is None else text + 1 + (words[text] + WORD - 1) // WORD
    return places


def moved_range(found: Correspondence | None, held: RegisterRange) -> RegisterRange:
    if not found:
        return held
    return replace(held, first=found.begin(held.first), last=found.begin(held.last))


def moved_entry(found: Correspondence, entry: tuple[Any, ...], code: str) -> tuple[Any, ...]:
    """Returns our relocation entry with the offset that it has in nvlink's code. If the entry
    writes the return address of a call, its addend is adapted, too."""
    offset, number, symbol, addend = entry
    if number in RETURN_ADDRESSES and symbol[1] == code and addend:
        addend = found.begin(addend)
    within = offset % INSTRUCTION
    place = found.place(offset - within)
    return (None if place is None else place + within, number, symbol, addend)
