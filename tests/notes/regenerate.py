#!/usr/bin/env python3
"""Compiles the sources in data/ with ptxas for sm_80, defines_missing.ptx for other targets too,
and packs one of those with fatbinary. data/VERSION records the tools."""

from __future__ import annotations

import subprocess
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
ALSO_FOR = {"defines_missing": ("sm_86", "sm_90")}


def run(*command: str) -> str:
    return subprocess.run(command, cwd=DATA, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    for source in sorted(DATA.glob("*.ptx")):
        for architecture in ("sm_80", *ALSO_FOR.get(source.stem, ())):
            output = f"{source.stem}.{architecture}.cubin"
            run("ptxas", "-c", f"-arch={architecture}", source.name, "-o", output)
    run(
        "fatbinary", "-64", "-c", "-compress-all", "-create=packed.fatbin",
        "-image3=kind=elf,sm=86,file=defines_missing.sm_86.cubin",
    )  # fmt: skip
    versions = [run(tool, "--version").strip().splitlines()[-1] for tool in ("ptxas", "fatbinary")]
    (DATA / "VERSION").write_text("".join(f"{line}\n" for line in versions))


if __name__ == "__main__":
    main()
