"""Features made of functions: linkage, calls, recursion, indirect calls, registers, barriers."""

from __future__ import annotations

from builder import SIGNATURES, Builder, call_text, feature
from program import B32, B64, F64, Function, Module, Reference, Signature, struct_type


@feature("weak-function", chance=0.45)
def weak_function(builder: Builder) -> None:
    """Copies with different code in several files; called from some function of any file."""
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
            add_register_pressure(builder, copy, builder.rng.choice((8, 20, 40)))
        if builder.chance(0.3):
            call_something(builder, module, copy, "weak-function-calls")
    if strong:
        builder.program.module_features.add("weak-and-strong-function")
    for _ in range(builder.rng.randint(0, 3)):
        caller = builder.any_function()[1]
        if caller.name != name and not may_reach(builder, name, caller.name):
            builder.add_call(caller, copy, "call-weak-function")


def may_reach(builder: Builder, start: str, goal: str) -> bool:
    """Whether a chain of uses leads from one name to another, over the copies in all files."""
    seen, todo = set(), [start]
    while todo:
        name = todo.pop()
        if name == goal:
            return True
        if name in seen:
            continue
        seen.add(name)
        for module in builder.program.modules:
            for item in module.items:
                if item.name == name:
                    todo += sorted(item.uses())
    return False


def call_something(builder: Builder, module: Module, caller: Function, label: str) -> None:
    """A call that closes no cycle."""
    found = [
        f
        for m, f in builder.functions()
        if not f.is_kernel
        and f.name != caller.name
        and (f.linkage != "static" or m is module)
        and not may_reach(builder, f.name, caller.name)
    ]
    if found:
        builder.add_call(caller, builder.rng.choice(found), label)


@feature("same-static-function", chance=0.3)
def same_static_function(builder: Builder) -> None:
    name = builder.new_name("static_fn")
    for module in builder.some_modules():
        function = builder.add_function(module, name, "same-static-function", "static")
        callers = [f for f in module.of_type(Function) if f.name != name]
        for caller in callers[: builder.rng.randint(0, 2)]:
            if not may_reach(builder, name, caller.name):
                builder.add_call(caller, function, "call-static-function")


@feature("dead-function", chance=0.4)
def dead_function(builder: Builder) -> None:
    """A function that no kernel reaches, which itself calls others."""
    module = builder.module()
    linkage = builder.rng.choice(("visible", "static"))
    name = builder.new_name("dead_fn")
    function = builder.add_function(module, name, "dead-function", linkage)
    for _ in range(builder.rng.randint(0, 2)):
        call_something(builder, module, function, "dead-call")


@feature("deep-calls", chance=0.1)
def deep_calls(builder: Builder) -> None:
    callee = None
    for _ in range(builder.rng.randint(5, 15)):
        name = builder.new_name("deep_fn")
        function = builder.add_function(builder.module(), name, "deep-calls")
        if callee:
            builder.add_call(function, callee, "deep-calls")
        callee = function
    builder.add_call(builder.kernel()[1], callee, "deep-calls")


@feature("recursion", chance=0.15)
def recursion(builder: Builder) -> None:
    """A cycle of one to three functions, guarded by a condition."""
    count = builder.rng.randint(1, 3)
    names = [builder.new_name("rec_fn") for _ in range(count)]
    signature = Signature(B32, (B32,))
    cycle = [
        builder.add_function(builder.module(), name, "recursion", "visible", signature)
        for name in names
    ]
    for index, function in enumerate(cycle):
        callee = cycle[(index + 1) % count]
        call = call_text(callee.name, signature)
        text = (
            "{\n.reg .pred %q; setp.lt.u32 %q, %acc, 3; @%q bra DONE; shr.u32 %acc, %acc, 1;\n"
            f"{call}\nDONE:\n}}"
        )
        builder.add_piece(function, "recursion", text, callee.name)
    if builder.chance(0.8):
        builder.add_call(builder.kernel()[1], cycle[0], "call-recursive-function")


@feature("indirect-call-in-code", chance=0.3)
def indirect_call_in_code(builder: Builder) -> None:
    """The address of one of two functions is taken in code and called by its prototype."""
    caller_module, caller = builder.any_function()
    found = [
        (m, f)
        for m, f in builder.functions()
        if not f.is_kernel and builder.visible(caller_module, f) and f.name != caller.name
    ]
    if not found:
        return
    callee = builder.rng.choice(found)[1]
    same = [f for _, f in found if f.signature == callee.signature]
    other = builder.rng.choice(same)
    call = call_text("%target", callee.signature, "PROTOTYPE")
    text = (
        "{\n.reg .b64 %target; .reg .pred %q; setp.gt.u32 %q, %acc, 40;\n"
        f"mov.u64 %target, {callee.name};\n@%q mov.u64 %target, {other.name};\n{call}\n}}"
    )
    builder.add_piece(caller, "indirect-call-in-code", text, callee.name, other.name)


@feature("indirect-call-by-table", chance=0.3)
def indirect_call_by_table(builder: Builder) -> None:
    """Functions of one prototype in a table in global or constant memory, called through it."""
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
    """A function that calls the address it is given."""
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


@feature("address-taken-only", chance=0.12)
def address_taken_only(builder: Builder) -> None:
    """An address that is stored but never called; its function may call others."""
    module = builder.module()
    name = builder.new_name("taken_fn")
    function = builder.add_function(module, name, "address-taken-only")
    call_something(builder, module, function, "call-from-address-taken")
    kernel = builder.kernel()[1]
    text = (
        f"{{\n.reg .b64 %l; .reg .b32 %u; mov.u64 %l, {name}; cvt.u32.u64 %u, %l;\n"
        "add.u32 %acc, %acc, %u;\n}"
    )
    builder.add_piece(kernel, "address-taken-only", text, name)


@feature("address-of-kernel", chance=0.06)
def address_of_kernel(builder: Builder) -> None:
    """The address of a kernel in code, as a launch from the device needs it."""
    module, kernel = builder.kernel()
    if kernel.linkage == "static":
        return
    users = [f for m, f in builder.functions() if m is module]
    text = (
        f".reg .b64 %l; .reg .b32 %u; mov.u64 %l, {kernel.name}; cvt.u32.u64 %u, %l;\n"
        "add.u32 %acc, %acc, %u;"
    )
    builder.add_piece(builder.rng.choice(users), "address-of-kernel", text, kernel.name)


def add_register_pressure(builder: Builder, function: Function, count: int) -> None:
    """Code that keeps about `count` values alive at once."""
    lines = [f".reg .b32 %w<{count + 1}>;"]
    for index in range(1, count + 1):
        source = "%acc" if index == 1 else f"%w{index - 1}"
        lines.append(f"mad.lo.u32 %w{index}, {source}, {source}, {builder.number(16)};")
    lines += [
        f"xor.b32 %acc, %acc, %w{i}; shf.l.wrap.b32 %acc, %acc, %w{count + 1 - i}, %w1;"
        for i in range(count, 0, -1)
    ]
    builder.add_piece(function, "register-pressure", "\n".join(lines))


@feature("register-pressure", chance=0.3)
def register_pressure(builder: Builder) -> None:
    add_register_pressure(builder, builder.any_function()[1], builder.rng.choice((10, 30, 60)))


@feature("launch-bounds", chance=0.25)
def launch_bounds(builder: Builder) -> None:
    kernel = builder.kernel()[1]
    if kernel.directives:
        return
    kernel.directives = builder.rng.choice(
        (
            (".maxntid 256, 1, 1",),
            (".reqntid 32, 4, 1",),
            (".maxntid 128, 1, 1", ".minnctapersm 2"),
            (".maxntid 256",),
            (".maxnreg 255",),
        )
    )
    builder.program.module_features.add(f"directive{kernel.directives[-1].split()[0]}")


@feature("barrier", chance=0.35)
def barrier(builder: Builder) -> None:
    function = builder.any_function()[1]
    form = builder.rng.choice(
        ("bar.sync {n};", "bar.sync {n}, 64;", "bar.arrive {n}, 64;", "barrier.sync.aligned {n};")
    )
    builder.add_piece(function, "barrier", form.format(n=builder.rng.choice((0, 1, 2, 5, 9, 15))))


@feature("barrier-in-register", chance=0.05)
def barrier_in_register(builder: Builder) -> None:
    text = ".reg .b32 %v; and.b32 %v, %acc, 7; bar.sync %v, 64;"
    builder.add_piece(builder.any_function()[1], "barrier-in-register", text)


@feature("jump-table", chance=0.2)
def jump_table(builder: Builder) -> None:
    count = builder.rng.choice((4, 5, 8))
    labels = [f"CASE{i}" for i in range(count)]
    lines = [".reg .b32 %v;", f"rem.u32 %v, %acc, {count};"]
    lines += [f"TABLE: .branchtargets {', '.join(labels)};", "brx.idx %v, TABLE;"]
    for label in labels:
        lines.append(f"{label}: mad.lo.u32 %acc, %acc, {builder.number(20)}, %v;")
        lines.append(f"xor.b32 %acc, %acc, {builder.number()}; bra DONE;")
    lines.append("DONE:")
    builder.add_piece(builder.any_function()[1], "jump-table", "\n".join(lines))


DOUBLE_CODE = {
    "double-division": "div.rn.f64 %d, %d, {c};",
    "double-reciprocal": "rcp.rn.f64 %d, %d;",
    "double-square-root": "sqrt.rn.f64 %d, %d;",
    "double-polynomial": "fma.rn.f64 %d, %d, {c}, {c}; fma.rn.f64 %d, %d, {c}, %d;",
    "double-minimum": "min.f64 %d, %d, {c}; mul.rn.f64 %d, %d, {c};",
}


@feature("double-precision", chance=0.35)
def double_precision(builder: Builder) -> None:
    """Division and the like call code of the assembler; constants land in a bank up to sm_89."""
    name = builder.rng.choice(sorted(DOUBLE_CODE))
    code = DOUBLE_CODE[name].replace("{c}", f"0d{builder.rng.randrange(1, 2**62):016x}")
    text = (
        f".reg .f64 %d; .reg .b32 %v; cvt.rn.f64.s32 %d, %acc;\n{code}\n"
        "cvt.rzi.s32.f64 %v, %d; add.u32 %acc, %acc, %v;"
    )
    builder.add_piece(builder.any_function()[1], name, text)


@feature("integer-division", chance=0.1)
def integer_division(builder: Builder) -> None:
    text = (
        ".reg .b64 %l, %m; cvt.u64.u32 %l, %acc; add.u64 %m, %l, 77;\n"
        "rem.u64 %l, %l, %m; div.u64 %m, %m, 1000003; add.u64 %l, %l, %m; cvt.u32.u64 %acc, %l;"
    )
    builder.add_piece(builder.any_function()[1], "integer-division", text)


@feature("kernel-parameters", chance=0.4)
def kernel_parameters(builder: Builder) -> None:
    kernel = builder.kernel()[1]
    if kernel.extra_parameters:
        return
    kinds = (B32, B64, F64, struct_type(12), struct_type(40, 8), struct_type(300, 8))
    parameters = tuple(builder.rng.choices(kinds, k=builder.rng.randint(1, 4)))
    for _, copy in builder.functions():
        if copy.name == kernel.name:
            copy.extra_parameters = parameters
    for index, kind in enumerate(parameters):
        if kind.count > 256:
            builder.program.module_features.add("large-kernel-parameter")
        if builder.chance(0.7):
            offset = kind.count - 4 if kind.count else 0
            text = f".reg .b32 %v; ld.param.b32 %v, [p{index}+{offset}]; add.u32 %acc, %acc, %v;"
            builder.add_piece(kernel, "kernel-parameters", text)


@feature("weak-kernel", chance=0.12)
def weak_kernel(builder: Builder) -> None:
    """Copies of a kernel, as templates make them."""
    name = builder.new_name("weak_kernel")
    for module in builder.some_modules():
        kernel = Function(name, "weak-kernel", "weak", None)
        builder.insert(module, kernel)
        builder.add_arithmetic(kernel)
        if builder.chance(0.4):
            add_register_pressure(builder, kernel, 25)
        if builder.chance(0.5):
            call_something(builder, module, kernel, "weak-kernel-calls")


@feature("static-kernel", chance=0.08)
def static_kernel(builder: Builder) -> None:
    """A kernel with internal linkage; PTX allows the same name in several files."""
    name = builder.new_name("static_kernel")
    for module in builder.some_modules(1)[: builder.rng.choice((1, 2))]:
        kernel = Function(name, "static-kernel", "static", None)
        builder.insert(module, kernel)
        builder.add_arithmetic(kernel)
        call_something(builder, module, kernel, "static-kernel-calls")


SYSTEM_CALLS = {
    "vprintf": (
        ".extern .func (.param .b32 result) vprintf (.param .b64 p0, .param .b64 p1);",
        ".param .b64 a0; .param .b64 a1; .param .b32 r; .reg .b32 %v; .reg .b64 %l;\n"
        "cvt.u64.u32 %l, %acc; st.param.b64 [a0], %l; st.param.b64 [a1], 0;\n"
        "call (r), vprintf, (a0, a1); ld.param.b32 %v, [r]; add.u32 %acc, %acc, %v;",
    ),
    "malloc": (
        ".extern .func (.param .b64 result) malloc (.param .b64 p0);",
        ".param .b64 a0; .param .b64 r; .reg .b64 %l; .reg .b32 %v; cvt.u64.u32 %l, %acc;\n"
        "st.param.b64 [a0], %l; call (r), malloc, (a0); ld.param.b64 %l, [r];\n"
        "cvt.u32.u64 %v, %l; add.u32 %acc, %acc, %v;",
    ),
    "free": (
        ".extern .func free (.param .b64 p0);",
        ".param .b64 a0; .reg .b64 %l; cvt.u64.u32 %l, %acc; st.param.b64 [a0], %l;\n"
        "call free, (a0);",
    ),
    "__assertfail": (
        ".extern .func __assertfail (.param .b64 p0, .param .b64 p1, .param .b32 p2, "
        ".param .b64 p3, .param .b64 p4);",
        ".param .b64 a0; .param .b64 a1; .param .b32 a2; .param .b64 a3; .param .b64 a4;\n"
        "st.param.b64 [a0], 0; st.param.b64 [a1], 0; st.param.b32 [a2], %acc;\n"
        "st.param.b64 [a3], 0; st.param.b64 [a4], 1;\n"
        "call __assertfail, (a0, a1, a2, a3, a4);",
    ),
}


@feature("system-call", chance=0.4)
def system_call(builder: Builder) -> None:
    """A function of the device runtime, which stays undefined in the output."""
    name = builder.rng.choice(sorted(SYSTEM_CALLS))
    declaration, text = SYSTEM_CALLS[name]
    builder.program.undefined[name] = declaration
    builder.add_piece(builder.any_function()[1], f"system-call-{name}", text, name)
