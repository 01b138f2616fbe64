"""warpld links the device code in objects for another host processor, as nvlink does. A cross
compiler makes these objects."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fat_binaries import assert_same_cubin
from toolkit import PROGRAMS, needs_toolkit, run, slow, toolkit

CROSS = "aarch64-linux-gnu-"

pytestmark = [
    needs_toolkit,
    slow,
    pytest.mark.skipif(not shutil.which(f"{CROSS}g++"), reason=f"{CROSS}g++ is not installed"),
]


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the objects of a program. One of them is in an archive, and ld -r has processed
    another one."""
    folder = tmp_path_factory.mktemp("objects")
    includes = [f"-I{toolkit() / 'include'}", f"-I{toolkit() / 'include' / 'cccl'}"]
    sources = sorted((PROGRAMS / "variables").glob("*.cu"))
    run(["nvcc", "-dc", "-arch=sm_80", "-ccbin", f"{CROSS}g++", *includes, *sources], folder)
    run([f"{CROSS}ar", "rcs", "libvariables.a", "variables.o"], folder)
    run([f"{CROSS}ld", "-r", "main.o", "-o", "joined.o"], folder)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["main.o", "variables.o"],
        ["-cpu-arch=AARCH64", "joined.o", "-L.", "-lvariables"],
        ["-cpu-arch=AARCH64", "libvariables.a", "main.o"],
    ],
    ids=["objects", "library", "archive"],
)
def test_same_code_and_registration(words: list[str], objects: Path, overlay: Path) -> None:
    results = []
    for linker in ("nvlink", overlay / "bin" / "nvlink"):
        files = ["--register-link-binaries=names", "-o", "linked.cubin"]
        run([linker, "-arch=sm_80", *words, *files], objects)
        results.append([(objects / name).read_bytes() for name in ("linked.cubin", "names")])
    assert_same_cubin(results[0][0], results[1][0], objects)
    assert results[0][1] == results[1][1]
