"""What an experiment of patch.py is: a list of cases.

A case has a row and a column of the experiment's table, and a function that changes an object. The
function returns False if the object has nothing that it can change.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cubin import Cubin
from source import Source
from toolchain import REPOSITORY

Change = Callable[[Cubin, random.Random], bool]
FORMAT = REPOSITORY / "src" / "format"
# Functions of the programs in patch_programs.py.
KERNEL, NEAR = "first", "near"


@dataclass(frozen=True)
class Case:
    row: str
    column: str
    change: Change
    # Makes a separate program, all of whose objects are changed. None: the case changes a.ptx of
    # each of PROGRAMS (patch_programs.py).
    sources: Callable[[random.Random, str], list[Source]] | None = None


def table_rows(path: Path, macro: str) -> list[list[str]]:
    """The arguments of each row of a .def file."""
    found = re.findall(rf"^{macro}\((.*)\)$", path.read_text(), re.MULTILINE)
    return [[word.strip() for word in row.split(",")] for row in found]


def find_symbol(cubin: Cubin, name: str) -> int | None:
    """The index of the first symbol with this name; None if there is none."""
    return next((i for i, s in enumerate(cubin.symbols) if s.name == name), None)
