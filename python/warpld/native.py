"""Loads libwarpld into this process, and passes buffers to it without copying them."""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Optional, Tuple, Union

from . import binding

# The contents of an input. At run time any object with contiguous memory works, for example an
# array of numpy. For a type checker, wrap such an object: memoryview(array).
Buffer = Union[bytes, bytearray, memoryview, mmap.mmap]

# An input of a link: the path of a file, its contents, or its name and its contents.
Input = Union[str, "os.PathLike[str]", Buffer, Tuple[str, Buffer]]

# The name of an input and its contents. If the contents are None, the name is the path of a file.
NamedInput = Tuple[str, Optional[Buffer]]

LIBRARIES = Path(__file__).with_name("libraries")


class PyBuffer(ctypes.Structure):
    """Py_buffer of Python's C interface. Its layout is part of the stable ABI."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """libwarpld, loaded on first use. Its functions run without the GIL."""
    loaded = ctypes.CDLL(str(LIBRARIES / "libwarpld.so.0"))
    binding.declare(loaded)
    return loaded


def version() -> str:
    """The version of libwarpld, for example "0.9.0"."""
    text: bytes = library().warpld_version()
    return text.decode()


@contextlib.contextmanager
def memory_of(data: Buffer) -> Iterator[tuple[int, int]]:
    """The address of a buffer and its size in bytes. While the context lasts, the buffer cannot be
    resized or freed."""
    view = PyBuffer()
    get = ctypes.pythonapi.PyObject_GetBuffer
    get.argtypes = [ctypes.py_object, ctypes.POINTER(PyBuffer), ctypes.c_int]
    get(data, ctypes.byref(view), 0)  # raises TypeError or BufferError
    try:
        yield view.buf or 0, view.len
    finally:
        release = ctypes.pythonapi.PyBuffer_Release
        release.argtypes = [ctypes.POINTER(PyBuffer)]
        release.restype = None
        release(ctypes.byref(view))


def text_of(value: bytes | None) -> str | None:
    """Decodes a text of the library. A name in a damaged input, for example, may not be UTF-8."""
    return None if value is None else value.decode(errors="backslashreplace")


def named_inputs(inputs: Iterable[Input] | Input) -> list[NamedInput]:
    """The inputs, each as a pair of its name and its contents. `inputs` may be a list or a single
    input, which may itself be such a pair."""
    if isinstance(inputs, tuple) and len(inputs) == 2:
        name, data = inputs
        if isinstance(name, str) and not isinstance(data, (str, os.PathLike, tuple)):
            return [(name, data)]
    if isinstance(inputs, (str, os.PathLike, bytes, bytearray, memoryview, mmap.mmap)):
        inputs = [inputs]
    pairs: list[NamedInput] = []
    for number, one in enumerate(inputs, 1):
        if isinstance(one, (str, os.PathLike)):
            pairs.append((os.fspath(one), None))
        elif isinstance(one, tuple):
            name, data = one
            pairs.append((str(name), data))
        else:
            pairs.append((f"input {number}", one))
    return pairs
