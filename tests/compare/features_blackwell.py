"""Code that only GPUs from sm_100 on have: tensor memory, bulk copies, fences, launch control."""

from __future__ import annotations

from builder import FULL, Builder, code, feature
from program import Function, Module

FIRST = 100
# sm_100 to sm_110 have tensor memory. PTX that uses it needs a target with suffix a or f.
TENSOR_TARGETS = ("sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_110f")
TENSOR_CODE = (
    ".shared .align 16 .b32 place; .reg .b32 %v;\n"
    "tcgen05.alloc.cta_group::{0}.sync.aligned.shared::cta.b32 [place], 64;\n"
    "ld.shared.b32 %v, [place]; add.u32 %acc, %acc, %v;\n"
    "tcgen05.dealloc.cta_group::{0}.sync.aligned.b32 %v, 64;",
    ".reg .b32 %v<3>; tcgen05.ld.sync.aligned.32x32b.x2.b32 {{%v1, %v2}}, [%acc];\n"
    "tcgen05.wait::ld.sync.aligned; add.u32 %acc, %acc, %v1;",
    ".reg .b64 %d; .reg .pred %q; cvt.u64.u32 %d, %acc; setp.eq.u32 %q, %acc, 0;\n"
    "tcgen05.mma.cta_group::{0}.kind::f16 [%acc], %d, %d, %acc, %q;\n"
    "tcgen05.commit.cta_group::{0}.mbarrier::arrive::one.b64 [%d];",
)
BARRIER = ".shared .align 8 .b64 barrier;"
BULK_COPIES = (
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[place], [%l], 64, [barrier];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
    "[place], [%l, {%acc, %acc}], [barrier];",
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
    "[place], [barrier];",
)
FENCES = (
    "membar.gl;",
    "membar.cta;",
    "fence.sc.sys;",
    "fence.acq_rel.cluster;",
    "fence.proxy.async.shared::cta; fence.acq_rel.gpu;",
)


# For sm_100, nvlink clears a bit of `.nv.compat` if a kept function has one of certain instructions
# (docs/mercury.md). Some of these operations compile to such instructions, others to similar ones.
ARITHMETIC = (
    "setp.gt.f32 %q, %f, 0f40400000; @%q add.u32 %acc, %acc, 1;",
    "setp.lt.f32 %p, %f, %g; setp.gt.and.f32 %q, %f, 0f40400000, %p; @%q add.u32 %acc, %acc, 1;",
    "setp.gt.f32 %q, %f, %g; @%q add.u32 %acc, %acc, 1;",
    "cvt.f64.f32 %d, %f; setp.gt.f64 %q, %d, 0d4008000000000000; @%q add.u32 %acc, %acc, 1;",
    "cvt.f64.f32 %d, %f; add.f64 %d, %d, %d; cvt.rn.f32.f64 %f, %d; cvt.rzi.u32.f32 %acc, %f;",
    "div.approx.f32 %f, %f, %g; cvt.rzi.u32.f32 %acc, %f;",
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%acc, %v, %v, %v}, {%acc, %acc}, {%acc}, "
    "{%acc, %acc, %acc, %acc};",
)


@feature("tensor-memory", FULL, chance=0.5, lowest_arch=FIRST, highest_arch=110)
def tensor_memory(builder: Builder) -> None:
    found = [
        (module, function)
        for module, function in builder.functions_for(FIRST)
        if module.target in TENSOR_TARGETS
    ]
    if not found:
        return
    _, function = builder.choose_function(found)
    # A function must not reach code for both values of cta_group, so a program has only one.
    group = 2 if len(builder.program.modules) % 3 == 0 else 1
    text = builder.rng.choice(TENSOR_CODE).format(group)
    builder.add_piece(function, "tensor-memory", text)


@code("bulk-copy", FULL, chance=0.25, lowest_arch=FIRST)
def bulk_copy(builder: Builder, _: Module, function: Function) -> None:
    text = (
        f".shared .align 128 .b8 place[256]; {BARRIER} .reg .b64 %l; .reg .b32 %v; "
        ".reg .pred %q;\n"
        "mov.u64 %l, 1024; mbarrier.init.shared.b64 [barrier], 1;\n"
        f"{builder.rng.choice(BULK_COPIES)}\n"
        "AGAIN: mbarrier.try_wait.parity.shared.b64 %q, [barrier], 0; @!%q bra AGAIN;\n"
        "ld.shared.b32 %v, [place]; add.u32 %acc, %acc, %v;"
    )
    builder.add_piece(function, "bulk-copy", text)


@code("fence", FULL, chance=0.3, lowest_arch=FIRST)
def fence(builder: Builder, _: Module, function: Function) -> None:
    builder.add_piece(function, "fence", builder.rng.choice(FENCES))


@code("memory-of-cluster", FULL, chance=0.15, lowest_arch=FIRST)
def memory_of_cluster(builder: Builder, _: Module, function: Function) -> None:
    text = (
        ".shared .align 4 .b8 place[64]; .reg .b32 %a; mov.u32 %a, place;\n"
        "mapa.shared::cluster.u32 %a, %a, 0; st.shared::cluster.u32 [%a], %acc;\n"
        "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"
    )
    builder.add_piece(function, "memory-of-cluster", text)


@code("dependent-launch", FULL, chance=0.1, lowest_arch=FIRST)
def dependent_launch(builder: Builder, _: Module, function: Function) -> None:
    text = builder.rng.choice(("griddepcontrol.wait;", "griddepcontrol.launch_dependents;"))
    builder.add_piece(function, "dependent-launch", text)


@code("arithmetic", FULL, chance=0.05, lowest_arch=FIRST)
def arithmetic(builder: Builder, _: Module, function: Function) -> None:
    text = (
        ".reg .f32 %f, %g; .reg .f64 %d; .reg .pred %p, %q; .reg .b32 %v;\n"
        "cvt.rn.f32.u32 %f, %acc; add.f32 %g, %f, %f;\n"
    )
    builder.add_piece(function, "arithmetic", text + builder.rng.choice(ARITHMETIC))
