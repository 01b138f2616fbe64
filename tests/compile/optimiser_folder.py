"""A folder with the command, its helper, and stand-ins for NVIDIA's libraries and for ptxas."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from container_files import Entry
from container_link import BUILD, FIRST, Link, link, put
from stand_ins import compile_library

SOURCE = Path(__file__).resolve().parent / "stand_in_optimiser.c"
IR = b"\xed\x43\x4e\x7f\x01\x41\x02\x62"
HEAD = b".version 8.0\n.target sm_80\n.address_size 64\n// and what else is in a text\n"
# Stands in for ptxas: copies the cubin that STAND_IN_CUBIN names, and prints its arguments as a
# message.
PTXAS = '#!/bin/sh\necho "ptxas info    : $*" >&2\n/bin/cp "$STAND_IN_CUBIN" elf.o\n'
# The arguments of a link in the folder.
WORDS = (
    "-arch=sm_80 -lto -nvvmpath=cuda/nvvm --ptxas-path=cuda/ptxas x.ltoir -o output.cubin".split()
)


def make(path: Path, *flags: str) -> Path:
    return compile_library(path, SOURCE, *flags)


def lto_entry(options: str | None = None) -> Entry:
    """LTO-IR in a fat binary, with the options of the compiler that it records."""
    return Entry(8, 80, b"scrambled", options=options)


def put_ptxas(folder: Path, text: str) -> None:
    put(folder / "cuda", "ptxas", text.encode())
    (folder / "cuda" / "ptxas").chmod(stat.S_IRWXU)


def set_up(folder: Path) -> Path:
    """Puts the program, its helper, a toolkit of stand-ins, and LTO-IR into the folder."""
    for name in ("warpld", "warpld-ptx-helper"):
        shutil.copy(BUILD / name, folder)
    make(folder / "cuda" / "lib64" / "libnvJitLink.so.13")
    make(folder / "cuda" / "nvvm" / "lib64" / "libnvvm.so", "-DNVVM")
    put_ptxas(folder, PTXAS)
    put(folder, "x.ltoir", IR + HEAD)
    (folder / "temporary").mkdir()
    return folder


def variables_of(folder: Path) -> dict[str, str]:
    variables = {**os.environ, "STAND_IN_CUBIN": str(FIRST), "CUDA_HOME": "", "CUDA_PATH": ""}
    return variables | {"PATH": "", "TMPDIR": str(folder / "temporary"), "LD_LIBRARY_PATH": ""}


def run_prepared(
    folder: Path,
    prepare: Callable[[], None] | None,
    *words: str | Path,
    name: str = "warpld",
    **more: str,
) -> Link:
    """Runs a link, and checks that no temporary file remains. The new process calls `prepare`
    before it executes the linker."""
    done = link(
        folder,
        "-nvvmpath=cuda/nvvm",
        "--ptxas-path=cuda/ptxas",
        *words,
        name=name,
        environment=variables_of(folder) | more,
        preexec=prepare,
    )
    assert not list((folder / "temporary").iterdir())
    return done


def run(folder: Path, *words: str | Path, name: str = "warpld", **more: str) -> Link:
    return run_prepared(folder, None, *words, name=name, **more)
