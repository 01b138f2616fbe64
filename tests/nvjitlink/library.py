"""Calls a libnvJitLink, ours or NVIDIA's, in this process, and writes its answers as text."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
# These variables make our library run without NVIDIA's, even if that is installed. They are set
# here, before a test loads our library into this process, because the library reads them.
ALONE = {"WARPLD_NVJITLINK": "", "WARPLD_PTX_COMPILER": "process"}
for variable, value in ALONE.items():
    os.environ.setdefault(variable, value)
BUILD = Path(os.environ.get("WARPLD_BUILD", HERE.parents[1] / "build")).absolute()
ARCH = "-arch=sm_90"
CUBIN, PTX, LTOIR, FATBIN, OBJECT, LIBRARY, INDEX, ANY = 1, 2, 3, 4, 5, 6, 7, 10

FUNCTIONS = (
    "Create Destroy AddData AddFile Complete GetLinkedCubinSize GetLinkedCubin GetLinkedPtxSize "
    "GetLinkedPtx GetLinkedLTOIRSize GetLinkedLTOIR GetErrorLogSize GetErrorLog GetInfoLogSize "
    "GetInfoLog Version"
).split()


def ours(major: int) -> Path:
    return BUILD / f"libnvJitLink.so.{major}"


class Library:
    """The functions of a libnvJitLink, by their names without the prefix nvJitLink."""

    def __init__(self, path: Path | str) -> None:
        self.library = ctypes.CDLL(str(path))
        self.functions: dict[str, Callable[..., int]] = {}
        for name in FUNCTIONS:
            function = getattr(self.library, f"nvJitLink{name}", None)
            if function:
                self.functions[name] = function

    def __getitem__(self, name: str) -> Callable[..., int]:
        return self.functions[name]

    def version(self) -> tuple[int, int]:
        major, minor = ctypes.c_uint(), ctypes.c_uint()
        self["Version"](ctypes.byref(major), ctypes.byref(minor))
        return major.value, minor.value


class Link:
    """One handle. `created` is the result of nvJitLinkCreate; each other call is a method that
    returns its result."""

    def __init__(self, library: Library, *options: str) -> None:
        self.library = library
        self.handle = ctypes.c_void_p()
        self.names: list[bytes | None] = []  # kept, because NVIDIA's libraries do not copy them
        array = (ctypes.c_char_p * max(1, len(options)))(*(o.encode() for o in options))
        count = ctypes.c_uint32(len(options))
        self.created = library["Create"](ctypes.byref(self.handle), count, array)

    def add(
        self,
        kind: int,
        data: bytes | str | None,
        name: str | None = "name",
        size: int | None = None,
    ) -> int:
        """Adds an input. `data` is its bytes, or the name of a file in data/. A NUL is appended to
        PTX that comes from a file."""
        if isinstance(data, str):
            name = data if name == "name" else name
            data = (DATA / data).read_bytes()
            data += b"\0" * (kind == PTX)
        length = ctypes.c_size_t(len(data or b"") if size is None else size)
        text = None if name is None else name.encode()
        self.names.append(text)
        return self.library["AddData"](self.handle, ctypes.c_int(kind), data, length, text)

    def add_file(self, kind: int, path: str | None) -> int:
        text = None if path is None else path.encode()
        self.names.append(text)
        return self.library["AddFile"](self.handle, ctypes.c_int(kind), text)

    def complete(self) -> int:
        return self.library["Complete"](self.handle)

    def size(self, what: str) -> tuple[int, int]:
        """Calls nvJitLinkGet...Size for the output or log `what`. Returns the call's result and the
        size, which is -1 if the call did not set it."""
        size = ctypes.c_size_t(2**64 - 1)
        result = self.library[f"Get{what}Size"](self.handle, ctypes.byref(size))
        return result, -1 if size.value == 2**64 - 1 else size.value

    def get(self, what: str) -> bytes:
        result, size = self.size(what)
        if result or size < 1:
            return b""
        buffer = ctypes.create_string_buffer(size)
        self.library[f"Get{what}"](self.handle, buffer)
        return buffer.raw

    @property
    def cubin(self) -> bytes:
        return self.get("LinkedCubin")

    @property
    def errors(self) -> str:
        return self.get("ErrorLog").rstrip(b"\0").decode()

    @property
    def infos(self) -> str:
        return self.get("InfoLog").rstrip(b"\0").decode()

    def destroy(self) -> int:
        return self.library["Destroy"](ctypes.byref(self.handle))


def masked(text: str) -> str:
    """An answer without the parts that differ between runs: times, and sizes of cubins."""
    text = re.sub(r"\d+\.\d{3,6}(?= ms|\b)", "T", text)
    return re.sub(r"cubin of \d+", "cubin of N", text)
