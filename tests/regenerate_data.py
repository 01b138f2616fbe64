#!/usr/bin/env python3
"""Makes the compiled test data again: each NAME.sm_80.cubin of tests/*/data from the NAME.ptx
beside it, and the files into which these cubins are packed. To request a new cubin, create an empty
file of its name. The file VERSION in each folder records the versions of the tools.

The scripts regenerate.py in tests/golden and tests/command make golden links and recorded answers.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import conftest  # noqa: F401
from golden_folder import source_options

TESTS = Path(__file__).resolve().parent
PACKED = ("fatbinary", "-64", "-c", "-compress-all")
MODES = ("none", "speed", "size", "balance", "default")
# OTHERS maps each folder to the commands that make its files other than relocatable cubins.
LINK = ("nvlink", "-arch=sm_100", "first.sm_100.cubin", "second.sm_100.cubin")
OTHERS: dict[str, list[tuple[str, ...]]] = {
    "containers": [
        (*PACKED, f"-compress-mode={mode}", f"-create={mode}.fatbin",
         "-image3=kind=elf,sm=80,file=second.sm_80.cubin")
        for mode in MODES
    ],
    "explained": [
        (*LINK, "-o", "linked.cubin"),
        (*LINK, "-g", "-o", "linked-debug.cubin"),
        ("nvlink", "-arch=sm_100", "lines.sm_100.cubin", "information.sm_100.cubin",
         "-g", "-o", "linked-lines-debug.cubin"),
        ("nvlink", "-arch=sm_89", "weak.sm_89.cubin", "alias.sm_89.cubin",
         "-o", "linked-alias.cubin"),
        ("nvlink", "-arch=sm_100", "--preserve-relocs", "-kernels-used=kernel",
         "slots.sm_100.cubin", "-o", "linked-slots.cubin"),
    ],
    "notes": [
        (*PACKED, "-create=packed.fatbin",
         "-image3=kind=elf,sm=86,file=defines_missing.sm_86.cubin")
    ],
    "quirks": [
        ("ptxas", "-arch=sm_80", "first.ptx", "-o", "whole.cubin"),
        ("ptxas", "-ewp", "-g", "-arch=sm_90", "named_shared.ptx", "-o", "named_shared.cubin"),
        ("ptxas", "-ewp", "-arch=sm_90", "launched.ptx", "-o", "launched.cubin"),
        ("nvlink", "-arch=sm_100", "-uidx=unified.index", "unified_mercury.sm_100.cubin",
         "-o", "unified_linked.cubin"),
        ("nvlink", "-arch=sm_90", "-uidx=unified_moved.index", "unified.sm_90.cubin",
         "-o", "unified_moved.cubin"),
        ("nvlink", "-arch=sm_90", "-uidx=unified_static.index", "unified_static.sm_90.cubin",
         "unified_static_too.sm_90.cubin", "-o", "unified_static.cubin"),
    ],
}  # fmt: skip


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def regenerate(data: Path) -> None:
    for cubin in sorted(data.glob("*.sm_*.cubin")):
        source, architecture, _ = cubin.name.split(".")
        text = data / f"{source}.ptx"
        options = [f"-arch={architecture}", *source_options(text)]
        run(data, "ptxas", "-c", *options, text.name, "-o", cubin.name)
    for command in OTHERS.get(data.parent.name, []):
        run(data, *command)
    tools = sorted({"ptxas", *(command[0] for command in OTHERS.get(data.parent.name, []))})
    versions = [run(data, tool, "--version").strip().splitlines()[-1] for tool in tools]
    (data / "VERSION").write_text("".join(f"{version}\n" for version in versions))


if __name__ == "__main__":
    for found in sorted(TESTS.glob("*/data")):
        if any(found.glob("*.sm_*.cubin")):
            regenerate(found)
