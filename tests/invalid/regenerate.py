#!/usr/bin/env python3
"""Compiles the sources in data/ with ptxas: NAME.ptx to the relocatable NAME.sm_80.cubin and
NAME.sm_90.cubin. data/VERSION records the compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"


def ptxas(*words: str) -> str:
    command = ["ptxas", *words]
    return subprocess.run(command, cwd=DATA, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    for source in sorted(DATA.glob("*.ptx")):
        for architecture in ("sm_80", "sm_90"):
            output = f"{source.stem}.{architecture}.cubin"
            ptxas("-c", f"-arch={architecture}", source.name, "-o", output)
    version = ptxas("--version").strip().splitlines()
    (DATA / "VERSION").write_text(f"ptxas: {version[-2]}; {version[-1]}\n")


if __name__ == "__main__":
    main()
