"""Wrong programs: both linkers must refuse them with the same status and the same messages."""

from __future__ import annotations

import dataclasses

from builder import ERROR, SIGNATURES, Builder, call_text, feature
from program import B32, Function, Signature


@feature("error-undefined-function", ERROR)
def undefined_function(builder: Builder) -> None:
    for _ in range(builder.rng.randint(1, 3)):
        name = builder.new_name("missing_fn")
        signature = builder.rng.choice(SIGNATURES)
        builder.program.undefined[name] = f".extern {signature.declare(name)};"
        for _ in range(builder.rng.randint(1, 2)):
            function = builder.any_function()[1]
            text = call_text(name, signature)
            builder.add_piece(function, "error-undefined-function", text, name)


@feature("error-undefined-variable", ERROR)
def undefined_variable(builder: Builder) -> None:
    for _ in range(builder.rng.randint(1, 2)):
        space = builder.rng.choice(("global", "const", "shared"))
        name = builder.new_name("missing_var")
        builder.program.undefined[name] = f".extern .{space} .align 4 .b32 {name}[4];"
        text = f".reg .b32 %v; ld.{space}.b32 %v, [{name}+4]; add.u32 %acc, %acc, %v;"
        builder.add_piece(builder.any_function()[1], "error-undefined-variable", text, name)


@feature("error-double-definition", ERROR)
def double_definition(builder: Builder) -> None:
    """A second definition of a function, kernel or variable in another file."""
    modules = builder.some_modules()
    kind = builder.rng.choice(("function", "kernel", "global", "const", "shared"))
    name = builder.new_name("twice")
    for module in modules:
        if kind == "function":
            builder.add_function(
                module, name, "error-double-definition", "visible", Signature(B32, (B32,))
            )
        elif kind == "kernel":
            kernel = Function(name, "error-double-definition", "visible", None)
            builder.insert(module, kernel)
        else:
            builder.new_variable(
                module,
                kind,
                "error-double-definition",
                name=name,
                linkage="visible",
                size=4,
                count=2,
                align=4,
            )


@feature("error-size-differs", ERROR)
def size_differs(builder: Builder) -> None:
    """A variable that another file declares with another size."""
    module = builder.module()
    variable = builder.new_variable(
        module, "global", "error-size-differs", linkage="visible", size=4
    )
    name = variable.name
    wrong = dataclasses.replace(variable, count=variable.count + 1)
    others = [m for m in builder.program.modules if m is not module]
    if not others:
        return
    builder.program.undefined[name] = wrong.extern_declaration()
    user = Function(builder.new_name("kernel"), "error-size-differs", "visible", None)
    builder.insert(builder.rng.choice(others), user)
    builder.add_access(user, variable, "error-size-differs")


@feature("error-prototype-differs", ERROR)
def prototype_differs(builder: Builder) -> None:
    """A function that another file declares with other parameters."""
    name = builder.new_name("differs")
    module = builder.module()
    builder.add_function(module, name, "error-prototype-differs", "visible", Signature(B32, (B32,)))
    wrong = Signature(B32, (B32, B32))
    others = [m for m in builder.program.modules if m is not module]
    if not others:
        return
    builder.program.undefined[name] = f".extern {wrong.declare(name)};"
    user = Function(builder.new_name("kernel"), "error-prototype-differs", "visible", None)
    builder.insert(builder.rng.choice(others), user)
    builder.add_piece(user, "error-prototype-differs", call_text(name, wrong), name)
