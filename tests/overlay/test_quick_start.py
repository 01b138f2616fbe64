"""Runs the commands of docs/quick-start.md in order, as a reader does."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from fat_binaries import is_linked_by_warpld
from toolkit import BUILD, REPOSITORY, needs_toolkit, run, toolkit

PAGE = (REPOSITORY / "docs" / "quick-start.md").read_text()
BLOCK = re.compile(r"^```(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = needs_toolkit


def section(title: str) -> str:
    (text,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return str(text)


def commands_of(title: str) -> list[str]:
    return [text for head, text in BLOCK.findall(section(title)) if not head]


def save_files(folder: Path) -> None:
    """Writes a file for each block of the page that has a title. The title is the file's name."""
    for head, content in BLOCK.findall(PAGE):
        for name in re.findall('title="(.*?)"', head):
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which `make install` installs."""
    folder = tmp_path_factory.mktemp("prefix")
    run(["make", "install", f"BUILD={BUILD}", f"PREFIX={folder}", "DESTDIR="], REPOSITORY)
    return folder


def follow(title: str, prefix: Path, folder: Path) -> None:
    """Saves the files of the page and runs the commands of a section, each of which must succeed.
    The commands that start programs are left out, because there may be no GPU."""
    save_files(folder)
    for commands in commands_of(title):
        commands = commands.replace("/usr/local/cuda", str(toolkit())).replace("./program\n", "")
        run(
            ["sh", "-ec", commands],
            folder,
            PATH=f"{prefix}/bin:{os.environ['PATH']}",
            CMAKE_PREFIX_PATH=str(prefix),
        )


def test_nvcc(prefix: Path, tmp_path: Path) -> None:
    follow("nvcc", prefix, tmp_path)
    assert is_linked_by_warpld(tmp_path / "program")
    follow("What was linked\\?", prefix, compile_cubins(tmp_path))
    assert "fill" in (tmp_path / "link.html").read_text()


def compile_cubins(folder: Path) -> Path:
    """Runs the first command of the section about Python."""
    run(["nvcc", "-cubin", "-rdc=true", "-arch=sm_90", "a.cu", "b.cu"], folder)
    return folder


@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not installed")
def test_cmake(prefix: Path, tmp_path: Path) -> None:
    follow("CMake", prefix, tmp_path)
    assert is_linked_by_warpld(tmp_path / "build" / "program")
    assert is_linked_by_warpld(tmp_path / "build-direct" / "program")


def test_make(prefix: Path, tmp_path: Path) -> None:
    follow("make and other build systems", prefix, tmp_path)
    assert is_linked_by_warpld(tmp_path / "program")


@pytest.mark.skipif(not shutil.which("bazel"), reason="Bazel is not installed")
def test_bazel(prefix: Path, tmp_path: Path) -> None:
    follow("Bazel", prefix, tmp_path)
    (tmp_path / "WORKSPACE").touch()
    path = f"{prefix}/bin:{os.environ['PATH']}"
    run(["bazel", "--batch", "build", "//:program"], tmp_path, PATH=path)
    assert is_linked_by_warpld(tmp_path / "bazel-bin" / "program.out")


def test_the_commands_about_python(tmp_path: Path) -> None:
    """Runs the commands of the section, except the one that runs the Python program. tests/python
    runs that program."""
    (commands,) = commands_of("Python")
    save_files(tmp_path)
    run(["sh", "-ec", commands.replace("python3 program.py\n", "")], tmp_path)
    assert {path.name for path in tmp_path.glob("*.cubin")} == {"a.cubin", "b.cubin"}
