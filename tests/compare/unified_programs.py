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
from unified_text import BODIES, SIGNATURE, SLOT, Placed, TextGenerator

MAGIC = b"\x7fUFTINDX"
INDEX_FILE = "unified.index"


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


class Generator(TextGenerator):
    """Makes a program: its files, the index file and, in some programs, a fault."""

    def __init__(self, seed: int, number: int, arches: tuple[str, ...]):
        super().__init__(seed, number, arches)
        self.index = Index()

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
