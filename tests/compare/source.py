"""A source file of a generated program: text, and how it is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

COMPILERS = {".ptx": ["ptxas", "-c"], ".cu": ["nvcc", "-rdc=true", "-cubin"]}

# An option of nvcc that names a virtual target.
VIRTUAL_TARGET = "-arch=compute_"


@dataclass(frozen=True)
class Source:
    name: str
    text: str
    options: tuple[str, ...] = ()

    @property
    def cubin_name(self) -> str:
        return PurePath(self.name).stem + ".cubin"

    def command(self, arch: str) -> list[str]:
        compiler = COMPILERS[PurePath(self.name).suffix]
        if any(option.startswith(VIRTUAL_TARGET) for option in self.options):
            return [*compiler, f"-code={arch}", *self.options, self.name]
        return [*compiler, f"-arch={arch}", *self.options, self.name]

    def kept_text(self) -> str:
        """The text in the form of golden tests: if there are options, a first line lists them."""
        compiler = COMPILERS[PurePath(self.name).suffix][0]
        return (f"// {compiler}: {' '.join(self.options)}\n" if self.options else "") + self.text
