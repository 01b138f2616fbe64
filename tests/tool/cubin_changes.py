"""Functions that change a device ELF, for tests of commands that must notice the changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cubin_file import CubinFile
from tool import LINKED

Change = Callable[[CubinFile], object]


def changed(change: Change, folder: Path, original: Path = LINKED) -> Path:
    file = CubinFile(original)
    change(file)
    return file.write(folder / "changed.cubin")


def section_field(section: str, name: str, value: int) -> Change:
    return lambda file: setattr(file.section(section), name, value)


def symbol_field(name: str, field: int, value: int) -> Change:
    def change(file: CubinFile) -> None:
        index = file.symbol_index(name)
        symbol = file.symbol(index)
        symbol[field] = value
        file.set_symbol(index, symbol)

    return change


def bytes_at(section: str, offset: int, data: bytes) -> Change:
    return lambda file: file.section(section).patch(offset, data)
