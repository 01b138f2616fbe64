"""With --dump-callgraph-no-demangle warpld prints the mangled names, as objects have them. nvlink
prints readable names even with this option."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
GOLDEN = REPOSITORY / "tests" / "golden" / "call-graph-of-readable-names"


def names(option: str, folder: Path, name: str = "warpld") -> list[str]:
    program = folder / name
    if not program.exists():
        program.symlink_to(BUILD / "warpld")
    done = subprocess.run(
        [program, "-arch=sm_80", option, "a.cubin", "-o", folder / "output.cubin"],
        cwd=GOLDEN,
        capture_output=True,
        text=True,
        check=True,
    )
    return re.findall(r"^\d+: [\^&]*(.*?)(?: \[\d+\])? ->", done.stderr, re.M)


def test_names_of_the_objects(tmp_path: Path) -> None:
    readable = names("-dump-callgraph", tmp_path)
    mangled = names("-dump-callgraph-no-demangle", tmp_path)
    assert len(mangled) == len(readable) > 5
    assert all("_Z" in name for name in mangled)
    assert not any("_Z" in name for name in readable)
    assert names("-dump-callgraph-no-demangle", tmp_path, "nvlink") == readable
