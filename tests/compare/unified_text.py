"""Writes random PTX files with unified functions and variables.

A text generator keeps a record of the functions and variables that it wrote, so that an index file
can assign offsets to them."""

from __future__ import annotations

import random
from dataclasses import dataclass

SLOT = 128
SIGNATURE = "(.reg .b32 result) {name} (.reg .b32 given)"
Id = tuple[int, int]


@dataclass
class Placed:
    """A function or variable, and its offset in the index file."""

    name: str
    id: Id
    size: int
    alignment: int
    offset: int = 0


TYPES = {".u8": 1, ".u16": 2, ".u32": 4, ".u64": 8}
BODIES = (
    "add.s32 result, given, 1;",
    "mul.lo.s32 result, given, given; bar.sync 0;",
    "{ .local .align 8 .b8 frame[48]; .reg .b64 at; .reg .b32 x; mov.u64 at, frame;"
    " and.b32 x, given, 7; cvt.u64.u32 at, x; st.local.u32 [frame], given;"
    " ld.local.u32 result, [frame]; }",
)


MALLOC = ".extern .func (.param .b64 place) malloc (.param .b64 size);"
ALLOCATION = (
    "{ .param .b64 size, place; .reg .b64 at; st.param.b64 [size], 8;"
    " call (place), malloc, (size); ld.param.b64 at, [place]; cvt.u32.u64 result, at; }"
)


def many_registers(count: int) -> str:
    lines = [f".reg .b32 r<{count}>;"]
    lines += [f"mov.u32 r{i}, %clock;" for i in range(count)]
    lines += ["mov.u32 result, given;", "bar.sync 1;"]
    lines += [f"xor.b32 result, result, r{i};" for i in range(count)]
    return " ".join(lines)


class TextGenerator:
    """Writes the files of one program, with random contents."""

    def __init__(self, seed: int, number: int, arches: tuple[str, ...]):
        self.rng = random.Random(f"unified {seed}-{number}")
        self.arch = self.rng.choice(arches)
        self.kernels: list[int] = []  # for each file, how many it has
        self.used: set[str] = set()
        self.functions: list[Placed] = []
        self.variables: list[Placed] = []
        self.visible_functions: list[tuple[int, Placed]] = []  # number of the file, function
        self.visible_variables: list[tuple[int, Placed]] = []
        self.ids: list[Id] = []
        self.repeated_statics = self.rng.random() < 0.1

    def chance(self, probability: float, feature: str) -> bool:
        happens = self.rng.random() < probability
        if happens:
            self.used.add(feature)
        return happens

    def new_id(self) -> Id:
        """A new identifier. Many are small. Some have the same key (the XOR of the two halves) as
        an earlier identifier."""
        while True:
            if self.ids and self.chance(0.2, "ids of one key"):
                low, high = self.rng.choice(self.ids)
                flip = self.rng.randrange(1, 16)
                fresh = (low ^ flip, high ^ flip)
            else:
                bits = self.rng.choice((4, 16, 64))
                fresh = (self.rng.getrandbits(bits), self.rng.getrandbits(bits))
            if fresh not in self.ids:
                self.ids.append(fresh)
                return fresh

    # Text ---------------------------------------------------------------------------------------

    def attribute(self, placed_id: Id) -> str:
        return f".attribute(.unified({placed_id[0]:#x}, {placed_id[1]:#x}))"

    def function(self, number: int, count: int) -> str:
        linkage = self.rng.choices((".visible", "", ".weak"), (6, 2, 1))[0]
        name = f"function{number}_{count}"
        if not linkage and self.repeated_statics:
            self.used.add("static functions of one name")
            name = f"function_{count}"
        if linkage == ".weak":
            self.used.add("weak functions")
        placed = Placed(name, self.new_id(), SLOT, SLOT)
        self.functions.append(placed)
        if linkage:
            self.visible_functions.append((number, placed))
        signature = SIGNATURE.format(name=name)
        body = self.body(number)
        return f"{linkage} .func {self.attribute(placed.id)} {signature}\n{{ {body} ret; }}\n"

    def body(self, number: int) -> str:
        is_removed = sum(self.kernels) < 2  # nvlink may then remove helpers: docs/quirks/unified.md
        if self.chance(0.02 if is_removed else 0.3, "helpers of unified functions"):
            return f"call (result), helper{number}, (given);"
        if self.chance(0.1, "many registers"):
            return many_registers(self.rng.choice((40, 70, 100)))
        if self.chance(0.15, "functions of the driver"):
            return ALLOCATION
        return self.rng.choice(BODIES)

    def variable(self, number: int, count: int) -> str:
        kind, size = self.rng.choice(list(TYPES.items()))
        length = self.rng.choice((0, 0, 0, 3, 5, 16))
        linkage = self.rng.choice(("", ".visible"))
        alignment = 16 if self.chance(0.05, "aligned variables") else size
        name = f"variable{number}_{count}"
        placed = Placed(name, self.new_id(), size * (length or 1), alignment)
        self.variables.append(placed)
        if linkage:
            self.visible_variables.append((number, placed))
        shape = f"[{length}]" if length else ""
        values = [str(self.rng.randrange(1, 250)) for _ in range(length or 1)]
        if kind == ".u64" and self.chance(0.15, "addresses in unified variables"):
            values[0] = self.rng.choice((f"plain{number}", f"helper{number}"))
        start = f" = {{{', '.join(values)}}}" if length else f" = {values[0]}"
        if self.chance(0.2, "unified variables of zeros"):
            start = ""
        return (
            f"{linkage} .global .align {alignment} {self.attribute(placed.id)} "
            f"{kind} {name}{shape}{start};\n"
        )

    def others(self, number: int) -> str:
        """Declarations of names that other files define, and that this file refers to."""
        text = ""
        for home, placed in self.visible_functions:
            if home != number and self.rng.random() < 0.4:
                with_id = self.chance(0.5, "unified references")
                attribute = self.attribute(placed.id) if with_id else ""
                text += f".extern .func {attribute} {SIGNATURE.format(name=placed.name)};\n"
                self.references.append((placed.name, True))
        for home, placed in self.visible_variables:
            if home != number and self.rng.random() < 0.4:
                kind = {size: kind for kind, size in TYPES.items()}.get(placed.size)
                if kind:
                    text += f".extern .global {self.attribute(placed.id)} {kind} {placed.name};\n"
                    self.references.append((placed.name, False))
        return text

    def kernel(self, name: str, number: int) -> str:
        body = "ld.param.u64 %out, [given];\nmov.u32 %x, 3;\n"
        known = [(placed.name, True) for placed in self.own_functions]
        known += [(placed.name, False) for placed in self.own_variables]
        known += [*self.references, (f"helper{number}", True), (f"plain{number}", False)]
        for at in range(self.rng.randrange(5)):
            target, is_function = self.rng.choice(known)
            if is_function and self.rng.random() < 0.5:
                body += f"call (%x), {target}, (%x);\nst.global.u32 [%out+{16 * at}], %x;\n"
            else:
                body += f"mov.u64 %at, {target};\nst.global.u64 [%out+{16 * at + 8}], %at;\n"
        if self.chance(0.3, "calls through pointers"):
            body += "ld.global.u64 %at, [%out+512];\ncall (%x), %at, (%x), prototype;\n"
            body += "st.global.u32 [%out+520], %x;\n"
        return (
            f".visible .entry {name}(.param .u64 given)\n{{\n.reg .b64 %out, %at;\n.reg .b32 %x;\n"
            "prototype: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
            f"{body}ret;\n}}\n"
        )

    def file(self, number: int) -> str:
        self.references: list[tuple[str, bool]] = []
        first_function, first_variable = len(self.functions), len(self.variables)
        helper = f".func {SIGNATURE.format(name=f'helper{number}')}"
        text = ".version 9.0\n.target " + self.arch + "\n.address_size 64\n"
        text += f".global .u32 plain{number} = 5;\n{MALLOC}\n{helper}\n"
        text += f"{{ {self.rng.choice([*BODIES, many_registers(60)])} ret; }}\n"
        text += self.others(number)
        for count in range(self.rng.choice((0, 1, 1, 2, 3, 5))):
            text += self.function(number, count)
        for count in range(self.rng.choice((0, 0, 1, 2, 3))):
            text += self.variable(number, count)
        self.own_functions = self.functions[first_function:]
        self.own_variables = self.variables[first_variable:]
        for count in range(self.kernels[number]):
            text += self.kernel(f"kernel{number}_{count}", number)
        return text
