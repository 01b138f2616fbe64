"""The bytes of built files do not depend on the folder of the sources. Only two objects are built
twice here; `make check-packages` builds everything twice."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
ARTEFACTS = [
    "warpld",
    "cubintool",
    "warpld-ptx-helper",
    "libwarpld.a",
    "libwarpld.so",
    "libnvJitLink.so.12",
    "libnvJitLink.so.13",
]
# One object file of the library and one of the command warpld.
OBJECTS = ["build/obj/src/base/arena.o", "build/obj/src/cli/main.o"]


@pytest.mark.parametrize("name", ARTEFACTS)
def test_no_artefact_names_the_folder_of_the_sources(name: str) -> None:
    contents = (BUILD / name).read_bytes()
    assert f"{REPOSITORY}/src".encode() not in contents
    if REPOSITORY != Path("/"):
        assert str(REPOSITORY).encode() + b"\0" not in contents


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_two_folders_give_the_same_objects(tmp_path: Path, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    contents = []
    for folder in (tmp_path / "a", tmp_path / "deeper" / "b"):
        folder.mkdir(parents=True)
        shutil.copy(REPOSITORY / "Makefile", folder)
        for part in ("src", "include", "packaging"):
            shutil.copytree(REPOSITORY / part, folder / part)
        command = ["make", f"CC={compiler}", "LTO=0", *OBJECTS]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        contents.append([(folder / name).read_bytes() for name in OBJECTS])
    assert contents[0] == contents[1]
