"""The helper program loads libraries that compile PTX. These tests use stand-ins for NVIDIA's
libraries."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from container_link import BUILD, FIRST, SECOND, Link, link, put
from stand_ins import compile_library

SOURCE = Path(__file__).resolve().parent / "stand_in.c"
TEXT = b"// A comment may come first.\n.version 8.0\n.target sm_80\n.address_size 64\n"
BAD = TEXT + b"// bad\n"
KINDS = {
    "nvptxcompiler": ("libwarpld-nvptxcompiler.so", ()),
    "nvjitlink": ("libnvJitLink.so.13", ("-DJITLINK", "-DMAJOR=13")),
}
OPTIONS = {
    "nvptxcompiler": "-arch sm_80 -m 64 -c -maxrregcount=24",
    "nvjitlink": "-arch=sm_80 -r -Xptxas=-maxrregcount=24",
}
FAILURE = (
    "ptxas application ptx input, line 1; error   : bad text\n"
    "ptxas fatal   : Ptx assembly aborted due to errors\n"
)


def make(path: Path, *flags: str) -> Path:
    return compile_library(path, SOURCE, *flags)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the program warpld and its helper. The program finds the helper beside it."""
    for name in ("warpld", "warpld-ptx-helper"):
        shutil.copy(BUILD / name, tmp_path)
    put(tmp_path, "x.ptx", TEXT)
    put(tmp_path, "bad.ptx", BAD)
    return tmp_path


def run(folder: Path, *words: str, text: str = "x.ptx", **more: str) -> Link:
    variables = {**os.environ, "STAND_IN_CUBIN": str(FIRST), "CUDA_HOME": "", "CUDA_PATH": ""}
    return link(
        folder, text, SECOND, *words, name="warpld", environment=variables | {"PATH": ""} | more
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chosen", ["kind", "path", "variable", "auto"])
def test_every_kind_compiles(kind: str, chosen: str, folder: Path) -> None:
    name, flags = KINDS[kind]
    library = make(folder / name, *flags)
    choice = {"kind": kind, "variable": kind, "path": str(library), "auto": "auto"}[chosen]
    words = [] if chosen == "variable" else [f"--ptx-compiler={choice}"]
    variables = {"WARPLD_PTX_COMPILER": choice} if chosen == "variable" else {}
    result = run(folder, "-maxrregcount=24", *words, **variables)
    assert result.messages == f"ptxas info    : options {OPTIONS[kind]}\n    continued\n"
    assert result.output == link(folder, FIRST, SECOND, name="warpld").output


@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_those_of_ptxas(kind: str, folder: Path) -> None:
    name, flags = KINDS[kind]
    make(folder / name, *flags)
    result = run(folder, f"--ptx-compiler={kind}", text="bad.ptx")
    assert result.status == 1
    assert FAILURE in result.messages
    assert "NVJITLINK" not in result.messages


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (("-DJITLINK", "-DMAJOR=13", "-DOURS"), "it is a library of warpld"),
        (("-DJITLINK", "-DMAJOR=12"), "it is not nvJitLink of CUDA 13 or later"),
    ],
)
def test_libraries_that_cannot_compile_are_refused(
    flags: tuple[str, ...], reason: str, folder: Path
) -> None:
    """warpld refuses its own libnvJitLink, which would call itself, and NVIDIA's libraries of
    releases before CUDA 13."""
    library = make(folder / "libnvJitLink.so.13", *flags)
    for choice in ("nvjitlink", str(library)):
        result = run(folder, f"--ptx-compiler={choice}")
        assert result.status == 1
        assert f"{library}: {reason}" in result.messages
        assert result.messages.splitlines()[0].endswith("; name it with --ptx-compiler")


def test_auto_passes_over_what_does_not_work(folder: Path) -> None:
    make(folder / "libnvJitLink.so.13", "-DJITLINK", "-DMAJOR=13", "-DOURS")
    put(folder, "libwarpld-nvptxcompiler.so", b"no library")
    program = folder / "ptxas"
    program.write_text(f"#!/bin/sh\n/bin/cp {FIRST} elf.o\n")
    program.chmod(0o755)
    result = run(folder, "--ptx-compiler=auto")
    assert (result.status, result.messages) == (0, "")


def test_auto_prefers_ptxas_to_nvjitlink(folder: Path) -> None:
    """Objects that nvJitLink compiles have wrong addresses of shared memory."""
    make(folder / "libnvJitLink.so.13", "-DJITLINK", "-DMAJOR=13")
    program, called = folder / "ptxas", folder / "called"
    program.write_text(f"#!/bin/sh\n/bin/cp {FIRST} elf.o\n: > {called}\n")
    program.chmod(0o755)
    assert run(folder, "--ptx-compiler=auto").status == 0
    assert called.exists()


def test_a_library_that_crashes_does_not_end_the_link(folder: Path) -> None:
    """The stand-in crashes because the file that STAND_IN_CUBIN names does not exist. The crash
    ends the helper, but not the link, which reports an error."""
    library = make(folder / "libwarpld-nvptxcompiler.so")
    result = run(folder, f"--ptx-compiler={library}", STAND_IN_CUBIN="/nowhere/at/all")
    assert result.status == 1
    assert "elfLink fatbinary error" in result.messages


def test_the_helper_is_missed(folder: Path) -> None:
    make(folder / "libwarpld-nvptxcompiler.so")
    (folder / "warpld-ptx-helper").unlink()
    result = run(folder, "--ptx-compiler=nvptxcompiler")
    assert result.status == 1
    assert f"(tried {folder}/warpld-ptx-helper)" in result.messages


def test_nvlink_compiles_as_nvlink_does(folder: Path) -> None:
    """WARPLD_PTX_COMPILER has no effect under the name nvlink."""
    make(folder / "libwarpld-nvptxcompiler.so")
    variables = {**os.environ, "WARPLD_PTX_COMPILER": "nvptxcompiler", "PATH": ""}
    variables |= {"CUDA_HOME": "", "CUDA_PATH": ""}
    result = link(folder, "x.ptx", SECOND, "-arch=sm_90", name="nvlink", environment=variables)
    assert "options" not in result.messages


@pytest.mark.parametrize("words", [(), ("one", "two")])
def test_the_helper_says_how_it_is_called(words: tuple[str, ...], folder: Path) -> None:
    done = subprocess.run(
        [folder / "warpld-ptx-helper", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Usage: warpld-ptx-helper LIBRARY ")
