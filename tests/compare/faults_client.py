"""Known differences between warpld's libnvJitLink and NVIDIA's.

Links with the commands warpld and nvlink do not have these differences. NVIDIA's library contains a
PTX compiler. Like ptxas, this compiler adds functions to a program, for example for
vote.sync.ballot. But the code of some of these functions differs from the code that ptxas adds. The
messages that are compared include the results of the library's functions.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cubin import Cubin
from debug_records import Malformed, read_name, read_registers
from fault import Case, is_in_code, unchanged_cubin
from faults_constants import explain_overflow

# Functions that no PTX text defines. The compiler adds and calls them for instructions that the
# target lacks.
HELPER = re.compile(r"\.text\.(__cuda_\w+)")
OTHER_HELPERS = "a function of the compiler that has other code in NVIDIA's library"
REGISTERS, REGISTER_TYPES = ".nv_debug_info_reg_sass", ".nv_debug_info_reg_type"
RESULT = re.compile(r"(create|add|complete|cubin|destroy) \d+|ERROR \d+: \w+")
REFUSED = {"complete 0": "complete 6", "cubin 0": "cubin 6"}
END_OF_REFUSED = "ERROR 9: complete"


# Results of calls ---------------------------------------------------------------------------------


def divided(lines: list[str]) -> tuple[list[str], list[str]]:
    """Divides the lines into the results of the calls and the other messages."""
    results = [line for line in lines if RESULT.fullmatch(line)]
    return results, [line for line in lines if not RESULT.fullmatch(line)]


def explain_refused(
    arguments: list[str], theirs: list[str], ours: list[str], inputs: list[Path]
) -> str | None:
    """Returns the name of the fault if our library refuses a program with too many constants, for
    which NVIDIA's library drops some of the constants. All earlier calls must have the same
    results."""
    (their_results, their_messages), (our_results, our_messages) = divided(theirs), divided(ours)
    expected = [REFUSED.get(result, result) for result in their_results]
    expected.insert(expected.index("destroy 0") if "destroy 0" in expected else 0, END_OF_REFUSED)
    if our_results != expected:
        return None
    return explain_overflow(arguments, (0, their_messages), (1, our_messages), inputs)


# Functions of the compiler ------------------------------------------------------------------------


@dataclass(frozen=True)
class Alone:
    """The outputs of both libraries for one PTX file that is linked alone and with -r."""

    text: Path
    theirs: Path
    ours: Path


def read_types(data: bytes) -> list[tuple[bytes, bytes]]:
    """For each function, in order, its name and the types of its registers."""
    functions, at = [], 0
    try:
        while at < len(data):
            name, at = read_name(data, at)
            (count,) = struct.unpack_from("<I", data, at)
            at += 4 + count
            functions.append((name, data[at - count : at]))
    except (struct.error, ValueError) as error:
        raise Malformed from error
    return functions


TABLES: dict[str, Callable[[bytes], list[tuple[bytes, Any]]]] = {
    REGISTERS: read_registers,
    REGISTER_TYPES: read_types,
}


def table(cubin: Cubin, name: str) -> list[tuple[bytes, Any]]:
    return TABLES[name](bytes(cubin.section(name).data)) if cubin.has_section(name) else []


def has_code(cubin: Cubin, name: str, code: bytes | bytearray) -> bool:
    return cubin.has_section(name) and cubin.section(name).data == code


def is_helper_of(alone: Alone, label: str, case: Case) -> bool:
    """Whether the code section `label` has the same bytes in the link of this text alone as in the
    link of the whole program, for each library."""
    pairs = ((alone.theirs, case.theirs), (alone.ours, case.ours))
    return all(
        unchanged_cubin(output).has_section(label)
        and has_code(unchanged_cubin(path), label, unchanged_cubin(output).section(label).data)
        for path, output in pairs
    )


def tables_differ_in(name: str, helpers: set[bytes], case: Case, texts: list[Alone]) -> bool:
    """Whether the tables of the two outputs differ only in the entries of the functions `helpers`.
    Each library must make the same entries when it links one of the texts alone."""
    theirs, ours = (table(unchanged_cubin(path), name) for path in (case.theirs, case.ours))
    if len(theirs) != len(ours):
        return False
    made = [table(unchanged_cubin(alone.theirs), name) for alone in texts]
    own = [table(unchanged_cubin(alone.ours), name) for alone in texts]
    return all(
        a == b
        or (
            a[0] == b[0]
            and a[0] in helpers
            and any(a in left and b in right for left, right in zip(made, own, strict=True))
        )
        for a, b in zip(theirs, ours, strict=True)
    )


def other_helpers(case: Case, texts: list[Alone]) -> bool:
    """Whether nothing differs but the code and the registers of functions that the compiler adds.
    Each library must make the same code and registers when it links one of the texts alone."""
    labels = {d["section"] or "" for d in case.differences if is_in_code(d)}
    tables = {d["section"] or "" for d in case.differences if not is_in_code(d)}
    helpers = {match[1] for match in map(HELPER.fullmatch, labels) if match}
    if not labels or len(helpers) != len(labels) or not tables <= TABLES.keys():
        return False
    if any(difference["field"] != "bytes" for difference in case.differences):
        return False
    content = [alone.text.read_text() for alone in texts]
    if any(helper in text for helper in helpers for text in content):
        return False
    if not all(any(is_helper_of(alone, label, case) for alone in texts) for label in labels):
        return False
    names = {helper.encode() for helper in helpers}
    try:
        return all(tables_differ_in(name, names, case, texts) for name in tables)
    except Malformed:
        return False
