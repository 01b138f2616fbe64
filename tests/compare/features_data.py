"""Features made of global and constant variables and their initialisers."""

from __future__ import annotations

from builder import FULL, Builder, feature
from program import Function, Module, Reference, Variable


def use_somewhere(
    builder: Builder, module: Module, variable: Variable, label: str, most: int = 2
) -> None:
    for _ in range(builder.rng.randint(0, most)):
        user = builder.user_of(module, variable)
        if user is not None:
            builder.add_access(user, variable, label)


@feature("global-zero", chance=0.5)
def global_zero(builder: Builder) -> None:
    module = builder.module()
    variable = builder.new_variable(module, "global", "global-zero")
    use_somewhere(builder, module, variable, "use-global")


@feature("global-initialised", chance=0.5)
def global_initialised(builder: Builder) -> None:
    module = builder.module()
    variable = builder.new_variable(module, "global", "global-initialised")
    variable.initialiser = builder.numbers(variable)
    use_somewhere(builder, module, variable, "use-global")


@feature("constant", chance=0.5)
def constant(builder: Builder) -> None:
    module = builder.module()
    variable = builder.new_variable(module, "const", "constant")
    if builder.chance(0.8):
        variable.initialiser = builder.numbers(variable)
    use_somewhere(builder, module, variable, "use-constant")


@feature("same-static-variable", chance=0.3)
def same_static_variable(builder: Builder) -> None:
    """Static variables of one name in several files, each with its own contents."""
    space = builder.rng.choice(("global", "const"))
    name = builder.new_name("static_var")
    for module in builder.some_modules():
        variable = builder.new_variable(
            module, space, "same-static-variable", name=name, linkage="static"
        )
        if builder.chance(0.6):
            variable.initialiser = builder.numbers(variable)
        use_somewhere(builder, module, variable, "use-static-variable")


def reachable_variables(builder: Builder, module: Module) -> list[Variable]:
    """Variables in global memory that an initialiser in `module` may refer to."""
    return [
        v
        for m in builder.program.modules
        for v in m.of_type(Variable)
        if v.space == "global" and v.linkage != "common" and (v.linkage != "static" or m is module)
    ]


@feature("address-of-variable", chance=0.35)
def address_of_variable(builder: Builder) -> None:
    """A variable initialised with addresses of other variables, plain or generic, with or without
    an offset."""
    module = builder.module()
    found = reachable_variables(builder, module)
    if not found:
        return
    values: list[str | Reference] = []
    for _ in range(builder.rng.randint(1, 4)):
        if builder.chance(0.2):
            values.append(builder.number(60))
            continue
        target = builder.rng.choice(found)
        offset = builder.rng.choice((0, 0, 1, 4, 8))
        form = builder.rng.choice(("{}", "generic({})"))
        values.append(Reference(target.name, offset, form))
    variable = builder.new_variable(
        module,
        builder.rng.choice(("global", "global", "global", "global", "const")),
        "address-of-variable",
        size=8,
        count=len(values) + builder.rng.randint(0, 2),
        initialiser=values,
    )
    use_somewhere(builder, module, variable, "use-address-table")


@feature("address-of-function", chance=0.2)
def address_of_function(builder: Builder) -> None:
    """A table of addresses of functions of any prototypes. No code calls through it."""
    module = builder.module()
    found = [
        f
        for m, f in builder.functions()
        if not f.is_kernel and (f.linkage != "static" or m is module)
    ]
    if not found:
        return
    chosen = builder.rng.sample(found, min(len(found), builder.rng.randint(1, 3)))
    variable = builder.new_variable(
        module,
        "global",
        "address-of-function",
        size=8,
        count=len(chosen),
        initialiser=[Reference(f.name) for f in chosen],
    )
    use_somewhere(builder, module, variable, "use-address-table", 1)


@feature("address-bytes", chance=0.16)
def address_bytes(builder: Builder) -> None:
    """A variable that holds single bytes of an address, selected by masks in its initialiser."""
    module = builder.module()
    functions = [
        f.name
        for m, f in builder.functions()
        if not f.is_kernel and (f.linkage != "static" or m is module)
    ]
    found = functions + [v.name for v in reachable_variables(builder, module)]
    if not found:
        return
    name = builder.rng.choice(found)
    masks = [0xFF << (8 * i) for i in range(builder.rng.choice((1, 3, 8, 8)))]
    builder.new_variable(
        module,
        "global",
        "address-bytes",
        size=1,
        count=len(masks) + 3,
        initialiser=[Reference(name, 0, f"{mask:#x}({{}})") for mask in masks],
    )


@feature("address-of-later-file", chance=0.13)
def address_cycle(builder: Builder) -> None:
    """Two variables of different files that hold each other's address."""
    modules = builder.some_modules()
    if len(modules) < 2:
        return
    names = [builder.new_name("ring"), builder.new_name("ring")]
    for module, name, other in zip(modules, names, reversed(names), strict=False):
        builder.new_variable(
            module,
            "global",
            "address-of-later-file",
            name=name,
            linkage="visible",
            size=8,
            count=1,
            initialiser=[Reference(other)],
        )


@feature("many-small-globals", chance=0.12)
def many_small_globals(builder: Builder) -> None:
    module = builder.module()
    for _ in range(builder.rng.randint(4, 12)):
        space = builder.rng.choice(("global", "const"))
        variable = builder.new_variable(module, space, "many-small-globals", count=1)
        if builder.chance(0.5):
            variable.initialiser = builder.numbers(variable)
    kernels = [f for f in module.of_type(Function) if f.is_kernel]
    if kernels:
        builder.add_access(kernels[0], variable, "use-global")


@feature("large-alignment", FULL, chance=0.12)
def large_alignment(builder: Builder) -> None:
    module = builder.module()
    space = builder.rng.choice(("global", "const", "shared"))
    align = builder.rng.choice((64, 128, 256, 512))
    variable = builder.new_variable(module, space, "large-alignment", align=align)
    if space != "shared" and builder.chance(0.5):
        variable.initialiser = builder.numbers(variable)
    use_somewhere(builder, module, variable, "use-large-alignment")


@feature("constants-near-limit", FULL, chance=0.09)
def constants_near_limit(builder: Builder) -> None:
    """A constant variable of 8,000 to 64,000 bytes. Together with other constants it can exceed the
    limit of 64 KB."""
    if "constants-near-limit" in builder.program.features():
        return
    module = builder.module()
    variable = builder.new_variable(
        module,
        "const",
        "constants-near-limit",
        size=4,
        count=builder.rng.choice((2000, 8000, 15000, 16000)),
    )
    if builder.chance(0.5):
        variable.initialiser = ["7"]
    use_somewhere(builder, module, variable, "use-constant")


@feature("large-global", FULL, chance=0.09)
def large_global(builder: Builder) -> None:
    module = builder.module()
    variable = builder.new_variable(
        module,
        "global",
        "large-global",
        size=4,
        count=builder.rng.choice((5000, 1000000, 300000000)),
    )
    use_somewhere(builder, module, variable, "use-global")


@feature("address-of-constant", FULL, chance=0.13)
def address_of_constant(builder: Builder) -> None:
    """A variable initialised with addresses of constants of any file. The addresses are plain or
    generic, with or without an offset."""
    module = builder.module()
    found = [
        v
        for m in builder.program.modules
        for v in m.of_type(Variable)
        if v.space == "const" and (v.linkage != "static" or m is module)
    ]
    if not found:
        found = [builder.new_variable(module, "const", "constant", linkage="visible")]
    values = [
        Reference(
            builder.rng.choice(found).name,
            builder.rng.choice((0, 0, 4, 8)),
            builder.rng.choice(("{}", "generic({})")),
        )
        for _ in range(builder.rng.randint(1, 3))
    ]
    variable = builder.new_variable(
        module,
        builder.rng.choice(("global", "const")),
        "address-of-constant",
        size=8,
        count=len(values) + 1,
        initialiser=values,
    )
    use_somewhere(builder, module, variable, "use-address-table", 1)
