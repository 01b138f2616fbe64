"""core_links.py DATA: links through cuda.core's Linker, with each of its options."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from cuda.core import Linker, LinkerOptions, ObjectCode
from maker import note_maker

DATA = Path(sys.argv[1])
OPTIONS: tuple[dict[str, object], ...] = (
    {},
    {"verbose": True},
    {"max_register_count": 32},
    {"debug": True},
    {"lineinfo": True},
    {"time": True},
    {"optimize_unused_variables": True},
    {"ptxas_options": "-v"},
    {"split_compile": 0},
    {"ftz": True},
    {"prec_div": True},
    {"fma": True},
    {"kernels_used": "kernel"},
    {"kernels_used": ["kernel", "other"]},
    {"variables_used": "variable"},
    {"no_cache": True},
)
INPUTS = {
    "cubins": ("calls.cubin", "defines.cubin"),
    "object": ("calls.o", "defines.cubin"),
    "undefined": ("calls.cubin",),
}
Link = tuple[str, tuple[str, ...], dict[str, object]]


def links() -> Iterator[Link]:
    """The links that the script tries. The last one is meant to fail."""
    for options in OPTIONS:
        yield "PTX", ("calls.ptx", "defines.ptx"), options
    for name, inputs in INPUTS.items():
        yield name, inputs, {}


def read(name: str) -> ObjectCode:
    content = (DATA / name).read_bytes()
    makers = {
        ".ptx": ObjectCode.from_ptx,
        ".cubin": ObjectCode.from_cubin,
        ".o": ObjectCode.from_object,
    }
    return makers[Path(name).suffix](content, name=name)


def link(inputs: tuple[str, ...], options: dict[str, object]) -> str:
    try:
        linker = Linker(*map(read, inputs), options=LinkerOptions(arch="sm_90", **options))
        code = linker.link("cubin").code
    except Exception as error:  # whatever it is, its text is compared
        return f"failed: {type(error).__name__}: {error}".replace("\n", " / ").strip("\0 /")
    note_maker(code)
    logs = [log.rstrip("\0") for log in (linker.get_error_log(), linker.get_info_log())]
    return f"ok {code[:4]!r} {logs}"


def main() -> None:
    for name, inputs, options in links():
        print(name, options, "|", link(inputs, options))


if __name__ == "__main__":
    main()
