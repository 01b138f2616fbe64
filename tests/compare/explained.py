"""Differences that are known faults of nvlink, which warpld does not repeat.

Each row of FAULTS says how one fault is recognised from all differences of two outputs and from the
inputs. One fault, or a few together, must account for every difference. The section of docs/quirks
that a row names says what nvlink does, how that was observed, and why warpld's output is right.
"""

from __future__ import annotations

import itertools
import json
import subprocess
from dataclasses import replace
from pathlib import Path

from fault import Case, Difference, Fault
from faults_constants import (
    DROPPED_CONSTANTS,
    MERGED_CONSTANTS,
    MISALIGNED_CONSTANTS,
    dropped_constants,
    entries_of_lost_tables,
    lost_constant_relocations,
    merged_user_constants,
    misaligned_constants,
)
from faults_functions import (
    code_lost_to_an_alias,
    lists_of_static_functions,
    yields_with_value,
)
from faults_kernels import STATIC_KERNELS, forgotten_memory_of_static_kernels, lost_slots
from faults_names import TAKEN_CONSTANTS, taken_constants
from faults_relocations import forgotten_addends
from regenerated import accounts_for_all

MOST_DIFFERENCES = 100_000
MOST_FAULTS = 3
# If there are more differences than this, they are not divided among faults. Dividing checks each
# difference against each fault, and each check reads the inputs again. Of 260 random programs with
# equal names or a debug profile, none had more than 61 differences to divide.
MOST_DIVIDED = 1_000


def differing(differ: list[str], theirs: Path, ours: Path, inputs: list[Path]) -> Case | None:
    """All differences of two outputs; None if there are none or a file cannot be read."""
    options = ["--bytes", "--json", "--limit", str(MOST_DIFFERENCES)]
    command = [*differ, *options, str(theirs), str(ours)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 1:
        return None
    return Case(json.loads(done.stdout)["differences"], theirs, ours, inputs)


def explain(differ: list[str], theirs: Path, ours: Path, inputs: list[Path]) -> str | None:
    """Returns the name of the known fault that accounts for all differences of two outputs, or the
    names of several faults that do so together. Returns None if no known faults do."""
    case = differing(differ, theirs, ours, inputs)
    if not case:
        return None
    single = next((fault.name for fault in FAULTS if fault.accounts_for(case)), None)
    return single or explain_by_several(case)


def explain_by_several(case: Case) -> str | None:
    """The names of the smallest group of faults that together account for all differences. None if
    no group of at most MOST_FAULTS does."""
    known = known_faults(case)
    if not known:
        return None
    for count in range(2, MOST_FAULTS + 1):
        for faults in itertools.combinations(FAULTS, count):
            parts = divide(case.differences, known, faults)
            if parts and all(
                fault.accounts_for(replace(case, differences=part))
                for fault, part in zip(faults, parts, strict=True)
            ):
                return ", ".join(sorted(fault.name for fault in faults))
    return None


def known_faults(case: Case) -> list[set[str]] | None:
    """For each difference, the names of the faults that would account for it if it were the only
    difference. None if a difference has no such fault, or there are more than MOST_DIVIDED
    differences."""
    known: list[set[str]] = []
    if len(case.differences) > MOST_DIVIDED:
        return None
    for difference in case.differences:
        known.append({f.name for f in FAULTS if f.accounts_for(alone(case, difference))})
        if not known[-1]:
            return None
    return known


def alone(case: Case, difference: Difference) -> Case:
    return replace(case, differences=[difference])


def divide(
    differences: list[Difference], known: list[set[str]], faults: tuple[Fault, ...]
) -> list[list[Difference]] | None:
    """Assigns each difference to the first fault that accounts for it; None if a difference has no
    fault, or a fault has no difference."""
    parts: list[list[Difference]] = [[] for _ in faults]
    for index, difference in enumerate(differences):
        places = [i for i, fault in enumerate(faults) if fault.name in known[index]]
        if not places:
            return None
        parts[places[0]].append(difference)
    return parts if all(parts) else None


FAULTS = (
    Fault(
        "native view generated anew",
        "Native code and its debug information are regenerated",
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
        MERGED_CONSTANTS,
        "Equal constants are merged with -kernels-used",
        merged_user_constants,
    ),
    Fault(
        STATIC_KERNELS,
        "Static kernels of one name lose memory",
        forgotten_memory_of_static_kernels,
    ),
    Fault(
        TAKEN_CONSTANTS,
        "Constants of static functions are taken away",
        taken_constants,
    ),
    Fault(
        "texture slots lost of a kernel that stays without a name",
        "A kernel that the host does not name loses its texture slots",
        lost_slots,
    ),
    Fault(
        "relocation lost with a rejected weak copy",
        "Addresses in constant memory are lost with a weak copy",
        lost_constant_relocations,
    ),
    Fault(
        "code of a weak function lost to an alias",
        "What nvlink loses when definitions differ",
        code_lost_to_an_alias,
    ),
    Fault(
        "resolved relocations of static functions of one name",
        "Relocatable output",
        lists_of_static_functions,
    ),
    Fault(
        "value added to NOP",
        "YIELD becomes another instruction",
        yields_with_value,
    ),
    Fault(
        "what stood in the place of an entry that gains an addend",
        "Relocations that overwrite or forget data",
        forgotten_addends,
    ),
    Fault(
        "jump tables of a copy that lost",
        "Jump tables lead nowhere with a superseded copy",
        entries_of_lost_tables,
    ),
)
