"""Known faults that nvlink has when it links its own -r outputs, from sm_100 on."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

from cubin import SHT_MERCURY_RELA, SHT_RELA, Cubin, read_cubin
from fault import NAME_TABLES, Case, Difference
from regenerated import FRAMES, LINES, regenerated
from regenerated_code import MERCURY_SYMBOLS

LISTS = (0x70000000, 0x70000083, SHT_RELA, SHT_MERCURY_RELA)  # types: attributes, relocations


class Renamed(Cubin):
    """A cubin in which only names of sections change. Its symbols are not written again, because
    the symbols of both views share strings."""

    def write_symbols(self) -> None:
        pass


def tell_lists_apart(path: Path) -> bool:
    """Renames attribute and relocation sections that share a name, because nvlink finds such
    sections by name, even in its own outputs. Returns whether any name was changed."""
    cubin = Renamed(path.read_bytes())
    seen: Counter[str] = Counter()
    for section in cubin.sections:
        seen[section.name] += 1
        if section.type in LISTS and seen[section.name] > 1:
            section.name += f"#{seen[section.name]}"
    if max(seen.values()) == 1 or not cubin.has_section(MERCURY_SYMBOLS):
        return False
    path.write_bytes(cubin.write())
    return True


def is_of_debug_information(difference: Difference) -> bool:
    section = difference["section"] or ""
    return section.removeprefix(".rela") in (FRAMES, *LINES) or section in NAME_TABLES


def is_of_alias(difference: Difference) -> bool:
    """Whether an alias can be the cause of the difference: it is the size of a symbol. In nvlink's
    -r outputs, the symbol of a function often has the size of its alias."""
    return (difference["section"], difference["field"]) == (".symtab", "size")


def has_damaged_debug_information(
    differ: list[str], theirs: Path, ours: Path, inputs: list[Path]
) -> bool:
    """Whether nothing differs but debug information, sizes of symbols (is_of_alias), and sections
    that nvlink's final link regenerates (regenerated.py). In nvlink's -r outputs, native frames and
    line tables can have offsets of expanded code. Our final link copies these tables, while
    nvlink's final link regenerates them."""
    command = [*differ, "--bytes", "--json", "--limit", "100000", str(theirs), str(ours)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 1 or not read_cubin(ours).has_section(MERCURY_SYMBOLS):
        return False
    case = Case(json.loads(done.stdout)["differences"], theirs, ours, inputs)
    stamps = tuple(path.stat().st_mtime_ns for path in (theirs, ours))
    known = regenerated(theirs, ours, tuple(inputs), stamps)
    return all(
        known.accounts_for(difference)
        or is_of_debug_information(difference)
        or is_of_alias(difference)
        for difference in case.differences
    )
