"""Mistakes in programs: undefined names, names with two definitions, and exceeded limits."""

from __future__ import annotations


from builder import ERROR, SIGNATURES, Builder, call_text, feature
from program import B32, Alias, Function, Module, Opaque, Reference, Signature

INT_FUNCTION = Signature(B32, (B32,))


def two_modules(builder: Builder) -> list[Module]:
    """Returns two files of the program. Adds a second file if the program has only one."""
    modules = builder.program.modules
    if len(modules) < 2:
        first = modules[0]
        modules.append(Module("second.ptx", first.version, first.target))
    return builder.rng.sample(modules, 2)


def add_kernel(builder: Builder, module: Module, label: str, *pieces: tuple[str, ...]) -> Function:
    """Adds a kernel. Each piece of its code is a tuple: the text, then the names that it uses."""
    kernel = Function(builder.new_name("kernel"), label, "visible", None)
    builder.insert(module, kernel)
    for text, *names in pieces:
        builder.add_piece(kernel, label, text, *names)
    return kernel


def load(space: str, name: str, offset: int = 0) -> str:
    return f".reg .b32 %v; ld.{space}.b32 %v, [{name}+{offset}]; add.u32 %acc, %acc, %v;"


def take_address(name: str) -> str:
    return f".reg .b64 %l; mov.u64 %l, {name}; cvt.u32.u64 %acc, %l;"


# Names without a definition ----------------------------------------------------------------------


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


def register_undefined_variable(kind: str, space: str, attribute: str = "") -> None:
    label = f"error-undefined-{kind}"

    @feature(label, ERROR)
    def undefined_variable(builder: Builder) -> None:
        for _ in range(builder.rng.randint(1, 2)):
            name = builder.new_name("missing_var")
            declaration = f".extern .{space} {attribute} .align 4 .b32 {name}[4];"
            builder.program.undefined[name] = declaration
            for _ in range(builder.rng.randint(1, 2)):
                function = builder.any_function()[1]
                builder.add_piece(function, label, load(space, name, 4), name)


register_undefined_variable("variable", "global")
register_undefined_variable("constant", "const")
register_undefined_variable("shared", "shared")
register_undefined_variable("managed", "global", ".attribute(.managed)")


@feature("error-undefined-kernel", ERROR)
def undefined_kernel(builder: Builder) -> None:
    name = builder.new_name("missing_kernel")
    builder.program.undefined[name] = f".extern .entry {name} (.param .u64 out);"
    function = builder.any_function()[1]
    builder.add_piece(function, "error-undefined-kernel", take_address(name), name)


@feature("error-undefined-in-data", ERROR)
def undefined_in_data(builder: Builder) -> None:
    """An initialiser that names a function or a variable that no file defines."""
    name = builder.new_name("missing_in_data")
    function, variable = f".extern .func {name} ();", f".extern .global .b32 {name};"
    builder.program.undefined[name] = builder.rng.choice((function, variable))
    builder.new_variable(
        builder.module(),
        "global",
        "error-undefined-in-data",
        size=8,
        count=2,
        initialiser=[Reference(name)],
    )


@feature("error-static-of-other-file", ERROR)
def static_of_other_file(builder: Builder) -> None:
    """A reference to a function or variable that is static in another file."""
    first, second = two_modules(builder)
    label, name = "error-static-of-other-file", builder.new_name("private")
    if builder.chance(0.5):
        hidden = name
        if builder.chance(0.3):
            hidden = builder.new_name("behind_private")
            first.items.append(Alias(name, label, hidden, INT_FUNCTION))
        builder.add_function(first, hidden, label, "static", INT_FUNCTION)
        second.declarations[name] = f".extern {INT_FUNCTION.declare(name)};"
        add_kernel(builder, second, label, (call_text(name, INT_FUNCTION), name))
    else:
        builder.new_variable(
            first, "global", label, name=name, linkage="static", size=4, count=2, align=4
        )
        second.declarations[name] = f".extern .global .align 4 .u32 {name}[2];"
        add_kernel(builder, second, label, (load("global", name), name))


# Names with two definitions ----------------------------------------------------------------------


@feature("error-double-function", ERROR)
def double_function(builder: Builder) -> None:
    name = builder.new_name("twice")
    two_modules(builder)
    for module in builder.some_modules():
        builder.add_function(module, name, "error-double-function", "visible", INT_FUNCTION)


@feature("error-double-kernel", ERROR)
def double_kernel(builder: Builder) -> None:
    name = builder.new_name("twice")
    two_modules(builder)
    for module in builder.some_modules():
        builder.insert(module, Function(name, "error-double-kernel", "visible", None))


def register_double_variable(space: str) -> None:
    label = f"error-double-{space}"

    @feature(label, ERROR)
    def double_variable(builder: Builder) -> None:
        name = builder.new_name("twice")
        two_modules(builder)
        for module in builder.some_modules():
            variable = builder.new_variable(
                module, space, label, name=name, linkage="visible", size=4, count=2, align=4
            )
            if space != "shared" and builder.chance(0.5):
                variable.initialiser = builder.numbers(variable)


for double_space in ("global", "const", "shared"):
    register_double_variable(double_space)


@feature("error-double-texture", ERROR)
def double_texture(builder: Builder) -> None:
    name = builder.new_name("twice_tex")
    two_modules(builder)
    kind = builder.rng.choice(("texref", "surfref"))
    for module in builder.some_modules():
        text = f".visible .global .{kind} {name};"
        declaration = text.replace("visible", "extern")
        item = Opaque(name, "error-double-texture", "visible", text, declaration)
        builder.insert(module, item)


@feature("error-double-alias", ERROR)
def double_alias(builder: Builder) -> None:
    """Two definitions of one name: aliases in two files, or an alias and a function."""
    name, label = builder.new_name("twice_alias"), "error-double-alias"
    for number, module in enumerate(two_modules(builder)):
        if number and builder.chance(0.4):
            builder.add_function(module, name, label, "visible", INT_FUNCTION)
            continue
        own = builder.new_name("behind_twice")
        builder.add_function(module, own, label, "visible", INT_FUNCTION)
        module.items.append(Alias(name, label, own, INT_FUNCTION))


@feature("error-double-weak-alias", ERROR)
def double_weak_alias(builder: Builder) -> None:
    """A weak name that is an alias of a different function in each file. In some files it is a
    plain weak function instead."""
    name, label = builder.new_name("weak_alias"), "error-double-weak-alias"
    two_modules(builder)
    for module in builder.some_modules():
        if builder.chance(0.25):
            builder.add_function(module, name, label, "weak", INT_FUNCTION)
            continue
        linkage = builder.rng.choice(("visible", "static"))
        own = builder.new_name("behind_weak_alias")
        builder.add_function(module, own, label, linkage, INT_FUNCTION)
        module.items.append(Alias(name, label, own, INT_FUNCTION, "weak"))
    text = call_text(name, INT_FUNCTION)
    builder.add_piece(builder.kernel()[1], label, text, name)


# Limits ------------------------------------------------------------------------------------------


@feature("error-shared-limit", ERROR)
def shared_limit(builder: Builder) -> None:
    """A kernel that calls a function in another file. Together, their shared arrays
    exceed the limit."""
    first, second = two_modules(builder)
    label, name = "error-shared-limit", builder.new_name("large_fn")

    def block(size: int) -> str:
        return (
            f".shared .align 4 .b8 large[{size}]; .reg .b32 %v; st.shared.b32 [large], %acc;\n"
            "ld.shared.b32 %v, [large+8]; add.u32 %acc, %acc, %v;"
        )

    function = builder.add_function(first, name, label, "visible", INT_FUNCTION)
    builder.add_piece(function, label, block(builder.rng.choice((9000, 20000, 47000))))
    for _ in range(builder.rng.randint(1, 2)):
        text = call_text(name, INT_FUNCTION)
        add_kernel(builder, second, label, (text, name), (block(45000),))


@feature("error-constant-limit", ERROR)
def constant_limit(builder: Builder) -> None:
    label = "error-constant-limit"
    for module in two_modules(builder):
        builder.new_variable(
            module, "const", label, size=4, count=builder.rng.choice((8192, 8300, 12000))
        )
    builder.new_variable(module, "const", label, size=4, count=1)


@feature("error-register-limit", ERROR)
def register_limit(builder: Builder) -> None:
    """A kernel with a directive that limits its registers. It calls functions of other files that
    need more registers."""
    label = "error-register-limit"
    first, second = two_modules(builder)
    kernel = add_kernel(builder, first, label)
    kernel.directives = builder.rng.choice(((".maxnreg 40",), (".maxnreg 48",), (".maxnreg 56",)))
    for _ in range(builder.rng.randint(1, 3)):
        linkage = builder.rng.choice(("visible", "visible", "weak"))
        name = builder.new_name("greedy_fn")
        function = builder.add_function(second, name, label, linkage, INT_FUNCTION)
        builder.add_register_pressure(function, builder.rng.choice((70, 100, 150)))
        caller = kernel
        if builder.chance(0.4):
            between = builder.new_name("between_fn")
            caller = builder.add_function(second, between, label, "visible", INT_FUNCTION)
            builder.add_call(kernel, caller, label)
        if builder.chance(0.3):
            call = call_text("%target", INT_FUNCTION, "PROTOTYPE")
            text = f"{{\n.reg .b64 %target; mov.u64 %target, {name};\n{call}\n}}"
            builder.add_piece(caller, label, text, name)
        else:
            builder.add_call(caller, function, label)
