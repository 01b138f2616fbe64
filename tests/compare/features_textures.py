"""Texture, sampler and surface references, in unified and in independent mode."""

from __future__ import annotations

from builder import FULL, Builder, code, feature
from program import Function, Module, Opaque, Reference

INDEPENDENT = "texmode_independent"
# Alternative instructions for each kind of reference; {name} and {sampler} are filled in.
TEXTURE_CODE = {
    "texref": (
        "tex.1d.v4.f32.s32 {{%f1, %f2, %f3, %f4}}, [{name}{sampler}, {{%acc}}];",
        "tex.2d.v4.f32.s32 {{%f1, %f2, %f3, %f4}}, [{name}{sampler}, {{%acc, %acc}}];",
        "mov.b32 %f1, %acc; tld4.r.2d.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, "
        "[{name}{sampler}, {{%f1, %f1}}];",
        "txq.width.b32 %v, [{name}]; mov.b32 %f1, %v;",
        "txq.channel_order.b32 %v, [{name}]; mov.b32 %f1, %v;",
        "txq.normalized_coords.b32 %v, [{name}]; mov.b32 %f1, %v;",
        "mov.u64 %l, {name}; cvt.u32.u64 %v, %l; mov.b32 %f1, %v;",
    ),
    "surfref": (
        "suld.b.1d.b32.trap %v, [{name}, {{%acc}}]; mov.b32 %f1, %v;",
        "sust.b.1d.b32.trap [{name}, {{%acc}}], %acc; mov.f32 %f1, 0f3f800000;",
        "suq.width.b32 %v, [{name}]; mov.b32 %f1, %v;",
        "suq.channel_data_type.b32 %v, [{name}]; mov.b32 %f1, %v;",
    ),
}
PREFIXES = {"texref": "tex", "samplerref": "samp", "surfref": "surf"}


def is_independent(module: Module) -> bool:
    return INDEPENDENT in module.target


def choose_mode(builder: Builder) -> None:
    """Chooses the texture mode, once for a program and before its first reference. All files have
    the same mode, or each file has a random one."""
    features = builder.program.module_features
    if features & {"unified-textures", "independent-textures", "mixed-texture-modes"}:
        return
    mode = builder.rng.choice(("unified", "unified", "independent", "independent", "mixed"))
    for module in builder.program.modules:
        if mode == "independent" or (mode == "mixed" and builder.chance(0.5)):
            module.target += f", {INDEPENDENT}"
    features.add("mixed-texture-modes" if mode == "mixed" else f"{mode}-textures")


def add_reference(builder: Builder, module: Module, kind: str, name: str, linkage: str) -> None:
    word = "" if linkage == "static" else f".{linkage} "
    value = ""
    if kind == "samplerref" and builder.chance(0.4):
        value = " = { addr_mode_0 = wrap, filter_mode = linear }"
    definition = f"{word}.global .{kind} {name}{value};"
    declaration = f".extern .global .{kind} {name};"
    builder.insert(module, Opaque(name, kind, linkage, definition, declaration))


def references(builder: Builder, kind: str, module: Module) -> list[str]:
    """The names of the references of one kind that code in `module` may use."""
    return [
        item.name
        for home in builder.program.modules
        for item in home.of_type(Opaque)
        if item.feature == kind and (item.linkage != "static" or home is module)
    ]


def reference(builder: Builder, kind: str, module: Module) -> str:
    """Returns the name of a reference of this kind: a random existing one, or a new one that is
    added to any file."""
    found = references(builder, kind, module)
    if found and builder.chance(0.5):
        return builder.rng.choice(found)
    name = builder.new_name(PREFIXES[kind])
    linkage = builder.rng.choice(("visible", "visible", "visible", "weak", "static"))
    allowed = builder.program.modules
    if kind == "samplerref":
        allowed = [m for m in allowed if is_independent(m)]
    homes = [module] if linkage == "static" else [builder.rng.choice(allowed)]
    if linkage == "weak":
        homes = builder.rng.sample(allowed, builder.rng.randint(1, len(allowed)))
    for home in homes:
        add_reference(builder, home, kind, name, linkage)
    return name


def use_code(builder: Builder, module: Module, kind: str, name: str) -> tuple[str, list[str]]:
    """Code that uses a texture or surface, and the names of the samplers that this code uses."""
    instruction = builder.rng.choice(TEXTURE_CODE[kind])
    samplers = []
    if is_independent(module) and "{sampler}" in instruction:
        samplers.append(reference(builder, "samplerref", module))
    filled = instruction.format(name=name, sampler="".join(f", {s}" for s in samplers))
    text = (
        f".reg .f32 %f<5>; .reg .b32 %v; .reg .b64 %l; {filled}\n"
        "mov.b32 %v, %f1; add.u32 %acc, %acc, %v;"
    )
    return text, samplers


def add_use(builder: Builder, module: Module, function: Function, kind: str) -> None:
    choose_mode(builder)
    name = reference(builder, kind, module)
    text, samplers = use_code(builder, module, kind, name)
    builder.add_piece(function, f"use-{kind}", text, name, *samplers)


def register_texture(kind: str, chance: float) -> None:
    @code(f"use-{kind}", FULL, chance=chance)
    def texture(builder: Builder, module: Module, function: Function) -> None:
        add_use(builder, module, function, kind)
        for _ in range(builder.rng.randint(0, 2)):
            add_use(builder, *builder.any_function(), kind)


register_texture("texref", 0.2)
register_texture("surfref", 0.15)


@feature("samplerref", FULL, chance=0.2)
def sampler(builder: Builder) -> None:
    """A sampler. Up to two functions query its filter mode, and code that reads textures can use
    it."""
    choose_mode(builder)
    found = [m for m in builder.program.modules if is_independent(m)]
    if not found:
        return
    linkage = builder.rng.choice(("visible", "static"))
    name = builder.new_name("samp")
    module = builder.rng.choice(found)
    add_reference(builder, module, "samplerref", name, linkage)
    text = f".reg .b32 %v; txq.filter_mode.b32 %v, [{name}]; add.u32 %acc, %acc, %v;"
    for function in module.of_type(Function)[: builder.rng.randint(0, 2)]:
        builder.add_piece(function, "use-samplerref", text, name)


@feature("same-static-texture", FULL, chance=0.12)
def same_static_texture(builder: Builder) -> None:
    choose_mode(builder)
    kind = builder.rng.choice(("texref", "surfref"))
    name = builder.new_name("static_" + PREFIXES[kind])
    instruction = "txq" if kind == "texref" else "suq"
    for module in builder.some_modules():
        add_reference(builder, module, kind, name, "static")
        text = f".reg .b32 %v; {instruction}.width.b32 %v, [{name}]; add.u32 %acc, %acc, %v;"
        for function in module.of_type(Function)[: builder.rng.randint(0, 2)]:
            builder.add_piece(function, "same-static-texture", text, name)


@feature("texture-parameter", FULL, chance=0.15)
def texture_parameter(builder: Builder) -> None:
    """Texture and surface parameters of a kernel. Their names are the same in all copies of the
    kernel. No other kernel has parameters of these names, because nvlink would confuse them
    (tests/quirks/test_texture_parameters.py)."""
    choose_mode(builder)
    home, kernel = builder.kernel()
    if kernel.texture_parameters:
        return
    kinds = builder.rng.choices(("texref", "surfref"), k=builder.rng.randint(1, 3))
    parameters = tuple((kind, builder.new_name("parameter_" + PREFIXES[kind])) for kind in kinds)
    for module, copy in builder.functions():
        is_copy = copy.name == kernel.name and "static" not in (copy.linkage, kernel.linkage)
        if copy is not kernel and not is_copy:
            continue
        copy.texture_parameters = parameters
        for kind, name in parameters:
            if builder.chance(0.6):
                text, samplers = use_code(builder, module, kind, name)
                builder.add_piece(copy, "texture-parameter", text, *samplers)


@feature("texture-in-data", FULL, chance=0.1)
def texture_in_data(builder: Builder) -> None:
    """A variable that holds the address of a texture or surface reference."""
    choose_mode(builder)
    module = builder.module()
    kind = builder.rng.choice(("texref", "surfref"))
    name = reference(builder, kind, module)
    builder.new_variable(
        module,
        "global",
        "texture-in-data",
        size=8,
        count=2,
        initialiser=[Reference(name)],
    )
