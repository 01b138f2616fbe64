"""Reads files of device code with cubintool."""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

from .native import Buffer
from .programs import program_path

# The path of a file, or its contents.
Source = Union[str, "os.PathLike[str]", Buffer]


class InspectError(ValueError):
    """A file or buffer cannot be read as device code. The text is cubintool's message."""


@dataclass(frozen=True)
class Function:
    """A kernel or a device function. Sizes are in bytes; None means that the file does not say.

    registers        for each thread
    stack_bytes      for each thread: the stack of a kernel and of all functions that it calls; None
                     if the file is not an executable, or if recursion makes the stack unlimited
    frame_bytes      for each thread: the frame of the function, without the frames of functions
                     that it calls
    barriers         named barriers
    shared_bytes     static shared memory for each block
    parameter_bytes  size of the parameters of a kernel
    code_bytes       size of the machine code
    """

    name: str
    is_kernel: bool
    registers: int | None
    stack_bytes: int | None
    frame_bytes: int | None
    barriers: int | None
    shared_bytes: int | None
    parameter_bytes: int | None
    code_bytes: int | None


@dataclass(frozen=True)
class Symbol:
    """A symbol. `address` is the address in its memory space or, for a function, the offset in its
    section. `space` is "code", "global", "constant", "shared", "local", "texture" or "undefined".
    """

    name: str
    space: str
    binding: str
    section: str
    address: int
    size_bytes: int


@dataclass(frozen=True)
class Image:
    """One image of device code in a file.

    number        its number in the file, from 1, as cubintool --image takes it
    kind          "cubin", "PTX", "LTO-IR" or "unknown"
    target        such as "sm_90", or None
    size_bytes    its unpacked size
    stored_bytes  its size in the file, where it may be compressed
    is_linked     whether it is an executable, the result of a link
    toolkit       release of the compiler or linker that wrote it; for PTX, the version of PTX
    member        the member of an archive that contains it, or None
    functions     its kernels and device functions with code, if it is a cubin
    symbols       its symbols, if it is a cubin
    """

    number: int
    kind: str
    target: str | None
    size_bytes: int
    stored_bytes: int
    is_linked: bool
    toolkit: str | None
    member: str | None
    functions: tuple[Function, ...]
    symbols: tuple[Symbol, ...]

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The functions that the host can launch."""
        return tuple(one for one in self.functions if one.is_kernel)


@dataclass(frozen=True)
class Inspection:
    """All images of one file, in the order of the file."""

    images: tuple[Image, ...]

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The kernels of all images."""
        return tuple(kernel for image in self.images for kernel in image.kernels)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols of all images."""
        return tuple(symbol for image in self.images for symbol in image.symbols)


def ask(command: str, source: Source, *words: str) -> Mapping[str, Any]:
    """The JSON that a command of cubintool prints about one file or buffer."""
    if isinstance(source, (str, os.PathLike)):
        name, contents = os.fspath(source), memoryview(b"")
    else:
        name, contents = "-", memoryview(source)
    done = subprocess.run(
        [program_path("cubintool"), command, "--json", *words, "--", name],
        input=contents,
        capture_output=True,
    )
    if done.returncode or not done.stdout:
        text = done.stderr.decode(errors="replace").strip()
        raise InspectError(text or f"cubintool ended with status {done.returncode}")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found[0]


def number(value: object) -> int | None:
    """The value if it is a number. None for texts such as "unlimited"."""
    return value if isinstance(value, int) else None


def functions_of(found: Mapping[str, Any]) -> tuple[Function, ...]:
    return tuple(
        Function(
            row["name"],
            row["kind"] == "kernel",
            number(row["registers"]),
            number(row["stack"]),
            number(row["frame"]),
            number(row["barriers"]),
            number(row["shared"]),
            number(row["parameter_bytes"]),
            number(row["code"]),
        )
        for row in found["functions"]
    )


def symbols_of(found: Mapping[str, Any]) -> tuple[Symbol, ...]:
    return tuple(
        Symbol(row["name"], row["space"], row["binding"], row["section"], row["value"], row["size"])
        for row in found["symbols"]
    )


def image_of(source: Source, row: Mapping[str, Any]) -> Image:
    """Describes an image. Reads functions and symbols only if the image is an undamaged cubin."""
    chosen = ("--image", str(row["image"]))
    is_readable = row["kind"] == "cubin" and row["damaged"] == "no"
    return Image(
        row["image"],
        row["kind"],
        row["target"],
        row["size"],
        row["stored"],
        row["linked"] == "yes",
        row["toolkit"],
        row["member"],
        functions_of(ask("resources", source, *chosen)) if is_readable else (),
        symbols_of(ask("symbols", source, *chosen)) if is_readable else (),
    )


def inspect(source: Source) -> Inspection:
    """Reads a file, or a buffer with the contents of a file. It may be a cubin, fat binary, host
    object, program, shared library, archive or PTX. Raises InspectError if cubintool cannot read it
    or it has no device code."""
    found = ask("list", source)
    return Inspection(tuple(image_of(source, row) for row in found["images"]))
