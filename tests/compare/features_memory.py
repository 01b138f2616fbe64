"""Features made of shared and local memory."""

from __future__ import annotations

from builder import Builder, feature

SIZES = (1, 4, 7, 16, 33, 40, 64, 100)


def shared_block(builder: Builder) -> str:
    """A block with a shared array of its own, written and read."""
    size = builder.rng.choice(SIZES)
    align = builder.rng.choice((1, 1, 4, 8, 16, 32))
    place = builder.rng.randrange(size)
    return (
        f".shared .align {align} .b8 own[{size}]; .reg .b16 %v; .reg .b32 %w;\n"
        f"cvt.u16.u32 %v, %acc; st.shared.b8 [own+{place}], %v; bar.warp.sync 0xffffffff;\n"
        f"ld.shared.b8 %v, [own+{builder.rng.randrange(size)}]; cvt.u32.u16 %w, %v;\n"
        "add.u32 %acc, %acc, %w;"
    )


@feature("shared-in-kernel", chance=0.4)
def shared_in_kernel(builder: Builder) -> None:
    kernel = builder.kernel()[1]
    for _ in range(builder.rng.randint(1, 3)):
        builder.add_piece(kernel, "shared-in-kernel", shared_block(builder))


@feature("shared-in-function", chance=0.4)
def shared_in_function(builder: Builder) -> None:
    found = builder.device_function()
    if found:
        for _ in range(builder.rng.randint(1, 2)):
            builder.add_piece(found[1], "shared-in-function", shared_block(builder))


@feature("shared-file-scope", chance=0.4)
def shared_file_scope(builder: Builder) -> None:
    """A variable of the file that any number of functions and kernels use."""
    module = builder.module()
    variable = builder.new_variable(module, "shared", "shared-file-scope")
    for _ in range(builder.rng.randint(0, 4)):
        user = builder.user_of(module, variable)
        if user is not None:
            builder.add_access(user, variable, "use-shared")


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


@feature("extern-shared", chance=0.3)
def extern_shared(builder: Builder) -> None:
    """Dynamic shared memory, by one of a few names, in kernels and functions."""
    name = builder.rng.choice(("dynamic", "dynamic", "dynamic2"))
    align = builder.program.undefined.get(name, "").partition(".align ")[2].split(" ")[0]
    align = align or builder.rng.choice(("4", "8", "16", "32"))
    builder.program.undefined[name] = f".extern .shared .align {align} .b8 {name}[];"
    for _ in range(builder.rng.randint(1, 3)):
        text = (
            f".reg .b32 %v; ld.shared.b32 %v, [{name}+{4 * builder.rng.randrange(20)}];\n"
            f"add.u32 %acc, %acc, %v; st.shared.b32 [{name}], %acc;"
        )
        if builder.chance(0.3):
            text = (
                f".reg .b64 %l; .reg .b32 %v; mov.u64 %l, {name}; cvta.shared.u64 %l, %l;\n"
                "ld.b32 %v, [%l+4]; add.u32 %acc, %acc, %v;"
            )
        builder.add_piece(builder.any_function()[1], "extern-shared", text, name)


@feature("local-frame", chance=0.4)
def local_frame(builder: Builder) -> None:
    """A local array with a varying index, so that it stays in memory."""
    size = builder.rng.choice((16, 40, 64, 200, 1024))
    align = builder.rng.choice((4, 8, 16))
    text = (
        f".local .align {align} .b8 frame[{size}]; .reg .b64 %l, %b; .reg .b32 %v, %w;\n"
        f"and.b32 %v, %acc, 12; cvt.u64.u32 %l, %v; mov.u64 %b, frame; add.u64 %l, %b, %l;\n"
        "st.local.b32 [frame], %acc; st.local.b32 [frame+4], 5; st.local.b32 [%l], %v;\n"
        "xor.b32 %v, %v, 4; cvt.u64.u32 %l, %v; add.u64 %l, %b, %l; ld.local.b32 %w, [%l];\n"
        "add.u32 %acc, %acc, %w;"
    )
    builder.add_piece(builder.any_function()[1], "local-frame", text)


@feature("atomics-and-fences", chance=0.2)
def atomics(builder: Builder) -> None:
    module = builder.module()
    variable = builder.new_variable(
        module, "global", "atomic-counter", size=4, count=1, linkage="visible"
    )
    code = builder.rng.choice(
        (
            f"atom.global.add.u32 %v, [{variable.name}], %acc;",
            f"red.global.max.u32 [{variable.name}], %acc; mov.b32 %v, 3;",
            f"membar.gl; atom.global.cas.b32 %v, [{variable.name}], %acc, 5;",
            f"fence.acq_rel.sys; ld.acquire.gpu.global.u32 %v, [{variable.name}];",
        )
    )
    text = f".reg .b32 %v; {code} add.u32 %acc, %acc, %v;"
    builder.add_piece(builder.any_function()[1], "atomics-and-fences", text, variable.name)


@feature("warp-operations", chance=0.15)
def warp_operations(builder: Builder) -> None:
    code = builder.rng.choice(
        (
            "shfl.sync.bfly.b32 %v, %acc, 1, 0x1f, 0xffffffff;",
            "activemask.b32 %v;",
            ".reg .pred %q; setp.gt.u32 %q, %acc, 9; vote.sync.ballot.b32 %v, %q, 0xffffffff;",
            "match.any.sync.b32 %v, %acc, 0xffffffff;",
        )
    )
    text = f".reg .b32 %v; {code} add.u32 %acc, %acc, %v;"
    builder.add_piece(builder.any_function()[1], "warp-operations", text)
