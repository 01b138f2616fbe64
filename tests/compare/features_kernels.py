"""Features made of what a function's code needs: registers, barriers, parameters, system calls."""

from __future__ import annotations

from builder import Builder, feature
from program import B32, B64, F64, Function, struct_type


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


@feature("register-pressure", chance=0.3)
def register_pressure(builder: Builder) -> None:
    builder.add_register_pressure(builder.any_function()[1], builder.rng.choice((10, 30, 60)))


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
            builder.add_register_pressure(kernel, 25)
        if builder.chance(0.5):
            builder.add_acyclic_call(module, kernel, "weak-kernel-calls")


@feature("static-kernel", chance=0.08)
def static_kernel(builder: Builder) -> None:
    """A kernel with internal linkage; PTX allows the same name in several files."""
    name = builder.new_name("static_kernel")
    for module in builder.some_modules(1)[: builder.rng.choice((1, 2))]:
        kernel = Function(name, "static-kernel", "static", None)
        builder.insert(module, kernel)
        builder.add_arithmetic(kernel)
        builder.add_acyclic_call(module, kernel, "static-kernel-calls")


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
