"""Programs of several files contain the same device code with warpld as with nvlink.

The sources of each folder of programs/ are compiled once. Then both the toolkit's nvcc and the
overlay's nvcc link the objects, to an object (-dlink) and to a program."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import pytest
from fat_binaries import assert_same_cubin, assert_same_images, is_linked_by_warpld
from toolkit import ALL, PROGRAMS, needs_toolkit, run, slow, start

pytestmark = needs_toolkit

NAMES = sorted(path.name for path in PROGRAMS.iterdir())
DEBUG = ((), ("-lineinfo",), ("-G",))
TARGETS = {
    "many": ("75", "80", "86", "90"),
    "two": ("80", "90"),
    "accelerated": ("89", "90a"),
}
SLOW_TO_COMPILE = ("cooperative-groups", "cub")


def targets(name: str, *, text: bool) -> list[str]:
    """Options with which nvcc makes code for several targets. If `text` is set, nvcc also makes PTX
    for the last target."""
    words = [f"-gencode=arch=compute_{sm},code=sm_{sm}" for sm in TARGETS[name]]
    last = TARGETS[name][-1]
    return words + [f"-gencode=arch=compute_{last},code=compute_{last}"] * text


@dataclass(frozen=True)
class Case:
    program: str
    options: tuple[str, ...]
    targets: str = "two"
    text: bool = True

    def __str__(self) -> str:
        return "-".join([self.program, self.targets, *(word.strip("-") for word in self.options)])

    @property
    def words(self) -> list[str]:
        return [*self.options, *targets(self.targets, text=self.text)]


def cases() -> list[Case]:
    """If ALL is set, the cases combine each program with each of the options in DEBUG, and with
    accelerated targets. Otherwise there is one case for each program that compiles fast, and the
    programs use the options in DEBUG in turn."""
    if ALL:
        full = [Case(name, options, "many") for name in NAMES for options in DEBUG]
        full += [Case(name, ("-Xptxas=-O1",), "accelerated", False) for name in NAMES]
        return full
    fast = [name for name in NAMES if name not in SLOW_TO_COMPILE]
    return [Case(name, options) for name, options in zip(fast, itertools.cycle(DEBUG))]


def sources(program: str) -> list[Path]:
    return sorted((PROGRAMS / program).glob("*.cu"))


def compile_objects(case: Case, folder: Path) -> list[str]:
    run(["nvcc", "-t", "2", "-dc", *case.words, *sources(case.program)], folder)
    return [f"{path.stem}.o" for path in sources(case.program)]


def device_link(nvcc: object, words: list[str], folder: Path, output: str) -> Path:
    """Runs a device link. Returns the folder `output`, with the object linked.o and the files that
    nvcc keeps."""
    kept = folder / output
    kept.mkdir()
    command = [nvcc, "-dlink", "--keep", "--keep-dir", kept, "-o", kept / "linked.o", *words]
    run(command, folder)
    return kept


def assert_same_links(theirs: Path, ours: Path, folder: Path) -> None:
    names = [sorted(p.name for p in kept.glob("*.cubin")) for kept in (theirs, ours)]
    assert names[0] == names[1] != []
    for name in names[0]:
        assert_same_cubin((theirs / name).read_bytes(), (ours / name).read_bytes(), folder)
    register = "linked.reg.c"
    assert (theirs / register).read_bytes() == (ours / register).read_bytes()
    assert_same_images(theirs / "linked.o", ours / "linked.o", folder)
    assert is_linked_by_warpld(ours / "linked.o")
    assert not is_linked_by_warpld(theirs / "linked.o")


@pytest.mark.parametrize("case", cases(), ids=str)
def test_the_same_device_code(case: Case, overlay: Path, tmp_path: Path) -> None:
    objects = compile_objects(case, tmp_path)
    # With -G fatbinary would compress the linked code, and the test could not compare it.
    words = [*case.words, "--no-compress", *objects]
    theirs = device_link("nvcc", words, tmp_path, "theirs")
    ours = device_link(overlay / "bin" / "nvcc", words, tmp_path, "ours")
    assert_same_links(theirs, ours, tmp_path)
    for nvcc, output in (("nvcc", "first"), (overlay / "bin" / "nvcc", "second")):
        run([nvcc, *words, "-o", output], tmp_path)
    assert_same_images(tmp_path / "first", tmp_path / "second", tmp_path)
    assert is_linked_by_warpld(tmp_path / "second")
    assert start(tmp_path / "second") == start(tmp_path / "first")


@slow
def test_from_sources_in_one_command(overlay: Path, tmp_path: Path) -> None:
    """The command names no objects: nvcc compiles and links in one step."""
    words = ["-rdc=true", *sources("variables"), *targets("two", text=False)]
    run(["nvcc", *words, "-o", tmp_path / "first"], tmp_path)
    run([overlay / "bin" / "nvcc", *words, "-o", tmp_path / "second"], tmp_path)
    assert assert_same_images(tmp_path / "first", tmp_path / "second", tmp_path) == 2
    assert is_linked_by_warpld(tmp_path / "second")
    start(tmp_path / "second")


def test_text_only(overlay: Path, tmp_path: Path) -> None:
    """The objects hold only PTX for sm_80, which the link compiles for sm_86."""
    only_text = ["-gencode=arch=compute_80,code=compute_80"]
    run(["nvcc", "-dc", *only_text, *sources("function-pointers")], tmp_path)
    words = ["main.o", "operations.o", "-gencode=arch=compute_80,code=sm_86"]
    theirs = device_link("nvcc", words, tmp_path, "theirs")
    ours = device_link(overlay / "bin" / "nvcc", words, tmp_path, "ours")
    assert_same_links(theirs, ours, tmp_path)
