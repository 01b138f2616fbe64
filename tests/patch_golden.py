#!/usr/bin/env python3
"""Makes the inputs of golden links that no compiler writes: compiled objects with stated edits.

usage: patch_golden.py [FOLDER...]                 makes them again (all by default)
       patch_golden.py --derive FOLDER/FILE BASE [ARCH]
                                                   states the edits that make FILE of BASE

Beside FILE.cubin stands FILE.edits: `base BASE ARCH` names a text in tests/golden/sources, `base
BASE` an object of another golden link; `layout written` says that tests/compare/cubin.py wrote the
file, `layout kept` that the edits went into the file that ptxas wrote. Then follow the changed
lines of the object's text, see tests/compare/object_text.py. Without such lines it is the base.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from pathlib import Path

import conftest  # noqa: F401
from cubin import Cubin
from golden_folder import GOLDEN, compiled
from object_text import changed, difference, object_of, text_of, written_in_place

WRITTEN, KEPT = "written", "kept"


compile_base = functools.cache(compiled)


@dataclass(frozen=True)
class Recipe:
    base: str
    arch: str  # empty if the base is an object
    layout: str
    edits: tuple[str, ...]

    @property
    def base_bytes(self) -> bytes:
        path = GOLDEN / self.base
        return compile_base(path, self.arch) if self.arch else path.read_bytes()

    def make(self) -> bytes:
        base = self.base_bytes
        if not self.edits:
            return base if self.layout == KEPT else Cubin(base).write()
        if self.layout == KEPT:
            before = Cubin(base)
            after = object_of(changed(text_of(before), list(self.edits)), before)
            return written_in_place(base, after)
        before = Cubin(Cubin(base).write())
        return object_of(changed(text_of(before), list(self.edits)), before).write()

    def text(self) -> str:
        head = [f"base {self.base} {self.arch}".rstrip(), f"layout {self.layout}"]
        return "\n".join([*head, *self.edits]) + "\n"


def read_recipe(path: Path) -> Recipe:
    base, layout, *edits = path.read_text().splitlines()
    _, name, *arch = base.split(" ")
    return Recipe(name, "".join(arch), layout.removeprefix("layout "), tuple(edits))


def derived(wanted: bytes, base: str, arch: str) -> Recipe:
    """The recipe that makes the wanted bytes; ValueError if neither layout does."""
    for layout in (KEPT, WRITTEN):
        before = Cubin(Recipe(base, arch, layout, ()).make())
        edits = difference(text_of(before), text_of(Cubin(wanted)))
        recipe = Recipe(base, arch, layout, tuple(edits))
        try:
            if recipe.make() == wanted:
                return recipe
        except ValueError:
            continue
    raise ValueError(f"no edits of {base} make these bytes")


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["--derive"]:
        name, base, *arch = words[1:]
        recipe = derived((GOLDEN / name).read_bytes(), base, "".join(arch))
        (GOLDEN / name).with_suffix(".edits").write_text(recipe.text())
        return
    for edits in sorted(GOLDEN.glob("*/*.edits")):
        if not words or edits.parent.name in words:
            edits.with_suffix(".cubin").write_bytes(read_recipe(edits).make())


if __name__ == "__main__":
    main()
