"""The programs whose objects patch.py changes. They are small and have every kind of symbol.

patch.py changes only the object of the first file, a.ptx. `two kernels` and `one kernel` differ in
what a kernel inherits: in a link with one kernel, nvlink also counts functions that the kernel does
not reach. The weak function `fold` of the first file is superseded by a later copy or, in `changed
last`, discarded when it is read.
"""

from __future__ import annotations

from source import Source

HEAD = ".version 7.8\n.target sm_75\n.address_size 64\n"
FUNCTION = """
{linkage} .func (.param .b32 result) {name} (.param .b32 p0)
{{
    .reg .b32 %r<4>;
    {{ .reg .b32 %x; ld.param.b32 %r0, [p0]; }}
    {body}
    st.param.b32 [result], %r0;
    ret;
}}
"""
CALL = """{{
    .param .b32 out; .param .b32 in;
    st.param.b32 [in], %r0;
    call.uni (out), {name}, (in);
    ld.param.b32 %r0, [out];
    }}"""
KERNEL = """
.visible .entry {name} (.param .u64 p0)
{{
    .reg .b32 %r<6>; .reg .b64 %a;
    ld.param.u64 %a, [p0];
    mov.u32 %r0, 3;
    {body}
    st.global.b32 [%a], %r0;
    ret;
}}
"""
ADD = "{{ .reg .b32 %v; ld.{space}.b32 %v, [{name}]; add.u32 %r0, %r0, %v; }}"
TEXTURE = (
    "{ .reg .f32 %f<4>; .reg .b32 %v; tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [texture, {%r0}]; "
    "cvt.rzi.s32.f32 %v, %f0; add.u32 %r0, %r0, %v; }"
)
DECLARED = ".extern .func (.param .b32 result) {name} (.param .b32 p0);\n"

DATA = """
.visible .global .align 8 .u64 data[16] = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16};
.visible .global .align 4 .b32 zero[8];
.global .align 8 .u64 pointers[2] = {data, zero};
.global .align 4 .b32 hidden[4] = {1,2,3,4};
.visible .const .align 8 .u64 bank[16] = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16};
.shared .align 8 .b32 tile[6];
.shared .align 16 .b32 board[4];
.extern .shared .align 4 .b32 dynamic[];
.global .texref texture;
.extern .global .align 4 .b32 far[4];
.extern .const .align 4 .b32 far_bank[4];
"""


def calls(*names: str) -> str:
    return "\n    ".join(CALL.format(name=name) for name in names)


def uses(**names: str) -> str:
    return "\n    ".join(ADD.format(name=name, space=space) for name, space in names.items())


def function(name: str, body: str = "add.u32 %r0, %r0, 1;", linkage: str = ".visible") -> str:
    return FUNCTION.format(name=name, body=body, linkage=linkage)


def many_values() -> str:
    """Code that keeps many values alive at a time. A weak copy with this code needs more registers
    than the other copy. The linker uses the copy that needs fewer."""
    loads = [f"ld.volatile.global.b32 %w{i}, [far];" for i in range(40)]
    sums = [f"add.u32 %r0, %r0, %w{i};" for i in range(40)]
    return "\n    ".join([".reg .b32 %w<40>;", *loads, *sums])


def first_file() -> str:
    own = uses(tile="shared", dynamic="shared", bank="const", hidden="global", far="global")
    more = uses(far_bank="const", zero="global")
    body = "\n    ".join([own, more, TEXTURE, calls("near", "away", "side", "fold")])
    return "".join(
        [
            HEAD,
            DECLARED.format(name="away"),
            DATA,
            function("near", calls("away")),
            function("dead"),
            function("side", "add.u32 %r0, %r0, 4;" + uses(board="shared")),
            function("fold", many_values(), ".weak"),
            KERNEL.format(name="first", body=body),
        ]
    )


def second_file(kernels: bool) -> str:
    text = HEAD + DECLARED.format(name="near")
    text += ".visible .global .align 4 .b32 far[4] = {7,8,9,10};\n"
    text += ".visible .const .align 4 .b32 far_bank[4] = {7,8,9,10};\n"
    text += function("away", "add.u32 %r0, %r0, 2; bar.sync 2;")
    text += function("fold", linkage=".weak")
    if kernels:
        text += KERNEL.format(name="second", body=calls("near"))
        text += KERNEL.format(name="third", body="bar.sync 1;")
    return text


FIRST = Source("a.ptx", first_file())
SECOND = Source("b.ptx", second_file(True))
PROGRAMS = {
    "two kernels": [FIRST, SECOND],
    "one kernel": [FIRST, Source("b.ptx", second_file(False))],
    "changed last": [SECOND, FIRST],
}
