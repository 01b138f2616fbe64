"""The examples in all languages can be built, print the same text, and make the same cubin."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from library_link import BUILD, REPOSITORY

EXAMPLES = REPOSITORY / "examples"
INPUTS = sorted((REPOSITORY / "tests" / "golden" / "weak-kernel").glob("[a-z].cubin"))[:2]
HEADER, LIBRARY = f"-I{REPOSITORY / 'include'}", [f"-L{BUILD}", "-lwarpld"]


def run(*command: object, folder: Path | None = None) -> str:
    environment = {**os.environ, "LD_LIBRARY_PATH": str(BUILD)}
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env=environment, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(compiler: str, source: str, folder: Path, *flags: str) -> Path:
    program = folder / source.replace(".", "_")
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    libraries = LIBRARY if compiler != "rustc" else LIBRARY[:1]
    run(compiler, *flags, EXAMPLES / source, "-o", program, *libraries, folder=folder)
    return program


def link_in_c(folder: Path, output: Path) -> str:
    program = built("gcc", "link_two_buffers.c", folder, "-std=c17", HEADER)
    return run(program, "sm_80", *INPUTS, output)


def link_in_cpp(folder: Path, output: Path) -> str:
    program = built("g++", "link_in_memory.cpp", folder, "-std=c++17", "-Wall", "-Werror", HEADER)
    return run(program, "sm_80", output, *INPUTS)


def link_in_python(_: Path, output: Path) -> str:
    script, library = EXAMPLES / "link_in_memory.py", BUILD / "libwarpld.so"
    return run(sys.executable, script, library, "sm_80", output, *INPUTS)


def link_in_rust(folder: Path, output: Path) -> str:
    program = built("rustc", "link_in_memory.rs", folder, "--edition=2021")
    return run(program, "sm_80", output, *INPUTS)


@pytest.mark.parametrize("link", [link_in_cpp, link_in_python, link_in_rust])
def test_all_do_the_same(link: Callable[[Path, Path], str], tmp_path: Path) -> None:
    outputs = [tmp_path / "c.cubin", tmp_path / "other.cubin"]
    expected = link_in_c(tmp_path, outputs[0])
    assert "registers" in expected
    assert link(tmp_path, outputs[1]) == expected
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def test_the_binding_is_that_of_the_header() -> None:
    run(sys.executable, REPOSITORY / "tools" / "make-python-binding.py", "--check")
