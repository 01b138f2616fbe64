"""Links with the library by means of examples/warpld_ctypes.py. Options can be set by name."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import warpld_ctypes as warpld

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
GOOD_INPUT = REPOSITORY / "tests" / "notes" / "data" / "address_taken.sm_80.cubin"

LIBRARY = ctypes.CDLL(str(BUILD / "libwarpld.so"))
warpld.declare(LIBRARY)

Described = TypeVar("Described", bound=ctypes.Structure)
AnyLink = TypeVar("AnyLink", bound="Link")


class Link:
    """A link of the library. Options without a name, such as callbacks, are set as fields of struct
    warpld_options."""

    def __init__(self, **fields: object) -> None:
        self.codes: list[str] = []
        self.callback = warpld.DiagnosticCallback(self._take)
        self.options = warpld.Options(
            size=ctypes.sizeof(warpld.Options), diagnostic=self.callback, **fields
        )
        self.handle = ctypes.POINTER(warpld.Link)()
        self.created = LIBRARY.warpld_create(self.options, ctypes.byref(self.handle))

    def _take(self, _: int, diagnostic: ctypes._Pointer[warpld.Diagnostic]) -> None:
        self.codes.append(diagnostic.contents.code.decode())

    def __enter__(self: AnyLink) -> AnyLink:
        return self

    def __exit__(self, *_: object) -> None:
        LIBRARY.warpld_destroy(self.handle)

    def set(self, name: str | None, value: str | None = "true") -> int:
        texts = [None if text is None else text.encode() for text in (name, value)]
        return int(LIBRARY.warpld_set_option(self.handle, *texts))

    def get(self, name: str, index: int = 0) -> str | None:
        """The value of an option, or of one element of a list. Raises IndexError past the last
        element and KeyError for an unknown option."""
        value = ctypes.c_char_p()
        status = LIBRARY.warpld_get_option(self.handle, name.encode(), index, value)
        if status == warpld.END:
            raise IndexError(index)
        if status != warpld.OK:
            raise KeyError(name)
        return None if value.value is None else value.value.decode()

    def add_file(self, path: Path) -> int:
        return int(LIBRARY.warpld_add_file(self.handle, bytes(path)))

    def run(self) -> int:
        return int(LIBRARY.warpld_run(self.handle))

    def output(self) -> bytes:
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        assert LIBRARY.warpld_output(self.handle, data, size) == warpld.OK
        return ctypes.string_at(data, size.value)

    def symbols(self) -> list[warpld.Symbol]:
        return self._all(LIBRARY.warpld_get_symbol, warpld.Symbol)

    def kernels(self) -> list[warpld.Kernel]:
        return self._all(LIBRARY.warpld_get_kernel, warpld.Kernel)

    def pieces(self) -> list[warpld.Piece]:
        return self._all(LIBRARY.warpld_get_piece, warpld.Piece)

    def functions(self) -> list[warpld.Function]:
        return self._all(LIBRARY.warpld_get_function, warpld.Function)

    def mentions(self) -> list[warpld.Mention]:
        return self._all(LIBRARY.warpld_get_mention, warpld.Mention)

    def removed(self) -> list[warpld.Removed]:
        return self._all(LIBRARY.warpld_get_removed, warpld.Removed)

    def steps(self, symbol: str) -> list[warpld.Step]:
        def query(handle: object, index: int, step: warpld.Step) -> int:
            return int(LIBRARY.warpld_get_step(handle, symbol.encode(), index, step))

        return self._all(query, warpld.Step)

    def needs(self, kernel: int, resource: int) -> list[warpld.Need]:
        def query(handle: object, index: int, need: warpld.Need) -> int:
            return int(LIBRARY.warpld_get_need(handle, kernel, resource, index, need))

        return self._all(query, warpld.Need)

    def _all(self, query: Callable[..., int], kind: type[Described]) -> list[Described]:
        found: list[Described] = []
        while True:
            item = kind(size=ctypes.sizeof(kind))
            status = query(self.handle, len(found), item)
            if status == warpld.END:
                return found
            assert status == warpld.OK
            found.append(item)


def option_names() -> list[str]:
    names: list[str] = []
    while name := LIBRARY.warpld_option_name(len(names)):
        names.append(name.decode())
    return names
