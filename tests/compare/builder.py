"""Builds a random program: a skeleton of modules, kernels and functions, then features.

A feature is a function `feature(builder)` that adds definitions and pieces of code. It is
registered with `@feature(name, ...)`. Nothing else must be changed to generate, count and shrink a
new feature. A feature that only adds code to one function is registered with `@code(name, ...)`;
its code also goes into functions of other features, so that features meet in one function.

Items and pieces of code carry the name of the feature that added them. A feature that adds no item
and no code enters its name into the program's `module_features`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from program import (
    B32,
    B64,
    F32,
    F64,
    Function,
    Item,
    Module,
    ParameterType,
    Piece,
    Program,
    Reference,
    Signature,
    Variable,
    struct_type,
)

# A feature belongs to one profile. Every run uses BASE features. FULL features are used unless the
# run has --profile base, DEBUG features only with --profile debug. ERROR features are mistakes:
# only programs that are meant to be wrong have them.
BASE, FULL, DEBUG, ERROR = "base", "full", "debug", "error"
PROFILES = {BASE: (BASE,), FULL: (BASE, FULL), DEBUG: (BASE, FULL, DEBUG)}


@dataclass(frozen=True)
class Feature:
    name: str
    build: Callable[[Builder], None]
    profile: str  # BASE, FULL, DEBUG or ERROR
    chance: float  # probability that a program has the feature
    lowest_arch: int
    highest_arch: int

    def suits(self, profile: str, arch_number: int) -> bool:
        in_range = self.lowest_arch <= arch_number <= self.highest_arch
        return in_range and self.profile in PROFILES[profile]


FEATURES: dict[str, Feature] = {}
# Adds the code of a feature to a function: add(builder, module, function).
AddCode = Callable[["Builder", Module, Function], None]
CODE: dict[str, AddCode] = {}
# The features that make unusual functions. Features that add code choose such functions more often
# than others.
FOCUS = {
    "weak-function",
    "weak-kernel",
    "recursion",
    "recursion-by-pointer",
    "indirect-callee",
    "alias-target",
    "same-static-function",
}
FOCUS_FRACTION = 0.35


def feature(
    name: str,
    profile: str = BASE,
    chance: float = 0.25,
    lowest_arch: int = 0,
    highest_arch: int = 999,
) -> Callable[[Callable[[Builder], None]], Callable[[Builder], None]]:
    """Registers a feature. A program can have it more than once."""

    def register(build: Callable[[Builder], None]) -> Callable[[Builder], None]:
        assert name not in FEATURES, name
        FEATURES[name] = Feature(name, build, profile, chance, lowest_arch, highest_arch)
        return build

    return register


def code(
    name: str,
    profile: str = BASE,
    chance: float = 0.25,
    lowest_arch: int = 0,
    highest_arch: int = 999,
    kernels: bool = True,
) -> Callable[[AddCode], AddCode]:
    """Registers a feature that adds code to one function. If `kernels` is false, this function is
    never a kernel, and Builder.add_code does not add the code."""

    def register(add: AddCode) -> AddCode:
        def build(builder: Builder) -> None:
            found = builder.functions_for(lowest_arch, kernels)
            if found:
                add(builder, *builder.choose_function(found))

        feature(name, profile, chance, lowest_arch, highest_arch)(build)
        if kernels:
            CODE[name] = add
        return add

    return register


SIGNATURES = (
    Signature(B32, (B32,)),
    Signature(B32, (B32,)),
    Signature(B32, (B32, B32)),
    Signature(B64, (B64,)),
    Signature(F32, (F32,)),
    Signature(F64, (F64,)),
    Signature(None, ()),
    Signature(None, (B32,)),
    Signature(B32, ()),
    Signature(B32, (struct_type(24, 8), B32)),
    Signature(struct_type(16), (B32,)),
)


def arch_number(arch: str) -> int:
    return int("".join(c for c in arch if c.isdigit()))


def call_text(name: str, signature: Signature, prototype: str = "") -> str:
    """Returns a PTX block that calls `name`. The arguments are made from the register %acc, and the
    result is folded into %acc.

    If `prototype` is given, the call is indirect, and `name` is the register with the address.
    """
    lines = [".reg .b32 %u;", ".reg .b64 %l;", ".reg .f32 %f;", ".reg .f64 %d;"]
    for index, kind in enumerate(signature.parameters):
        lines.append(kind.declare(f"a{index}") + ";")
        lines += pass_accumulator(kind, f"a{index}")
    arguments = ", ".join(f"a{i}" for i in range(len(signature.parameters)))
    if signature.result:
        lines.append(signature.result.declare("r") + ";")
    if prototype:
        lines.append(signature.prototype(prototype))
    called = f"call {'(r), ' if signature.result else ''}{name}"
    if arguments or prototype:
        called += f", ({arguments})"
    lines.append(called + (f", {prototype};" if prototype else ";"))
    lines += take_result(signature.result)
    return "{\n  " + "\n  ".join(lines) + "\n}"


def pass_accumulator(kind: ParameterType, name: str) -> list[str]:
    if kind.count:
        return [f"st.param.b32 [{name}+{o}], %acc;" for o in range(0, kind.count, 4)]
    convert = {
        ".b32": "st.param.b32 [{}], %acc;",
        ".b64": "cvt.u64.u32 %l, %acc; st.param.b64 [{}], %l;",
        ".f32": "mov.b32 %f, %acc; st.param.f32 [{}], %f;",
        ".f64": "cvt.rn.f64.s32 %d, %acc; st.param.f64 [{}], %d;",
    }
    return [convert[kind.ptx].format(name)]


def take_result(kind: ParameterType | None) -> list[str]:
    if kind is None:
        return ["add.u32 %acc, %acc, 1;"]
    convert = {
        ".b8": "ld.param.b32 %u, [r];",
        ".b32": "ld.param.b32 %u, [r];",
        ".b64": "ld.param.b64 %l, [r]; cvt.u32.u64 %u, %l;",
        ".f32": "ld.param.f32 %f, [r]; mov.b32 %u, %f;",
        ".f64": "ld.param.f64 %d, [r]; cvt.rzi.s32.f64 %u, %d;",
    }
    return [convert[kind.ptx], "add.u32 %acc, %acc, %u;"]


class Builder:
    """A program under construction, its random numbers, and the operations that features call."""

    def __init__(
        self, rng: random.Random, arch: str, profile: str = BASE, without: Collection[str] = ()
    ):
        self.rng = rng
        self.arch = arch
        self.profile = profile
        self.without = without
        self.arch_number = arch_number(arch)
        self.program = Program(arch, [])
        self._names: dict[str, int] = {}

    # ---- random choices

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def number(self, bits: int = 32) -> str:
        return hex(self.rng.getrandbits(bits))

    def new_name(self, prefix: str) -> str:
        count = self._names[prefix] = self._names.get(prefix, 0) + 1
        return f"{prefix}{count}"

    def module(self) -> Module:
        return self.rng.choice(self.program.modules)

    def some_modules(self, least: int = 2) -> list[Module]:
        modules = self.program.modules
        return self.rng.sample(modules, self.rng.randint(min(least, len(modules)), len(modules)))

    def functions(self) -> Iterator[tuple[Module, Function]]:
        """All functions and kernels."""
        for module in self.program.modules:
            for function in module.of_type(Function):
                yield module, function

    def any_function(self) -> tuple[Module, Function]:
        return self.choose_function(list(self.functions()))

    def choose_function(self, found: list[tuple[Module, Function]]) -> tuple[Module, Function]:
        focus = [(m, f) for m, f in found if f.feature in FOCUS]
        return self.rng.choice(focus if focus and self.chance(FOCUS_FRACTION) else found)

    def functions_for(
        self, lowest_arch: int, kernels: bool = True
    ) -> list[tuple[Module, Function]]:
        """The functions in modules whose virtual target is at least `lowest_arch`. They include
        kernels if `kernels` is true."""
        return [
            (m, f)
            for m, f in self.functions()
            if m.virtual_arch() >= lowest_arch and (kernels or not f.is_kernel)
        ]

    def kernel(self) -> tuple[Module, Function]:
        return self.rng.choice([(m, f) for m, f in self.functions() if f.is_kernel])

    def device_function(self) -> tuple[Module, Function] | None:
        found = [(m, f) for m, f in self.functions() if not f.is_kernel]
        return self.rng.choice(found) if found else None

    # ---- adding

    def add_function(
        self,
        module: Module,
        name: str,
        feature_name: str,
        linkage: str = "visible",
        signature: Signature | None = None,
    ) -> Function:
        """Adds a new device function, which does a little arithmetic, and returns it."""
        signature = signature or self.rng.choice(SIGNATURES)
        function = Function(name, feature_name, linkage, signature)
        self.insert(module, function)
        self.add_arithmetic(function)
        return function

    def insert(self, module: Module, item: Item) -> None:
        module.items.insert(self.rng.randint(0, len(module.items)), item)

    def choose_operation(self, module: Module, of_all: tuple[str, ...], of_volta: str) -> str:
        """Returns a random operation out of `of_all` or, if the virtual target of the module is at
        least sm_70, out of `of_all` and `of_volta`."""
        return self.rng.choice((*of_all, of_volta) if module.virtual_arch() >= 70 else of_all)

    def add_piece(self, function: Function, feature_name: str, text: str, *uses: str) -> None:
        """Adds a piece of code at a random position. If `text` is not a block, it is wrapped in
        one."""
        if not text.startswith("{"):
            text = "{\n  " + text.strip().replace("\n", "\n  ") + "\n}"
        position = self.rng.randint(0, len(function.pieces))
        function.pieces.insert(position, Piece(feature_name, text, uses))

    def add_arithmetic(self, function: Function) -> None:
        operation = self.rng.choice(("add.u32", "mul.lo.u32", "xor.b32", "sub.u32", "max.u32"))
        self.add_piece(function, "arithmetic", f"{{ {operation} %acc, %acc, {self.number()}; }}")

    def add_code(self, module: Module, function: Function, most: int) -> None:
        """Adds up to `most` pieces of code of random features to a function."""
        suitable = [
            name
            for name in CODE
            if FEATURES[name].suits(self.profile, min(self.arch_number, module.virtual_arch()))
            and name not in self.without
        ]
        for name in self.rng.sample(suitable, min(len(suitable), self.rng.randint(0, most))):
            CODE[name](self, module, function)

    def add_call(self, caller: Function, callee: Function, feature_name: str) -> None:
        self.add_piece(
            caller, feature_name, call_text(callee.name, callee.device_signature), callee.name
        )

    def add_register_pressure(self, function: Function, count: int) -> None:
        """Adds code that keeps about `count` values alive at once."""
        lines = [f".reg .b32 %w<{count + 1}>;"]
        for index in range(1, count + 1):
            source = "%acc" if index == 1 else f"%w{index - 1}"
            lines.append(f"mad.lo.u32 %w{index}, {source}, {source}, {self.number(16)};")
        for index in range(count, 0, -1):
            lines.append(f"xor.b32 %acc, %acc, %w{index};")
            lines.append(f"shf.l.wrap.b32 %acc, %acc, %w{count + 1 - index}, %w1;")
        self.add_piece(function, "register-pressure", "\n".join(lines))

    def may_reach(self, start: str, goal: str) -> bool:
        """Whether `start` uses `goal`, directly or through other names. If a name has several
        copies, the uses of all copies count."""
        uses: dict[str, set[str]] = {}
        for module in self.program.modules:
            for item in module.items:
                uses.setdefault(item.name, set()).update(item.uses())
        seen, todo = set(), [start]
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += uses.get(name, ())
        return goal in seen

    def add_acyclic_call(self, module: Module, caller: Function, feature_name: str) -> None:
        """Adds a call to a random device function from which no chain of uses leads back to the
        caller."""
        found = [
            f
            for m, f in self.functions()
            if not f.is_kernel
            and f.name != caller.name
            and (f.linkage != "static" or m is module)
            and not self.may_reach(f.name, caller.name)
        ]
        if found:
            self.add_call(caller, self.rng.choice(found), feature_name)

    def visible(self, module: Module, item: Item) -> bool:
        """Whether code in `module` may refer to `item`."""
        return item.linkage != "static" or item in module.items

    def new_variable(
        self,
        module: Module,
        space: str,
        feature_name: str,
        *,
        size: int | None = None,
        name: str | None = None,
        linkage: str | None = None,
        count: int | None = None,
        align: int | None = None,
        initialiser: Sequence[str | Reference] | None = None,
        attribute: str = "",
    ) -> Variable:
        """Adds a variable. Properties that are not given are random. Random values are also drawn
        for properties that are given, because the rest of the program must not depend on which ones
        are given."""
        size = size or self.rng.choice((1, 2, 4, 4, 8))
        drawn_align = min(size * self.rng.choice((1, 1, 1, 2, 4, 16)), 128)
        drawn_name = self.new_name(space[0] + "v")
        drawn_linkage = self.rng.choice(("visible", "visible", "static"))
        drawn_count = self.rng.choice((1, 1, 2, 3, 5, 7, 16))
        variable = Variable(
            name=drawn_name if name is None else name,
            feature=feature_name,
            linkage=drawn_linkage if linkage is None else linkage,
            space=space,
            ptx_type=f".u{8 * size}",
            count=drawn_count if count is None else count,
            align=drawn_align if align is None else align,
            initialiser=initialiser,
            attribute=attribute,
        )
        self.insert(module, variable)
        return variable

    def numbers(self, variable: Variable) -> list[str]:
        bits = int(variable.ptx_type[2:])
        count = self.rng.randint(1, variable.count)
        return [self.number(bits) for _ in range(count)]

    def add_access(self, function: Function, variable: Variable, feature_name: str) -> None:
        """Adds code that reads an element of a variable and, where possible, writes it."""
        size = int(variable.ptx_type[2:]) // 8
        offset = size * self.rng.randrange(variable.count)
        register = ".b64" if size == 8 else ".b32" if size == 4 else ".b16"
        fold = {8: "cvt.u32.u64 %w, %v;", 4: "mov.b32 %w, %v;"}.get(size, "cvt.u32.u16 %w, %v;")
        place = f"[{variable.name}+{offset}]"
        lines = [f".reg {register} %v;", ".reg .b32 %w;", ".reg .b64 %l;"]
        style = self.rng.random()
        if style < 0.3 and variable.space == "global":
            lines += [f"mov.u64 %l, {variable.name};", "cvt.u32.u64 %w, %l;"]
        elif style < 0.5:
            lines += [
                f"mov.u64 %l, {variable.name};",
                f"cvta.{variable.space}.u64 %l, %l;",
                f"ld.b{8 * size} %v, [%l+{offset}];",
                fold,
            ]
        else:
            lines += [f"ld.{variable.space}.b{8 * size} %v, {place};", fold]
        lines.append("add.u32 %acc, %acc, %w;")
        if variable.space != "const" and self.chance(0.5):
            lines.append(f"st.{variable.space}.b{8 * size} {place}, %v;")
        self.add_piece(function, feature_name, "\n".join(lines), variable.name)

    def user_of(self, module: Module, item: Item) -> Function | None:
        """A random function that may refer to an item of `module`."""
        found = [f for m, f in self.functions() if m is module or item.linkage != "static"]
        return self.rng.choice(found) if found else None
