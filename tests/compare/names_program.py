"""Random programs whose files define the same few names, each file in its own way.

Every name is static, weak or GLOBAL in some files, referred to in others and absent from the rest.
The contents of each definition are random: literals, shared and local memory, registers, barriers,
calls, addresses. The module also says which parts of a program shrink.py can drop.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from source import Source

STATIC, WEAK, GLOBAL, COMMON, EXTERN = "", ".weak ", ".visible ", ".common ", ".extern "
KERNELS, FUNCTIONS = ("kernel", "other"), ("near", "far")
VARIABLES, CONSTANTS, SHARED = ("value", "more"), ("bank",), ("tile", "row")
TABLES = ("table", "fixed_table")  # of addresses; the second in constant memory
TEXTURES = ("texture",)
DATA = (*VARIABLES, *CONSTANTS, *SHARED, *TABLES, *TEXTURES)
FILE_NAMES = ("a", "b", "c", "d")
FILE_COUNTS = (2, 2, 3, 3, 4)
DEFINED, REFERRED = 0.55, 0.3  # fractions of the names that a file defines, refers to
LINK_OPTIONS = (
    *((),) * 3,
    ("-g",),
    ("-v",),
    ("--force-rela",),
    ("-kernels-used=kernel",),
    ("-kernels-used=main",),
    ("-kernels-used=main_a,other", "-variables-used=value"),
)
HEADER = ".version 8.0\n.target sm_75\n.address_size 64\n"
REGISTERS = "    .reg .f64 %x;\n    .reg .b32 %r, %q, %w<20>;\n    .reg .b64 %at, %to;"


@dataclass(frozen=True)
class Definition:
    name: str
    linkage: str
    declaration: str = ""  # complete text of a variable; empty for code
    parameters: str = ""  # of a kernel, besides the first
    pieces: tuple[str, ...] = ()  # of code

    @property
    def is_code(self) -> bool:
        return self.name in (*KERNELS, *FUNCTIONS) or self.name.startswith("main")

    def render(self) -> str:
        if not self.is_code:
            return self.declaration
        body = "\n".join(self.pieces)
        end = "    cvt.rzi.u32.f64 %q, %x;\n    add.u32 %r, %r, %q;"
        if self.name in FUNCTIONS:
            return (
                f"{prototype(self.linkage, self.name)}\n{{\n{REGISTERS}\n"
                "    ld.param.b32 %r, [a];\n    cvt.rn.f64.u32 %x, %r;\n    cvt.u64.u32 %at, %r;\n"
                f"{body}\n{end}\n    st.param.b32 [result], %r;\n    ret;\n}}\n"
            )
        return (
            f"{self.linkage}.entry {self.name} (.param .u64 out{self.parameters})\n"
            f"{{\n{REGISTERS}\n"
            "    ld.param.u64 %at, [out];\n    mov.u32 %r, %tid.x;\n    cvt.rn.f64.u32 %x, %r;\n"
            f"{body}\n{end}\n    st.global.u32 [%at], %r;\n    ret;\n}}\n"
        )


@dataclass(frozen=True)
class File:
    name: str
    declarations: tuple[str, ...]
    definitions: tuple[Definition, ...]
    options: tuple[str, ...]

    def source(self) -> Source:
        parts = [HEADER, *self.declarations, *(d.render() for d in self.definitions)]
        return Source(f"{self.name}.ptx", "\n".join(parts) + "\n", self.options)


@dataclass(frozen=True)
class NamesProgram:
    arch: str
    files: tuple[File, ...]
    link_options: list[str] = field(default_factory=list)

    def sources(self) -> list[Source]:
        return [file.source() for file in self.files]

    def features(self) -> set[str]:
        words = {STATIC: "static", WEAK: "weak", GLOBAL: "global", COMMON: "common"}
        found = {f"option {option}" for option in self.link_options}
        for name in (*KERNELS, *FUNCTIONS, *DATA):
            definitions = [d for f in self.files for d in f.definitions if d.name == name]
            linkages = [words[d.linkage] for d in definitions]
            found |= {f"{a} then {b}" for a, b in zip(linkages, linkages[1:], strict=False)}
        return found


# --------------------------------------------------------------------------------------------------
# Drawing


def prototype(linkage: str, name: str) -> str:
    return f"{linkage}.func (.param .b32 result) {name} (.param .b32 a)"


def literal(rng: random.Random) -> str:
    """A double that fits no instruction, so that ptxas stores it in constant memory."""
    return f"0d{0x3FF0000000000000 + rng.randrange(1, 1 << 44):016x}"


def variable(rng: random.Random, name: str, linkage: str) -> Definition:
    alignment = rng.choice((4, 8, 16))
    if name in SHARED:
        text = f"{linkage}.shared .align {alignment} .b8 {name}[{rng.choice((16, 32))}];"
    elif name in CONSTANTS:
        text = f"{linkage}.const .align 8 .b8 {name}[16] = {{{rng.randrange(200)}, 2}};"
    elif name in TEXTURES:
        text = f"{linkage}.global .texref {name};"
    else:
        contents = "" if linkage == COMMON else rng.choice(("", " = {1, 2, 3}"))
        managed = " .attribute(.managed)" if linkage == GLOBAL and rng.random() < 0.1 else ""
        text = f"{linkage}.global{managed} .align {alignment} .b8 {name}[16]{contents};"
    return Definition(name, linkage, text)


def table(rng: random.Random, name: str, linkage: str, known: list[str]) -> Definition:
    addresses = [
        other if other in FUNCTIONS else f"generic({other})"
        for other in known
        if other in (*FUNCTIONS, *VARIABLES)
    ]
    words = [rng.choice(addresses) if addresses and rng.random() < 0.7 else "7" for _ in range(2)]
    space = "const" if name == TABLES[1] else "global"
    text = f"{linkage}.{space} .align 8 .u64 {name}[2] = {{{', '.join(words)}}};"
    return Definition(name, linkage, text)


def use(name: str) -> str:
    if name in FUNCTIONS:
        return (
            "    { .param .b32 given; .param .b32 got; st.param.b32 [given], %r;"
            f" call (got), {name}, (given); ld.param.b32 %r, [got]; }}"
        )
    if name in SHARED:
        return f"    st.volatile.shared.u32 [{name}], %r; ld.volatile.shared.u32 %r, [{name}+4];"
    if name in TEXTURES:
        return (
            "    { .reg .f32 %t<4>; tex.1d.v4.f32.s32 {%t0, %t1, %t2, %t3},"
            f" [{name}, {{%r}}]; mov.b32 %q, %t1; add.u32 %r, %r, %q; }}"
        )
    if name in TABLES:
        space = "const" if name == TABLES[1] else "global"
        return (
            f"    {{ ld.{space}.u64 %to, [{name}]; .param .b32 given; .param .b32 got;"
            " st.param.b32 [given], %r; $p: .callprototype (.param .b32 _) _ (.param .b32 _);"
            " call (got), %to, (given), $p; ld.param.b32 %r, [got]; }"
        )
    space = "const" if name in CONSTANTS else "volatile.global"
    return f"    ld.{space}.u32 %q, [{name}+4]; add.u32 %r, %r, %q;"


def own_pieces(rng: random.Random) -> Iterator[str]:
    """Pieces of code that use none of the program's names: literals, registers, shared and local
    memory, a barrier."""
    for _ in range(rng.choice((0, 0, 1, 2))):
        yield f"    fma.rn.f64 %x, %x, {literal(rng)}, {literal(rng)};"
    if rng.random() < 0.4:
        words = range(rng.randrange(2, 14))
        loads = "".join(f" ld.volatile.global.u32 %w{i}, [%at+{4 * i}];" for i in words)
        yield "   " + loads + "".join(f" xor.b32 %r, %r, %w{i};" for i in words)
    if rng.random() < 0.3:
        size, alignment = rng.choice((24, 40)), rng.choice((4, 16))
        yield (f"    .shared .align {alignment} .b8 own[{size}]; st.volatile.shared.u32 [own], %r;")
    if rng.random() < 0.2:
        yield f"    bar.sync {rng.randrange(4)};"
    if rng.random() < 0.2:
        size = rng.choice((32, 64))
        yield (
            f"    .local .align 8 .b8 frame[{size}]; st.local.u32 [frame], %r;"
            " ld.local.u32 %r, [frame+8];"
        )


def draw_code(rng: random.Random, name: str, linkage: str, known: list[str]) -> Definition:
    fraction = 0.3 if name in FUNCTIONS else 0.5
    pieces = [*own_pieces(rng), *(use(other) for other in known if rng.random() < fraction)]
    rng.shuffle(pieces)
    more = ", .param .u32 unread" if name in KERNELS and rng.random() < 0.1 else ""
    return Definition(name, linkage, parameters=more, pieces=tuple(pieces))


def draw_linkage(rng: random.Random, name: str, taken: set[str]) -> str:
    """Draws the linkage of a definition. At most one definition of a name is GLOBAL."""
    if name in VARIABLES and rng.random() < 0.15:
        return COMMON
    if name in TEXTURES:
        return rng.choice((STATIC, GLOBAL))
    linkage = rng.choice((STATIC, STATIC, WEAK, WEAK, GLOBAL))
    if linkage == GLOBAL and name in taken:
        return STATIC
    if linkage == GLOBAL:
        taken.add(name)
    return linkage


def declaration(name: str, linkage: str) -> str:
    if name in FUNCTIONS:
        return f"{prototype(linkage, name)};"
    if name in TEXTURES:
        return f"{EXTERN}.global .texref {name};"
    if name in TABLES:
        return f"{EXTERN}.{'const' if name == TABLES[1] else 'global'} .align 8 .u64 {name}[2];"
    space = "shared" if name in SHARED else "const" if name in CONSTANTS else "global"
    return f"{EXTERN}.{space} .align 4 .b8 {name}[16];"


def draw_file(rng: random.Random, name: str, taken: set[str]) -> File:
    linkages: dict[str, str] = {}
    names = (*FUNCTIONS, *DATA)
    for found in (*names, *KERNELS):
        if rng.random() < DEFINED:
            linkages[found] = draw_linkage(rng, found, taken)
    referred = [n for n in names if n in taken and n not in linkages and rng.random() < REFERRED]
    known = [n for n in names if n in linkages or n in referred]
    declarations = [declaration(n, EXTERN) for n in referred]
    declarations += [declaration(n, linkages[n]) for n in FUNCTIONS if n in linkages]
    definitions = [
        table(rng, n, linkage, known) if n in TABLES else variable(rng, n, linkage)
        for n, linkage in linkages.items()
        if n not in (*FUNCTIONS, *KERNELS)
    ]
    definitions += [
        draw_code(rng, n, linkage, known)
        for n, linkage in linkages.items()
        if n in (*FUNCTIONS, *KERNELS)
    ]
    if rng.random() < 0.5:
        definitions.append(draw_code(rng, f"main_{name}", GLOBAL, known))
    options = rng.choice(((), (), ("-O1",), ("-maxrregcount=32",)))
    return File(name, tuple(declarations), tuple(definitions), options)


def generate_names(seed: int, index: int, arches: tuple[str, ...]) -> NamesProgram:
    rng = random.Random(f"names {seed}-{index}")
    taken: set[str] = set()
    names = FILE_NAMES[: rng.choice(FILE_COUNTS)]
    files = tuple(draw_file(rng, name, taken) for name in names)
    return NamesProgram(rng.choice(arches), files, list(rng.choice(LINK_OPTIONS)))


# --------------------------------------------------------------------------------------------------
# Shrinking


def steps(program: NamesProgram) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [(f,) for f in range(len(program.files))]
    for f, file in enumerate(program.files):
        for d, definition in enumerate(file.definitions):
            found.append((f, d))
            found += [(f, d, p) for p in range(len(definition.pieces))]
    return found


def without(program: NamesProgram, dropped: Sequence[tuple[int, ...]]) -> NamesProgram:
    gone = set(dropped)
    files = []
    for f, file in enumerate(program.files):
        if (f,) in gone:
            continue
        definitions = tuple(
            replace(
                definition,
                pieces=tuple(p for i, p in enumerate(definition.pieces) if (f, d, i) not in gone),
            )
            for d, definition in enumerate(file.definitions)
            if (f, d) not in gone
        )
        files.append(replace(file, definitions=definitions))
    return replace(program, files=tuple(files))
