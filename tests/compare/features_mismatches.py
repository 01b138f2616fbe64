"""Mistakes in programs: files that disagree about the kind, the size or the type of a name."""

from __future__ import annotations

import dataclasses

from builder import ERROR, Builder, call_text, feature
from features_errors import INT_FUNCTION, add_kernel, load, take_address, two_modules
from program import (
    B32,
    B64,
    Function,
    Module,
    Opaque,
    ParameterType,
    Signature,
    Variable,
    struct_type,
)

MANAGED = ".attribute(.managed)"


def defined_variable(
    builder: Builder,
    module: Module,
    space: str,
    label: str,
    *,
    name: str | None = None,
    linkage: str = "visible",
    size: int = 4,
    count: int | None = None,
    align: int = 4,
    attribute: str = "",
) -> Variable:
    drawn = builder.rng.randint(2, 5)
    return builder.new_variable(
        module,
        space,
        label,
        size=size,
        name=name,
        linkage=linkage,
        count=drawn if count is None else count,
        align=align,
        attribute=attribute,
    )


@feature("error-size-differs", ERROR)
def size_differs(builder: Builder) -> None:
    """A variable that another file declares or defines with another size."""
    label = "error-size-differs"
    first, second = two_modules(builder)
    space = builder.rng.choice(("global", "global", "const", "shared"))
    linkage = builder.rng.choice(("visible", "weak"))
    variable = defined_variable(builder, first, space, label, linkage=linkage)
    count = variable.count + builder.rng.choice((-1, 1, 7))
    wrong = dataclasses.replace(variable, count=count)
    if builder.chance(0.3):
        other = builder.rng.choice(("weak", "visible")) if linkage == "weak" else "weak"
        second.items.append(dataclasses.replace(wrong, linkage=other))
        return
    second.declarations[variable.name] = wrong.extern_declaration()
    add_kernel(builder, second, label, (load(space, variable.name), variable.name))


@feature("error-space-differs", ERROR)
def space_differs(builder: Builder) -> None:
    label = "error-space-differs"
    first, second = two_modules(builder)
    space, other = builder.rng.sample(("global", "const", "shared"), 2)
    variable = defined_variable(builder, first, space, label)
    wrong = dataclasses.replace(variable, space=other)
    second.declarations[variable.name] = wrong.extern_declaration()
    add_kernel(builder, second, label, (load(other, variable.name), variable.name))


@feature("error-texture-space-differs", ERROR)
def texture_space_differs(builder: Builder) -> None:
    """A name that one file defines as a texture reference and another uses as a variable, or vice
    versa."""
    label = "error-texture-space-differs"
    first, second = two_modules(builder)
    if builder.chance(0.5):
        name = builder.new_name("no_texture")
        text = f".visible .global .texref {name};"
        item = Opaque(name, label, "visible", text, text.replace("visible", "extern"))
        builder.insert(first, item)
        second.declarations[name] = f".extern .global .align 8 .u64 {name};"
        add_kernel(builder, second, label, (load("global", name), name))
    else:
        name = defined_variable(builder, first, "global", label, size=8, count=1, align=8).name
        second.declarations[name] = f".extern .global .texref {name};"
        text = f".reg .b32 %v; txq.width.b32 %v, [{name}]; add.u32 %acc, %acc, %v;"
        add_kernel(builder, second, label, (text, name))


@feature("error-texture-against-surface", ERROR)
def texture_against_surface(builder: Builder) -> None:
    label = "error-texture-against-surface"
    first, second = two_modules(builder)
    kinds = ("texref", "surfref") if builder.chance(0.5) else ("surfref", "texref")
    query = "suq" if kinds[1] == "surfref" else "txq"
    name = builder.new_name("no_surface")
    text = f".visible .global .{kinds[0]} {name};"
    item = Opaque(name, label, "visible", text, text.replace("visible", "extern"))
    builder.insert(first, item)
    second.declarations[name] = f".extern .global .{kinds[1]} {name};"
    use = f".reg .b32 %v; {query}.width.b32 %v, [{name}]; add.u32 %acc, %acc, %v;"
    add_kernel(builder, second, label, (use, name))


@feature("error-managed-differs", ERROR)
def managed_differs(builder: Builder) -> None:
    label = "error-managed-differs"
    first, second = two_modules(builder)
    attribute, other = builder.rng.choice(((MANAGED, ""), ("", MANAGED)))
    linkage = builder.rng.choice(("visible", "visible", "weak", "common"))
    variable = defined_variable(
        builder, first, "global", label, attribute=attribute, linkage=linkage
    )
    wrong = dataclasses.replace(variable, attribute=other)
    if linkage != "visible" and builder.chance(0.5):
        second.items.append(wrong)
        return
    second.declarations[variable.name] = wrong.extern_declaration()
    add_kernel(builder, second, label, (load("global", variable.name), variable.name))


# Prototypes that differ from INT_FUNCTION in parameters, results, widths or structures.
WRONG_SIGNATURES = (
    Signature(B32, (B32, B32)),
    Signature(B32, ()),
    Signature(None, (B32,)),
    Signature(B64, (B32,)),
    Signature(B32, (B64,)),
    Signature(B32, (struct_type(4),)),
    Signature(struct_type(12), (B32,)),
    Signature(B32, (ParameterType(".b8", 24, 8),)),
)


@feature("error-prototype-differs", ERROR)
def prototype_differs(builder: Builder) -> None:
    """A function that another file declares or defines with another prototype."""
    label = "error-prototype-differs"
    first, second = two_modules(builder)
    name, wrong = builder.new_name("differs"), builder.rng.choice(WRONG_SIGNATURES)
    linkage = builder.rng.choice(("visible", "visible", "weak"))
    builder.add_function(first, name, label, linkage, INT_FUNCTION)
    if builder.chance(0.25):
        builder.add_function(second, name, label, "weak", wrong)
        return
    second.declarations[name] = f".extern {wrong.declare(name)};"
    add_kernel(builder, second, label, (call_text(name, wrong), name))


@feature("error-entry-differs", ERROR)
def entry_differs(builder: Builder) -> None:
    """A name that is a kernel in one file and a device function in another."""
    label, name = "error-entry-differs", builder.new_name("entry_or_not")
    first, second = two_modules(builder)
    if builder.chance(0.5):
        builder.insert(first, Function(name, label, "visible", None))
        second.declarations[name] = f".extern {INT_FUNCTION.declare(name)};"
        add_kernel(builder, second, label, (call_text(name, INT_FUNCTION), name))
    else:
        builder.add_function(first, name, label, "visible", INT_FUNCTION)
        second.declarations[name] = f".extern .entry {name} (.param .u64 out);"
        add_kernel(builder, second, label, (take_address(name), name))


@feature("error-function-or-variable", ERROR)
def function_or_variable(builder: Builder) -> None:
    """A name that is a function in one file and a variable in another. Depending on the order of
    the two files, nvlink ends with an internal error."""
    label, name = "error-function-or-variable", builder.new_name("function_or_not")
    first, second = two_modules(builder)
    if builder.chance(0.5):
        builder.add_function(first, name, label, "visible", INT_FUNCTION)
        second.declarations[name] = f".extern .global .align 4 .u32 {name}[2];"
        add_kernel(builder, second, label, (load("global", name), name))
    else:
        space = builder.rng.choice(("global", "const"))
        defined_variable(builder, first, space, label, name=name)
        second.declarations[name] = f".extern {INT_FUNCTION.declare(name)};"
        add_kernel(builder, second, label, (call_text(name, INT_FUNCTION), name))


@feature("error-common-larger", ERROR)
def common_larger(builder: Builder) -> None:
    label = "error-common-larger"
    first, second = two_modules(builder)
    variable = defined_variable(builder, first, "global", label)
    variable.initialiser = builder.numbers(variable)
    count = variable.count + builder.rng.randint(1, 9)
    second.items.append(
        dataclasses.replace(variable, linkage="common", count=count, initialiser=None)
    )


@feature("error-parameters-differ", ERROR)
def parameters_differ(builder: Builder) -> None:
    """Weak kernels of one name with parameters of different sizes."""
    label, name = "error-parameters-differ", builder.new_name("weak_differs")
    kinds = [(B32,), (B64, B32), (), (struct_type(40, 8),)]
    builder.rng.shuffle(kinds)
    two_modules(builder)
    for module, parameters in zip(builder.some_modules(), kinds * 2, strict=False):
        kernel = Function(name, label, "weak", None, extra_parameters=parameters)
        builder.insert(module, kernel)
        builder.add_arithmetic(kernel)
