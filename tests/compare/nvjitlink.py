#!/usr/bin/env python3
"""Links cubins with libnvJitLink: nvjitlink.py [--library FILE] ARCH OUTPUT CUBIN... [-OPTION...]

Without --library, it uses the library of the toolkit whose nvcc is on the PATH. This is a separate
program, because a crash of the library would end the comparison."""

from __future__ import annotations

import argparse
import ctypes
import sys
from pathlib import Path

from toolkit_folder import toolkit_folder

CUBIN_INPUT = 1
SUFFIXES = ("_13_0", "_12_0")


def library_path() -> Path | None:
    """The library of the toolkit whose nvcc is on the PATH."""
    toolkit = toolkit_folder()
    return next(iter(sorted(toolkit.glob("lib*/libnvJitLink.so*"))), None) if toolkit else None


class Library:
    def __init__(self, path: Path):
        self.library = ctypes.CDLL(str(path))

    def call(self, name: str, *arguments: object) -> None:
        names = [f"__nvJitLink{name}{suffix}" for suffix in SUFFIXES]
        function = next(getattr(self.library, n) for n in names if hasattr(self.library, n))
        status = function(*arguments)
        if status:
            raise SystemExit(f"nvJitLink{name}: status {status}")

    def error_log(self, handle: ctypes.c_void_p) -> str:
        size = ctypes.c_size_t()
        self.call("GetErrorLogSize", handle, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value + 1)
        self.call("GetErrorLog", handle, log)
        return log.value.decode(errors="replace")

    def link(self, arch: str, inputs: list[Path], options: list[str]) -> bytes:
        handle, size = ctypes.c_void_p(), ctypes.c_size_t()
        words = [word.encode() for word in (f"-arch={arch}", *options)]
        array = (ctypes.c_char_p * len(words))(*words)
        self.call("Create", ctypes.byref(handle), len(words), array)
        # Some releases read these buffers until the link is complete.
        given = [(path.read_bytes(), path.name.encode()) for path in inputs]
        for data, name in given:
            length = ctypes.c_size_t(len(data))
            self.call("AddData", handle, CUBIN_INPUT, data, length, name)
        try:
            self.call("Complete", handle)
        except SystemExit as failure:
            raise SystemExit(f"{failure}\n{self.error_log(handle)}") from failure
        print(self.error_log(handle), file=sys.stderr)
        self.call("GetLinkedCubinSize", handle, ctypes.byref(size))
        linked = ctypes.create_string_buffer(size.value)
        self.call("GetLinkedCubin", handle, linked)
        return linked.raw


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, default=None)
    parser.add_argument("arch")
    parser.add_argument("output", type=Path)
    parser.add_argument("inputs", type=Path, nargs="+")
    args, options = parser.parse_known_args()
    path = args.library or library_path()
    if not path:
        sys.exit("no libnvJitLink beside nvlink")
    args.output.write_bytes(Library(path).link(args.arch, args.inputs, options))


if __name__ == "__main__":
    main()
