"""clang compiles relocatable device code, and warpld links it, through --cuda-path.

Clang of 2025 does not support CUDA 13: it includes a header that no longer exists, and calls
fatbinary with the option --image, which no longer exists either. The fixture `folder` adds an empty
header, and a script that replaces the option in calls of fatbinary. Neither concerns the linker."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fat_binaries import assert_same_images, is_linked_by_warpld
from toolkit import (
    HOST_LIBRARIES,
    link_host,
    make_overlay,
    needs_toolkit,
    run,
    slow,
    start,
    toolkit,
)

CLANGS = ("clang++-22", "clang++-21", "clang++-20", "clang++-19")
CLANG = next((name for name in CLANGS if shutil.which(name)), None)
PROJECT = Path(__file__).resolve().parent / "makefile"
TARGET = "sm_90"

FATBINARY = """#!/bin/sh
for word; do
    shift
    kind=
    case $word in
    --image=profile=sm_*) kind=elf ;;
    --image=profile=compute_*) kind=ptx ;;
    esac
    rest=${word#--image=profile=*_}
    [ -z "$kind" ] || word="--image3=kind=$kind,sm=${rest%%,*},${rest#*,}"
    set -- "$@" "$word"
done
exec "@TOOLKIT@/bin/fatbinary" "$@"
"""

pytestmark = [
    needs_toolkit,
    slow,
    pytest.mark.skipif(CLANG is None, reason=f"none of {', '.join(CLANGS)} is installed"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an overlay that this clang can use."""
    made = tmp_path_factory.mktemp("clang")
    fatbinary = make_overlay(made / "overlay") / "bin" / "fatbinary"
    fatbinary.unlink()
    fatbinary.write_text(FATBINARY.replace("@TOOLKIT@", str(toolkit())))
    fatbinary.chmod(0o755)
    (made / "include").mkdir()
    (made / "include" / "texture_fetch_functions.h").touch()
    return made


def clang(folder: Path, *words: object) -> None:
    options = ["-fgpu-rdc", f"--cuda-path={folder}/overlay", f"--cuda-gpu-arch={TARGET}"]
    run([CLANG, "-Wno-unknown-cuda-version", f"-I{folder}/include", *options, *words], folder)


def test_objects_of_clang(folder: Path) -> None:
    """clang compiles, nvcc links the device code, and the host's compiler links the program."""
    sources = [PROJECT / "first.cu", PROJECT / "second.cu"]
    clang(folder, "-c", *sources)
    for nvcc, name in (("nvcc", "theirs.o"), (folder / "overlay/bin/nvcc", "ours.o")):
        run([nvcc, f"-arch={TARGET}", "-dlink", "first.o", "second.o", "-o", name], folder)
    assert_same_images(folder / "theirs.o", folder / "ours.o", folder)
    link_host(["first.o", "second.o", "ours.o"], folder / "program")
    assert is_linked_by_warpld(folder / "program")
    start(folder / "program")


def test_clang_links_itself(folder: Path) -> None:
    """With --offload-new-driver, clang-linker-wrapper calls the nvlink of the toolkit, here of the
    overlay."""
    found = shutil.which(CLANG or "")
    assert found
    tools = Path(found).resolve().parent
    if not (tools / "clang-linker-wrapper").exists():
        pytest.skip(f"clang-linker-wrapper of {CLANG} is not installed")
    sources = [PROJECT / "first.cu", PROJECT / "second.cu"]
    libraries = [f"-L{toolkit() / 'lib64'}", *HOST_LIBRARIES]
    clang(folder, "--offload-new-driver", *sources, "-o", "by-clang", *libraries)
    assert is_linked_by_warpld(folder / "by-clang")
    start(folder / "by-clang")
