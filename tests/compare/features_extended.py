"""Features of --profile full: debug data, weak, common and managed variables, aliases, textures."""

from __future__ import annotations

from builder import FULL, SIGNATURES, Builder, call_text, feature
from features_data import use_somewhere
from program import Alias, Function, Module, Opaque


@feature("weak-variable", FULL, chance=0.35)
def weak_variable(builder: Builder) -> None:
    """Definitions of one size in several files, with and without initialiser; one may be strong."""
    name = builder.new_name("weak_var")
    space = builder.rng.choice(("global", "global", "const"))
    size, count = builder.rng.choice((1, 4, 8)), builder.rng.choice((1, 2, 5))
    modules = builder.some_modules()
    strong = builder.rng.choice(modules) if builder.chance(0.2) else None
    for module in modules:
        variable = builder.new_variable(
            module,
            space,
            "weak-variable",
            name=name,
            size=size,
            count=count,
            linkage="visible" if module is strong else "weak",
        )
        if builder.chance(0.5):
            variable.initialiser = builder.numbers(variable)
        use_somewhere(builder, module, variable, "use-weak-variable")


@feature("common-variable", FULL, chance=0.25)
def common_variable(builder: Builder) -> None:
    """Common symbols, of any size and alignment where each file uses only its own."""
    name = builder.new_name("common_var")
    same_size = builder.chance(0.5)
    count = builder.rng.randint(1, 9)
    modules = builder.some_modules(1)
    defining = builder.rng.choice(modules) if builder.chance(0.3) else None
    for module in modules:
        largest = 10 if module is defining and not same_size else builder.rng.randint(1, 9)
        variable = builder.new_variable(
            module,
            "global",
            "common-variable",
            name=name,
            size=4,
            count=count if same_size else largest,
            linkage="visible" if module is defining else "common",
        )
        if module is defining:
            variable.initialiser = builder.numbers(variable)
        users = module.of_type(Function)
        if users:
            builder.add_access(builder.rng.choice(users), variable, "use-common-variable")
    if same_size:
        use_somewhere(builder, module, variable, "use-common-variable")


@feature("managed-variable", FULL, chance=0.15)
def managed_variable(builder: Builder) -> None:
    module = builder.module()
    variable = builder.new_variable(
        module, "global", "managed-variable", linkage="visible", attribute=".attribute(.managed)"
    )
    if builder.chance(0.5):
        variable.initialiser = builder.numbers(variable)
    use_somewhere(builder, module, variable, "use-managed-variable")


@feature("alias", FULL, chance=0.2)
def alias(builder: Builder) -> None:
    found = [(m, f) for m, f in builder.functions() if not f.is_kernel and f.linkage == "visible"]
    if not found:
        return
    module, target = builder.rng.choice(found)
    name = builder.new_name("alias_of_" + target.name + "_")
    module.items.append(Alias(name, "alias", target.name, target.signature))
    text = call_text(name, target.signature)
    # A kernel calls it: nvlink stops with an internal error at some aliases that nothing reaches.
    builder.add_piece(builder.kernel()[1], "call-alias", text, name)
    for _ in range(builder.rng.randint(0, 2)):
        caller = builder.any_function()[1]
        if not builder.may_reach(target.name, caller.name):
            builder.add_piece(caller, "call-alias", text, name)


def line_table(module: Module) -> str:
    """The name by which pieces of a module refer to its `.file` directive."""
    name = f"file of {module.name}"
    if name not in module.defined():
        text = f'.file 1 "{module.name.replace(".ptx", ".cu")}"'
        module.items.append(Opaque(name, "line-table", "static", text, ""))
    return name


def add_lines(builder: Builder, module: Module) -> None:
    """.loc directives before some pieces, as a compiler writes them."""
    if builder.chance(0.4):
        return
    name = line_table(module)
    for function in module.of_type(Function):
        for line in range(builder.rng.randint(0, 3)):
            text = f".loc 1 {10 + line} {line}\n{{ add.u32 %acc, %acc, {line + 1}; }}"
            builder.add_piece(function, "source-line", f"{{\n{text}\n}}", name)


@feature("line-information", FULL, chance=0.3)
def line_information(builder: Builder) -> None:
    module = builder.module()
    if not {"-lineinfo", "-g"} & set(module.options):
        module.options += ("-lineinfo",)
        add_lines(builder, module)
        builder.program.module_features.add("line-information")


@feature("debug-information", FULL, chance=0.15, highest_arch=99)
def debug_information(builder: Builder) -> None:
    """From sm_100 on two runs of nvlink differ in .nv_debug_info_reg_sass of such an object."""
    module = builder.module()
    if not {"-lineinfo", "-g"} & set(module.options):
        module.options = ("-g",)
        add_lines(builder, module)
        builder.program.module_features.add("debug-information")


TEXTURE_CODE = {
    "texref": "tex.1d.v4.f32.s32 {{%f1, %f2, %f3, %f4}}, [{name}{sampler}, {{%acc}}];",
    "surfref": "suld.b.1d.b32.trap %v, [{name}, {{%acc}}]; mov.b32 %f1, %v;",
}


def texture_reference(builder: Builder, kind: str, module: Module) -> str:
    """The name of a new reference, defined in `module`."""
    name = builder.new_name({"texref": "tex", "samplerref": "samp", "surfref": "surf"}[kind])
    definition = f".visible .global .{kind} {name};"
    declaration = f".extern .global .{kind} {name};"
    builder.insert(module, Opaque(name, kind, "visible", definition, declaration))
    return name


@feature("texture-reference", FULL, chance=0.2)
def texture(builder: Builder) -> None:
    """Textures in unified mode, or with samplers in independent mode for the whole program."""
    modules = builder.program.modules
    independent = "texmode_independent" in modules[0].target
    if not independent and "texref" not in builder.program.features() and builder.chance(0.4):
        independent = True
        for module in modules:
            module.target += ", texmode_independent"
        builder.program.module_features.add("independent-textures")
    kind = builder.rng.choice(("texref", "texref", "surfref"))
    names = [texture_reference(builder, kind, builder.module())]
    if independent and kind == "texref":
        names.append(texture_reference(builder, "samplerref", builder.module()))
    sampler = f", {names[1]}" if len(names) > 1 else ""
    code = TEXTURE_CODE[kind].format(name=names[0], sampler=sampler)
    for _ in range(builder.rng.randint(0, 3)):
        text = f".reg .f32 %f<5>; .reg .b32 %v; {code}\nmov.b32 %v, %f1; add.u32 %acc, %acc, %v;"
        builder.add_piece(builder.any_function()[1], f"use-{kind}", text, *names)


@feature("cluster", FULL, chance=0.2, lowest_arch=90)
def cluster(builder: Builder) -> None:
    """Thread block clusters; modules compiled for an older target cannot use them."""
    found = [
        (m, f)
        for m, f in builder.functions()
        if f.is_kernel and int(m.target.split(",")[0].strip("sm_af")) >= 90
    ]
    if not found:
        return
    kernel = builder.rng.choice(found)[1]
    if builder.chance(0.5) and not kernel.directives:
        kernel.directives = builder.rng.choice(
            (
                (".explicitcluster", ".reqnctapercluster 2, 1, 1"),
                (".maxclusterrank 4",),
                (".explicitcluster",),
            )
        )
        builder.program.module_features.add(f"directive{kernel.directives[-1].split()[0]}")
    code = builder.rng.choice(
        (
            "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %v, 1;",
            "mov.u32 %v, %cluster_ctarank;",
            "mov.u32 %v, %cluster_nctarank; barrier.cluster.arrive;",
        )
    )
    builder.add_piece(kernel, "cluster", f".reg .b32 %v; {code} add.u32 %acc, %acc, %v;")


@feature("reserved-shared-offset", FULL, chance=0.08, lowest_arch=80)
def reserved_shared_offset(builder: Builder) -> None:
    found = [f for m, f in builder.functions() if int(m.target.split(",")[0].strip("sm_af")) >= 80]
    if found:
        register = builder.rng.choice(("begin", "end", "cap"))
        text = (
            f".reg .b32 %v; mov.b32 %v, %reserved_smem_offset_{register}; add.u32 %acc, %acc, %v;"
        )
        builder.add_piece(builder.rng.choice(found), "reserved-shared-offset", text)


@feature("call-targets", FULL, chance=0.1)
def call_targets(builder: Builder) -> None:
    """An indirect call that lists its possible targets."""
    module, caller = builder.any_function()
    signature = builder.rng.choice(SIGNATURES)
    found = [
        f
        for m, f in builder.functions()
        if f.signature == signature and builder.visible(module, f) and f is not caller
    ]
    if not found:
        return
    names = sorted({f.name for f in builder.rng.sample(found, min(3, len(found)))})
    call = call_text("%target", signature, "TARGETS")
    directive = signature.prototype("TARGETS")
    call = call.replace(directive, f"TARGETS: .calltargets {', '.join(names)};")
    text = f"{{\n.reg .b64 %target; mov.u64 %target, {names[0]};\n{call}\n}}"
    builder.add_piece(caller, "call-targets", text, *names)


@feature("stack-allocation", FULL, chance=0.08)
def stack_allocation(builder: Builder) -> None:
    text = (
        ".reg .b64 %l, %m; .reg .b32 %v; and.b32 %v, %acc, 255; cvt.u64.u32 %l, %v;\n"
        "alloca.u64 %m, %l, 16; st.local.u32 [%m], %acc; ld.local.u32 %v, [%m];\n"
        "add.u32 %acc, %acc, %v;"
    )
    builder.add_piece(builder.any_function()[1], "stack-allocation", text)


@feature("matrix-multiply", FULL, chance=0.12, lowest_arch=80)
def matrix_multiply(builder: Builder) -> None:
    found = [f for m, f in builder.functions() if int(m.target.split(",")[0].strip("sm_af")) >= 80]
    if not found:
        return
    code = builder.rng.choice(
        (
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, "
            "{%acc, %acc, %acc, %acc}, {%acc, %acc}, {%c0, %c1, %c2, %c3};",
            "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, "
            "{%acc, %acc}, {%acc, %acc}, {%c0, %c1, %c2, %c3}, %acc, 0x1;",
        )
    )
    text = (
        ".reg .f32 %c<4>; .reg .b32 %v; mov.f32 %c0, 0f3f800000; mov.f32 %c1, %c0;\n"
        f"mov.f32 %c2, %c0; mov.f32 %c3, %c0;\n{code}\nmov.b32 %v, %c2; add.u32 %acc, %acc, %v;"
    )
    builder.add_piece(builder.rng.choice(found), "matrix-multiply", text)


@feature("memory-barrier-object", FULL, chance=0.1, lowest_arch=80)
def memory_barrier_object(builder: Builder) -> None:
    found = [f for m, f in builder.functions() if int(m.target.split(",")[0].strip("sm_af")) >= 80]
    if found:
        text = (
            ".shared .align 8 .b64 object; .reg .b64 %l;\n"
            "mbarrier.init.shared.b64 [object], 5; mbarrier.arrive.shared.b64 %l, [object];\n"
            "cvt.u32.u64 %acc, %l;"
        )
        builder.add_piece(builder.rng.choice(found), "memory-barrier-object", text)


@feature("file-of-data", FULL, chance=0.03)
def file_of_data(builder: Builder) -> None:
    """A file without any code, with variables only."""
    name = "data_only.ptx"
    if any(m.name == name for m in builder.program.modules):
        return
    first = builder.program.modules[0]
    module = Module(name, first.version, first.target)
    builder.program.modules.append(module)
    for _ in range(builder.rng.randint(1, 3)):
        variable = builder.new_variable(module, "global", "file-of-data", linkage="visible")
        use_somewhere(builder, module, variable, "use-global")
