"""Checks that an executable reads the same constants as its objects.

The options --merge-constants and --remove-unused-constants move constants, so the checks cannot
compare addresses. Instead, they read each field in code and data into which the link wrote a
constant's address. They compare what is at this address with what the object refers to:

  code       A reference to a named constant leads to the constant of that name. A reference to a
             compiler-made constant leads to the same bytes, in the bank of every kernel that calls
             the function.
  data       An address in an initialiser leads to the constant of the same name.
  variables  Variables of one name have the same size, contents and section. Two named constants
             never share bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cubin import STT_FUNC, STT_SECTION, Cubin, Symbol, read_cubin
from relink_meaning import (
    SPACE,
    SPACE_CONSTANT,
    Executable,
    Match,
    Meaning,
    Use,
    blank,
    check_executable,
    is_written,
)
from relocation_fields import value_at

COMPILER_BANK = ".nv.constant2."
USER_BANK = ".nv.constant3"
GRAPH_LINE = re.compile(r"(\d+): ([&^]*)(\S+)(?: \[\d+\])? ->(.*)")


@dataclass
class CallGraph:
    """The call graph as --dump-callgraph-no-demangle prints it."""

    names: dict[int, str]
    kernels: set[int]
    callees: dict[int, list[int]]

    def kernels_of(self) -> dict[str, set[str]]:
        """For each function, the kernels that call it, directly or not. Names that several
        functions share are left out."""
        found: dict[str, set[str]] = {name: set() for name in self.names.values()}
        for kernel in self.kernels:
            reached, stack = {kernel}, [kernel]
            while stack:
                fresh = set(self.callees[stack.pop()]) - reached
                reached |= fresh
                stack += fresh
            for node in reached:
                found[self.names[node]].add(self.names[kernel])
        several = {name for name, count in Counter(self.names.values()).items() if count > 1}
        return {n: k - several for n, k in found.items() if n not in several}


def parse_graph(text: str) -> CallGraph:
    graph = CallGraph({}, set(), {})
    for line in text.splitlines():
        found = GRAPH_LINE.match(line)
        if found:
            number = int(found[1])
            graph.names[number] = found[3]
            graph.callees[number] = [int(word) for word in found[4].split()]
            if "^" in found[2]:
                graph.kernels.add(number)
    for callees in graph.callees.values():
        callees[:] = [callee for callee in callees if callee in graph.names]
    return graph


def without_fields(cubin: Cubin, symbol: Symbol, content: bytes) -> bytes:
    """Returns the bytes of a constant, with zeros in the fields that relocations write."""
    plain = bytearray(content)
    for section in cubin.sections:
        if section.name.startswith((".rel.nv", ".rela.nv")) and section.info == symbol.section:
            for entry in section.relocations():
                if symbol.value <= entry.offset < symbol.value + symbol.size:
                    place = entry.offset - symbol.value
                    blank(plain, entry.__class__(place, entry.type, entry.symbol, entry.addend))
    return bytes(plain)


def check_compiler_made(
    executable: Executable, match: Match, use: Use, kernels: set[str]
) -> list[str]:
    """Returns a message for each kernel whose bank does not have the bytes of the compiler-made
    constant at the address that the code holds."""
    cubin = match.copy.cubin
    symbol = cubin.symbols[use.symbol]
    section = cubin.sections[symbol.section]
    if not section.name.startswith(COMPILER_BANK):
        return []
    held, known = value_at(match.code, use.entry)
    value = held - use.addend & known
    meant = without_fields(cubin, symbol, section.data[symbol.value : symbol.value + symbol.size])
    wrong = []
    for kernel in kernels:
        banks = [s for s in executable.cubin.sections if s.name == COMPILER_BANK + kernel]
        there = [
            without_fields(cubin, symbol, bank.data[value : value + symbol.size]) for bank in banks
        ]
        if meant not in there:
            wrong.append(f"{match.name}: {symbol.name} is not where {kernel} reads it")
    return wrong


def check_code(executable: Path, objects: Meaning, graph: CallGraph) -> list[str]:
    read = Executable(executable)
    matches = objects.match(read)
    if isinstance(matches, str):
        return [matches]
    kernels = graph.kernels_of()
    wrong = []
    for match in matches:
        reached_by = kernels.get(match.name.removeprefix(".text."), set())
        for use in match.copy.uses:
            symbol = match.copy.cubin.symbols[use.symbol]
            if symbol.other & SPACE == SPACE_CONSTANT and symbol.section:
                wrong += check_compiler_made(read, match, use, reached_by)
    return wrong


def check_pointers(executable: Path, objects: list[Path]) -> list[str]:
    """Returns messages about variables that hold a wrong address of a constant. The check skips
    generic addresses, which the driver writes, and variables that share a name."""
    output = read_cubin(executable)
    places: dict[str, list[Symbol]] = {}
    for symbol in output.symbols:
        if symbol.type not in (STT_FUNC, STT_SECTION):
            places.setdefault(symbol.name, []).append(symbol)
    kept = {
        (section.info, entry.offset): output.symbols[entry.symbol].name
        for section in output.sections
        if section.name.startswith((".rel.nv.", ".rela.nv."))
        for entry in section.relocations()
    }
    wrong = []
    for path in objects:
        cubin = read_cubin(path)
        holders = [s for s in cubin.symbols if len(places.get(s.name, [])) == 1 and s.size]
        for section in cubin.sections:
            if not section.name.startswith((".rel.nv.", ".rela.nv.")):
                continue
            for entry in section.relocations():
                target = cubin.symbols[entry.symbol]
                if not is_written(cubin, target) or target.other & SPACE != SPACE_CONSTANT:
                    continue
                for holder in holders:
                    inside = entry.offset - holder.value
                    if holder.section != section.info or not 0 <= inside < holder.size:
                        continue
                    place = places[holder.name][0]
                    if kept.get((place.section, place.value + inside)) == target.name:
                        continue
                    data = output.sections[place.section].data
                    moved = entry.__class__(
                        place.value + inside, entry.type, entry.symbol, entry.addend
                    )
                    held, known = value_at(data, moved)
                    addend = (
                        value_at(cubin.sections[section.info].data, entry)[0]
                        if entry.addend is None
                        else entry.addend
                    )
                    leads_to = {s.value & known for s in places.get(target.name, [])}
                    if (held - addend) & known not in leads_to:
                        wrong.append(f"{holder.name}+{inside}: does not lead to {target.name}")
    return wrong


def check_apart(executable: Path) -> list[str]:
    """Checks that no two named constants share bytes."""
    cubin = read_cubin(executable)
    if not cubin.has_section(USER_BANK):
        return []
    bank = cubin.section_index(USER_BANK)
    named = sorted(
        (s.value, s.size, s.name)
        for s in cubin.symbols
        if s.section == bank and s.type != STT_SECTION and s.size
    )
    return [
        f"{first} and {second} share bytes"
        for (place, size, first), (behind, _, second) in zip(named, named[1:], strict=False)
        if behind < place + size
    ]


def problems(
    path: Path, objects: list[Path], meaning: Meaning, graph: CallGraph
) -> tuple[Counter[Any], Counter[str]]:
    """Returns the code of the functions, and messages about fields that hold a wrong address. Two
    kinds of correct links cause false messages. A function that no kernel calls has no bank in
    which to look up its constants. From sm_100 on, the jump tables in the output differ from those
    in the objects, because the link writes offsets of instructions into them."""
    code, found = check_executable(path, meaning)
    return code, Counter(found + check_code(path, meaning, graph) + check_pointers(path, objects))


def check_constants(
    plain: Path, changed: Path, objects: list[Path], graph: CallGraph, removes: bool
) -> list[str]:
    """Returns the faults of `changed` that `plain` does not have. Only `changed` was linked with
    the options about constants."""
    meaning = Meaning(objects)
    (old_code, expected), (code, found) = (
        problems(path, objects, meaning, graph) for path in (plain, changed)
    )
    wrong = [*(found - expected), *check_apart(changed)]
    if old_code != code:
        wrong.append("not the same code")
    before = Executable(plain).variables(meaning.holes)
    after = Executable(changed).variables(meaning.holes)
    wrong += [f"{name[0]}: new or changed" for name in after - before]
    if not removes:
        wrong += [f"{name[0]}: missing" for name in before - after]
    return wrong
