"""Links this folder's objects with warpld, and reads the output with pyelftools."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True)
class Link:
    status: int
    messages: str
    output: Path


def link(
    folder: Path,
    architecture: str,
    *inputs: str | Path,
    name: str = "warpld",
    options: tuple[str, ...] = (),
) -> Link:
    """Calls warpld under one of its names, warpld or nvlink; the output is in the folder."""
    program, output = folder / name, folder / "output.cubin"
    if not program.exists():
        program.symlink_to(BUILD / "warpld")
    done = subprocess.run(
        [program, f"-arch={architecture}", *options, *inputs, "-o", output],
        cwd=DATA,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Link(done.returncode, done.stderr, output)


def symbol_value(cubin: Path, name: str) -> int:
    with cubin.open("rb") as stream:
        (symbol,) = ELFFile(stream).get_section_by_name(".symtab").get_symbol_by_name(name)
        return int(symbol["st_value"])


def relocations(cubin: Path, section: str) -> dict[int, str]:
    """Maps the offset of each relocation of the section to the name of the relocation's symbol."""
    found = {}
    with cubin.open("rb") as stream:
        elf = ELFFile(stream)
        for entries in elf.iter_sections():
            if not isinstance(entries, RelocationSection):
                continue
            if elf.get_section(entries["sh_info"]).name != section:
                continue
            symbols = elf.get_section(entries["sh_link"])
            for entry in entries.iter_relocations():
                found[entry["r_offset"]] = symbols.get_symbol(entry["r_info_sym"]).name
    return found
