"""Builds CMake projects with separable compilation. The CUDA compiler is the overlay's nvcc."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fat_binaries import assert_same_images, is_linked_by_warpld
from toolkit import ALL, needs_toolkit, run, slow, start

PROJECT = Path(__file__).resolve().parent / "cmake"
TARGETS = "80;90" if ALL else "80"
PROGRAMS = ("program", "launches", "plain", "dynamic")
# CMake targets that contain linked device code. `plain` uses the linked code of a library.
DEVICE_LINKS = ("program", "launches", "resolved", "shared")

pytestmark = [
    needs_toolkit,
    pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not installed"),
]


def build(nvcc: object, folder: Path, generator: str, *definitions: str) -> Path:
    compiler = f"-DCMAKE_CUDA_COMPILER={nvcc}"
    targets = f"-DCMAKE_CUDA_ARCHITECTURES={TARGETS}"
    words = ["-S", PROJECT, "-B", folder, "-G", generator, compiler, targets, *definitions]
    run(["cmake", *words], folder.parent)
    run(["cmake", "--build", folder, "--parallel", "2"], folder.parent)
    return folder


def device_link(folder: Path, target: str) -> Path:
    return folder / "CMakeFiles" / f"{target}.dir" / "cmake_device_link.o"


def test_every_kind_of_target(overlay: Path, tmp_path: Path) -> None:
    theirs = build(shutil.which("nvcc"), tmp_path / "theirs", "Unix Makefiles")
    ours = build(overlay / "bin" / "nvcc", tmp_path / "ours", "Unix Makefiles")
    for target in DEVICE_LINKS:
        linked = device_link(ours, target)
        assert is_linked_by_warpld(linked)
        count = assert_same_images(device_link(theirs, target), linked, tmp_path)
        assert count == len(TARGETS.split(";"))
    for name in (*PROGRAMS[:-1], "libshared.so"):
        assert is_linked_by_warpld(ours / name)
        assert_same_images(theirs / name, ours / name, tmp_path)
    for name in PROGRAMS:
        start(ours / name)


@slow
@pytest.mark.skipif(not shutil.which("ninja"), reason="ninja is not installed")
def test_ninja(overlay: Path, tmp_path: Path) -> None:
    folder = build(overlay / "bin" / "nvcc", tmp_path / "build", "Ninja")
    for name in PROGRAMS:
        start(folder / name)
    assert all(is_linked_by_warpld(device_link(folder, target)) for target in DEVICE_LINKS)


@slow
def test_debug_build(overlay: Path, tmp_path: Path) -> None:
    """Builds with CMake's debug flags and -G. With -G, fatbinary compresses the linked code unless
    --no-compress is given, and is_linked_by_warpld cannot read compressed code."""
    words = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CUDA_FLAGS=-G --no-compress"]
    folder = build(overlay / "bin" / "nvcc", tmp_path / "build", "Unix Makefiles", *words)
    assert is_linked_by_warpld(folder / "program")
    for name in PROGRAMS:
        start(folder / name)
