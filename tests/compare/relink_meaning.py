"""Checks that two executables of the same objects have the same meaning.

Joining objects in groups changes alignments and the order of symbols. Addresses depend on both:
where the layout has a tie, the order of symbols decides. So this module ignores the differences of
addresses that `cubintool diff` finds. Instead, it compares what is at the addresses:

  variables  by name: size, contents, and the relocations in them
  code       the bytes outside the fields that a link writes, and the object that they come from.
             A field for a constant must lead to that constant, and a field for a texture slot to
             that texture. Fields for shared memory must be equal for all uses of a variable.
  Mercury    code and constants in the same way (relink_mercury.py)
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cubin import STT_FUNC, STT_SECTION, Cubin, Relocation, Section, Symbol, read_cubin
from fault import weak_names_of_several
from relink_mercury import MercuryView
from relocation_fields import FIELDS, bits_at, value_at
from toolchain import REPOSITORY, run

SPACE, SPACE_GLOBAL, SPACE_SHARED, SPACE_CONSTANT = 0xE0, 0x20, 0x40, 0x80
TEXTURE_TYPES = (10, 11, 12)
# Sections whose contents or fields depend on addresses in memory: those of memory, and those with
# symbols, relocations and headers.
PLACES = re.compile(
    r"ELF header|program headers.*|\.shstrtab|\.strtab|\.symtab"
    r"|\.nv_debug\.shared|\.text\..*|\.nv\.(global|constant\d|shared).*|\.nv\.global\.init"
    r"|\.rela?\.nv\.(global|constant).*"
    r"|\.nv\.merc\.symtab|\.nv\.capmerc\.text\..*|\.nv\.merc\.nv\.(global|constant|shared).*"
    r"|\.nv\.merc\.rela\.nv\.(global|constant).*"
)
TOOL = str(Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute() / "cubintool")


def blank(code: bytearray, entry: Relocation) -> None:
    bits = bits_at(code, entry.offset)
    for first, width, _, _ in FIELDS.get(entry.type, []):
        bits &= ~(((1 << width) - 1) << first)
    room = len(code[entry.offset : entry.offset + 16])
    code[entry.offset : entry.offset + room] = bits.to_bytes(16, "little")[:room]


def is_written(cubin: Cubin, symbol: Symbol) -> bool:
    """Whether a final link writes the fields that refer to the symbol."""
    if symbol.type in (STT_FUNC, STT_SECTION):
        return False
    kind = cubin.sections[symbol.section].type if symbol.section < len(cubin.sections) else 0
    in_global = symbol.other & SPACE == SPACE_GLOBAL or kind in (0x70000007, 0x70000008)
    return not in_global and not symbol.name.startswith((".nv.reservedSmem", "__UFT", "__UDT"))


@dataclass(frozen=True)
class Use:
    """A field that a final link writes."""

    entry: Relocation
    symbol: int
    addend: int


@dataclass
class Copy:
    """A function's code in an object."""

    object: int
    cubin: Cubin
    number: int  # of the section
    code: bytes  # with zeros in the fields that a link writes
    entries: list[Relocation]
    uses: list[Use]


def copies_of(index: int, cubin: Cubin) -> Iterator[tuple[str, Copy]]:
    entries: dict[int, list[Relocation]] = {}
    for section in cubin.sections:
        if section.name.startswith((".rel.text.", ".rela.text.")):
            entries.setdefault(section.info, []).extend(section.relocations())
    for number, section in enumerate(cubin.sections):
        if not section.name.startswith(".text."):
            continue
        code, uses = bytearray(section.data), []
        for entry in entries.get(number, []):
            if is_written(cubin, cubin.symbols[entry.symbol]):
                held = value_at(section.data, entry)[0]
                uses.append(
                    Use(
                        entry,
                        entry.symbol,
                        held if entry.addend is None else entry.addend,
                    )
                )
        for use in uses:
            blank(code, use.entry)
        yield section.name, Copy(index, cubin, number, bytes(code), entries.get(number, []), uses)


# Maps the name of a variable to the relocations in the variable whose fields a final link writes.
# These relocations refer to constants.
Holes = dict[str, list[Relocation]]


def holes_of(cubin: Cubin) -> Iterator[tuple[str, Relocation]]:
    places: dict[int, list[Relocation]] = {}
    for section in cubin.sections:
        if section.name.startswith((".rel.nv", ".rela.nv")):
            written = [
                e for e in section.relocations() if is_written(cubin, cubin.symbols[e.symbol])
            ]
            places.setdefault(section.info, []).extend(written)
    for symbol in cubin.symbols:
        for entry in places.get(symbol.section, []):
            if symbol.type != STT_SECTION and 0 <= entry.offset - symbol.value < symbol.size:
                yield symbol.name, replace(entry, offset=entry.offset - symbol.value)


class Executable:
    def __init__(self, path: Path):
        self.cubin = read_cubin(path)
        self.entries: dict[int, list[tuple[Any, ...]]] = {}
        for section in self.cubin.sections:
            if section.name.startswith((".rel.nv", ".rela.nv")):
                found = [
                    (e.offset, e.type, self.cubin.symbols[e.symbol].name, e.addend or 0)
                    for e in section.relocations()
                ]
                self.entries.setdefault(section.info, []).extend(found)

    def codes(self) -> Iterator[tuple[int, str, bytes]]:
        for number, section in enumerate(self.cubin.sections):
            if section.name.startswith(".text."):
                yield number, section.name, bytes(section.data)

    def variables(self, holes: Holes) -> Counter[Any]:
        found: Counter[Any] = Counter()
        for symbol in self.cubin.symbols:
            if not 0 < symbol.section < len(self.cubin.sections):
                continue
            section = self.cubin.sections[symbol.section]
            if symbol.type in (STT_FUNC, STT_SECTION) or ".shared" in section.name:
                continue
            end = symbol.value + symbol.size
            inside = tuple(
                sorted(
                    (offset - symbol.value, *rest)
                    for offset, *rest in self.entries.get(symbol.section, [])
                    if symbol.value <= offset < end
                )
            )
            content = bytearray(section.data[symbol.value : end])
            for hole in holes.get(symbol.name, ()):
                if hole.offset < len(content):
                    blank(content, hole)
            facts = (
                section.name,
                symbol.binding,
                symbol.other,
                symbol.size,
                bytes(content),
                inside,
            )
            found[(symbol.name, *facts)] += 1
        return found

    def bank(self, prefix: str) -> list[Section]:
        return [s for s in self.cubin.sections if s.name.startswith(prefix)]

    def slots(self, offset: int) -> set[str]:
        return {
            name
            for number, entries in self.entries.items()
            if self.cubin.sections[number].name.startswith(".nv.constant0.")
            for place, _, name, _ in entries
            if place == offset
        }


@dataclass
class Match:
    number: int  # of the section
    name: str
    copy: Copy
    code: bytes


class Meaning:
    """The objects' contents, with which both executables are compared."""

    def __init__(self, objects: list[Path]):
        self.copies: dict[str, list[Copy]] = {}
        self.holes: Holes = {}
        self.weak = weak_names_of_several(objects)
        self.mercury: dict[int, MercuryView] = {}
        for index, path in enumerate(objects):
            cubin = read_cubin(path)
            self.mercury[index] = MercuryView(cubin)
            for name, copy in copies_of(index, cubin):
                self.copies.setdefault(name, []).append(copy)
            for name, hole in holes_of(cubin):
                self.holes.setdefault(name, []).append(hole)

    def match(self, executable: Executable) -> list[Match] | str:
        """For each function of the executable, the copy whose code it has. If a function has the
        code of no copy, returns a text that says so."""
        found, taken = [], set()
        for number, name, code in executable.codes():
            for copy in self.copies.get(name, []):
                plain = bytearray(code)
                for use in copy.uses:
                    blank(plain, use.entry)
                if bytes(plain) == copy.code and (name, copy.object) not in taken:
                    taken.add((name, copy.object))
                    found.append(Match(number, name, copy, code))
                    break
            else:
                return f"{name}: the code is that of no object"
        return found


def constants_at(executable: Executable, prefix: str, value: int, size: int) -> set[bytes]:
    return {bytes(s.data[value : value + size]) for s in executable.bank(prefix)}


def check_use(
    executable: Executable, match: Match, use: Use, shared: dict[tuple[Any, ...], int]
) -> str | None:
    """What is wrong with the value of one field; None if nothing is."""
    cubin = match.copy.cubin
    symbol = cubin.symbols[use.symbol]
    held, known = value_at(match.code, use.entry)
    value = held - use.addend & known
    if symbol.type in TEXTURE_TYPES:
        return None if symbol.name in executable.slots(value) else f"slot of {symbol.name}"
    if symbol.other & SPACE == SPACE_SHARED:
        where = (match.copy.object, use.symbol) + ((match.name,) if symbol.size == 0 else ())
        if shared.setdefault(where, value) & known != value:
            return f"{match.name}: two addresses of {symbol.name}"
        return None
    if symbol.other & SPACE != SPACE_CONSTANT or not symbol.section:
        is_size = symbol.name == ".nv.ptx.const0.size"
        return None if is_size else check_named(executable, symbol, value, known)
    section = cubin.sections[symbol.section]
    if section.name.startswith(".nv.constant2."):
        content = bytes(section.data[symbol.value : symbol.value + symbol.size])
        if content not in constants_at(executable, ".nv.constant2.", value, symbol.size):
            return f"{match.name}: constant {symbol.name} is not where it is read"
        return None
    return check_named(executable, symbol, value, known)


def check_named(executable: Executable, symbol: Symbol, value: int, known: int) -> str | None:
    places = {s.value & known for s in executable.cubin.symbols if s.name == symbol.name}
    return None if value in places else f"{symbol.name} is not where it is read"


def check_executable(path: Path, objects: Meaning) -> tuple[Counter[Any], list[str]]:
    """The code of the functions, and texts that say what is wrong with the fields in it."""
    executable = Executable(path)
    matches = objects.match(executable)
    if isinstance(matches, str):
        return Counter(), [matches]
    shared: dict[tuple[Any, ...], int] = {}
    found = [
        check_use(executable, match, use, shared) for match in matches for use in match.copy.uses
    ]
    found += mercury_problems(executable, matches, objects)
    return Counter((m.name, m.copy.code) for m in matches), [text for text in found if text]


def mercury_problems(
    executable: Executable, matches: list[Match], objects: Meaning
) -> list[str | None]:
    """For each function, what is wrong with its Mercury form; None if nothing is. The form must
    come from the same copy as the function's native code, and its fields must have the same
    values."""
    view = MercuryView(executable.cubin)
    found: list[str | None] = []
    for match in matches:
        copy = match.copy
        source = objects.mercury[copy.object]
        values = {use.entry: value_at(match.code, use.entry) for use in copy.uses}
        found.append(view.code_problem(match.number, source, copy.number, copy.entries, values))
        for use in copy.uses:
            symbol = copy.cubin.symbols[use.symbol]
            held, known = values[use.entry]
            found.append(view.constant_problem(source, symbol, held - use.addend & known))
    return found


def normal(text: str | None) -> str | None:
    """The text of a difference without addresses, and with its symbols sorted."""
    return ",".join(sorted(re.sub(r"@\.nv[^ ,]*", "", text).split(","))) if text else text


def differences(direct: Path, relinked: Path) -> list[str]:
    """The differences that cubintool reports, without addresses."""
    done = run([TOOL, "diff", "--bytes", "--json", "--limit", "100000", str(direct), str(relinked)])
    found = []
    for difference in json.loads(done.stdout)["differences"]:
        if PLACES.fullmatch(difference["section"] or ""):
            continue
        if normal(difference["a"]) == normal(difference["b"]):
            continue
        found.append(" ".join(str(part) for part in difference.values() if part is not None))
    return found


def is_of_weak_copies(problem: str, weak: set[str]) -> bool:
    """Whether a difference is about copies of weak functions. The order in which the copies are
    joined decides which of them is used. For the other copies, it decides which calls and debug
    records remain (docs/format/definitions.md). So even the code can differ."""
    kinds = (
        r"code only in \w+: \.text\.(\S+)",
        r"\.nv\.callgraph .*function=(\S+)",
        r"(?:\.nv\.merc)?\.rela?\.\S*debug\S* .*symbol=(\S+)",
    )
    if weak and re.match(r"(\.nv\.merc)?\.debug_frame \d+ bytes? differ", problem):
        return True  # the frame of an unused copy is cleared in one of the outputs
    found = (re.match(kind, problem) for kind in kinds)
    return any(match and re.sub(r"#\d+$", "", match[1]) in weak for match in found)


def facts_of_variables(executable: Executable, meaning: Meaning) -> Counter[Any]:
    return executable.variables(meaning.holes) + MercuryView(executable.cubin).facts()


def difference_in_meaning(
    direct: Path, relinked: Path, objects: list[Path]
) -> tuple[str | None, bool]:
    """The first difference in meaning, None if there is none; and whether it is about copies of
    weak functions."""
    meaning = Meaning(objects)
    (direct_code, known), (code, found) = (
        check_executable(path, meaning) for path in (direct, relinked)
    )
    problems = [text for text in found if text not in known]
    a, b = (facts_of_variables(Executable(path), meaning) for path in (direct, relinked))
    for name, counter in (("direct", a - b), ("relinked", b - a)):
        problems += [f"variable only in {name}: {key[0]} {key[1:5]}" for key in counter]
    for name, counter in (
        ("direct", direct_code - code),
        ("relinked", code - direct_code),
    ):
        problems += [f"code only in {name}: {key[0]}" for key in counter]
    problems += differences(direct, relinked)
    explained = any(is_of_weak_copies(problem, meaning.weak) for problem in problems)
    return "\n".join(problems[:8]) or None, explained
