"""Line tables and debug information, as compilers write them with -lineinfo and -G."""

from __future__ import annotations

from builder import DEBUG, FULL, Builder, feature
from program import Function, Module, Opaque

DEBUG_OPTIONS = {"-lineinfo", "-g"}


def line_table(module: Module) -> str:
    """The name by which pieces of a module refer to its `.file` directive."""
    name = f"file of {module.name}"
    if name not in module.defined():
        text = f'.file 1 "{module.name.replace(".ptx", ".cu")}"'
        module.items.append(Opaque(name, "line-table", "static", text, ""))
    return name


def add_lines(builder: Builder, module: Module) -> None:
    """Adds .loc directives before some pieces of code."""
    name = line_table(module)
    for function in module.of_type(Function):
        for line in range(builder.rng.randint(0, 3)):
            text = f".loc 1 {10 + line} {line}\n{{ add.u32 %acc, %acc, {line + 1}; }}"
            builder.add_piece(function, "source-line", f"{{\n{text}\n}}", name)


def plain_modules(builder: Builder) -> list[Module]:
    return [m for m in builder.program.modules if not DEBUG_OPTIONS & set(m.options)]


@feature("line-information", FULL, chance=0.3)
def line_information(builder: Builder) -> None:
    found = plain_modules(builder)
    if found:
        module = builder.rng.choice(found)
        module.options += ("-lineinfo",)
        if builder.chance(0.6):
            add_lines(builder, module)
        builder.program.module_features.add("line-information")


@feature("debug-information", FULL, chance=0.15, highest_arch=99)
def debug_information(builder: Builder) -> None:
    """Compiles a file with -g. This feature is not used from sm_100 on, because there two runs of
    nvlink write different .nv_debug_info_reg_sass for such an object."""
    found = plain_modules(builder)
    if found:
        module = builder.rng.choice(found)
        module.options = ("-g",)
        if builder.chance(0.6):
            add_lines(builder, module)
        builder.program.module_features.add("debug-information")


@feature("dwarf", FULL, chance=0.1, highest_arch=99)
def dwarf(builder: Builder) -> None:
    """A file with .debug_info entries for its functions, as a compiler writes them, and with the
    word `debug` in its .target directive."""
    add_dwarf(builder)


@feature("more-dwarf", DEBUG, chance=0.6, highest_arch=99)
def more_dwarf(builder: Builder) -> None:
    for _ in range(builder.rng.randint(1, 3)):
        add_dwarf(builder)
    builder.program.module_features.add("more-dwarf")


@feature("more-debug-information", DEBUG, chance=0.8, highest_arch=99)
def more_debug_information(builder: Builder) -> None:
    for _ in range(builder.rng.randint(1, 4)):
        builder.rng.choice((debug_information, line_information))(builder)
    builder.program.module_features.add("more-debug-information")


def add_dwarf(builder: Builder) -> None:
    found = plain_modules(builder)
    if found:
        module = builder.rng.choice(found)
        module.options = ("-g",)
        add_lines(builder, module)
        builder.program.module_features.add("dwarf")
        module.has_dwarf = True
