"""Random programs that are full of constants: literals, jump tables, variables.

Literals come from a small pool, so that functions have many in common. For each function, the
callees and the variables that it reads are chosen at random.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from source import Source


@dataclass
class ConstantProgram:
    arch: str
    files: list[Source]
    link_options: list[str] = field(default_factory=list)

    def sources(self) -> list[Source]:
        return self.files

    def features(self) -> set[str]:
        return set()


@dataclass
class Function:
    name: str
    is_kernel: bool
    file: int
    literals: list[int]
    callees: list[Function]
    variables: list[str]
    table_size: int  # entries of its jump table; 0: no jump table


def literal(number: int) -> str:
    """A double that fits no instruction, so that ptxas stores it in constant memory."""
    return f"0d3ff0{number:04x}2345678{number % 10}"


def jump_table(size: int, number: int) -> list[str]:
    labels = [f"$case_{number}_{i}" for i in range(size)]
    lines = [
        f"    $table_{number}: .branchtargets {', '.join(labels)};",
        "    cvt.rzi.u32.f64 %index, %value;",
        f"    and.b32 %index, %index, {size - 1};",
        f"    brx.idx %index, $table_{number};",
    ]
    for i, label in enumerate(labels):
        lines += [
            f"{label}:",
            f"    st.volatile.global.u32 [out], {1000 * number + 7 * i + 3};",
            f"    bra.uni $end_{number};",
        ]
    return [*lines, f"$end_{number}:"]


def render_function(function: Function, number: int) -> str:
    head = ".visible .entry" if function.is_kernel else ".visible .func"
    lines = [
        f"{head} {function.name} ()",
        "{",
        "    .reg .f64 %value, %part;",
        "    .reg .b64 %word;",
        "    .reg .b32 %index;",
        "    ld.volatile.global.f64 %value, [out];",
    ]
    lines += [
        f"    fma.rn.f64 %value, %value, %value, {literal(value)};" for value in function.literals
    ]
    for variable in function.variables:
        lines += [
            f"    ld.const.u64 %word, [{variable}];",
            "    st.volatile.global.u64 [out], %word;",
        ]
    lines.append("    st.volatile.global.f64 [out], %value;")
    if function.table_size:
        lines += jump_table(function.table_size, number)
    lines += [f"    call {callee.name};" for callee in function.callees]
    return "\n".join([*lines, "    ret;", "}", ""])


@dataclass
class Variable:
    name: str
    file: int
    linkage: str  # "visible", "weak", "static"
    count: int
    alignment: int
    values: list[str]

    def define(self) -> str:
        linkage = "" if self.linkage == "static" else f".{self.linkage} "
        values = ", ".join(self.values)
        return (
            f"{linkage}.const .align {self.alignment} .u64 {self.name}[{self.count}]"
            f" = {{{values}}};\n"
        )


def draw_variables(rng: random.Random, files: int) -> list[Variable]:
    found: list[Variable] = []
    for number in range(rng.randint(0, 8)):
        file = rng.randrange(files)
        count = rng.choice((1, 1, 1, 2, 3, 8))
        values = [str(rng.randint(1, 3)) for _ in range(count)]
        if rng.random() < 0.3:
            named = [v.name for v in found if v.file == file]
            values[0] = rng.choice([*named, "out"])
        linkage = rng.choice(("visible", "visible", "static", "weak"))
        found.append(
            Variable(f"user_{number}", file, linkage, count, rng.choice((8, 8, 16, 64)), values)
        )
    return found


def draw_functions(rng: random.Random, files: int, variables: list[Variable]) -> list[Function]:
    pool = [rng.randrange(4096) for _ in range(rng.choice((3, 8, 30)))]
    devices: list[Function] = []
    functions: list[Function] = []
    for number in range(rng.randint(2, 12)):
        is_kernel = number == 0 or rng.random() < 0.4
        file = rng.randrange(files)
        visible = [v.name for v in variables if v.linkage == "visible" or v.file == file]
        function = Function(
            f"{'kernel' if is_kernel else 'device'}_{number}",
            is_kernel,
            file,
            rng.choices(pool, k=rng.randint(0, 12)),
            rng.sample(devices, min(len(devices), rng.randint(0, 3))),
            rng.sample(visible, min(len(visible), rng.randint(0, 2))),
            rng.choice((0, 0, 0, 4, 8)),
        )
        functions.append(function)
        if not is_kernel:
            devices.append(function)
    return functions


def render_file(
    arch: str, file: int, functions: list[Function], variables: list[Variable]
) -> Source:
    version = "9.0" if int(arch[3:].rstrip("af")) >= 100 else "8.0"
    text = [f".version {version}\n.target {arch}\n.address_size 64\n"]
    own = [f for f in functions if f.file == file]
    text.append(f"{'.visible' if file == 0 else '.extern'} .global .align 8 .u64 out;\n")
    needed = {name for f in own for name in f.variables}
    for variable in variables:
        if variable.file == file:
            text.append(variable.define())
        elif variable.name in needed:
            text.append(f".extern .const .u64 {variable.name}[{variable.count}];\n")
    for name in sorted({c.name for f in own for c in f.callees if c.file != file}):
        text.append(f".extern .func {name} ();\n")
    text += [render_function(f, number) for number, f in enumerate(functions) if f.file == file]
    return Source(f"file_{file}.ptx", "".join(text))


def make_program(rng: random.Random, arches: tuple[str, ...]) -> ConstantProgram:
    arch = rng.choice(arches)
    files = rng.randint(1, 4)
    variables = draw_variables(rng, files)
    functions = draw_functions(rng, files, variables)
    rendered = [render_file(arch, file, functions, variables) for file in range(files)]
    rng.shuffle(rendered)
    return ConstantProgram(arch, rendered)
