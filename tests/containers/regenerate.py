#!/usr/bin/env python3
"""Compiles the sources in data/ with ptxas, and packs second.sm_80.cubin with fatbinary in each of
its ways. data/VERSION records the tools."""

from __future__ import annotations

import subprocess
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
MODES = ("none", "speed", "size", "balance", "default")


def run(*command: str) -> str:
    return subprocess.run(command, cwd=DATA, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    for source, architecture in [
        ("first", "sm_80"),
        ("first", "sm_90"),
        ("second", "sm_80"),
        ("runtime", "sm_80"),
        ("launching", "sm_80"),
        ("linkages", "sm_80"),
        ("incomplete", "sm_80"),
        ("complete", "sm_80"),
    ]:
        output = f"{source}.{architecture}.cubin"
        run("ptxas", "-c", f"-arch={architecture}", f"{source}.ptx", "-o", output)
    for mode in MODES:
        run(
            "fatbinary", "-64", "-c", "-compress-all", f"-compress-mode={mode}",
            f"-create={mode}.fatbin", "-image3=kind=elf,sm=80,file=second.sm_80.cubin",
        )  # fmt: skip
    versions = [run(tool, "--version").strip().splitlines()[-1] for tool in ("ptxas", "fatbinary")]
    (DATA / "VERSION").write_text("".join(f"{line}\n" for line in versions))


if __name__ == "__main__":
    main()
