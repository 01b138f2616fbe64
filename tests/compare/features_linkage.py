"""Variables and functions of weak, common and managed linkage, and aliases."""

from __future__ import annotations

from builder import FULL, SIGNATURES, Builder, call_text, feature
from features_data import use_somewhere
from program import Alias, Function, Module


@feature("weak-variable", FULL, chance=0.35)
def weak_variable(builder: Builder) -> None:
    """Weak definitions of one size in several files, with and without initialiser. One can be
    strong."""
    name = builder.new_name("weak_var")
    space = builder.rng.choice(("global", "global", "const"))
    size, count = builder.rng.choice((1, 4, 8)), builder.rng.choice((1, 2, 5))
    attribute = ".attribute(.managed)" if space == "global" and builder.chance(0.15) else ""
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
            attribute=attribute,
        )
        if builder.chance(0.5):
            variable.initialiser = builder.numbers(variable)
        use_somewhere(builder, module, variable, "use-weak-variable")


@feature("common-variable", FULL, chance=0.25)
def common_variable(builder: Builder) -> None:
    """A common variable that several files declare, with one size or with different ones. One file
    can define it. Code refers to the declaration in its own file."""
    name = builder.new_name("common_var")
    same_size = builder.chance(0.5)
    count = builder.rng.randint(1, 9)
    attribute = ".attribute(.managed)" if builder.chance(0.1) else ""
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
            attribute=attribute,
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
        module, "global", "managed-variable", attribute=".attribute(.managed)"
    )
    if builder.chance(0.5):
        variable.initialiser = builder.numbers(variable)
    use_somewhere(builder, module, variable, "use-managed-variable")


def add_alias(
    builder: Builder, module: Module, target: Function, name: str, label: str, linkage: str
) -> None:
    module.items.append(Alias(name, label, target.name, target.device_signature, linkage))


def call_alias(
    builder: Builder, module: Module, target: Function, alias: str, linkage: str
) -> None:
    """Adds calls of an alias. The aliased function does not reach any of the callers, so there is
    no recursion. If `linkage` is "static", all callers are in the file of the aliased function. One
    caller is a kernel, because nvlink stops with an internal error at some aliases that nothing
    reaches."""
    text = call_text(alias, target.device_signature)
    kernels = [
        f for m, f in builder.functions() if f.is_kernel and (linkage != "static" or m is module)
    ]
    if kernels:
        builder.add_piece(builder.rng.choice(kernels), "call-alias", text, alias)
    for _ in range(builder.rng.randint(0, 2)):
        home, caller = builder.any_function()
        if linkage == "static" and home is not module:
            continue
        if not builder.may_reach(target.name, caller.name):
            builder.add_piece(caller, "call-alias", text, alias)


@feature("alias", FULL, chance=0.2)
def alias(builder: Builder) -> None:
    """One or two aliases of a visible function. ptxas refuses weak aliases of visible functions,
    and aliases of aliases."""
    found = [(m, f) for m, f in builder.functions() if not f.is_kernel and f.linkage == "visible"]
    if not found:
        return
    module, target = builder.rng.choice(found)
    for _ in range(builder.rng.choice((1, 1, 2))):
        name = builder.new_name("alias_of_" + target.name + "_")
        add_alias(builder, module, target, name, "alias", "visible")
        call_alias(builder, module, target, name, "visible")


@feature("alias-of-static-function", FULL, chance=0.12)
def alias_of_static_function(builder: Builder) -> None:
    """An alias of a static function. The alias is LOCAL, too, whatever linkage it is given."""
    module = builder.module()
    name = builder.new_name("hidden_fn")
    target = builder.add_function(module, name, "alias-target", "static")
    builder.add_code(module, target, 2)
    linkage = builder.rng.choice(("visible", "visible", "weak"))
    other = builder.new_name("alias_of_static_")
    add_alias(builder, module, target, other, "alias-of-static-function", linkage)
    call_alias(builder, module, target, other, "static")


@feature("alias-by-pointer", FULL, chance=0.12)
def alias_by_pointer(builder: Builder) -> None:
    """Code that takes the address of an alias and calls the alias through the address."""
    found = [(m, f) for m, f in builder.functions() if not f.is_kernel and f.linkage == "visible"]
    if not found:
        return
    module, target = builder.rng.choice(found)
    name = builder.new_name("pointed_alias_of_" + target.name + "_")
    add_alias(builder, module, target, name, "alias-by-pointer", "visible")
    call = call_text("%target", target.device_signature, "PROTOTYPE")
    text = f"{{\n.reg .b64 %target; mov.u64 %target, {name};\n{call}\n}}"
    builder.add_piece(builder.kernel()[1], "alias-by-pointer", text, name)
    call_alias(builder, module, target, name, "visible")


@feature("file-of-data", FULL, chance=0.09)
def file_of_data(builder: Builder) -> None:
    """A file that defines variables only."""
    name = "data_only.ptx"
    if any(m.name == name for m in builder.program.modules):
        return
    first = builder.program.modules[0]
    module = Module(name, first.version, first.target)
    builder.program.modules.append(module)
    for _ in range(builder.rng.randint(1, 3)):
        space = builder.rng.choice(("global", "global", "const", "shared"))
        variable = builder.new_variable(module, space, "file-of-data", linkage="visible")
        use_somewhere(builder, module, variable, "use-global")


@feature("empty-file", FULL, chance=0.09)
def empty_file(builder: Builder) -> None:
    """A file that defines nothing at all."""
    name = "empty.ptx"
    if any(m.name == name for m in builder.program.modules):
        return
    first = builder.program.modules[0]
    builder.program.modules.append(Module(name, first.version, first.target))
    builder.program.module_features.add("empty-file")


# The feature that is added last. So no other feature can take the address of its function, which
# ptxas would refuse.
UNADDRESSED = "function-of-the-driver"
NAMES_OF_THE_DRIVER = ("cudaGraphLaunch", "cnpSetLastError", "__cuda_syscall_mine")


@feature(UNADDRESSED, FULL, chance=0.12)
def function_of_the_driver(builder: Builder) -> None:
    """Defines a function that has the name of a system function but another prototype. It is
    visible, static, or weak in several files. Other functions can call it."""
    taken = {function.name for _, function in builder.functions()}
    names = [name for name in NAMES_OF_THE_DRIVER if name not in taken]
    if not names:
        return
    name = builder.rng.choice(names)
    linkage = builder.rng.choice(("visible", "visible", "weak", "static"))
    modules = builder.some_modules(1) if linkage == "weak" else [builder.module()]
    signature = builder.rng.choice(SIGNATURES)
    for module in modules:
        function = builder.add_function(module, name, UNADDRESSED, linkage, signature)
        builder.add_code(module, function, 2)
        if builder.chance(0.7):
            builder.add_acyclic_call(module, function, "function-of-the-driver-calls")
    for _ in range(builder.rng.randint(0, 5)):
        home, caller = builder.any_function()
        seen = linkage != "static" or home in modules
        if seen and caller.name != name and not builder.may_reach(name, caller.name):
            builder.add_call(caller, function, "call-function-of-the-driver")
