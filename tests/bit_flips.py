#!/usr/bin/python3
"""Flips each bit of host objects, archives and fat binaries in turn, and links each damaged file.

If libwarpld links a damaged file without a message, the output must hold as many kernels as the
output for the undamaged file. With --stride N only each Nth bit is flipped.

With --nvlink the script then runs nvlink on the damaged files that warpld accepts, in random order.
--seconds limits the time that nvlink gets for the damaged copies of one file.

usage: bit_flips.py [--nvlink] [--seconds N] [--stride N] [NAME...]
"""

from __future__ import annotations

import argparse
import ctypes
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import conftest  # noqa: F401  (adds the folders of modules)
from container_files import (
    HostObject,
    archive,
    bsd_archive,
    cubin_entry,
    fat_binary,
    host,
)
from input_link import BUILD, DATA, FIRST, SECOND

ARCHITECTURE = "sm_80"
REFERENCES = {".nvHRKE": ("first",), ".nvHRKI": ()}
PACKED = (DATA / "speed.fatbin").read_bytes()
KERNEL = b"\0.text."


def inputs() -> dict[str, bytes]:
    """Maps file names to contents: three host objects, three archives and two fat binaries."""
    one = host(FIRST, module_ids=("_1",), references=REFERENCES)
    two = host(SECOND, module_ids=("_2",))
    other = fat_binary(cubin_entry(DATA / "first.sm_90.cubin"), cubin_entry(FIRST))
    return {
        "one.o": one,
        "joined.o": host(FIRST, SECOND, module_ids=("_1", "_2")),
        "packed.o": HostObject(PACKED, module_ids=("_3",)).write(),
        "long-names.a": archive({"one.o": one, "a-name-that-is-too-long.o": two}),
        "bsd.a": bsd_archive({"one.o": one, "two.o": two}),
        "nested.a": archive({"inner.a": archive({"one.o": one})}),
        "packed.fatbin": PACKED,
        "targets.fatbin": other,
    }


class Options(ctypes.Structure):
    """The first members of struct warpld_options, followed by zero bytes for all other members.
    There are more of these bytes than libwarpld reads. Zero is the default of each member."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("architecture", ctypes.c_char_p),
        ("diagnostic", ctypes.c_void_p),
        ("diagnostic_context", ctypes.c_void_p),
        ("others", ctypes.c_uint64 * 124),
    )


@dataclass
class Linker:
    """libwarpld, loaded into this process, so that thousands of links a second are possible."""

    library: ctypes.CDLL
    messages: int = 0
    callback: object = field(init=False)
    options: Options = field(init=False)

    def __post_init__(self) -> None:
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
        self.callback = kind(self.count_message)
        pointer = ctypes.cast(self.callback, ctypes.c_void_p)
        self.options = Options(
            ctypes.sizeof(Options), ARCHITECTURE.encode(), pointer, ctypes.c_void_p()
        )
        self.library.warpld_create.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        self.library.warpld_add_memory.argtypes = (
            ctypes.c_void_p,
            ctypes.c_char_p,
            ctypes.c_char_p,
            ctypes.c_size_t,
        )
        self.library.warpld_run.argtypes = (ctypes.c_void_p,)
        self.library.warpld_destroy.argtypes = (ctypes.c_void_p,)
        self.library.warpld_output.argtypes = (
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.c_void_p,
        )

    def count_message(self, _context: int, _message: int) -> None:
        self.messages += 1

    def output(self, link: ctypes.c_void_p) -> bytes:
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.library.warpld_output(link, ctypes.byref(data), ctypes.byref(size))
        return ctypes.string_at(data, size.value)

    def kernels(self, name: str, content: bytes) -> int | None:
        """The number of kernels in the output; None if the link fails."""
        link, self.messages = ctypes.c_void_p(), 0
        assert self.library.warpld_create(ctypes.byref(self.options), ctypes.byref(link)) == 0
        self.library.warpld_add_memory(link, name.encode(), content, len(content))
        has_failed = self.library.warpld_run(link)
        count = None if has_failed else self.output(link).count(KERNEL)
        self.library.warpld_destroy(link)
        return count


def load_linker(build: Path = BUILD) -> Linker:
    return Linker(ctypes.CDLL(str(build / "libwarpld.so.0")))


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@dataclass
class Result:
    links: int = 0
    refused: int = 0
    reported: int = 0  # links that lose kernels and print a message
    lost: list[int] = field(default_factory=list)  # flipped bits that lose kernels silently
    accepted: list[int] = field(default_factory=list)


def try_all(linker: Linker, name: str, content: bytes, stride: int = 1) -> Result:
    result = Result()
    expected = linker.kernels(name, content)
    assert expected and not linker.messages
    for bit in range(0, 8 * len(content), stride):
        count = linker.kernels(name, flipped(content, bit))
        result.links += 1
        if count is None:
            result.refused += 1
            assert linker.messages, f"{name}: bit {bit}: no message"
            continue
        result.accepted.append(bit)
        if count < expected and linker.messages:
            result.reported += 1
        elif count < expected:
            result.lost.append(bit)
    return result


def status_of(program: Path | str, path: Path) -> int:
    command = [program, f"-arch={ARCHITECTURE}", path.name, "-o", "out.cubin"]
    return subprocess.run(command, cwd=path.parent, capture_output=True, check=False).returncode


def ask_nvlink(name: str, content: bytes, bits: list[int], seconds: float) -> int:
    """Runs nvlink on copies of the file. Each copy has one flipped bit, of those that warpld
    accepts. Returns how many copies nvlink refuses, or crashes on."""
    refused, asked, until = [], 0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        for bit in random.Random(31).sample(bits, len(bits)):
            if time.monotonic() > until:
                break
            path.write_bytes(flipped(content, bit))
            asked += 1
            if status_of("nvlink", path):
                refused.append(bit)
    print(f"  nvlink was asked about {asked} of {len(bits)} that warpld links, and refuses")
    print(" ", refused)
    return len(refused)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvlink", action="store_true")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("names", nargs="*")
    choices = parser.parse_args()
    linker, faults = load_linker(), 0
    for name, content in inputs().items():
        if choices.names and name not in choices.names:
            continue
        result = try_all(linker, name, content, choices.stride)
        print(
            f"{name}: {result.links} links, {result.refused} refused, {result.reported} with fewer"
            f" kernels and a message, lost without a word: {result.lost}",
            flush=True,
        )
        faults += len(result.lost)
        if choices.nvlink:
            faults += ask_nvlink(name, content, result.accepted, choices.seconds)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
