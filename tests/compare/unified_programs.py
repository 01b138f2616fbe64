"""Random programs of unified functions and variables, with their index files.

A program is a few PTX files, and an index file that assigns offsets to the functions and variables
in them. A third of the programs is wrong on purpose: the index file is damaged, or the PTX files
contradict it.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field, replace

from source import Source

SLOT = 128
MAGIC = b"\x7fUFTINDX"
INDEX_FILE = "unified.index"
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


@dataclass
class Index:
    functions: list[Placed] = field(default_factory=list)
    variables: list[Placed] = field(default_factory=list)
    version: int = 1
    extra: bytes = b""
    window_error: int = 0  # added to the stated size of the function table
    data_window_error: int = 0  # added to the stated size of the data table
    data_end: int | None = None  # size of the data table; None: end of last variable

    def bytes(self) -> bytes:
        functions = SLOT * len(self.functions) + self.window_error
        ends = [variable.offset + variable.size for variable in self.variables]
        data = self.data_end if self.data_end is not None else max(ends, default=0)
        header = struct.pack(
            "<IIQQQQ",
            self.version,
            0,
            functions % (1 << 64),
            len(self.functions),
            (data + self.data_window_error) % (1 << 64),
            len(self.variables),
        )
        entries = b"".join(
            struct.pack("<QQQ", *placed.id, placed.offset)
            for placed in [*self.functions, *self.variables]
        )
        return MAGIC + header + entries + self.extra


@dataclass
class UnifiedProgram:
    arch: str
    texts: list[str]
    options: list[tuple[str, ...]]
    link_options: list[str]
    index: bytes | None
    fault: str  # the deliberate fault; empty if there is none
    relinked: bool  # all files but the first are joined with -r before the link
    used: set[str]

    def sources(self) -> list[Source]:
        return [
            Source(f"file{number}.ptx", text, options)
            for number, (text, options) in enumerate(zip(self.texts, self.options, strict=True))
        ]

    def features(self) -> set[str]:
        return self.used


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


class Generator:
    def __init__(self, seed: int, number: int, arches: tuple[str, ...]):
        self.rng = random.Random(f"unified {seed}-{number}")
        self.arch = self.rng.choice(arches)
        self.index = Index()
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

    # The index file -----------------------------------------------------------------------------

    def place(self) -> None:
        """Assigns offsets. The functions are in random order. The variables are in random order or,
        in most programs, in an order with few gaps."""
        self.index.functions = list(self.functions)
        self.rng.shuffle(self.index.functions)
        slots = list(range(len(self.functions)))
        self.rng.shuffle(slots)
        for slot, function in zip(slots, self.index.functions, strict=True):
            function.offset = SLOT * slot
        order = list(self.variables)
        self.rng.shuffle(order)
        if not self.chance(0.1, "gaps between unified variables"):
            order.sort(key=lambda variable: -variable.alignment)
            order = self.without_gaps(order)
        end = 0
        for variable in order:
            variable.offset = end + -end % variable.alignment
            end = variable.offset + variable.size
        self.index.variables = list(self.variables)
        self.rng.shuffle(self.index.variables)

    def without_gaps(self, order: list[Placed]) -> list[Placed]:
        """Reorders the variables. The next one is the first variable that fits without a gap or, if
        none fits, the first of those that are left."""
        result: list[Placed] = []
        end = 0
        while order:
            fitting = [v for v in order if end % v.alignment == 0]
            chosen = (fitting or order)[0]
            order.remove(chosen)
            end += -end % chosen.alignment + chosen.size
            result.append(chosen)
        return result

    def program(self) -> UnifiedProgram:
        files = self.rng.choice((1, 2, 2, 3, 4))
        self.kernels = [self.rng.choice((0, 1, 1, 2, 2)) for _ in range(files)]
        self.kernels[0] += not any(self.kernels)
        texts = [self.file(number) for number in range(files)]
        self.place()
        if self.chance(0.2, "version 2"):
            self.index.version = self.rng.choice((2, 2, 3, 0x80000000))
            self.index.extra = self.rng.randbytes(16 * len(self.functions))
        fault = self.rng.choice(sorted(FAULTS)) if self.rng.random() < 1 / 3 else ""
        if fault and not FAULTS[fault](self, texts):
            fault = ""
        index: bytes | None = self.index.bytes()
        if fault == "no index":
            index = None
        elif fault in DAMAGE:
            index = DAMAGE[fault](self.rng, index)
        return self.finished(texts, index, fault)

    def finished(self, texts: list[str], index: bytes | None, fault: str) -> UnifiedProgram:
        rng = self.rng
        options = [rng.choice(((), (), (), ("-lineinfo",), ("-O1",))) for _ in texts]
        choices: list[list[str]] = [[], [], [], [], ["-v"], ["-dump-callgraph"], ["-g"]]
        if "kernel0_0" in texts[0]:
            choices.append(["-kernels-used=kernel0_0"])
        link_options = rng.choice(choices)
        relinked = not fault and len(texts) > 1 and self.chance(0.15, "relinked")
        self.used |= {f"fault: {fault}"} if fault else set()
        self.used |= set(link_options) | {"unified functions"} if self.functions else set()
        self.used |= {"unified variables"} if self.variables else set()
        if index is not None:
            link_options = [*link_options, f"-uidx={INDEX_FILE}"]
        return UnifiedProgram(
            self.arch, texts, options, link_options, index, fault, relinked, self.used
        )


# Faults of programs -----------------------------------------------------------------------------


def some_function(generator: Generator) -> Placed | None:
    functions = generator.index.functions
    return generator.rng.choice(functions) if functions else None


def some_variable(generator: Generator) -> Placed | None:
    variables = generator.index.variables
    return generator.rng.choice(variables) if variables else None


def replace_in(entries: list[Placed], old: Placed, new: Placed) -> bool:
    entries[entries.index(old)] = new
    return True


def function_window(generator: Generator, texts: list[str]) -> bool:
    generator.index.window_error = generator.rng.choice((-SLOT, SLOT, 1))
    return True


def data_window(generator: Generator, texts: list[str]) -> bool:
    generator.index.data_window_error = generator.rng.choice((-1, 1, 8))
    return True


def unknown_id(generator: Generator, texts: list[str]) -> bool:
    placed = some_function(generator)
    if not placed:
        return False
    return replace_in(generator.index.functions, placed, replace(placed, id=generator.new_id()))


def unknown_id_of_variable(generator: Generator, texts: list[str]) -> bool:
    placed = some_variable(generator)
    if not placed:
        return False
    return replace_in(generator.index.variables, placed, replace(placed, id=generator.new_id()))


def other_id_of_key(generator: Generator, texts: list[str]) -> bool:
    placed = some_function(generator)
    if not placed:
        return False
    twin = (placed.id[0] ^ 0x5A, placed.id[1] ^ 0x5A)
    known = {function.id for function in generator.functions}
    if twin in known:
        return False
    return replace_in(generator.index.functions, placed, replace(placed, id=twin))


def placed_twice(generator: Generator, texts: list[str]) -> bool:
    placed = some_function(generator)
    if not placed:
        return False
    generator.index.functions.append(placed)
    generator.index.window_error = -SLOT
    return True


def variable_placed_twice(generator: Generator, texts: list[str]) -> bool:
    placed = some_variable(generator)
    if not placed:
        return False
    generator.index.variables.append(placed)
    return True


def function_left_out(generator: Generator, texts: list[str]) -> bool:
    placed = some_function(generator)
    if not placed or len(generator.functions) < 2:
        return False
    generator.index.functions.remove(placed)
    generator.index.window_error = SLOT
    return True


def variable_left_out(generator: Generator, texts: list[str]) -> bool:
    placed = some_variable(generator)
    if not placed:
        return False
    generator.index.variables.remove(placed)
    return True


def functions_overlap(generator: Generator, texts: list[str]) -> bool:
    functions = generator.index.functions
    if len(functions) < 2:
        return False
    first, second = generator.rng.sample(functions, 2)
    offset = first.offset + generator.rng.choice((0, 0, 64))
    return replace_in(functions, second, replace(second, offset=offset))


def variables_overlap(generator: Generator, texts: list[str]) -> bool:
    variables = generator.index.variables
    if len(variables) < 2:
        return False
    first, second = generator.rng.sample(variables, 2)
    return replace_in(variables, second, replace(second, offset=first.offset))


def function_outside(generator: Generator, texts: list[str]) -> bool:
    placed = some_function(generator)
    if not placed:
        return False
    far = generator.rng.choice((SLOT * len(generator.functions), 1 << 40, (1 << 64) - 64))
    return replace_in(generator.index.functions, placed, replace(placed, offset=far))


def variable_outside(generator: Generator, texts: list[str]) -> bool:
    placed = some_variable(generator)
    if not placed:
        return False
    ends = [variable.offset + variable.size for variable in generator.index.variables]
    generator.index.data_end = max(ends)
    return replace_in(generator.index.variables, placed, replace(placed, offset=max(ends)))


def same_ids(generator: Generator, texts: list[str]) -> bool:
    """Adds one or two functions that have the identifier of an existing function, each to a random
    file."""
    placed = some_function(generator)
    if not placed:
        return False
    for copy in range(generator.rng.choice((1, 1, 2))):
        name = f"copy{copy}"
        text = (
            f".func {generator.attribute(placed.id)} {SIGNATURE.format(name=name)}\n"
            f"{{ {BODIES[0]} ret; }}\n"
        )
        texts[generator.rng.randrange(len(texts))] += text
        generator.index.window_error += SLOT
        if generator.rng.random() < 0.5:
            generator.index.functions.append(
                replace(placed, offset=SLOT * len(generator.index.functions))
            )
            generator.index.window_error -= SLOT
    return True


def undefined_function(generator: Generator, texts: list[str]) -> bool:
    texts[0] += (
        f".extern .func {generator.attribute((1 << 63, 1))} {SIGNATURE.format(name='missing')};\n"
        ".visible .entry caller(.param .u64 given)\n{ .reg .b32 %x; mov.u32 %x, 1;"
        " call (%x), missing, (%x); ret; }\n"
    )
    return True


def nothing_to_do(generator: Generator, texts: list[str]) -> bool:
    return True


FAULTS = {
    "no index": nothing_to_do,
    "function window": function_window,
    "data window": data_window,
    "unknown id": unknown_id,
    "unknown id of variable": unknown_id_of_variable,
    "other id of the key": other_id_of_key,
    "placed twice": placed_twice,
    "variable placed twice": variable_placed_twice,
    "function left out": function_left_out,
    "variable left out": variable_left_out,
    "functions overlap": functions_overlap,
    "variables overlap": variables_overlap,
    "function outside": function_outside,
    "variable outside": variable_outside,
    "same ids": same_ids,
    "undefined function": undefined_function,
    "other file": nothing_to_do,
    "shorter": nothing_to_do,
    "longer": nothing_to_do,
    "empty": nothing_to_do,
    "other version": nothing_to_do,
    "other counts": nothing_to_do,
}


def other_counts(rng: random.Random, index: bytes) -> bytes:
    at = rng.choice((24, 40))
    count = struct.unpack_from("<Q", index, at)[0]
    wrong = rng.choice((count + 1, (1 << 64) - 1, 1 << 61)) & ((1 << 64) - 1)
    return index[:at] + struct.pack("<Q", wrong) + index[at + 8 :]


DAMAGE = {
    "other file": lambda rng, index: b"other" + index[5:],
    "shorter": lambda rng, index: index[: rng.randrange(1, len(index))],
    "longer": lambda rng, index: index + bytes(rng.randrange(1, 40)),
    "empty": lambda rng, index: b"",
    "other version": lambda rng, index: (
        index[:8] + struct.pack("<I", rng.choice((0, 1, 2, 9))) + index[12:]
    ),
    "other counts": other_counts,
}


def generate_unified(seed: int, number: int, arches: tuple[str, ...]) -> UnifiedProgram:
    return Generator(seed, number, arches).program()
