"""Makes many relocatable objects out of a few compiled ones.

A template is a source in which names contain placeholders of fixed width: OWN for the number of the
object itself, and OTHER for the number of an object whose function it calls. The template is
compiled once. Each object is a copy in which the placeholders are replaced. It has the bytes that
the compiler would have written; `kernel_objects` compiles one object of each set to prove that.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

ARCHITECTURE = "sm_90"
# OTHER must sort before OWN, because names decide the order in which ptxas writes symbols: in
# `kernel_objects`, the object that is called has a smaller number than the object that calls it.
OTHER = "AAAAAAA"
OWN = "BBBBBBB"

HEADER = f".version 9.0\n.target {ARCHITECTURE}\n.address_size 64\n"

CALL = """
    {{
        .param .b32 argument;
        .param .b32 answer;
        st.param.b32 [argument], %r0;
        call.uni (answer), {callee}, (argument);
        ld.param.b32 %r0, [answer];
    }}
"""

FUNCTION = """
.visible .func (.param .b32 result) {name}(.param .b32 input)
{{
    .reg .b32 %r<{registers}>;
    .reg .b64 %a<3>;
    ld.param.b32 %r0, [input];
{body}
    st.param.b32 [result], %r0;
    ret;
}}
"""

KERNEL = """
.visible .entry {name}(.param .u64 place)
{{
    .reg .b32 %r<4>;
    .reg .b64 %a<3>;
    ld.param.u64 %a0, [place];
    cvta.to.global.u64 %a0, %a0;
    mov.u32 %r0, %tid.x;
{body}
    st.global.u32 [%a0], %r0;
    ret;
}}
"""

# The objects define no constants: a program can have only 64 KB of them, too little for 30,000
# objects.
VARIABLES = f"""
.visible .global .align 4 .u32 data_{OWN}[4] = {{1, 2, 3, 4}};
.shared .align 4 .b8 shared_{OWN}[64];
"""


def declaration(name: str) -> str:
    return f".extern .func (.param .b32 result) {name}(.param .b32 input);\n"


def function(name: str, body: str, registers: int = 4) -> str:
    return FUNCTION.format(name=name, body=body, registers=registers)


def call(callee: str) -> str:
    return CALL.format(callee=callee)


def number(index: int) -> str:
    return f"{index:0{len(OWN)}d}"


def compile_ptx(text: str, folder: Path) -> bytes:
    source, output = folder / "template.ptx", folder / "template.cubin"
    source.write_text(HEADER + text)
    subprocess.run(["ptxas", "-c", f"-arch={ARCHITECTURE}", "-o", output, source], check=True)
    compiled = output.read_bytes()
    source.unlink()
    output.unlink()
    return compiled


def substituted(compiled: bytes, own: int, other: int = 0) -> bytes:
    copy = compiled.replace(OTHER.encode(), number(other).encode())
    return copy.replace(OWN.encode(), number(own).encode())


def write_copies(folder: Path, compiled: bytes, count: int, suffix: str = "cubin") -> list[Path]:
    paths = [folder / f"object_{number(index)}.{suffix}" for index in range(count)]
    for index, path in enumerate(paths):
        path.write_bytes(substituted(compiled, index, index + 1))
    return paths


# ------------------------------------------------------------------------------------------------
# Kernels that call functions


def kernel_source(parts: int, instructions: int, own: str, other: str | None) -> str:
    """A source with `parts` kernels. Each kernel calls its own function of `instructions`
    instructions. Each of these functions calls a function of the object `other` or, if that is
    None, the function `leaf`."""
    callee = f"function_0_{other}" if other else "leaf"
    text = declaration(callee) + VARIABLES
    registers = instructions + 2
    body = "\n".join(
        f"    mad.lo.u32 %r{i % registers}, %r{(i - 1) % registers}, {2 * i + 1}, %r0;"
        for i in range(2, instructions + 2)
    )
    body += f"\n    xor.b32 %r0, %r0, %r{(instructions + 1) % registers};\n"
    body += f"    mov.u64 %a0, data_{OWN};\n    ld.global.u32 %r1, [%a0];\n"
    body += "    add.u32 %r0, %r0, %r1;\n" + call(callee)
    for part in range(parts):
        text += function(f"function_{part}_{OWN}", body, registers)
        use = call(f"function_{part}_{OWN}")
        use += f"    mov.u32 %r2, shared_{OWN};\n    st.shared.u32 [%r2], %r0;\n"
        text += KERNEL.format(name=f"kernel_{part}_{OWN}", body=use)
    return text.replace(OWN, own)


def kernel_objects(folder: Path, count: int, parts: int, instructions: int) -> list[Path]:
    """Makes objects with kernels. Object 0 calls the function `leaf`. Each object N > 0 calls a
    function of object N // 2."""
    leaf = folder / "leaf.cubin"
    leaf.write_bytes(compile_ptx(function("leaf", "    mul.lo.u32 %r0, %r0, 3;"), folder))
    first = compile_ptx(kernel_source(parts, instructions, OWN, None), folder)
    others = compile_ptx(kernel_source(parts, instructions, OWN, OTHER), folder)
    paths = [folder / f"object_{number(index)}.cubin" for index in range(count)]
    for index, path in enumerate(paths):
        path.write_bytes(substituted(others if index else first, index, index // 2))
    probe = count - 1
    source = kernel_source(parts, instructions, number(probe), number(probe // 2))
    if probe and compile_ptx(source, folder) != paths[probe].read_bytes():
        raise RuntimeError("ptxas gives other bytes than the substitution of names")
    return [*paths, leaf]
