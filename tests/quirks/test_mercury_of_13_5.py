"""Mercury code of CUDA 13.5: all as its nvlink writes it but the string tables, of which that keeps
only what is named, in the order of sections and symbols (docs/newer-objects.md).

The objects in data/release-13-5 are those of the golden newer-objects-134-sm100, compiled by ptxas
13.5.37; expected.cubin is of the nvlink of that release."""

from __future__ import annotations

import subprocess
from pathlib import Path

from quirk_link import BUILD, DATA, link

FOLDER = DATA / "release-13-5"
STRING_TABLES = (".strtab: ", ".shstrtab: ")


def test_all_but_the_string_tables(tmp_path: Path) -> None:
    inputs = [FOLDER / "a.cubin", FOLDER / "b.cubin"]
    linked = link(tmp_path, "sm_100", *inputs, options=("--allow-newer-toolkit",))
    assert (linked.status, linked.messages) == (0, "")
    expected = FOLDER / "expected.cubin"
    command = [BUILD / "cubintool", "diff", "--limit", "1000", expected, linked.output]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 1 and not found.stderr
    assert all(line.startswith(STRING_TABLES) for line in found.stdout.splitlines())
