"""For the golden links, the answers of warpld_get_symbol and warpld_get_kernel agree with the
output file and with the text of -v."""

from __future__ import annotations

import ctypes
import io
import re
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from golden_folder import GoldenFolder, golden_folders
from library_link import BUILD, GOOD_INPUT, Link, option_names
from warpld_ctypes import (
    ERROR_ARGUMENT,
    OK,
    SYMBOL_FUNCTION,
    SYMBOL_KERNEL,
    AllocateCallback,
    FreeCallback,
)

STT_FUNC, STT_SECTION = 2, 3
SHORT = {"g": "debug", "r": "relocatable-link", "ignore-host-info": "ignore-host-info"}
NAMES = set(option_names())


def options_of(folder: GoldenFolder) -> list[tuple[str, str | None]] | None:
    """The link's options by name; None if one of them is not an option of the library."""
    options: list[tuple[str, str | None]] = []
    for word in folder.arguments:
        if not word.startswith("-"):
            continue
        name, _, value = word.lstrip("-").partition("=")
        name = SHORT.get(name, name)
        if name not in NAMES:
            return None
        options += [(name, one) for one in value.split(",")] if value else [(name, None)]
    return options


def linked_folders() -> list[GoldenFolder]:
    return [f for f in golden_folders() if f.expected_cubin.exists() and options_of(f) is not None]


FOLDERS = linked_folders()


@pytest.fixture(params=FOLDERS, ids=str)
def folder(request: pytest.FixtureRequest) -> GoldenFolder:
    chosen: GoldenFolder = request.param
    return chosen


def test_most_golden_links_are_here() -> None:
    assert len(FOLDERS) > 330


def run(folder: GoldenFolder, link: Link) -> None:
    link.set("as", "nvlink")  # an option of the folder may replace it
    for name, value in options_of(folder) or []:
        assert link.set(name, value) == OK
    for word in folder.arguments:
        if not word.startswith("-"):
            link.add_file(folder.path / word)
    assert link.run() == OK, link.codes


def is_mercury(folder: GoldenFolder) -> bool:
    return int(re.sub(r"\D", "", folder.arch)) >= 100


def test_symbols_are_those_of_the_output(folder: GoldenFolder) -> None:
    with Link() as link:
        run(folder, link)
        elf = ELFFile(io.BytesIO(link.output()))
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        expected = {
            i: symbol
            for i, symbol in enumerate(table.iter_symbols())
            if i and symbol["st_info"]["type"] != "STT_SECTION"
        }
        symbols = link.symbols()
        assert [symbol.index for symbol in symbols] == sorted(expected)
        for symbol in symbols:
            entry = expected[symbol.index]
            assert symbol.name.decode() == entry.name
            assert symbol.address == entry["st_value"] or entry["st_shndx"] == "SHN_COMMON"
            if not is_mercury(folder) or not symbol.kind == SYMBOL_FUNCTION:
                assert symbol.bytes == entry["st_size"]
            bind = entry["st_info"]["bind"]
            assert (symbol.is_local, symbol.is_weak) == (bind == "STB_LOCAL", bind == "STB_WEAK")
            is_function = symbol.kind in (SYMBOL_KERNEL, SYMBOL_FUNCTION)
            assert is_function == (entry["st_info"]["type"] == "STT_FUNC")
            if isinstance(entry["st_shndx"], int):
                assert elf.get_section(entry["st_shndx"]).name == symbol.section.decode()


USAGE = re.compile(
    r"Function properties for '(.*)':\n.*: *used (\d+) registers, used (\d+) barriers, "
    r"(\d+) stack, (\d+) bytes smem(.*), (\d+) bytes lmem"
)


def reported_usage(folder: GoldenFolder, output: Path) -> list[tuple[str, list[int]]]:
    """The resources that -v prints for each kernel. The sizes of its constant banks are added."""
    command: list[str | Path] = [
        BUILD / "warpld",
        "--no-demangle",
        "-v",
        *folder.arguments,
        "-o",
        output,
    ]
    done = subprocess.run(command, cwd=folder.path, capture_output=True, text=True, check=False)
    found = []
    for name, *numbers, constants, local in USAGE.findall(done.stderr):
        sizes = [int(size) for size in re.findall(r"(\d+) bytes cmem", constants)]
        found.append((name, [*map(int, numbers), sum(sizes), int(local)]))
    return sorted(found)


def test_kernels_use_what_the_command_reports(folder: GoldenFolder, tmp_path: Path) -> None:
    reported = reported_usage(folder, tmp_path / "output.cubin")
    with Link() as link:
        run(folder, link)
        known = []
        for kernel in link.kernels():
            numbers = [kernel.registers, kernel.barriers, kernel.stack_bytes, kernel.shared_bytes]
            constants = 0 if is_mercury(folder) else kernel.constant_bytes
            known.append((kernel.name.decode(), [*numbers, constants, kernel.local_bytes]))
    if "-r" not in folder.arguments:
        assert sorted(known) == reported


def test_without_an_output_there_are_none() -> None:
    with Link() as link:
        link.set("arch", "sm_80")
        link.add_file(GOOD_INPUT)
        assert link.symbols() == [] and link.kernels() == []


class CountedMemory:
    """An allocator that the library's caller provides. It counts its calls, and fills memory with
    0xA5, because allocators need not return zeros."""

    def __init__(self, blocks: int = 1 << 30) -> None:
        self.c = ctypes.CDLL(None)
        self.c.malloc.restype = ctypes.c_void_p
        self.held: set[int] = set()
        self.blocks = blocks
        self.taken = 0
        self.allocate = AllocateCallback(self._allocate)
        self.release = FreeCallback(self._release)

    def _allocate(self, _: int, size: int) -> int | None:
        self.taken += 1
        if self.taken > self.blocks:
            return None
        address: int = self.c.malloc(ctypes.c_size_t(size))
        ctypes.memset(address, 0xA5, size)
        self.held.add(address)
        return address

    def _release(self, _: int, address: int) -> None:
        self.held.remove(address)
        self.c.free(ctypes.c_void_p(address))


def test_memory_of_the_caller(folder: GoldenFolder) -> None:
    memory = CountedMemory()
    with Link() as link:
        run(folder, link)
        expected = link.output()
    with Link(allocate=memory.allocate, release=memory.release) as link:
        run(folder, link)
        assert link.output() == expected
        assert len(memory.held) >= 2
    assert not memory.held


@pytest.mark.parametrize("blocks", range(3))
def test_memory_of_the_caller_runs_out(blocks: int) -> None:
    memory = CountedMemory(blocks)
    with Link(allocate=memory.allocate, release=memory.release) as link:
        if link.created == OK:
            link.set("arch", "sm_80")
            for _ in range(400):
                link.add_file(GOOD_INPUT)
            assert link.run() != OK
        assert link.codes[0] == "out-of-memory"
    assert not memory.held


def test_memory_without_release_is_refused() -> None:
    with Link(allocate=CountedMemory().allocate) as link:
        assert link.created == ERROR_ARGUMENT
        assert link.codes == ["allocator-incomplete"]
