"""From which number of sections on there is a table of long indices. As many objects are too many
for a folder of their own; the numbers are those at which nvlink 13.0.88 makes the table."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from golden_folder import GOLDEN
from test_golden import BUILD, TIMEOUT_SECONDS

OBJECT = GOLDEN.parent / "quirks" / "data" / "numbered_kernel.sm_90.cubin"
NUMBER = b"0000000"
FEWEST = 13_053


def many_objects(folder: Path, count: int) -> Path:
    """A file of options that names them."""
    content = OBJECT.read_bytes()
    names = [folder / f"{number}.cubin" for number in range(count)]
    for number, path in enumerate(names):
        path.write_bytes(content.replace(NUMBER, b"%07d" % number))
    options = folder / "options"
    options.write_text("\n".join(map(str, names)))
    return options


@pytest.mark.parametrize(("count", "has_table"), [(FEWEST - 1, False), (FEWEST, True)])
def test_sections_that_go_count(tmp_path: Path, count: int, has_table: bool) -> None:
    """39,000 sections stay of 65,279 that there were, .nv.shared.K of each kernel among them."""
    options, output = many_objects(tmp_path, count), tmp_path / "output.cubin"
    command = [BUILD / "warpld", "-arch=sm_90", "--options-file", options, "-o", output]
    subprocess.run(command, check=True, timeout=TIMEOUT_SECONDS)
    with output.open("rb") as stream:
        names = {section.name for section in ELFFile(stream).iter_sections()}
    assert (".symtab_shndx" in names) == has_table
