"""Compares nvlink's native code of a function with warpld's, from sm_100 on.

nvlink regenerates native code from its Mercury form. By doing so, it removes a work-around for
fences, puts barriers before exits, and drops a scoreboard; docs/mercury.md has the conditions. Two
pieces of code correspond if these changes account for all differences. Relative branches must have
corresponding targets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

INSTRUCTION = 16
BLOCK = 0x80  # code is filled with NOPs up to a multiple of this
OPCODE, RELATIVE_OPCODE, PREDICATE = 0xFFF, 0x1FF, 0xF000
SCHEDULING = ((1 << 23) - 1) << 105
# The scoreboard bits of an instruction: the two scoreboards that it releases when it has written
# and when it has read, and the scoreboards that it waits for.
SCOREBOARDS = ((1 << 12) - 1) << 110
RELEASED, RELEASED_BITS = (110, 113), 7
AWAITED, SCOREBOARD_COUNT = 116, 6
STALL, STALL_BITS = 105, 15  # cycles until the next instruction
NO_PREDICATE = 0x7000


def instruction(text: str) -> int:
    """The instruction with these bytes, without its scheduling bits."""
    return int.from_bytes(bytes.fromhex(text), "little") & ~SCHEDULING


NOP = instruction("18790000000000000000000000c00f00")
DUMMY_LOAD = instruction("84f9ffff000000000008000000e20f00")
WEAKER_FENCE = instruction("92790000000000000080000000c00f00")
STRICT_FENCE = instruction("92790000000000000000000000ec0f00")  # fence.sc.cta
EXIT_BARRIERS = (
    instruction("92790000000000000050000000c00f00"),
    instruction("ab790000000000000000000000c00f00"),
    instruction("ab750000000000000000000000ec0f00"),
)
DUMMY_LOADS = 4
OPCODE_FENCE, OPCODE_EXIT, OPCODE_LOAD_CONSTANT = 0x992, 0x94D, 0xB82
OPCODE_CALLS = (0x943, 0x944)
STACK_POINTER = 1
REMOVED_FENCES = "fences without their work-around"
EXIT_FENCES = "barriers before exits"
REMOVED_EXIT_FENCES = "exits without their fence"
REMOVALS = {REMOVED_FENCES, REMOVED_EXIT_FENCES}  # nvlink does this only in kernels without calls
OTHER_SCHEDULING = "scheduling without the stack pointer's scoreboard"
OTHER_WAITS = "scoreboards dealt out anew"


@dataclass
class Correspondence:
    """Maps the index of an instruction in warpld's code to indices in nvlink's code. `same` has the
    index of the same instruction. `start` has the index of the first instruction that nvlink added
    before it, or that of the same instruction if nvlink added none. `reasons` has the changes that
    nvlink made."""

    same: dict[int, int] = field(default_factory=dict)
    start: dict[int, int] = field(default_factory=dict)
    reasons: set[str] = field(default_factory=set)

    def place(self, offset: int) -> int | None:
        """Returns the offset in nvlink's code of the instruction at `offset` in warpld's code."""
        return moved(self.same, offset)

    def begin(self, offset: int) -> int | None:
        """Like place, but returns the offset of the first barrier if nvlink added barriers before
        the instruction."""
        return moved(self.start, offset)


def moved(places: dict[int, int], offset: int) -> int | None:
    found = places.get(offset // INSTRUCTION)
    return None if found is None or offset % INSTRUCTION else found * INSTRUCTION


def instructions(code: bytes) -> list[int]:
    """The instructions of a function, without the NOPs at its end."""
    words = [
        int.from_bytes(code[at : at + INSTRUCTION], "little")
        for at in range(0, len(code), INSTRUCTION)
    ]
    while words and words[-1] & ~SCHEDULING == NOP:
        words.pop()
    return words


def opcode(word: int) -> int:
    return word & OPCODE


def is_plain(words: list[int], expected: Iterable[int], predicate: int = NO_PREDICATE) -> bool:
    wanted = [word & ~PREDICATE | predicate for word in expected]
    return [word & ~SCHEDULING for word in words] == wanted


def has_exit_barriers(words: list[int], at: int) -> bool:
    predicate = words[at] & PREDICATE
    end = at + len(EXIT_BARRIERS)
    return is_plain(words[at:end], EXIT_BARRIERS, predicate) and any(
        opcode(word) == OPCODE_EXIT and word & PREDICATE == predicate
        for word in words[end : end + 1]
    )


def is_fence(words: list[int], at: int) -> bool:
    return at < len(words) and opcode(words[at]) == OPCODE_FENCE


def work_around(words: list[int], at: int) -> int:
    """Counts the instructions, beginning with that at `at`, that only work around a fault of the
    hardware: loads or a weaker fence before a fence, or the fence before an exit."""
    if has_exit_barriers(words, at):
        return 1
    loads = words[at : at + DUMMY_LOADS]
    if is_plain(loads, [DUMMY_LOAD] * DUMMY_LOADS, loads[0] & PREDICATE):
        return DUMMY_LOADS if is_fence(words, at + DUMMY_LOADS) else 0
    predicate = words[at] & PREDICATE
    is_weaker = is_plain(words[at : at + 1], [WEAKER_FENCE], predicate)
    return int(is_weaker and is_fence(words, at + 1) and words[at + 1] & PREDICATE == predicate)


# Fields of relative branches: pairs of first bit and number of bits, from the lowest bits of the
# distance up, and the unit of the distance in bytes.
WIDE_BRANCH = (((16, 8), (34, 48)), 4)
WIDE_BRANCHES = (0x147, 0x148, 0x149, 0x158)
BRANCHES = dict.fromkeys(WIDE_BRANCHES, WIDE_BRANCH) | {0x145: (((32, 32),), 1)}


def branch_distance(word: int) -> tuple[int, int | None]:
    """Returns the instruction without the distance of a relative branch, and the distance. The
    distance is None if the instruction is not a relative branch."""
    if word & RELATIVE_OPCODE not in BRANCHES:
        return word, None
    fields, unit = BRANCHES[word & RELATIVE_OPCODE]
    value, width, rest = 0, 0, word
    for start, bits in fields:
        mask = (1 << bits) - 1
        value |= (word >> start & mask) << width
        width += bits
        rest &= ~(mask << start)
    if value >> (width - 1):
        value -= 1 << width
    return rest, value * unit


def branches_agree(found: Correspondence, ours: list[int], theirs: list[int]) -> bool:
    for index, other in found.same.items():
        distance = branch_distance(ours[index])[1]
        if distance is None:
            continue
        target = found.begin((index + 1) * INSTRUCTION + distance)
        theirs_distance = branch_distance(theirs[other])[1]
        if theirs_distance is None or target != (other + 1) * INSTRUCTION + theirs_distance:
            return False
    return True


def loads_stack_pointer(words: list[int]) -> bool:
    return (
        bool(words)
        and opcode(words[0]) == OPCODE_LOAD_CONSTANT
        and (words[0] >> 16 & 0xFF == STACK_POINTER)
    )


def has_call(words: list[int]) -> bool:
    return any(opcode(word) in OPCODE_CALLS for word in words)


def awaited(words: list[int]) -> list[set[tuple[int, int]]]:
    """For each instruction in order, the set of results that it waits for. A result is the index of
    an earlier instruction and the number of that instruction's scoreboard, 0 or 1."""
    pending: list[set[tuple[int, int]]] = [set() for _ in range(SCOREBOARD_COUNT)]
    found = []
    for index, word in enumerate(words):
        waits: set[tuple[int, int]] = set()
        for number in range(SCOREBOARD_COUNT):
            if word >> (AWAITED + number) & 1:
                waits |= pending[number]
                pending[number] = set()
        found.append(waits)
        for which, at in enumerate(RELEASED):
            number = word >> at & RELEASED_BITS
            if number < SCOREBOARD_COUNT:
                pending[number].add((index, which))
    return found


def is_after_new(found: Correspondence, index: int) -> bool:
    return found.start.get(index) != found.same.get(index)


def is_slowed(ours: int, theirs: list[int]) -> bool:
    """Whether the first of nvlink's instructions stalls one cycle longer than `ours`. The reason
    must be that the second waits for a scoreboard that the first releases."""
    if len(theirs) < 2 or (ours ^ theirs[0]) & SCHEDULING & ~SCOREBOARDS & ~(STALL_BITS << STALL):
        return False
    released = [theirs[0] >> at & RELEASED_BITS for at in RELEASED]
    is_awaited = any(
        number < SCOREBOARD_COUNT and theirs[1] >> (AWAITED + number) & 1 for number in released
    )
    return is_awaited and [word >> STALL & STALL_BITS for word in (ours, theirs[0])] == [1, 2]


def stalls_agree(
    found: Correspondence, ours: list[int], theirs: list[int], excused: int = 0
) -> bool:
    """Whether the scheduling differs only in scoreboards. More differences are allowed for
    instructions before and after a new barrier, and for instructions whose `excused` bits
    differ."""
    for index, other in found.same.items():
        differs = (ours[index] ^ theirs[other]) & SCHEDULING & ~SCOREBOARDS
        if (ours[index] ^ theirs[other]) & excused:
            continue
        if excused and is_slowed(ours[index], theirs[other : other + 2]):
            continue
        if differs and not is_after_new(found, index) and not is_after_new(found, index + 1):
            return False
    return True


def waits_agree(found: Correspondence, ours: list[int], theirs: list[int]) -> bool:
    """Whether all instructions wait for the same results. The numbers of the scoreboards may
    differ. Waits for two kinds of instructions may be missing or added: for the first instruction,
    which loads the stack pointer, and for a fence before a new barrier."""
    before, after = awaited(ours), awaited(theirs)
    for index, other in found.same.items():
        wanted = {(found.same.get(at), which) for at, which in before[index] if at}
        waits: set[tuple[int | None, int]] = set().union(*after[found.start[index] : other + 1])
        known = {found.same.get(0)}
        if is_after_new(found, index) and index and is_fence(ours, index - 1):
            known.add(found.same.get(index - 1))
        if not wanted <= waits or any(at not in known for at, _ in waits - wanted):
            return False
    return True


def step(found: Correspondence, ours: list[int], theirs: list[int], at: int, other: int) -> int:
    """The number of instructions that nvlink has added before an exit: all its barriers, or all
    except the first. The first barrier is missing if a fence.sc.cta precedes the exit, or if nvlink
    has removed that barrier again."""
    word = ours[at]
    if opcode(word) != OPCODE_EXIT or has_barriers_before(ours, at):
        return 0
    is_after_fence = at > 0 and is_plain(
        ours[at - 1 : at], [STRICT_FENCE], ours[at - 1] & PREDICATE
    )
    for expected in (EXIT_BARRIERS, EXIT_BARRIERS[1:]):
        if is_plain(theirs[other : other + len(expected)], expected, word & PREDICATE):
            found.reasons.add(EXIT_FENCES)
            if expected != EXIT_BARRIERS and not is_after_fence:
                found.reasons.add(REMOVED_EXIT_FENCES)
            return len(expected)
    return 0


def has_barriers_before(words: list[int], at: int) -> bool:
    last = words[max(at - len(EXIT_BARRIERS), 0) : at]
    return is_plain(last, EXIT_BARRIERS, words[at] & PREDICATE)


def scheduling_agrees(
    found: Correspondence, ours: list[int], theirs: list[int], of_input: bool
) -> bool:
    """Whether the scheduling of both codes agrees. If code branches, or results share a scoreboard,
    the waits cannot be derived without knowing the registers of each instruction. Then it is enough
    if our code has the scheduling of the object (`of_input`)."""
    if stalls_agree(found, ours, theirs) and waits_agree(found, ours, theirs):
        return True
    if not of_input or not stalls_agree(found, ours, theirs, SCOREBOARDS):
        return False
    found.reasons.add(OTHER_WAITS)
    return True


def scheduling(code: bytes) -> list[int]:
    places = range(0, len(code), INSTRUCTION)
    words = (int.from_bytes(code[at : at + INSTRUCTION], "little") for at in places)
    return [word & SCHEDULING for word in words]


def correspond(
    ours_code: bytes, theirs_code: bytes, of_input: bool = False
) -> Correspondence | None:
    """Returns how the instructions of both codes correspond. Returns None if they differ in more
    than nvlink is known to change. `of_input` says whether our code has the same scheduling as an
    input object."""
    if len(ours_code) % BLOCK or len(theirs_code) % BLOCK:
        return None
    ours, theirs = instructions(ours_code), instructions(theirs_code)
    found = Correspondence()
    at = other = 0
    while at < len(ours):
        found.start[at] = other
        skipped = work_around(ours, at)
        if skipped and not is_plain(
            theirs[other : other + 1], [ours[at] & ~SCHEDULING], ours[at] & PREDICATE
        ):
            found.start.update(dict.fromkeys(range(at, at + skipped), other))
            is_of_exit = has_exit_barriers(ours, at)
            found.reasons.add(REMOVED_EXIT_FENCES if is_of_exit else REMOVED_FENCES)
            at += skipped
            continue
        other += step(found, ours, theirs, at, other)
        if other >= len(theirs):
            return None
        a, b = branch_distance(ours[at])[0], branch_distance(theirs[other])[0]
        if (a ^ b) & ~SCHEDULING:
            return None
        if a != b:
            found.reasons.add(OTHER_SCHEDULING)
        found.same[at] = other
        at, other = at + 1, other + 1
    found.start[at] = other
    found.start[len(ours_code) // INSTRUCTION] = len(theirs_code) // INSTRUCTION
    if other != len(theirs) or not branches_agree(found, ours, theirs):
        return None
    known = is_known(found, ours) and scheduling_agrees(found, ours, theirs, of_input)
    return found if known else None


def is_known(found: Correspondence, ours: list[int]) -> bool:
    """Whether nvlink makes all of the changes in `found` if it regenerates code such as `ours`."""
    rearranged = REMOVALS & found.reasons or EXIT_FENCES not in found.reasons
    if rearranged and has_call(ours):
        return False
    if EXIT_FENCES in found.reasons:
        return True  # waits move to the barriers
    return OTHER_SCHEDULING not in found.reasons or loads_stack_pointer(ours)
