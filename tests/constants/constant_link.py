"""Makes objects that have constants, and links them with warpld."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from cubin import STB_GLOBAL, STB_LOCAL, Cubin, Relocation, read_cubin
from golden_folder import GOLDEN
from quirk_link import BUILD

CONSTANT3, ALLOCATED, IN_CONSTANT = 0x70000067, 2, 0x80
GLOBAL_INIT, WRITABLE, IN_GLOBAL = 0x70000008, 3, 0x20
BANK = ".nv.constant3"
ADDRESS = 2  # R_CUDA_64
MERGE, REMOVE = "--merge-constants", "--remove-unused-constants"
LITERALS = GOLDEN / "compiler-constants-placed-per-function"


@dataclass(frozen=True)
class Link:
    status: int
    messages: str
    path: Path

    @property
    def cubin(self) -> Cubin:
        return read_cubin(self.path)

    def bank(self, name: str = BANK) -> bytes:
        return bytes(self.cubin.section(name).data)

    def literal_banks(self) -> dict[str, bytes]:
        """Maps each kernel's name to the content of its bank of compiler-made constants."""
        prefix = ".nv.constant2."
        found = [s for s in self.cubin.sections if s.name.startswith(prefix)]
        return {s.name.removeprefix(prefix): bytes(s.data) for s in found}

    def has(self, symbol: str) -> bool:
        return any(s.name == symbol for s in self.cubin.symbols)

    def value(self, symbol: str) -> int:
        return next(s.value for s in self.cubin.symbols if s.name == symbol)

    def content(self, symbol: str) -> bytes:
        found = next(s for s in self.cubin.symbols if s.name == symbol)
        data = self.cubin.sections[found.section].data
        return bytes(data[found.value : found.value + found.size])

    def relocations(self, section: str) -> list[Relocation]:
        """The relocations of one section, sorted by offset."""
        cubin = self.cubin
        names = (".rel" + section, ".rela" + section)
        found = [e for s in cubin.sections if s.name in names for e in s.relocations()]
        return sorted(found, key=lambda entry: entry.offset)


def link(folder: Path, *words: str | Path, arch: str = "sm_80") -> Link:
    output = folder / "output.cubin"
    output.unlink(missing_ok=True)
    done = subprocess.run(
        [BUILD / "warpld", f"-arch={arch}", *words, "-o", output],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode == 0:
        command: list[str | Path] = [BUILD / "cubintool", "verify", output]
        verified = subprocess.run(command, capture_output=True, text=True, check=False)
        assert verified.returncode == 0, verified.stdout + verified.stderr
    return Link(done.returncode, done.stderr, output)


def base() -> Cubin:
    """An object with a device function `dd` and a kernel `j`, but no variables in constant
    memory."""
    return read_cubin(GOLDEN / "local-memory-by-symbols" / "b.cubin")


def add_constants(cubin: Cubin, places: dict[str, tuple[int, bytes]]) -> int:
    """Adds a bank of user constants. `places` maps the name of each variable to its offset and its
    content. Variables whose names begin with an underscore are static."""
    content = bytearray(max(offset + len(data) for offset, data in places.values()))
    section = cubin.add_section(BANK, CONSTANT3, ALLOCATED, content, align=16)
    for name, (offset, data) in places.items():
        cubin.sections[section].data[offset : offset + len(data)] = data
        binding = STB_LOCAL if name.startswith("_") else STB_GLOBAL
        cubin.add_symbol(name, section, offset, len(data), other=IN_CONSTANT, binding=binding)
    return section


def refer_from_code(cubin: Cubin, name: str, function: str = "j", offset: int = 0) -> None:
    place = cubin.section_index(".text." + function)
    cubin.add_relocation(place, offset, ADDRESS, cubin.symbol_index(name), 0, explicit=True)


def write(folder: Path, name: str, cubin: Cubin) -> Path:
    path = folder / name
    path.write_bytes(cubin.write())
    return path


def write_all(folder: Path, cubins: list[Cubin]) -> list[Path]:
    return [write(folder, f"{number}.cubin", cubin) for number, cubin in enumerate(cubins)]
