"""Features made of shared and local memory."""

from __future__ import annotations

from builder import FULL, Builder, code, feature
from program import Function, Module, Variable

SIZES = (1, 4, 7, 16, 33, 40, 64, 100)


def shared_block(builder: Builder) -> str:
    """A block of code with its own shared array, which it writes and reads."""
    size = builder.rng.choice(SIZES)
    align = builder.rng.choice((1, 1, 4, 8, 16, 32))
    place = builder.rng.randrange(size)
    return (
        f".shared .align {align} .b8 own[{size}]; .reg .b16 %v; .reg .b32 %w;\n"
        f"cvt.u16.u32 %v, %acc; st.shared.b8 [own+{place}], %v; bar.warp.sync 0xffffffff;\n"
        f"ld.shared.b8 %v, [own+{builder.rng.randrange(size)}]; cvt.u32.u16 %w, %v;\n"
        "add.u32 %acc, %acc, %w;"
    )


def add_own_shared(builder: Builder, function: Function) -> None:
    label = "shared-in-kernel" if function.is_kernel else "shared-in-function"
    for _ in range(builder.rng.randint(1, 2)):
        builder.add_piece(function, label, shared_block(builder))


@feature("shared-in-kernel", chance=0.35)
def shared_in_kernel(builder: Builder) -> None:
    add_own_shared(builder, builder.kernel()[1])


@code("shared-in-function", chance=0.35)
def shared_in_function(builder: Builder, _: Module, function: Function) -> None:
    add_own_shared(builder, function)


@feature("shared-file-scope", chance=0.4)
def shared_file_scope(builder: Builder) -> None:
    """A shared variable at file scope, which up to four functions and kernels use."""
    module = builder.module()
    variable = builder.new_variable(module, "shared", "shared-file-scope")
    use_shared(builder, module, variable, builder.rng.randint(0, 4))


def use_shared(builder: Builder, module: Module, variable: Variable, count: int) -> None:
    """Lets `count` functions of any file use the variable. Files other than the owner declare it
    with its size."""
    for _ in range(count):
        user = builder.user_of(module, variable)
        if user is not None:
            own = any(item is user for item in module.items)
            label = "use-shared" if own else "use-shared-of-other-file"
            builder.add_access(user, variable, label)


@feature("weak-shared", FULL, chance=0.12)
def weak_shared(builder: Builder) -> None:
    """Weak copies of a shared variable in several files, as C++ templates make them. One can be
    strong."""
    name = builder.new_name("weak_shared")
    size, count = builder.rng.choice((1, 4, 8)), builder.rng.choice((1, 3, 10, 200))
    modules = builder.some_modules()
    strong = builder.rng.choice(modules) if builder.chance(0.2) else None
    for module in modules:
        variable = builder.new_variable(
            module,
            "shared",
            "weak-shared",
            name=name,
            size=size,
            count=count,
            linkage="visible" if module is strong else "weak",
        )
        own = module.of_type(Function)
        if own and builder.chance(0.7):
            builder.add_access(builder.rng.choice(own), variable, "use-weak-shared")
    use_shared(builder, module, variable, builder.rng.randint(0, 2))


@feature("same-static-shared", chance=0.15)
def same_static_shared(builder: Builder) -> None:
    name = builder.new_name("static_shared")
    for module in builder.some_modules():
        variable = builder.new_variable(
            module, "shared", "same-static-shared", name=name, linkage="static"
        )
        user = builder.user_of(module, variable)
        if user is not None:
            builder.add_access(user, variable, "use-shared")


def dynamic_name(builder: Builder, module: Module) -> str:
    """Returns one of three names of extern shared memory, at random. If the module does not declare
    this name yet, adds a declaration with a random type and alignment."""
    name = builder.rng.choice(("dynamic", "dynamic", "dynamic2", "dynamic3"))
    if name not in module.declarations:
        kind, size = builder.rng.choice(((".b8", 1), (".u32", 4), (".f64", 8), (".b8", 1)))
        align = builder.rng.choice([a for a in (1, 4, 8, 16, 32, 128) if a >= size])
        module.declarations[name] = f".extern .shared .align {align} {kind} {name}[];"
    return name


@code("extern-shared", chance=0.3)
def extern_shared(builder: Builder, module: Module, function: Function) -> None:
    """Code that uses dynamic shared memory, in a kernel or in a device function."""
    name = dynamic_name(builder, module)
    style = builder.rng.random()
    if style < 0.6:
        text = (
            f".reg .b32 %v; ld.shared.b32 %v, [{name}+{4 * builder.rng.randrange(20)}];\n"
            f"add.u32 %acc, %acc, %v; st.shared.b32 [{name}], %acc;"
        )
    elif style < 0.85:
        text = (
            f".reg .b64 %l; .reg .b32 %v; mov.u64 %l, {name}; cvta.shared.u64 %l, %l;\n"
            "ld.b32 %v, [%l+4]; add.u32 %acc, %acc, %v;"
        )
    else:
        text = f".reg .b32 %v; mov.u32 %v, {name}; add.u32 %acc, %acc, %v;"
    builder.add_piece(function, "extern-shared", text, name)


@code("extern-shared-of-two-names", FULL, chance=0.1)
def extern_shared_of_two_names(builder: Builder, module: Module, function: Function) -> None:
    for _ in range(builder.rng.randint(2, 3)):
        name = dynamic_name(builder, module)
        text = f".reg .b32 %v; ld.shared.b32 %v, [{name}]; add.u32 %acc, %acc, %v;"
        builder.add_piece(function, "extern-shared-of-two-names", text, name)


@code("local-frame", chance=0.4)
def local_frame(builder: Builder, _: Module, function: Function) -> None:
    """Code with a local array, whose index varies so that the compiler keeps the array in
    memory."""
    size = builder.rng.choice((16, 40, 64, 200, 1024, 20000))
    align = builder.rng.choice((4, 8, 16))
    text = (
        f".local .align {align} .b8 frame[{size}]; .reg .b64 %l, %b; .reg .b32 %v, %w;\n"
        f"and.b32 %v, %acc, 12; cvt.u64.u32 %l, %v; mov.u64 %b, frame; add.u64 %l, %b, %l;\n"
        "st.local.b32 [frame], %acc; st.local.b32 [frame+4], 5; st.local.b32 [%l], %v;\n"
        "xor.b32 %v, %v, 4; cvt.u64.u32 %l, %v; add.u64 %l, %b, %l; ld.local.b32 %w, [%l];\n"
        "add.u32 %acc, %acc, %w;"
    )
    builder.add_piece(function, "local-frame", text)


@code("atomics-and-fences", chance=0.2)
def atomics(builder: Builder, module: Module, function: Function) -> None:
    variable = builder.new_variable(
        module, "global", "atomic-counter", size=4, count=1, linkage="visible"
    )
    operations = (
        f"atom.global.add.u32 %v, [{variable.name}], %acc;",
        f"red.global.max.u32 [{variable.name}], %acc; mov.b32 %v, 3;",
        f"membar.gl; atom.global.cas.b32 %v, [{variable.name}], %acc, 5;",
    )
    acquire = f"fence.acq_rel.sys; ld.acquire.gpu.global.u32 %v, [{variable.name}];"
    operation = builder.choose_operation(module, operations, acquire)
    text = f".reg .b32 %v; {operation} add.u32 %acc, %acc, %v;"
    builder.add_piece(function, "atomics-and-fences", text, variable.name)


@feature("shared-near-limit", FULL, chance=0.09)
def shared_near_limit(builder: Builder) -> None:
    """Large shared arrays in a kernel and in a function; together they can exceed the limit."""
    places = [(builder.kernel()[1], builder.rng.choice((30000, 40000, 44000)))]
    found = builder.device_function()
    if found:
        places.append((found[1], builder.rng.choice((2000, 6000, 10000))))
    for function, size in places:
        if any(piece.feature == "shared-near-limit" for piece in function.pieces):
            continue
        text = (
            f".shared .align 4 .b8 large[{size}]; .reg .b32 %v; st.shared.b32 [large], %acc;\n"
            f"ld.shared.b32 %v, [large+{size - 4}]; add.u32 %acc, %acc, %v;"
        )
        builder.add_piece(function, "shared-near-limit", text)
