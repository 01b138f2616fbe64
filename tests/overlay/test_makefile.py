"""The overlay works for a Makefile that calls the linker directly, and for archives that contain
device code or the object of a device link."""

from __future__ import annotations

from pathlib import Path

import pytest
from fat_binaries import assert_same_cubin, assert_same_images, is_linked_by_warpld
from toolkit import link_host, needs_toolkit, run, slow, start

pytestmark = needs_toolkit

PROJECT = Path(__file__).resolve().parent / "makefile"
TARGETS = ["-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"]


def make(folder: Path, *words: str) -> Path:
    folder.mkdir()
    command = ["make", "-j2", "-f", PROJECT / "Makefile", f"SOURCES={PROJECT}", *words]
    run(command, folder, MAKEFLAGS="")
    return folder


def test_linker_called_by_its_name(overlay: Path, tmp_path: Path) -> None:
    goals = ("program", "program-of-archive")
    theirs = make(tmp_path / "theirs", *goals)
    ours = make(tmp_path / "ours", *goals, f"NVLINK={overlay}/bin/nvlink")
    cubins = sorted(path.name for path in theirs.glob("*.cubin"))
    assert len(cubins) == 4
    for name in cubins:
        assert_same_cubin((theirs / name).read_bytes(), (ours / name).read_bytes(), tmp_path)
    for name in ("registration.h", "registration-of-archive.h"):
        assert (theirs / name).read_bytes() == (ours / name).read_bytes()
    for name in goals:
        assert is_linked_by_warpld(ours / name)
        start(ours / name)


def compile_objects(folder: Path) -> None:
    run(["nvcc", "-dc", *TARGETS, PROJECT / "first.cu", PROJECT / "second.cu"], folder)
    run(["g++", "-c", PROJECT / "main.cpp"], folder)


def test_archive_with_its_own_device_link(overlay: Path, tmp_path: Path) -> None:
    """One archive contains the objects with the kernels, and the object that registers them. The
    host's linker needs no other file."""
    compile_objects(tmp_path)
    nvcc = overlay / "bin" / "nvcc"
    run([nvcc, "-dlink", *TARGETS, "second.o", "-o", "linked.o"], tmp_path)
    run(["ar", "rcs", "libsecond.a", "second.o", "linked.o"], tmp_path)
    link_host(["main.o", "libsecond.a"], tmp_path / "program")
    assert is_linked_by_warpld(tmp_path / "program")
    start(tmp_path / "program")


@pytest.mark.parametrize(
    "kind", ["-lib", "thin", pytest.param("ar", marks=slow), pytest.param("joined", marks=slow)]
)
def test_program_of_a_library(kind: str, overlay: Path, tmp_path: Path) -> None:
    """Relocatable device code in libraries of each kind is linked with that of the program."""
    compile_objects(tmp_path)
    commands: dict[str, list[object]] = {
        "-lib": [overlay / "bin" / "nvcc", "-lib", "second.o", "-o", "libsecond.a"],
        "ar": ["ar", "rcs", "libsecond.a", "second.o"],
        "thin": ["ar", "rcsT", "libsecond.a", "second.o"],
        "joined": ["ld", "-r", "second.o", "main.o", "-o", "libsecond.a"],
    }
    run(commands[kind], tmp_path)
    if kind == "joined":
        run(["objcopy", "--strip-symbol=main", "libsecond.a"], tmp_path)
    for nvcc, name in (("nvcc", "theirs"), (overlay / "bin" / "nvcc", "ours")):
        run([nvcc, *TARGETS, "first.o", "libsecond.a", "-o", name], tmp_path)
    assert assert_same_images(tmp_path / "theirs", tmp_path / "ours", tmp_path) == 2
    assert is_linked_by_warpld(tmp_path / "ours")
    start(tmp_path / "ours")


def test_library_linked_before_is_not_linked_again(overlay: Path, tmp_path: Path) -> None:
    """The library's own device link registers second.o. The program's device link must not register
    it a second time."""
    compile_objects(tmp_path)
    run(["nvcc", "-dc", *TARGETS, PROJECT.parent / "cmake" / "mathematics.cu"], tmp_path)
    for nvcc, name in (("nvcc", "theirs"), (overlay / "bin" / "nvcc", "ours")):
        folder = tmp_path / name
        folder.mkdir()
        run([nvcc, "-dlink", *TARGETS, "../second.o", "-o", "linked.o"], folder)
        run(["ar", "rcs", "libsecond.a", "../second.o", "linked.o"], folder)
        kept = ["--keep", "--keep-dir", "."]
        inputs = ["../mathematics.o", "libsecond.a", "-o", "program.o"]
        run([nvcc, "-dlink", *kept, *TARGETS, *inputs], folder)
        link_host(["../main.o", "program.o", "../mathematics.o", "libsecond.a"], folder / "program")
        start(folder / "program")
    names = [(tmp_path / name / "program.reg.c").read_text() for name in ("theirs", "ours")]
    assert names[0] == names[1]
    assert "second" not in names[0] and "mathematics" in names[0]
    theirs, ours = tmp_path / "theirs" / "program.o", tmp_path / "ours" / "program.o"
    assert assert_same_images(theirs, ours, tmp_path) == 2
