"""The model of a generated program: modules of functions and variables, rendered to PTX text.

A program is kept as data, not as text, so that the shrinker can drop any file, definition or piece
of code and render the program again. Two rules make that possible:

* Every piece of code is a self-contained `{ ... }` block, which reads and writes the register %acc.
  The piece lists the names that it uses.
* A module that is rendered declares each name that it uses but does not define.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import dwarf
from source import Source


@dataclass(frozen=True)
class ParameterType:
    """A parameter or result: a scalar (`count` 0) or a byte array passed by value."""

    ptx: str
    count: int = 0
    align: int = 0

    def declare(self, name: str) -> str:
        if self.count:
            return f".param .align {self.align} .b8 {name}[{self.count}]"
        return f".param {self.ptx} {name}"


B32 = ParameterType(".b32")
B64 = ParameterType(".b64")
F32 = ParameterType(".f32")
F64 = ParameterType(".f64")


def struct_type(size: int, align: int = 4) -> ParameterType:
    return ParameterType(".b8", size, align)


@dataclass(frozen=True)
class Signature:
    """The types of the result and of the parameters of a device function."""

    result: ParameterType | None
    parameters: tuple[ParameterType, ...]

    def declare(self, name: str) -> str:
        result = f"({self.result.declare('result')}) " if self.result else ""
        return f".func {result}{name}{self.parameter_list()}"

    def parameter_list(self) -> str:
        declared = [t.declare(f"p{i}") for i, t in enumerate(self.parameters)]
        return " (" + ", ".join(declared) + ")"

    def prototype(self, label: str) -> str:
        """The .callprototype directive that an indirect call needs."""
        result = f"({self.result.declare('_')}) " if self.result else ""
        declared = ", ".join(t.declare("_") for t in self.parameters)
        return f"{label}: .callprototype {result}_ ({declared});"


@dataclass(frozen=True)
class Piece:
    """A block of code inside a function."""

    feature: str
    text: str
    uses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reference:
    """An address in an initialiser. `form` is a format string for the name: `{}` or
    `generic({})`."""

    name: str
    offset: int = 0
    form: str = "{}"

    def render(self) -> str:
        text = self.form.format(self.name)
        return f"{text}+{self.offset}" if self.offset else text


@dataclass
class Function:
    """A device function or a kernel. A kernel has the signature None, and its first parameter is
    `out`."""

    name: str
    feature: str
    linkage: str  # "visible", "weak" or "static"
    signature: Signature | None
    extra_parameters: tuple[ParameterType, ...] = ()  # of kernels, after `out`
    texture_parameters: tuple[tuple[str, str], ...] = ()  # kind and name, after `extra_parameters`
    directives: tuple[str, ...] = ()
    pieces: list[Piece] = field(default_factory=list)

    @property
    def is_kernel(self) -> bool:
        return self.signature is None

    @property
    def device_signature(self) -> Signature:
        """The signature of a function that is not a kernel."""
        assert self.signature is not None, self.name
        return self.signature

    def uses(self) -> set[str]:
        return {name for piece in self.pieces for name in piece.uses}

    def header(self) -> str:
        linkage = "" if self.linkage == "static" else f".{self.linkage} "
        return linkage + self.signatureless_header()

    def signatureless_header(self) -> str:
        if self.signature:
            return self.signature.declare(self.name)
        declared = [".param .u64 out"]
        declared += [t.declare(f"p{i}") for i, t in enumerate(self.extra_parameters)]
        declared += [f".param .{kind} {name}" for kind, name in self.texture_parameters]
        return f".entry {self.name} ({', '.join(declared)})"

    def extern_declaration(self) -> str:
        return f".extern {self.signatureless_header()};"

    def forward_declaration(self) -> str:
        return f"{self.header()};"

    def render(self, has_dwarf: bool = False) -> str:
        lines = [self.header()]
        lines += self.directives
        lines.append("{")
        if has_dwarf:
            lines += [".loc 1 1 0", f"{dwarf.begin_label(self.name)}:"]
        lines += [f"    {line}" for line in self.prologue()]
        for piece in self.pieces:
            lines += [f"    {line}" for line in piece.text.strip().splitlines()]
        lines += [f"    {line}" for line in self.epilogue()]
        lines.append("    ret;")
        if has_dwarf:
            lines.append(f"{dwarf.end_label(self.name)}:")
        lines.append("}")
        return "\n".join(lines)

    def prologue(self) -> list[str]:
        lines = [".reg .b32 %acc;"]
        if self.is_kernel:
            return lines + [
                ".reg .b64 %out;",
                "ld.param.u64 %out, [out];",
                "mov.u32 %acc, %tid.x;",
            ]
        lines.append("mov.u32 %acc, 17;")
        for index, kind in enumerate(self.device_signature.parameters):
            lines.append(fold_parameter(kind, f"p{index}"))
        return lines

    def epilogue(self) -> list[str]:
        if self.is_kernel:
            return ["st.global.u32 [%out], %acc;"]
        result = self.device_signature.result
        return [KEEP_ALIVE] if result is None else [return_accumulator(result)]


# The end of a function without a result: a store that depends on %acc but is never executed. It
# prevents ptxas from removing pieces as dead code.
KEEP_ALIVE = (
    "{ .reg .pred %q; .reg .b64 %a; setp.eq.u32 %q, %acc, 0x5eed1234; "
    "mov.u64 %a, 64; @%q st.u32 [%a], %acc; }"
)


def fold_parameter(kind: ParameterType, name: str) -> str:
    """Code that adds a parameter's value to %acc."""
    if kind.count:
        last = kind.count - 4
        return f"{{ .reg .b32 %v; ld.param.b32 %v, [{name}+{last}]; add.u32 %acc, %acc, %v; }}"
    if kind.ptx in (".b32", ".u32"):
        return f"{{ .reg .b32 %v; ld.param.b32 %v, [{name}]; add.u32 %acc, %acc, %v; }}"
    convert = {
        ".b64": (".b64", "cvt.u32.u64"),
        ".u64": (".b64", "cvt.u32.u64"),
        ".f32": (".f32", "mov.b32"),
        ".f64": (".f64", "cvt.rzi.s32.f64"),
        ".b8": (".b16", "cvt.u32.u8"),
        ".b16": (".b16", "cvt.u32.u16"),
    }
    register, instruction = convert[kind.ptx]
    return (
        f"{{ .reg {register} %v; .reg .b32 %w; ld.param{kind.ptx} %v, [{name}]; "
        f"{instruction} %w, %v; add.u32 %acc, %acc, %w; }}"
    )


def return_accumulator(kind: ParameterType) -> str:
    """Code that stores %acc as the function's result."""
    if kind.count:
        return f"st.param.b32 [result+{kind.count - 4}], %acc;"
    if kind.ptx == ".b32":
        return "st.param.b32 [result], %acc;"
    convert = {
        ".b64": (".b64", "cvt.u64.u32"),
        ".f32": (".f32", "mov.b32"),
        ".f64": (".f64", "cvt.rn.f64.s32"),
    }
    register, instruction = convert[kind.ptx]
    return f"{{ .reg {register} %v; {instruction} %v, %acc; st.param{kind.ptx} [result], %v; }}"


@dataclass
class Variable:
    """A variable of any state space. Its initialiser is a list of numbers and references."""

    name: str
    feature: str
    linkage: str  # "visible", "weak", "common" or "static"
    space: str  # "global", "const" or "shared"
    ptx_type: str
    count: int
    align: int
    initialiser: Sequence[str | Reference] | None = None
    attribute: str = ""  # ".attribute(.managed)"

    def uses(self) -> set[str]:
        return {v.name for v in self.initialiser or () if isinstance(v, Reference)}

    def declaration(self, linkage: str) -> str:
        words = [
            linkage,
            f".{self.space}",
            self.attribute,
            f".align {self.align}",
            self.ptx_type,
            f"{self.name}[{self.count}]",
        ]
        return " ".join(word for word in words if word)

    def extern_declaration(self) -> str:
        return self.declaration(".extern") + ";"

    def render(self) -> str:
        text = self.declaration("" if self.linkage == "static" else f".{self.linkage}")
        if self.initialiser:
            values = [v.render() if isinstance(v, Reference) else v for v in self.initialiser]
            text += " = {" + ", ".join(values) + "}"
        return text + ";"


@dataclass
class Opaque:
    """A definition that is just text: a texture reference, for example."""

    name: str
    feature: str
    linkage: str
    definition: str
    declaration: str

    def uses(self) -> set[str]:
        return set()

    def extern_declaration(self) -> str:
        return self.declaration

    def render(self) -> str:
        return self.definition


@dataclass
class Alias:
    """An alias for a function of the same module."""

    name: str
    feature: str
    target: str
    signature: Signature
    linkage: str = "visible"  # or "weak" or "static"

    def uses(self) -> set[str]:
        return {self.target}

    def extern_declaration(self) -> str:
        return f".extern {self.signature.declare(self.name)};"

    def forward_declaration(self) -> str:
        linkage = "" if self.linkage == "static" else f".{self.linkage} "
        return f"{linkage}{self.signature.declare(self.name)};"

    def render(self) -> str:
        return f".alias {self.name}, {self.target};"


Item = Function | Variable | Opaque | Alias
Kind = TypeVar("Kind", Function, Variable, Opaque, Alias)


@dataclass
class Module:
    """One PTX file and how it is compiled."""

    name: str
    version: str
    target: str
    options: tuple[str, ...] = ()
    items: list[Item] = field(default_factory=list)
    declarations: dict[str, str] = field(default_factory=dict)  # of names of other modules
    has_dwarf: bool = False  # needs the option -g and a `.file` directive

    def virtual_arch(self) -> int:
        """The number of the architecture in `target`, for which the PTX is written."""
        return int("".join(c for c in self.target.split(",")[0] if c.isdigit()))

    def defined(self) -> set[str]:
        return {item.name for item in self.items}

    def used(self) -> set[str]:
        names: set[str] = set()
        for item in self.items:
            names |= item.uses()
        return names

    def of_type(self, kind: type[Kind]) -> list[Kind]:
        return [item for item in self.items if isinstance(item, kind)]


@dataclass
class Program:
    """The modules of a program and how they are linked. `undefined` maps each name that no module
    defines to its declaration."""

    arch: str
    modules: list[Module]
    undefined: dict[str, str] = field(default_factory=dict)
    link_order: list[str] = field(default_factory=list)
    link_options: list[str] = field(default_factory=list)
    module_features: set[str] = field(default_factory=set)
    packing: str = ""  # seed by which packing.py chooses the containers of the files

    def global_items(self) -> dict[str, Item]:
        found: dict[str, Item] = {}
        for module in self.modules:
            for item in module.items:
                if item.linkage != "static":
                    found.setdefault(item.name, item)
        return found

    def features(self) -> set[str]:
        found = self.module_features | {f"option {o.split('=')[0]}" for o in self.link_options}
        for module in self.modules:
            for item in module.items:
                found.add(item.feature)
                if isinstance(item, Function):
                    found |= {piece.feature for piece in item.pieces}
        return found

    def ordered_modules(self) -> list[Module]:
        by_name = {module.name: module for module in self.modules}
        return [by_name[name] for name in self.link_order if name in by_name]

    def sources(self) -> list[Source]:
        """The sources in link order."""
        return [Source(m.name, self.render(m), m.options) for m in self.ordered_modules()]

    def render(self, module: Module) -> str:
        """The PTX text of one module."""
        parts = [
            f".version {module.version}",
            f".target {module.target}{', debug' if module.has_dwarf else ''}",
            ".address_size 64",
            "",
        ]
        known = self.global_items()
        for name in sorted(module.used() - module.defined()):
            if name in module.declarations:
                parts.append(module.declarations[name])
            elif name in self.undefined:
                parts.append(self.undefined[name])
            else:
                parts.append(known[name].extern_declaration())
        functions = module.of_type(Function)
        aliases = module.of_type(Alias)
        used = module.used()
        parts += [f.forward_declaration() for f in functions if not f.is_kernel or f.name in used]
        parts += [a.forward_declaration() for a in aliases]
        parts += [o.render() for o in module.of_type(Opaque)]
        parts += [v.render() for v in ordered_variables(module)]
        parts += [f.render(module.has_dwarf) for f in functions]
        parts += [a.render() for a in aliases]
        if module.has_dwarf:
            parts += dwarf.sections(module.name, [f.name for f in functions])
        return "\n".join(parts) + "\n"

    def copy(self) -> Program:
        """A copy whose modules, functions and lists may be changed freely."""
        modules = []
        for module in self.modules:
            items = [
                dataclasses.replace(i, pieces=list(i.pieces)) if isinstance(i, Function) else i
                for i in module.items
            ]
            modules.append(dataclasses.replace(module, items=items))
        return dataclasses.replace(self, modules=modules)


def ordered_variables(module: Module) -> list[Variable]:
    """The module's variables in the order of its items, but each variable follows those to which
    its initialiser refers."""
    by_name = {v.name: v for v in module.of_type(Variable)}
    done: dict[str, Variable] = {}

    def place(variable: Variable) -> None:
        if variable.name in done:
            return
        for name in sorted(variable.uses() - {variable.name}):
            if name in by_name:
                place(by_name[name])
        done[variable.name] = variable

    for variable in by_name.values():
        place(variable)
    return list(done.values())
