"""Experiments with memory sections in forms that no compiler writes; see experiments.py."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator

from cubin import SHT_CUDA_CONSTANT0, SHT_NOBITS, SHT_PROGBITS, WITHOUT_BYTES, Cubin
from experiment import KERNEL, NEAR, Case

SHT_CUDA_CONSTANT = 0x70000006
GLOBAL, GLOBAL_INIT, LOCAL = 0x70000007, 0x70000008, 0x70000009
IN_GLOBAL, IN_LOCAL, IN_CONSTANT = 0x20, 0x60, 0x80
ALLOC, WRITE, OWNED = 2, 1, 0x40
STB_WEAK, STO_INTERNAL = 2, 1

PLAIN_TYPES = {
    ".nv.global": SHT_NOBITS,
    ".nv_debug.shared": SHT_NOBITS,
    f".nv.shared.{KERNEL}": SHT_NOBITS,
    ".nv.global.init": SHT_PROGBITS,
    ".nv.constant3": SHT_PROGBITS,
    f".nv.constant0.{KERNEL}": SHT_PROGBITS,
}


def make_plain(cubin: Cubin, rng: random.Random, name: str, kind: int) -> bool:
    if not cubin.has_section(name):
        return False
    cubin.section(name).type = kind
    return True


def plain_types() -> Iterator[Case]:
    for name, kind in PLAIN_TYPES.items():
        yield Case("plain type", name, functools.partial(make_plain, name=name, kind=kind))
    for name in (".nv.constant3", f".nv.constant0.{KERNEL}"):
        change = functools.partial(make_plain, name=name, kind=SHT_CUDA_CONSTANT)
        yield Case("generic constants", name, change)


SecondSection = tuple[str, int, int, int | None]
# For each section that is added: its name, type, flags and memory space. A name that ends in a dot
# is completed with the name of a function.
SECOND_SECTIONS: tuple[SecondSection, ...] = (
    (".nv.global.init2", GLOBAL_INIT, WRITE | ALLOC, IN_GLOBAL),
    (".nv.global.init2", GLOBAL_INIT, ALLOC, IN_GLOBAL),
    (".nv.global.init", GLOBAL_INIT, ALLOC, IN_GLOBAL),
    (".nv.global.more", GLOBAL, WRITE | ALLOC, IN_GLOBAL),
    (".nv.global", GLOBAL, WRITE | ALLOC, IN_GLOBAL),
    (".nv.constant3.more", SHT_CUDA_CONSTANT0 + 3, ALLOC, IN_CONSTANT),
    (".nv.constant17", SHT_PROGBITS, ALLOC, IN_CONSTANT),
    ("other", SHT_PROGBITS, ALLOC, None),
    ("other", SHT_PROGBITS, WRITE | ALLOC, None),
    (".nv.other", SHT_PROGBITS, 0, None),
    (".future", 0x7000000C, 0, None),
    (".init_array", 14, WRITE | ALLOC, None),
    (".bss", SHT_NOBITS, WRITE | ALLOC, None),
    (".nv.local.", LOCAL, WRITE | ALLOC | OWNED, IN_LOCAL),
    (".nv.local.", SHT_NOBITS, WRITE | ALLOC | OWNED, IN_LOCAL),
    (".nv.global.init.", GLOBAL_INIT, WRITE | ALLOC | OWNED, IN_GLOBAL),
    *((f".nv.constant{n}.", SHT_CUDA_CONSTANT0 + n, ALLOC | OWNED, IN_CONSTANT) for n in (1, 4, 9)),
)


def add_section(
    cubin: Cubin, rng: random.Random, row: SecondSection, function: str, with_symbol: bool
) -> bool:
    name, kind, flags, space = row
    owned = flags & OWNED
    size = rng.choice((4, 8, 20, 64))
    content: bytes | int = size if kind in WITHOUT_BYTES else rng.randbytes(size)
    owner = cubin.section_index(f".text.{function}") if owned else 0
    align = rng.choice((1, 4, 8, 32))
    section = cubin.add_section(name + function * bool(owned), kind, flags, content, owner, align)
    if with_symbol and space is not None:
        offset = rng.choice((0, 4)) if size > 4 else 0
        index = cubin.add_symbol("added", section, offset, size - offset, other=space)
        if rng.random() < 0.5:
            text = cubin.section_index(f".text.{KERNEL}")
            cubin.add_relocation(text, 16, rng.choice((56, 57, 38, 2)), index, 4, True)
    return True


def second_sections() -> Iterator[Case]:
    for row in SECOND_SECTIONS:
        name = f"{row[0]}, flags {row[2]:#x}"
        for function in (KERNEL, NEAR) if row[2] & OWNED else (KERNEL,):
            for with_symbol in (False, True):
                column = f"{'symbol' if with_symbol else 'no symbol'}, {function}"
                change = functools.partial(
                    add_section, row=row, function=function, with_symbol=with_symbol
                )
                yield Case(name, column, change)


def add_literals(cubin: Cubin, rng: random.Random, size: int, align: int, distinct: int) -> bool:
    """Adds more compiler-made constants than fit into a bank."""
    owner = cubin.section_index(f".text.{KERNEL}")
    values = [rng.randbytes(size) for _ in range(distinct)]
    count = 0x11000 // size
    content = b"".join(rng.choice(values) for _ in range(count))
    name, kind = f".nv.constant2.{KERNEL}", SHT_CUDA_CONSTANT0 + 2
    section = cubin.add_section(name, kind, ALLOC | OWNED, content, owner, align)
    for i in range(count):
        symbol = f"{KERNEL}.const_opt.{i * size}.{i * size + size}"
        facts = {"binding": STB_WEAK, "other": IN_CONSTANT | STO_INTERNAL}
        index = cubin.add_symbol(symbol, section, i * size, size, **facts)
        if i == count // 2:
            cubin.add_relocation(owner, 32, 38, index, 0, True)
    return True


def overflowing_literals() -> Iterator[Case]:
    for size in (4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 80, 128):
        for align in (4, 8, 16, 32):
            for distinct in (3, 500):
                yield Case(
                    f"overflowing literals, {size} bytes",
                    f"alignment {align}, {distinct} distinct",
                    functools.partial(add_literals, size=size, align=align, distinct=distinct),
                )
