#!/usr/bin/env python3
"""Compiles the inputs of these tests again, or records the answers of a library.

    regenerate.py data                   writes data, with the nvcc of CUDA 13.0 in PATH
    regenerate.py older PTXAS            writes data/older; PTXAS is the ptxas of CUDA 12.9
    regenerate.py answers NAME LIBRARY   writes answers/NAME.txt, the answers of the library LIBRARY

The written paths are relative to the folder of this file. NAME is for example nvidia-13.5.37.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from library import ALONE

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
# Files that nvcc makes from defines.cu: name, targets for -gencode, further options. The tests link
# them for sm_90.
CONTAINERS = (
    ("defines.only80.fatbin", "compute_80,code=sm_80", "-rdc=true -fatbin"),
    ("defines.text80.fatbin", "compute_80,code=compute_80", "-rdc=true -fatbin"),
    ("defines.text100.fatbin", "compute_100,code=compute_100", "-rdc=true -fatbin"),
    ("defines.only80.o", "compute_80,code=sm_80", "-dc"),
    ("defines.text80.o", "compute_80,code=compute_80", "-dc"),
    ("defines.lto.o", "compute_90,code=lto_90", "-dc"),
    ("defines.both.o", "compute_90,code=[lto_90,sm_90]", "-dc"),
    ("defines.whole.o", "compute_90,code=sm_90", "-c"),
    ("defines.linked.cubin", "compute_90,code=sm_90", "-cubin"),
)


def run(*command: str) -> None:
    subprocess.run(command, cwd=DATA, check=True)


def compile_all() -> None:
    for source in ("calls", "defines", "recursive"):
        for suffix, options in (
            ("cubin", "-rdc=true -cubin"),
            ("ptx", "-rdc=true -ptx"),
            ("fatbin", "-rdc=true -fatbin"),
            ("o", "-dc"),
            ("ltoir", "-dlto -ltoir -dc"),
        ):
            run("nvcc", "-arch=sm_90", *options.split(), f"{source}.cu", "-o", f"{source}.{suffix}")
        text = (DATA / f"{source}.ptx").read_text().expandtabs(4)
        lines = [line.rstrip() for line in text.splitlines()]
        (DATA / f"{source}.ptx").write_text("\n".join(lines) + "\n")


def compile_older(ptxas: str) -> None:
    """Compiles the PTX of CUDA 13.0 with .version 8.8 instead of 9.0, which CUDA 12.9 does not
    know."""
    for source in ("calls", "defines", "recursive"):
        text = (DATA / f"{source}.ptx").read_text().replace(".version 9.0", ".version 8.8")
        (DATA / "older" / f"{source}.ptx").write_text(text)
        name = f"older/{source}"
        run(ptxas, "-c", "-arch=sm_90", f"{name}.ptx", "-o", f"{name}.cubin")


def pack() -> None:
    for name, targets, options in CONTAINERS:
        run("nvcc", f"-gencode=arch={targets}", *options.split(), "defines.cu", "-o", name)
    text = (DATA / "defines.ptx").read_text()
    (DATA / "wrong.ptx").write_text(text.replace("add.s32", "bad.s32"))
    run("fatbinary", "--create=wrong.fatbin", "--image3=kind=ptx,sm=90,file=wrong.ptx", "-64")
    (DATA / "wrong.ptx").unlink()
    for member in ("defines.o", "defines.only80.o", "defines.text80.o", "defines.lto.o"):
        archive = Path(f"lib{member}").with_suffix(".a").name
        (DATA / archive).unlink(missing_ok=True)
        run("ar", "rcD", archive, member)


def record(name: str, library: str) -> None:
    command = [sys.executable, str(HERE / "cases.py"), library]
    environment = os.environ | ALONE
    answers = subprocess.check_output(command, env=environment, text=True)
    (HERE / "answers" / f"{name}.txt").write_text(answers)


if __name__ == "__main__":
    if sys.argv[1] == "data":
        compile_all()
        pack()
    elif sys.argv[1] == "older":
        compile_older(sys.argv[2])
    else:
        record(*sys.argv[2:])
