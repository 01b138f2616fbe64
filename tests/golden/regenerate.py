#!/usr/bin/env python3
"""Rebuilds golden folders from their sources with ptxas or nvcc, and nvlink.

usage: regenerate.py [NAME...]      (all folders by default)

Needs the CUDA toolkit, whose versions are recorded in the file VERSION beside this script.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from golden_folder import GOLDEN, GoldenFolder, golden_folders, source_options

WORKING_FOLDER = Path("/tmp/golden")
TOOLS = ("nvcc", "ptxas", "nvlink")


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def compile_source(source: Path, arch: str) -> None:
    """Makes SOURCE.cubin; options in the source may name another architecture.

    Debug information names the working folder, which therefore is the same on all machines.
    """
    output = source.with_suffix(".cubin").name
    options = source_options(source)
    if not any(option.startswith("-arch=") for option in options):
        options.append(f"-arch={arch}")
    compiler = ["ptxas", "-c"] if source.suffix == ".ptx" else ["nvcc", "-rdc=true", "-cubin"]
    WORKING_FOLDER.mkdir(exist_ok=True)
    shutil.copy(source, WORKING_FOLDER)
    done = run([*compiler, *options, source.name, "-o", output], WORKING_FOLDER)
    if done.returncode != 0:
        sys.exit(f"{source}: {done.stdout}{done.stderr}")
    shutil.move(WORKING_FOLDER / output, source.parent / output)


def regenerate(folder: GoldenFolder) -> None:
    made = [] if folder.is_patched else folder.path.glob("*.cubin")
    for old in [*made, *folder.path.glob("expected.*")]:
        old.unlink(missing_ok=True)
    for source in folder.sources:
        compile_source(source, folder.arch)
    done = run(["nvlink", *folder.arguments, "-o", "expected.cubin"], folder.path)
    if done.stderr:
        (folder.path / "expected.stderr").write_text(done.stderr)
    if done.returncode != 0:
        (folder.path / "expected.status").write_text(f"{done.returncode}\n")


def record_versions() -> None:
    lines = []
    for tool in TOOLS:
        version = run([tool, "--version"], GOLDEN).stdout.strip().splitlines()
        lines.append(f"{tool}: {version[-2]}; {version[-1]}")
    (GOLDEN / "VERSION").write_text("\n".join(lines) + "\n")


def main() -> None:
    chosen = set(sys.argv[1:])
    folders = golden_folders()
    unknown = chosen - {folder.path.name for folder in folders}
    if unknown:
        sys.exit(f"no such folder: {', '.join(sorted(unknown))}")
    for folder in folders:
        if not chosen or folder.path.name in chosen:
            regenerate(folder)
    record_versions()


if __name__ == "__main__":
    main()
