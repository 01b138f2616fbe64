"""nvcc -dlink with 33 combinations of options: the overlay's object is equivalent to nvcc's."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from fat_binaries import linked_images
from toolkit import BUILD, needs_toolkit, run, toolkit

PROGRAMS = Path(__file__).resolve().parents[1] / "compile" / "programs"
NAMES = ("kernels", "functions", "more")
OBJECTS = [f"{name}.o" for name in NAMES]
TARGETS = (80, 90)
BOTH = [f"-gencode=arch=compute_{sm},code=sm_{sm}" for sm in TARGETS]
ONE = ["-arch=sm_90"]
COMBINATIONS = [
    BOTH,
    ONE,
    ["-arch", "sm_80"],
    ["-gencode", "arch=compute_80,code=sm_80"],
    ["-gencode=arch=compute_90,code=[sm_90,compute_90]"],
    ["-arch=compute_90", "-code=sm_90"],
    ["-arch=compute_80", "-code=sm_80,sm_90"],
    ["--gpu-architecture=sm_90"],
    ["--gpu-architecture", "compute_90", "--gpu-code", "sm_90"],
    ["-arch=compute_80", "-code=sm_80", "-code=sm_90"],
    ["-gencode=arch=compute_80,code=sm_80", "-arch=sm_90"],
    ["-gencode=arch=compute_80,code=sm_80", "-arch=compute_90", "-code=sm_90"],
    [*BOTH, "-rdc=true"],
    [*BOTH, "--relocatable-device-code=true"],
    [*BOTH, "-m64"],
    [*ONE, "-O3"],
    [*ONE, "-g"],
    [*ONE, "-G"],
    [*ONE, "-lineinfo"],
    [*ONE, "-std=c++17"],
    [*ONE, "-Xcompiler=-fPIC"],
    [*ONE, "-Xcompiler", "-fPIC,-Wall"],
    [*ONE, "-Xnvlink=-v"],
    [*ONE, "-Xnvlink", "--suppress-stack-size-warning"],
    [*BOTH, "-cudadevrt=none"],
    [*BOTH, "-cudadevrt=static"],
    [*BOTH, "-cudart=shared"],
    [*BOTH, "-lcudart_static"],
    [*BOTH, "-L", "."],
    [*BOTH, "-no-compress"],
    [*BOTH, "-compress-mode=size"],
    [*BOTH, "-compress-mode=speed", "-Xcompiler=-fPIC"],
    [*BOTH, "-compress-mode", "balance", "-lineinfo", "-rdc=true"],
]

pytestmark = needs_toolkit


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compiled")
    sources = [PROGRAMS / f"{name}.cu" for name in NAMES]
    run(["nvcc", *BOTH, "-rdc=true", "-c", *sources], folder)
    return folder


def global_names(path: Path) -> list[str]:
    """The global names of an object, without _GLOBAL_OFFSET_TABLE_, which nvcc's host compiler adds
    with -fPIC."""
    lines = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"[TU] \w+$", lines, re.MULTILINE)
    return sorted(name for name in names if name != "U _GLOBAL_OFFSET_TABLE_")


def images_of(path: Path) -> list[tuple[int, int]]:
    """The target and the flags of each image. The flags also say whether the image is compressed.
    The result is sorted, because nvcc orders images by a hash."""
    return sorted((image.sm, image.flags) for image in linked_images(path))


@pytest.mark.parametrize("options", COMBINATIONS, ids=" ".join)
def test_the_object_is_equivalent(options: list[str], overlay: Path, compiled: Path) -> None:
    words = ["-dlink", *options, *OBJECTS, "-o"]
    run([toolkit() / "bin" / "nvcc", *words, "theirs.o"], compiled)
    run([overlay / "bin" / "nvcc", *words, "ours.o"], compiled)
    theirs, ours = compiled / "theirs.o", compiled / "ours.o"
    assert images_of(theirs) == images_of(ours) != []
    for target, _ in images_of(ours):
        run(
            [BUILD / "cubintool", "diff", "--strict", f"--arch=sm_{target}", theirs, ours], compiled
        )
    assert global_names(theirs) == global_names(ours)


def test_no_combination_is_there_twice() -> None:
    assert len({" ".join(options) for options in COMBINATIONS}) == len(COMBINATIONS) == 33
