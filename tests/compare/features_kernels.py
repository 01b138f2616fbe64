"""Features of kernels: parameters, launch bounds, clusters, linkage, addresses."""

from __future__ import annotations

from builder import BASE, FULL, Builder, feature
from program import B32, B64, F64, Function, Module, ParameterType, Reference, struct_type

CODE_IN_COPY = 2


@feature("address-of-kernel", chance=0.09)
def address_of_kernel(builder: Builder) -> None:
    """Code that takes the address of a kernel, as a launch from the device does."""
    module, kernel = builder.kernel()
    if kernel.linkage == "static":
        return
    users = [f for m, f in builder.functions() if m is module]
    text = (
        f".reg .b64 %l; .reg .b32 %u; mov.u64 %l, {kernel.name}; cvt.u32.u64 %u, %l;\n"
        "add.u32 %acc, %acc, %u;"
    )
    builder.add_piece(builder.rng.choice(users), "address-of-kernel", text, kernel.name)


@feature("address-of-kernel-elsewhere", FULL, chance=0.09)
def address_of_kernel_elsewhere(builder: Builder) -> None:
    """Code of any file, or a variable, that refers to the address of a kernel."""
    _, kernel = builder.kernel()
    if kernel.linkage == "static":
        return
    if builder.chance(0.5):
        builder.new_variable(
            builder.module(),
            "global",
            "address-of-kernel-elsewhere",
            size=8,
            count=2,
            initialiser=[Reference(kernel.name)],
        )
        return
    text = (
        f".reg .b64 %l; .reg .b32 %u; mov.u64 %l, {kernel.name}; cvt.u32.u64 %u, %l;\n"
        "add.u32 %acc, %acc, %u;"
    )
    user = builder.any_function()[1]
    builder.add_piece(user, "address-of-kernel-elsewhere", text, kernel.name)


# Maps the name of a feature, which is that of a directive, to its lowest architecture and to groups
# of directives. A kernel gets one of these groups.
LAUNCH_BOUNDS = {
    ".maxntid": (0, ((".maxntid 256, 1, 1",), (".maxntid 192",), (".maxntid 32, 2",))),
    ".reqntid": (0, ((".reqntid 32, 4, 1",), (".reqntid 128",))),
    ".minnctapersm": (
        0,
        ((".maxntid 128, 1, 1", ".minnctapersm 2"), (".maxntid 64", ".minnctapersm 3")),
    ),
    ".maxnreg": (0, ((".maxnreg 255",), (".maxnreg 250",))),
    ".explicitcluster": (90, ((".explicitcluster",),)),
    ".reqnctapercluster": (
        90,
        (
            (".explicitcluster", ".reqnctapercluster 2, 1, 1"),
            (".reqnctapercluster 4",),
            (".maxntid 64", ".reqnctapercluster 2, 2"),
        ),
    ),
    ".maxclusterrank": (90, ((".maxclusterrank 4",), (".explicitcluster", ".maxclusterrank 8"))),
    ".blocksareclusters": (
        90,
        ((".reqntid 32", ".reqnctapercluster 2", ".blocksareclusters"),),
    ),
}


def register_launch_bounds(directive: str) -> None:
    lowest_arch, choices = LAUNCH_BOUNDS[directive]
    name = f"directive{directive}"

    @feature(name, FULL if lowest_arch else BASE, 0.5 if lowest_arch else 0.13, lowest_arch)
    def launch_bounds(builder: Builder) -> None:
        kernels = [
            kernel
            for _, kernel in builder.functions_for(lowest_arch)
            if kernel.is_kernel and not kernel.directives
        ]
        if kernels:
            builder.rng.choice(kernels).directives = builder.rng.choice(choices)
            if directive == ".blocksareclusters":
                for module in builder.program.modules:
                    module.version = "9.0"
            builder.program.module_features.add(name)


for launch_directive in LAUNCH_BOUNDS:
    register_launch_bounds(launch_directive)


@feature("cluster", FULL, chance=0.4, lowest_arch=90)
def cluster(builder: Builder) -> None:
    """Code that uses thread block clusters, in a module whose virtual target is sm_90 or later."""
    found = builder.functions_for(90)
    if not found:
        return
    code = builder.rng.choice(
        (
            "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %v, 1;",
            "mov.u32 %v, %cluster_ctarank;",
            "mov.u32 %v, %cluster_nctarank; barrier.cluster.arrive;",
            "mapa.u32 %v, %acc, 1;",
        )
    )
    function = builder.choose_function(found)[1]
    builder.add_piece(function, "cluster", f".reg .b32 %v; {code} add.u32 %acc, %acc, %v;")


def set_parameters(builder: Builder, name: str, parameters: tuple[ParameterType, ...]) -> None:
    """Sets the parameters of all copies of a kernel, because all copies must have the same ones."""
    for _, copy in builder.functions():
        if copy.name == name:
            copy.extra_parameters = parameters


def read_parameters(builder: Builder, kernel: Function, label: str) -> None:
    for index, kind in enumerate(kernel.extra_parameters):
        if builder.chance(0.7):
            offset = kind.count - 4 if kind.count else 0
            text = f".reg .b32 %v; ld.param.b32 %v, [p{index}+{offset}]; add.u32 %acc, %acc, %v;"
            builder.add_piece(kernel, label, text)


@feature("kernel-parameters", chance=0.4)
def kernel_parameters(builder: Builder) -> None:
    kernel = builder.kernel()[1]
    if kernel.extra_parameters:
        return
    kinds = (B32, B64, F64, struct_type(12), struct_type(40, 8), struct_type(300, 8))
    parameters = tuple(builder.rng.choices(kinds, k=builder.rng.randint(1, 4)))
    if any(kind.count > 256 for kind in parameters):
        builder.program.module_features.add("large-kernel-parameter")
    set_parameters(builder, kernel.name, parameters)
    read_parameters(builder, kernel, "kernel-parameters")


@feature("kernel-parameters-over-4kb", FULL, chance=0.1)
def kernel_parameters_over_4kb(builder: Builder) -> None:
    """Parameters of 4 KB or more. From sm_70 on, PTX 8.1 and later allow up to 32,764 bytes."""
    kernel = builder.kernel()[1]
    homes = [module for module in builder.program.modules if kernel.name in module.defined()]
    if kernel.extra_parameters or any(module.virtual_arch() < 70 for module in homes):
        return
    size = builder.rng.choice((4096, 4400, 8192, 20000, 32000))
    set_parameters(builder, kernel.name, (struct_type(size, builder.rng.choice((4, 8, 16))),))
    for module in homes:
        if module.version < "8.1":
            module.version = "8.4"
    read_parameters(builder, kernel, "kernel-parameters-over-4kb")
    builder.program.module_features.add("kernel-parameters-over-4kb")


@feature("weak-kernel", chance=0.18)
def weak_kernel(builder: Builder) -> None:
    """Weak copies of a kernel in several files, as C++ templates make them. One can be strong."""
    name = builder.new_name("weak_kernel")
    modules = builder.some_modules()
    strong = builder.rng.choice(modules) if builder.chance(0.15) else None
    for module in modules:
        linkage = "visible" if module is strong else "weak"
        add_kernel(builder, module, name, "weak-kernel", linkage)


@feature("static-kernel", chance=0.1)
def static_kernel(builder: Builder) -> None:
    """A kernel with internal linkage; PTX allows the same name in several files."""
    name = builder.new_name("static_kernel")
    for module in builder.some_modules(1)[: builder.rng.choice((1, 1, 1, 2))]:
        add_kernel(builder, module, name, "static-kernel", "static")


def add_kernel(builder: Builder, module: Module, name: str, label: str, linkage: str) -> None:
    kernel = Function(name, label, linkage, None)
    builder.insert(module, kernel)
    builder.add_arithmetic(kernel)
    builder.add_code(module, kernel, CODE_IN_COPY)
    for _ in range(builder.rng.choice((0, 1, 1, 2))):
        builder.add_acyclic_call(module, kernel, f"{label}-calls")
