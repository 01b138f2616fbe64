"""Extracts the linked cubins from objects and programs, without warpld's own readers."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from toolkit import BUILD

MAGIC = 0xBA55ED50
CUBIN = 2


@dataclass(frozen=True)
class Image:
    kind: int
    sm: int
    flags: int
    payload: bytes


def images(content: bytes) -> list[Image]:
    """The images of fat binaries that follow each other, as the host's linker joins them."""
    found, position = [], 0
    while position + 16 <= len(content):
        magic, _, header, size = struct.unpack_from("<IHHQ", content, position)
        if magic != MAGIC:  # padding
            position += 8
            continue
        position, end = position + header, position + header + size
        while position < end:
            kind, _, header, size = struct.unpack_from("<HHIQ", content, position)
            sm, _, _, flags = struct.unpack_from("<IIII", content, position + 28)
            payload = content[position + header : position + header + size]
            found.append(Image(kind, sm, flags, payload))
            position += header + size
    return found


def linked_images(path: Path) -> list[Image]:
    """The images that nvcc's device link has put into an object or a program."""
    with path.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".nv_fatbin")
        return images(section.data()) if section else []


def is_linked_by_warpld(path: Path) -> bool:
    """Whether an object or a program holds linked cubins, and all of them have warpld's note."""
    linked = [image.payload for image in linked_images(path) if image.kind == CUBIN]
    return bool(linked) and all(b"warpld, the open CUDA device linker" in code for code in linked)


def assert_same_cubin(theirs: bytes, ours: bytes, folder: Path) -> None:
    """Fails unless the cubins are identical except for the tool note."""
    paths = [folder / "theirs.cubin", folder / "ours.cubin"]
    for path, content in zip(paths, (theirs, ours), strict=True):
        path.write_bytes(content)
    command: list[str | Path] = [BUILD / "cubintool", "diff", "--strict", *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def assert_same_images(theirs: Path, ours: Path, folder: Path) -> int:
    """Fails unless two objects or programs hold the same images; only the tool notes of cubins may
    differ. Returns how many images each holds."""
    pairs = list(zip(linked_images(theirs), linked_images(ours), strict=True))
    for a, b in pairs:
        assert (a.kind, a.sm, a.flags) == (b.kind, b.sm, b.flags)
        if a.kind == CUBIN:
            assert_same_cubin(a.payload, b.payload, folder)
        else:
            assert a.payload == b.payload
    return len(pairs)
