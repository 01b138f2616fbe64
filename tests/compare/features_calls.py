"""Features made of functions and calls: linkage, recursion, indirect calls."""

from __future__ import annotations

from builder import FULL, SIGNATURES, Builder, call_text, code, feature
from program import B32, B64, Function, Module, Reference, Signature


@feature("weak-function", chance=0.45)
def weak_function(builder: Builder) -> None:
    """Copies of a weak function with different code in several files, and calls of it from any
    file."""
    name = builder.new_name("weak_fn")
    signature = builder.rng.choice(SIGNATURES)
    modules = builder.some_modules()
    strong = builder.rng.choice(modules) if builder.chance(0.15) else None
    for module in modules:
        linkage = "visible" if module is strong else "weak"
        copy = builder.add_function(module, name, "weak-function", linkage, signature)
        for _ in range(builder.rng.randint(0, 2)):
            builder.add_arithmetic(copy)
        if builder.chance(0.5):
            builder.add_register_pressure(copy, builder.rng.choice((8, 20, 40)))
        builder.add_code(module, copy, 3)
        if builder.chance(0.3):
            builder.add_acyclic_call(module, copy, "weak-function-calls")
    if strong:
        builder.program.module_features.add("weak-and-strong-function")
    for _ in range(builder.rng.randint(0, 3)):
        caller = builder.any_function()[1]
        if caller.name != name and not builder.may_reach(name, caller.name):
            builder.add_call(caller, copy, "call-weak-function")
    if builder.chance(0.3):
        call_by_address(builder, *builder.any_function(), [copy], "call-weak-by-pointer")


@feature("same-static-function", chance=0.3)
def same_static_function(builder: Builder) -> None:
    name = builder.new_name("static_fn")
    for module in builder.some_modules():
        function = builder.add_function(module, name, "same-static-function", "static")
        callers = [f for f in module.of_type(Function) if f.name != name]
        for caller in callers[: builder.rng.randint(0, 2)]:
            if not builder.may_reach(name, caller.name):
                builder.add_call(caller, function, "call-static-function")


@feature("dead-function", chance=0.4)
def dead_function(builder: Builder) -> None:
    """A function that no kernel reaches. It calls other functions."""
    module = builder.module()
    linkage = builder.rng.choice(("visible", "static"))
    name = builder.new_name("dead_fn")
    function = builder.add_function(module, name, "dead-function", linkage)
    for _ in range(builder.rng.randint(0, 2)):
        builder.add_acyclic_call(module, function, "dead-call")


@feature("deep-calls", chance=0.1)
def deep_calls(builder: Builder) -> None:
    callee: Function | None = None
    for _ in range(builder.rng.randint(5, 15)):
        name = builder.new_name("deep_fn")
        function = builder.add_function(builder.module(), name, "deep-calls")
        if callee:
            builder.add_call(function, callee, "deep-calls")
        callee = function
    assert callee
    builder.add_call(builder.kernel()[1], callee, "deep-calls")


@feature("wide-calls", chance=0.1)
def wide_calls(builder: Builder) -> None:
    """A kernel that calls many functions, some of them more than once."""
    kernel = builder.kernel()[1]
    for _ in range(builder.rng.randint(6, 16)):
        function = builder.add_function(builder.module(), builder.new_name("wide_fn"), "wide-calls")
        for _ in range(builder.rng.choice((1, 1, 2))):
            builder.add_call(kernel, function, "wide-calls")


def guarded(call: str) -> str:
    """Returns code that halves %acc and then makes the call. It skips the call if %acc is below 3,
    so that recursion ends."""
    return (
        "{\n.reg .pred %q; setp.lt.u32 %q, %acc, 3; @%q bra DONE; shr.u32 %acc, %acc, 1;\n"
        f"{call}\nDONE:\n}}"
    )


def make_cycle(builder: Builder, label: str) -> list[Function]:
    """Adds one to three functions of one signature to random files. The caller of make_cycle adds
    the calls that connect them into a cycle."""
    signature = builder.rng.choice(SIGNATURES)
    cycle = []
    for _ in range(builder.rng.randint(1, 3)):
        module = builder.module()
        function = builder.add_function(
            module, builder.new_name("rec_fn"), label, "visible", signature
        )
        builder.add_code(module, function, 1)
        cycle.append(function)
    return cycle


@feature("recursion", chance=0.2)
def recursion(builder: Builder) -> None:
    """A cycle of one to three functions, whose calls are guarded by a condition."""
    cycle = make_cycle(builder, "recursion")
    for index, function in enumerate(cycle):
        callee = cycle[(index + 1) % len(cycle)]
        call = guarded(call_text(callee.name, callee.device_signature))
        builder.add_piece(function, "recursion", call, callee.name)
    if builder.chance(0.8):
        builder.add_call(builder.kernel()[1], cycle[0], "call-recursive-function")


@feature("recursion-by-pointer", FULL, chance=0.12)
def recursion_by_pointer(builder: Builder) -> None:
    """A cycle of functions, one of which is called indirectly. Its address is in code or in a
    variable."""
    cycle = make_cycle(builder, "recursion-by-pointer")
    for index, function in enumerate(cycle):
        callee = cycle[(index + 1) % len(cycle)]
        if index:
            call = guarded(call_text(callee.name, callee.device_signature))
            builder.add_piece(function, "recursion-by-pointer", call, callee.name)
            continue
        source = callee.name
        load = f"mov.u64 %target, {source};"
        if builder.chance(0.5):
            space = builder.rng.choice(("global", "const"))
            source = builder.new_variable(
                builder.module(),
                space,
                "function-table",
                size=8,
                count=1,
                linkage="visible",
                initialiser=[Reference(callee.name)],
            ).name
            load = f"ld.{space}.u64 %target, [{source}];"
        call = call_text("%target", callee.device_signature, "PROTOTYPE")
        text = guarded(f".reg .b64 %target; {load}\n{call}")
        builder.add_piece(function, "recursion-by-pointer", text, source)
    if builder.chance(0.8):
        builder.add_call(builder.kernel()[1], cycle[0], "call-recursive-function")


@code("indirect-call-in-code", chance=0.3)
def indirect_call_in_code(builder: Builder, module: Module, caller: Function) -> None:
    """Code that takes the address of one of two functions, and calls this function through the
    prototype of both."""
    found = [
        f
        for _, f in builder.functions()
        if not f.is_kernel and builder.visible(module, f) and f.name != caller.name
    ]
    if found:
        callee = builder.rng.choice(found)
        same = [f for f in found if f.signature == callee.device_signature]
        chosen = [callee, builder.rng.choice(same)]
        call_by_address(builder, module, caller, chosen, "indirect-call-in-code")


def call_by_address(
    builder: Builder, module: Module, caller: Function, callees: list[Function], label: str
) -> None:
    """Adds an indirect call. At run time its target is the first or the last of the callees, which
    have one prototype."""
    first, last = callees[0], callees[-1]
    call = call_text("%target", first.device_signature, "PROTOTYPE")
    text = (
        "{\n.reg .b64 %target; .reg .pred %q; setp.gt.u32 %q, %acc, 40;\n"
        f"mov.u64 %target, {first.name};\n@%q mov.u64 %target, {last.name};\n{call}\n}}"
    )
    if all(builder.visible(module, f) for f in (first, last)):
        builder.add_piece(caller, label, text, first.name, last.name)


@feature("indirect-call-by-table", chance=0.3)
def indirect_call_by_table(builder: Builder) -> None:
    """A table, in global or constant memory, of functions of one prototype. Usually a function
    calls one of them through the table."""
    signature = builder.rng.choice(SIGNATURES)
    module = builder.module()
    found = [
        f
        for m, f in builder.functions()
        if f.signature == signature and (f.linkage != "static" or m is module)
    ]
    while len(found) < 2:
        name = builder.new_name("entry_fn")
        owner = builder.module()
        function = builder.add_function(owner, name, "indirect-callee", "visible", signature)
        builder.add_code(owner, function, 2)
        found.append(function)
    chosen = builder.rng.sample(found, builder.rng.randint(1, min(4, len(found))))
    space = builder.rng.choice(("global", "global", "const"))
    table = builder.new_variable(
        module,
        space,
        "function-table",
        size=8,
        count=len(chosen) + builder.rng.randint(0, 1),
        linkage=builder.rng.choice(("visible", "static")),
        initialiser=[Reference(f.name) for f in chosen],
    )
    if builder.chance(0.2):
        return  # a table that nobody reads
    caller = builder.user_of(module, table)
    if caller is None:
        return
    call = call_text("%target", signature, "PROTOTYPE")
    offset = 8 * builder.rng.randrange(len(chosen))
    text = f"{{\n.reg .b64 %target; ld.{space}.u64 %target, [{table.name}+{offset}];\n{call}\n}}"
    builder.add_piece(caller, "indirect-call-by-table", text, table.name)


@feature("indirect-call-by-argument", chance=0.1)
def indirect_call_by_argument(builder: Builder) -> None:
    """A function that calls the address in its parameter."""
    signature = Signature(B32, (B32,))
    module = builder.module()
    apply = builder.add_function(
        module,
        builder.new_name("apply_fn"),
        "indirect-call-by-argument",
        "visible",
        Signature(B32, (B64,)),
    )
    target = "{\n.reg .b64 %target; ld.param.u64 %target, [p0];\n"
    call = call_text("%target", signature, "PROTOTYPE")
    builder.add_piece(apply, "indirect-call-by-argument", f"{target}{call}\n}}")
    owner = builder.module()
    callee = builder.add_function(
        owner, builder.new_name("callee_fn"), "indirect-callee", "visible", signature
    )
    kernel = builder.kernel()[1]
    text = (
        f"{{\n.reg .b64 %l; .reg .b32 %u; mov.u64 %l, {callee.name};\n"
        ".param .b64 a0; st.param.b64 [a0], %l; .param .b32 r;\n"
        f"call (r), {apply.name}, (a0);\nld.param.b32 %u, [r]; add.u32 %acc, %acc, %u;\n}}"
    )
    builder.add_piece(kernel, "pass-function-address", text, callee.name, apply.name)


@feature("address-taken-only", chance=0.15)
def address_taken_only(builder: Builder) -> None:
    """A function whose address is taken but never called. It calls another function, if
    possible."""
    module = builder.module()
    name = builder.new_name("taken_fn")
    function = builder.add_function(module, name, "address-taken-only")
    builder.add_acyclic_call(module, function, "call-from-address-taken")
    kernel = builder.kernel()[1]
    text = (
        f"{{\n.reg .b64 %l; .reg .b32 %u; mov.u64 %l, {name}; cvt.u32.u64 %u, %l;\n"
        "add.u32 %acc, %acc, %u;\n}"
    )
    builder.add_piece(kernel, "address-taken-only", text, name)


@code("call-targets", FULL, chance=0.3)
def call_targets(builder: Builder, module: Module, caller: Function) -> None:
    """An indirect call that lists its possible targets."""
    found = [
        f
        for _, f in builder.functions()
        if not f.is_kernel and builder.visible(module, f) and f is not caller
    ]
    if not found:
        return
    signature = builder.rng.choice(found).device_signature
    same = [f for f in found if f.signature == signature]
    names = sorted({f.name for f in builder.rng.sample(same, min(3, len(same)))})
    call = call_text("%target", signature, "TARGETS")
    directive = signature.prototype("TARGETS")
    call = call.replace(directive, f"TARGETS: .calltargets {', '.join(names)};")
    text = f"{{\n.reg .b64 %target; mov.u64 %target, {names[0]};\n{call}\n}}"
    builder.add_piece(caller, "call-targets", text, *names)


@feature("noreturn-function", FULL, chance=0.09)
def noreturn_function(builder: Builder) -> None:
    name = builder.new_name("noreturn_fn")
    function = builder.add_function(builder.module(), name, "noreturn-function", "visible")
    builder.add_piece(function, "noreturn-function", "trap;")
    builder.add_call(builder.any_function()[1], function, "call-noreturn-function")
