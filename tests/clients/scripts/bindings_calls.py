"""bindings_calls.py DATA: calls every function of cuda.bindings.nvjitlink, and prints a line for
each link."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from cuda.bindings import nvjitlink
from cuda.bindings._internal.nvjitlink import _inspect_function_pointer
from maker import note_library

# Release 12 of the library links the files in OLDER, which toolkit 12 compiled, instead of the
# files of the same names in DATA.
DATA = Path(sys.argv[1])
OLDER = DATA / "older"
Kind = nvjitlink.InputType
ARCH = "-arch=sm_90"
Input = tuple[nvjitlink.InputType, str]
CALLS, DEFINES = (Kind.CUBIN, "calls.cubin"), (Kind.CUBIN, "defines.cubin")
LINKS: tuple[tuple[tuple[str, ...], tuple[Input, ...]], ...] = (
    ((ARCH,), (CALLS, DEFINES)),
    ((ARCH,), (CALLS, (Kind.PTX, "defines.ptx"))),
    ((ARCH,), (CALLS, (Kind.OBJECT, "defines.o"))),
    ((ARCH,), (CALLS, (Kind.FATBIN, "defines.fatbin"))),
    ((ARCH,), (CALLS, (Kind.LIBRARY, "libdefines.a"))),
    ((ARCH,), ((Kind.ANY, "calls.ptx"), (Kind.ANY, "defines.o"))),
    ((ARCH, "-verbose"), (CALLS, DEFINES)),
    ((ARCH, "-lto"), ((Kind.LTOIR, "calls.ltoir"), (Kind.LTOIR, "defines.ltoir"))),
    ((ARCH, "-lto", "-ptx"), ((Kind.LTOIR, "calls.ltoir"), (Kind.LTOIR, "defines.ltoir"))),
    ((ARCH,), (CALLS,)),
    ((ARCH,), ((Kind.CUBIN, "defines.ptx"),)),
    ((ARCH,), ((Kind.PTX, "broken.ptx"),)),
    ((ARCH,), ((Kind.LTOIR, "defines.ltoir"),)),
    (("-arch=sm_80",), (DEFINES,)),
    (("-foo", ARCH), ()),
    (("-arch=sm_XX",), ()),
    ((), ()),
)


def path_of(name: str) -> Path:
    older = OLDER / name
    return older if nvjitlink.version()[0] == 12 and older.exists() else DATA / name


def attempt(what: str, function: Callable[..., object], *arguments: object) -> str:
    try:
        function(*arguments)
    except nvjitlink.nvJitLinkError as error:
        return f"{what}: {error}"
    return f"{what}: ok"


def log(handle: int, name: str) -> str:
    size = getattr(nvjitlink, f"get_{name}_size")(handle)
    text = bytearray(size)
    if size:
        getattr(nvjitlink, f"get_{name}")(handle, text)
    return re.sub(r"ERROR (\d+): \w+\n", r"ERROR \1\n", text.decode())


def output(handle: int, name: str) -> bytes:
    try:
        content = bytearray(getattr(nvjitlink, f"get_{name}_size")(handle))
    except nvjitlink.nvJitLinkError:
        return b""
    getattr(nvjitlink, f"get_{name}")(handle, content)
    return bytes(content)


def link(options: tuple[str, ...], inputs: tuple[Input, ...], by_path: bool) -> str:
    try:
        handle = nvjitlink.create(len(options), list(options))
    except nvjitlink.nvJitLinkError as error:
        return f"create: {error}"
    results = []
    for kind, name in inputs:
        path = path_of(name)
        if by_path:
            results.append(attempt("add", nvjitlink.add_file, handle, kind, str(path)))
            continue
        data = path.read_bytes() + b"\0" * (kind == Kind.PTX)
        results.append(attempt("add", nvjitlink.add_data, handle, kind, data, len(data), name))
    results.append(attempt("complete", nvjitlink.complete, handle))
    cubin, ptx = output(handle, "linked_cubin"), output(handle, "linked_ptx")
    if cubin and "-lto" not in options:
        note_library(_inspect_function_pointer("__nvJitLinkComplete"))
    results.append(f"cubin {cubin[:4]!r} ptx {ptx.count(b'.entry')}")
    results += [repr(log(handle, name).replace(f"{DATA}/", "").rstrip("\0")) for name in LOGS]
    nvjitlink.destroy(handle)
    return ", ".join(results)


LOGS = ("error_log", "info_log")


def main() -> None:
    print("major", nvjitlink.version()[0])
    for options, inputs in LINKS:
        names = " ".join([*options, *(f"{kind.name}:{name}" for kind, name in inputs)])
        for by_path in (False, True):
            print(names, "by path" if by_path else "by data", "|", link(options, inputs, by_path))


if __name__ == "__main__":
    main()
