"""Tests outputs for sm_100 that have more sections than 16 bits can number.

nvlink 13.0.88 was observed with 66,025, 72,545, 90,025 and 112,545 sections. Its outputs and
warpld's are equal, except for the words of .symtab_shndx that no reader uses: those of symbols
whose section index fits in st_shndx. If the number exceeds the limit only because of Mercury
sections, .symtab_shndx follows the NOBITS sections, and its name is in the string table twice. If
native sections alone exceed the limit, .symtab_shndx has the same position as without Mercury code.
"""

from __future__ import annotations

import os
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("WARPLD_BUILD", TESTS.parent / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"
OWN = b"BBBBBBB"
RESERVED, EXTENDED = 0xFF00, 0xFFFF
STT_SECTION, STT_FUNC = 3, 2
HEADER_OF_FATBIN = 16
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")


@dataclass
class Output:
    """Reads an output. Independent readers cannot be used, because they stop at 0xff00 sections or
    know only one symbol table."""

    data: bytes

    def __post_init__(self) -> None:
        header = HEADER.unpack_from(self.data)
        first = SECTION.unpack_from(self.data, header[6])
        assert (header[12], header[13]) == (0, 1)
        self.headers = [
            SECTION.unpack_from(self.data, header[6] + SECTION.size * i) for i in range(first[5])
        ]
        names = self.contents(1)
        self.names = [self.string(names, header[0]) for header in self.headers]

    def contents(self, index: int) -> bytes:
        _, _, _, _, offset, size, *_ = self.headers[index]
        return self.data[offset : offset + size]

    @staticmethod
    def string(table: bytes, offset: int) -> str:
        return table[offset : table.index(0, offset)].decode()

    def words(self, name: str) -> list[int]:
        content = self.contents(self.names.index(name))
        return list(struct.unpack(f"<{len(content) // 4}I", content))

    def symbols(self, name: str) -> list[tuple[str, int, int, int, int, int]]:
        index = self.names.index(name)
        strings = self.contents(self.headers[index][6])
        return [
            (self.string(strings, text), info, other, section, value, size)
            for text, info, other, section, value, size in SYMBOL.iter_unpack(self.contents(index))
        ]


def link(folder: Path, template: str, copies: int, *options: str) -> Output:
    compiled = (DATA / f"{template}.sm_100.cubin").read_bytes()
    paths = [folder / f"{index}.cubin" for index in range(copies)]
    for index, path in enumerate(paths):
        path.write_bytes(compiled.replace(OWN, b"%07d" % index))
    output = folder / "output.cubin"
    command: list[str | Path] = [BUILD / "warpld", "-arch=sm_100", *options, *paths, "-o", output]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    verified = subprocess.run([BUILD / "cubintool", "verify", output], timeout=120, check=False)
    assert verified.returncode == 0
    return Output(output.read_bytes())


def check_symbols(output: Output, table: str, prefix: str) -> set[int]:
    """Checks that every code symbol refers to the section of its name. Returns the section indices
    that are in the symbols themselves, not in .symtab_shndx."""
    direct = set()
    words = output.words(f"{table}_shndx")
    for (name, info, _, index, _, _), word in zip(output.symbols(table), words, strict=False):
        if info & 15 not in (STT_SECTION, STT_FUNC) or (
            name.startswith(".") and prefix not in name
        ):
            continue
        if index != EXTENDED:
            direct.add(index)
        section = output.names[word if index == EXTENDED else index]
        assert section.endswith(f".text.{name.removeprefix('.text.')}")
    return direct


def requirements(folder: Path, copies: int) -> bytes:
    """What the header of the only image in a fat binary says about the hardware that it needs. An
    empty text with its NUL precedes these bytes."""
    output = folder / "output.fatbin"
    paths = [folder / f"{index}.cubin" for index in range(copies)]
    words: list[str | Path] = ["--device-link", "--fatbin", "--arch=sm_100", *paths, "-o", output]
    subprocess.run([BUILD / "warpld", *words], timeout=120, check=True)
    start, size = struct.unpack_from("<II", output.read_bytes(), HEADER_OF_FATBIN + 64)
    content = output.read_bytes()[HEADER_OF_FATBIN + start + 1 :]
    return content[:size]


# Templates and copies.
LATE, EARLY = ("kernels", 290), ("kernels", 440)


@pytest.mark.parametrize(("template", "copies"), [("functions", 440), LATE, EARLY])
def test_symbols_lead_to_their_sections(template: str, copies: int, tmp_path: Path) -> None:
    output = link(tmp_path, template, copies, "-g")
    assert len(output.headers) > RESERVED
    check_symbols(output, ".symtab", ".text.")
    direct = check_symbols(output, ".nv.merc.symtab", ".text.")
    code = [i for i, name in enumerate(output.names) if name.startswith(".nv.capmerc.text.")]
    if RESERVED in code:
        assert max(direct) == RESERVED  # as nvlink: larger indices are in .symtab_shndx


def test_native_table_stands_late_for_mercury_sections(tmp_path: Path) -> None:
    output = link(tmp_path, *LATE)
    native = output.names.index(".symtab_shndx")
    assert output.names[native - 1].startswith(".text.")
    assert output.names[native + 1].startswith(".nv.constant0.")
    assert output.contents(1).count(b"\0.symtab_shndx\0") == 2
    assert output.names[-2:] == [".nv.merc.symtab_shndx", ".nv.merc.symtab"]
    assert set(output.words(".symtab_shndx")) == {0}
    counts = [len(output.symbols(name)) for name in (".symtab", ".nv.merc.symtab")]
    assert counts[0] > counts[1]
    assert len(output.words(".nv.merc.symtab_shndx")) == counts[0]


def test_native_table_stands_early_for_native_sections(tmp_path: Path) -> None:
    output = link(tmp_path, *EARLY)
    assert output.names[3:5] == [".symtab", ".symtab_shndx"]
    assert output.contents(1).count(b"\0.symtab_shndx\0") == 1
    mercury = output.names.index(".nv.merc.symtab_shndx")
    assert output.names[mercury - 1].startswith(".nv.capmerc.text.")
    assert len(output.words(".nv.merc.symtab_shndx")) == len(output.symbols(".nv.merc.symtab"))
    banks = [s for s in output.symbols(".symtab") if s[0].startswith(".nv.constant0.")]
    assert {index for _, _, _, index, *_ in banks} >= {RESERVED, EXTENDED}


def test_a_fat_binary_repeats_the_requirements_of_many_sections(tmp_path: Path) -> None:
    """As `fatbinary` of CUDA 13.0 does, the header of the image repeats .nv.compat."""
    template, copies = EARLY
    output = link(tmp_path, template, copies)
    assert len(output.headers) > RESERVED
    compat = output.contents(output.names.index(".nv.compat"))
    assert requirements(tmp_path, copies) == compat
