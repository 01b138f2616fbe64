#!/usr/bin/env python3
"""Rebuilds golden folders from their sources with ptxas or nvcc, and nvlink.

usage: regenerate.py [NAME...]      (all folders by default)

The script needs the CUDA toolkit, and records the versions of its programs in the file VERSION
beside the script. tests/patch_golden.py makes the inputs that no compiler writes.

Some files come from other releases. The script regenerates them only if the variable CUDA_RELEASES
names a folder with a subfolder for each of these releases (12.0, 12.9, 13.5 ...). The subfolder or
a folder below it must contain ptxas, and libnvJitLink.so.12 or nvlink.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from golden_folder import (
    ALLOW_NEWER,
    GOLDEN,
    LINKER_OF_ABI_7,
    GoldenFolder,
    compiled,
    golden_folders,
    source_release,
)

JIT_LINK = GOLDEN.parent / "compare" / "nvjitlink.py"
TOOLS = ("nvcc", "ptxas", "nvlink")


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def compile_source(source: Path, arch: str) -> None:
    """Makes SOURCE.cubin."""
    release = source_release(source)
    ptxas = str(of_release(release, "ptxas")) if release else "ptxas"
    source.with_suffix(".cubin").write_bytes(compiled(source, arch, ptxas))


def of_release(release: str, name: str) -> Path | None:
    folder = Path(os.environ.get("CUDA_RELEASES", "")) / release
    return next(iter(sorted(folder.rglob(name))), None) if "CUDA_RELEASES" in os.environ else None


def link_abi_7(folder: GoldenFolder) -> None:
    """Links with libnvJitLink. Its messages differ from nvlink's, so a golden link of ABI version 7
    must succeed."""
    inputs = [word for word in folder.arguments if not word.startswith("-")]
    library = of_release(LINKER_OF_ABI_7, "libnvJitLink.so.12")
    command = [sys.executable, str(JIT_LINK), "--library", str(library), folder.arch]
    done = run([*command, "expected.cubin", *inputs], folder.path)
    if done.returncode != 0:
        sys.exit(f"{folder.path}: {done.stderr}")


def regenerate(folder: GoldenFolder) -> None:
    if not all(of_release(release, "ptxas") for release in folder.releases):
        print(f"{folder.path.name}: left as it is, needs CUDA {', '.join(folder.releases)}")
        return
    made = [] if folder.is_patched else folder.path.glob("*.cubin")
    for old in [*made, *folder.path.glob("expected.*")]:
        old.unlink(missing_ok=True)
    for source in folder.sources:
        compile_source(source, folder.arch)
    if folder.has_abi_7:
        link_abi_7(folder)
        return
    newer = folder.newer_linker
    nvlink = str(of_release(newer, "nvlink")) if newer else "nvlink"
    arguments = [word for word in folder.arguments if word != ALLOW_NEWER]
    done = run([nvlink, *arguments, "-o", "expected.cubin"], folder.path)
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
