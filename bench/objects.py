"""Makes many relocatable objects out of a few compiled templates.

A template is PTX in which names carry two placeholders of fixed width: OWN, the object's number,
and OTHER, that of an object whose function it calls. ptxas compiles a template once; an object is a
copy with the placeholders replaced, which gives the bytes that ptxas would have written (one object
of each set is compiled to prove it).
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

# OTHER sorts before OWN, as the smaller number does, so that ptxas orders the symbols alike.
OTHER = "AAAAAAA"
OWN = "BBBBBBB"

HEADER = ".version 9.0\n.target {architecture}\n.address_size 64\n"

FUNCTION = """
.visible .func (.param .b32 result) function_{part}_{own}(.param .b32 input)
{{
    .reg .b32 %r<{registers}>;
    .reg .b64 %a<3>;
    ld.param.b32 %r0, [input];
{body}
    mov.u64 %a0, data_{own};
    ld.global.u32 %r1, [%a0];
    add.u32 %r0, %r0, %r1;
    {{
        .param .b32 argument;
        .param .b32 answer;
        st.param.b32 [argument], %r0;
        call.uni (answer), {callee}, (argument);
        ld.param.b32 %r0, [answer];
    }}
    st.param.b32 [result], %r0;
    ret;
}}
"""

KERNEL = """
.visible .entry kernel_{part}_{own}(.param .u64 place)
{{
    .reg .b32 %r<4>;
    .reg .b64 %a<3>;
    ld.param.u64 %a0, [place];
    cvta.to.global.u64 %a0, %a0;
    mov.u32 %r0, %tid.x;
    ld.const.u32 %r1, [constant_{own}];
    add.u32 %r0, %r0, %r1;
    {{
        .param .b32 argument;
        .param .b32 answer;
        st.param.b32 [argument], %r0;
        call.uni (answer), function_{part}_{own}, (argument);
        ld.param.b32 %r0, [answer];
    }}
    mov.u32 %r2, shared_{own};
    st.shared.u32 [%r2], %r0;
    st.global.u32 [%a0], %r0;
    ret;
}}
"""

VARIABLES = """
.visible .global .align 4 .u32 data_{own}[4] = {{1, 2, 3, 4}};
.visible .const .align 4 .u32 constant_{own} = 5;
.shared .align 4 .b8 shared_{own}[64];
"""

DECLARATION = ".extern .func (.param .b32 result) {name}(.param .b32 input);\n"


@dataclass(frozen=True)
class Template:
    """How much is in one object. Object 0 calls the function `leaf`; the others call object N/2."""

    parts: int  # kernels, and functions that they call
    instructions: int  # of each function, besides its call

    def ptx(self, architecture: str, own: str, other: str | None) -> str:
        callee = f"function_0_{other}" if other else "leaf"
        text = HEADER.format(architecture=architecture) + DECLARATION.format(name=callee)
        text += VARIABLES.format(own=own)
        for part in range(self.parts):
            registers = self.instructions + 2
            body = "\n".join(
                f"    mad.lo.u32 %r{i % registers}, %r{(i - 1) % registers}, {2 * i + 1}, %r0;"
                for i in range(2, self.instructions + 2)
            )
            body += f"\n    xor.b32 %r0, %r0, %r{(self.instructions + 1) % registers};"
            text += FUNCTION.format(
                part=part, own=own, callee=callee, body=body, registers=registers
            )
            text += KERNEL.format(part=part, own=own)
        return text


LEAF = """
.visible .func (.param .b32 result) leaf(.param .b32 input)
{{
    .reg .b32 %r<2>;
    ld.param.b32 %r0, [input];
    mul.lo.u32 %r0, %r0, 3;
    st.param.b32 [result], %r0;
    ret;
}}
"""


def number(index: int) -> str:
    return f"{index:0{len(OWN)}d}"


def compile_ptx(text: str, architecture: str, folder: Path) -> bytes:
    source, output = folder / "template.ptx", folder / "template.cubin"
    source.write_text(text)
    subprocess.run(["ptxas", "-c", f"-arch={architecture}", "-o", output, source], check=True)
    compiled = output.read_bytes()
    source.unlink()
    output.unlink()
    return compiled


def make_objects(template: Template, count: int, architecture: str, folder: Path) -> list[Path]:
    """The objects of a link, in link order; made once and kept in `folder`."""
    paths = [folder / f"object_{number(index)}.cubin" for index in range(count)]
    paths.append(folder / "leaf.cubin")
    if (folder / "complete").exists():
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    paths[-1].write_bytes(compile_ptx(HEADER.format(architecture=architecture) + LEAF.format(),
                                      architecture, folder))
    first = compile_ptx(template.ptx(architecture, OWN, None), architecture, folder)
    others = compile_ptx(template.ptx(architecture, OWN, OTHER), architecture, folder)
    for index, path in enumerate(paths[:-1]):
        path.write_bytes(substituted(others if index else first, index))
    probe = count - 1
    if probe:
        text = template.ptx(architecture, number(probe), number(probe // 2))
        if compile_ptx(text, architecture, folder) != paths[probe].read_bytes():
            raise RuntimeError("ptxas gives other bytes than the substitution of names")
    (folder / "complete").touch()
    return paths


def substituted(compiled: bytes, index: int) -> bytes:
    copy = compiled.replace(OTHER.encode(), number(index // 2).encode())
    return copy.replace(OWN.encode(), number(index).encode())
