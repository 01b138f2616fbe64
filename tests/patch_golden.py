#!/usr/bin/env python3
"""Makes the inputs of golden links that no compiler writes, by editing compiled objects.

usage: patch_golden.py [FOLDER...]                 makes the inputs again (all by default)
       patch_golden.py --derive FOLDER/FILE BASE   writes the edits that turn BASE into FILE. BASE
                                                   is what follows `base` in FILE.edits: SOURCE
                                                   ARCH, OBJECT, or nvlink OPTIONS SOURCES

FILE.edits, beside FILE.cubin, says how that file is made. The line `base` names what is edited:

    base SOURCE ARCH             the object that ptxas makes of a PTX file in tests/golden/sources
    base OBJECT                  an object of another golden link
    base nvlink OPTIONS SOURCES  the output of nvlink -r for objects that ptxas makes of SOURCES; in
                                 OPTIONS, -uidx=FILE names an index file in tests/golden

The line `layout` says how the file is written:

    layout written         by tests/compare/cubin.py
    layout kept            the edits go into the file that the compiler or nvlink wrote
    layout moved SECTIONS  by cubin.py, with the contents of these sections copied to odd offsets at
                           the end, to which their headers point

The remaining lines are the changed lines of the object's text form (tests/compare/object_text.py).
If there are none, the object is the base itself.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import conftest  # noqa: F401
from cubin import ELF_HEADER, SECTION_HEADER, Cubin
from golden_folder import GOLDEN, WORKING_FOLDER, compiled
from object_text import changed, difference, object_of, text_of, written_in_place

WRITTEN, KEPT, MOVED = "written", "kept", "moved"
LINKER = "nvlink"
INDEX_FILE = "-uidx="


compile_base = functools.cache(compiled)


@functools.cache
def joined(arguments: str) -> bytes:
    """The output of nvlink for PTX files, which are compiled for the link's target."""
    words = arguments.split(" ")
    arch = next(word.removeprefix("-arch=") for word in words if word.startswith("-arch="))
    WORKING_FOLDER.mkdir(exist_ok=True)
    command = []
    for word in words:
        path = GOLDEN / word
        if not word.startswith("-") and path.suffix == ".ptx":
            word = f"{path.stem}.cubin"
            (WORKING_FOLDER / word).write_bytes(compile_base(path, arch))
        if word.startswith(INDEX_FILE):  # by its bare name, since the output records the option
            path = GOLDEN / word.removeprefix(INDEX_FILE)
            shutil.copy(path, WORKING_FOLDER)
            word = f"{INDEX_FILE}{path.name}"
        command.append(word)
    output = WORKING_FOLDER / "joined.cubin"
    done = subprocess.run(
        [*command, "-o", output.name],
        cwd=WORKING_FOLDER,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ValueError(f"{arguments}: {done.stdout}{done.stderr}")
    return output.read_bytes()


def moved_to_odd_offsets(data: bytes, names: list[str]) -> bytes:
    """Copies the sections' contents, one after another, to the end of the file, beginning at an odd
    offset. Later sections are also at odd offsets if the sizes are even."""
    cubin, out = Cubin(data), bytearray(data)
    out += bytes(1 - len(out) % 2)
    table = ELF_HEADER.unpack_from(data)[6]
    for name in names:
        index = cubin.section_index(name)
        header = table + SECTION_HEADER.size * index
        fields = list(SECTION_HEADER.unpack_from(data, header))
        fields[4] = len(out)
        SECTION_HEADER.pack_into(out, header, *fields)
        out += cubin.sections[index].data
    return bytes(out)


@dataclass(frozen=True)
class Recipe:
    base: str  # the file that is edited, or the nvlink command that makes it
    arch: str  # for a PTX file: its target; otherwise empty
    layout: str
    edits: tuple[str, ...]

    @property
    def is_joined(self) -> bool:
        return self.base.startswith(f"{LINKER} ")

    @property
    def bases(self) -> set[str]:
        """The files that the recipe needs."""
        if not self.is_joined:
            return {self.base}
        words = [word.removeprefix(INDEX_FILE) for word in self.base.split(" ")[1:]]
        return {word for word in words if not word.startswith("-")}

    @property
    def base_bytes(self) -> bytes:
        if self.is_joined:
            return joined(self.base)
        path = GOLDEN / self.base
        return compile_base(path, self.arch) if self.arch else path.read_bytes()

    def make(self) -> bytes:
        layout, *names = self.layout.split(" ")
        if layout == KEPT:
            return self.patched_in_place()
        written = self.written()
        return moved_to_odd_offsets(written, names) if layout == MOVED else written

    def written(self) -> bytes:
        data = Cubin(self.base_bytes).write()
        if not self.edits:
            return data
        before = Cubin(data)
        return object_of(changed(text_of(before), list(self.edits)), before).write()

    def patched_in_place(self) -> bytes:
        base = self.base_bytes
        if not self.edits:
            return base
        before = Cubin(base)
        after = object_of(changed(text_of(before), list(self.edits)), before)
        return written_in_place(base, after)

    def text(self) -> str:
        head = [f"base {self.base} {self.arch}".rstrip(), f"layout {self.layout}"]
        return "\n".join([*head, *self.edits]) + "\n"


def read_recipe(path: Path) -> Recipe:
    base, layout, *edits = path.read_text().splitlines()
    layout = layout.removeprefix("layout ")
    name, *arch = base.removeprefix("base ").split(" ")
    if name == LINKER:
        return Recipe(" ".join([name, *arch]), "", layout, tuple(edits))
    return Recipe(name, "".join(arch), layout, tuple(edits))


def derived(wanted: bytes, base: str, arch: str, last: str = WRITTEN) -> Recipe:
    """The recipe that makes the wanted bytes from the base. Tries the layouts `kept`, `written` and
    `last`. Raises ValueError if none of them makes these bytes."""
    for layout in (KEPT, WRITTEN, last):
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
        if base == LINKER:
            base, arch = " ".join([base, *arch]), []
        recipe = derived((GOLDEN / name).read_bytes(), base, "".join(arch))
        (GOLDEN / name).with_suffix(".edits").write_text(recipe.text())
        return
    for edits in sorted(GOLDEN.glob("*/*.edits")):
        if not words or edits.parent.name in words:
            edits.with_suffix(".cubin").write_bytes(read_recipe(edits).make())


if __name__ == "__main__":
    main()
