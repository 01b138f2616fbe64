"""Code that any function may have: barriers, arithmetic, jump tables, system calls, pragmas."""

from __future__ import annotations

from builder import FULL, Builder, code
from program import Function, Module


@code("register-pressure", chance=0.3)
def register_pressure(builder: Builder, _: Module, function: Function) -> None:
    builder.add_register_pressure(function, builder.rng.choice((10, 30, 60)))


@code("barrier", chance=0.35)
def barrier(builder: Builder, _: Module, function: Function) -> None:
    form = builder.rng.choice(
        (
            "bar.sync {n};",
            "bar.sync {n}, 64;",
            "bar.arrive {n}, 64;",
            "barrier.sync.aligned {n};",
            "bar.red.popc.u32 %v, {n}, 64, %q;",
        )
    )
    text = ".reg .b32 %v; .reg .pred %q; setp.gt.u32 %q, %acc, 3;\n"
    text += form.format(n=builder.rng.choice((0, 1, 2, 5, 9, 15)))
    builder.add_piece(function, "barrier", text)


@code("barrier-in-register", chance=0.09)
def barrier_in_register(builder: Builder, _: Module, function: Function) -> None:
    text = ".reg .b32 %v; and.b32 %v, %acc, 7; bar.sync %v, 64;"
    builder.add_piece(function, "barrier-in-register", text)


@code("jump-table", chance=0.2)
def jump_table(builder: Builder, _: Module, function: Function) -> None:
    count = builder.rng.choice((4, 5, 8, 17))
    labels = [f"CASE{i}" for i in range(count)]
    lines = [".reg .b32 %v;", f"rem.u32 %v, %acc, {count};"]
    lines += [f"TABLE: .branchtargets {', '.join(labels)};", "brx.idx %v, TABLE;"]
    for label in labels:
        lines.append(f"{label}: mad.lo.u32 %acc, %acc, {builder.number(20)}, %v;")
        lines.append(f"xor.b32 %acc, %acc, {builder.number()}; bra DONE;")
    lines.append("DONE:")
    builder.add_piece(function, "jump-table", "\n".join(lines))


# Operations in double precision. For some of them, such as division, ptxas adds a function and
# calls it. Up to sm_89, ptxas puts constant operands into constant memory.
DOUBLE_CODE = {
    "double-division": "div.rn.f64 %d, %d, {c};",
    "double-reciprocal": "rcp.rn.f64 %d, %d;",
    "double-square-root": "sqrt.rn.f64 %d, %d;",
    "double-polynomial": "fma.rn.f64 %d, %d, {c}, {c}; fma.rn.f64 %d, %d, {c}, %d;",
    "double-minimum": "min.f64 %d, %d, {c}; mul.rn.f64 %d, %d, {c};",
}


def register_double(name: str, operation: str) -> None:
    @code(name, chance=0.13)
    def double_precision(builder: Builder, _: Module, function: Function) -> None:
        filled = operation.replace("{c}", f"0d{builder.rng.randrange(1, 2**62):016x}")
        text = (
            f".reg .f64 %d; .reg .b32 %v; cvt.rn.f64.s32 %d, %acc;\n{filled}\n"
            "cvt.rzi.s32.f64 %v, %d; add.u32 %acc, %acc, %v;"
        )
        builder.add_piece(function, name, text)


for double_name, double_operation in DOUBLE_CODE.items():
    register_double(double_name, double_operation)


@code("integer-division", chance=0.12)
def integer_division(builder: Builder, _: Module, function: Function) -> None:
    text = (
        ".reg .b64 %l, %m; cvt.u64.u32 %l, %acc; add.u64 %m, %l, 77;\n"
        "rem.u64 %l, %l, %m; div.u64 %m, %m, 1000003; add.u64 %l, %l, %m; cvt.u32.u64 %acc, %l;"
    )
    builder.add_piece(function, "integer-division", text)


@code("warp-operations", chance=0.15)
def warp_operations(builder: Builder, module: Module, function: Function) -> None:
    operations = (
        "shfl.sync.bfly.b32 %v, %acc, 1, 0x1f, 0xffffffff;",
        "activemask.b32 %v;",
        ".reg .pred %q; setp.gt.u32 %q, %acc, 9; vote.sync.ballot.b32 %v, %q, 0xffffffff;",
    )
    match = "match.any.sync.b32 %v, %acc, 0xffffffff;"
    operation = builder.choose_operation(module, operations, match)
    text = f".reg .b32 %v; {operation} add.u32 %acc, %acc, %v;"
    builder.add_piece(function, "warp-operations", text)


@code("stack-allocation", FULL, chance=0.1, lowest_arch=52)
def stack_allocation(builder: Builder, _: Module, function: Function) -> None:
    text = (
        ".reg .b64 %l, %m; .reg .b32 %v; and.b32 %v, %acc, 255; cvt.u64.u32 %l, %v;\n"
        "alloca.u64 %m, %l, 16; st.local.u32 [%m], %acc; ld.local.u32 %v, [%m];\n"
        "add.u32 %acc, %acc, %v;"
    )
    builder.add_piece(function, "stack-allocation", text)


@code("matrix-multiply", FULL, chance=0.14, lowest_arch=80)
def matrix_multiply(builder: Builder, _: Module, function: Function) -> None:
    operation = builder.rng.choice(
        (
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, "
            "{%acc, %acc, %acc, %acc}, {%acc, %acc}, {%c0, %c1, %c2, %c3};",
            "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, "
            "{%acc, %acc}, {%acc, %acc}, {%c0, %c1, %c2, %c3}, %acc, 0x1;",
        )
    )
    text = (
        ".reg .f32 %c<4>; .reg .b32 %v; mov.f32 %c0, 0f3f800000; mov.f32 %c1, %c0;\n"
        f"mov.f32 %c2, %c0; mov.f32 %c3, %c0;\n{operation}\n"
        "mov.b32 %v, %c2; add.u32 %acc, %acc, %v;"
    )
    builder.add_piece(function, "matrix-multiply", text)


@code("memory-barrier-object", FULL, chance=0.12, lowest_arch=80)
def memory_barrier_object(builder: Builder, _: Module, function: Function) -> None:
    text = (
        ".shared .align 8 .b64 object; .reg .b64 %l;\n"
        "mbarrier.init.shared.b64 [object], 5; mbarrier.arrive.shared.b64 %l, [object];\n"
        "cvt.u32.u64 %acc, %l;"
    )
    builder.add_piece(function, "memory-barrier-object", text)


@code("asynchronous-copy", FULL, chance=0.1, lowest_arch=80)
def asynchronous_copy(builder: Builder, _: Module, function: Function) -> None:
    size = builder.rng.choice((4, 8, 16))
    text = (
        f".shared .align 16 .b8 place[{16 * builder.rng.randint(1, 4)}]; .reg .b64 %l; "
        ".reg .b32 %v; mov.u64 %l, 1024;\n"
        f"cp.async.ca.shared.global [place], [%l], {size}; cp.async.commit_group;\n"
        "cp.async.wait_group 0; ld.shared.b32 %v, [place]; add.u32 %acc, %acc, %v;"
    )
    builder.add_piece(function, "asynchronous-copy", text)


@code("reserved-shared-offset", FULL, chance=0.1, lowest_arch=80)
def reserved_shared_offset(builder: Builder, _: Module, function: Function) -> None:
    register = builder.rng.choice(("begin", "end", "cap"))
    text = f".reg .b32 %v; mov.b32 %v, %reserved_smem_offset_{register}; add.u32 %acc, %acc, %v;"
    builder.add_piece(function, "reserved-shared-offset", text)


@code("pragma", FULL, chance=0.12)
def pragma(builder: Builder, _: Module, function: Function) -> None:
    """A loop that must not be unrolled."""
    text = (
        ".reg .pred %q; .reg .b32 %i; mov.u32 %i, 0;\n"
        'AGAIN: .pragma "nounroll";\n'
        "mad.lo.u32 %acc, %acc, %i, 3; add.u32 %i, %i, 1;\n"
        f"setp.lt.u32 %q, %i, {builder.rng.randint(2, 9)}; @%q bra AGAIN;"
    )
    builder.add_piece(function, "pragma", text)


@code("address-space-query", FULL, chance=0.12)
def address_space_query(builder: Builder, _: Module, function: Function) -> None:
    """Code that asks whether an address is in a memory space. The answer for constant memory
    depends on the size of the bank of constants, which only the linker knows."""
    space = builder.rng.choice(("const", "const", "global", "shared", "local"))
    text = (
        ".reg .pred %q; .reg .b64 %l; .reg .b32 %v; cvt.u64.u32 %l, %acc;\n"
        f"isspacep.{space} %q, %l; selp.u32 %v, 1, 2, %q; add.u32 %acc, %acc, %v;"
    )
    builder.add_piece(function, "address-space-query", text)


@code("trap", FULL, chance=0.09)
def trap(builder: Builder, _: Module, function: Function) -> None:
    instruction = builder.rng.choice(("trap;", "brkpt;", "exit;"))
    text = f".reg .pred %q; setp.eq.u32 %q, %acc, {builder.number()}; @%q {instruction}"
    builder.add_piece(function, "trap", text)


@code("clock", FULL, chance=0.09)
def clock(builder: Builder, _: Module, function: Function) -> None:
    register = builder.rng.choice(("%clock", "%smid", "%dynamic_smem_size", "%total_smem_size"))
    text = f".reg .b32 %v; mov.u32 %v, {register}; add.u32 %acc, %acc, %v;"
    builder.add_piece(function, "clock", text)


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


def register_system_call(name: str) -> None:
    """Registers code that calls a system function, which remains undefined in the output."""
    declaration, text = SYSTEM_CALLS[name]

    @code(f"system-call-{name}", chance=0.15)
    def system_call(builder: Builder, _: Module, function: Function) -> None:
        builder.program.undefined[name] = declaration
        builder.add_piece(function, f"system-call-{name}", text, name)


for system_function in SYSTEM_CALLS:
    register_system_call(system_function)


@code("printf", FULL, chance=0.15)
def printf(builder: Builder, module: Module, function: Function) -> None:
    """A call of printf as compilers write it: the format is a static variable, and the arguments
    are in local memory."""
    name = "$str" if builder.chance(0.5) else builder.new_name("$str")
    if name not in module.defined():
        words = builder.rng.choice(("value %d\n", "%d", "a longer text with %u and %u\n"))
        values = [str(byte) for byte in words.encode()] + ["0"]
        builder.new_variable(
            module,
            "global",
            "printf",
            name=name,
            linkage="static",
            size=1,
            count=len(values),
            align=1,
            initialiser=values,
        )
    builder.program.undefined["vprintf"] = SYSTEM_CALLS["vprintf"][0]
    text = (
        ".local .align 8 .b8 arguments[16]; .param .b64 a0; .param .b64 a1; .param .b32 r;\n"
        ".reg .b32 %v; .reg .b64 %l, %m; mov.u64 %m, arguments; cvta.local.u64 %m, %m;\n"
        "st.local.u32 [arguments], %acc; st.local.u32 [arguments+4], 5;\n"
        f"mov.u64 %l, {name}; cvta.global.u64 %l, %l; st.param.b64 [a0], %l; "
        "st.param.b64 [a1], %m;\n"
        "call (r), vprintf, (a0, a1); ld.param.b32 %v, [r]; add.u32 %acc, %acc, %v;"
    )
    builder.add_piece(function, "printf", text, name, "vprintf")
