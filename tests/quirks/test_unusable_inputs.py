"""warpld reports each input that has nothing to link. nvlink 13.0.88 ignores all but one of these
files without a message, and exits with 0."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from quirk_link import DATA, link

GOOD = DATA / "second.sm_80.cubin"


def cut_off(content: bytes) -> bytes:
    return content[: len(content) // 2]


def with_byte(content: bytes, offset: int, value: int) -> bytes:
    return content[:offset] + bytes([value]) + content[offset + 1 :]


EI_CLASS, EI_DATA = 4, 5
UNUSABLE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda good: b"", "cubin not an elf?"),
    "text": (lambda good: b"no program at all\n" * 10, "cubin not an elf?"),
    "cut-off": (cut_off, "section-table-outside"),
    "of-32-bits": (lambda good: with_byte(good, EI_CLASS, 1), "size does not match target '-m64'"),
    "big-endian": (lambda good: with_byte(good, EI_DATA, 2), "cubin not a device elf?"),
}


def test_an_executable_gives_a_warning_and_adds_nothing(tmp_path: Path) -> None:
    alone = link(tmp_path, "sm_80", GOOD)
    expected = alone.output.read_bytes()
    for inputs in ([DATA / "whole.cubin", GOOD], [GOOD, DATA / "whole.cubin"]):
        result = link(tmp_path, "sm_80", *inputs)
        assert result.status == 0
        assert "warning" in result.messages
        assert "whole.cubin' is already linked" in result.messages
        assert result.output.read_bytes() == expected


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
@pytest.mark.parametrize("kind", UNUSABLE)
def test_any_other_ends_the_link(kind: str, name: str, tmp_path: Path) -> None:
    make, message = UNUSABLE[kind]
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(make(GOOD.read_bytes()))
    result = link(tmp_path, "sm_80", GOOD, bad, name=name)
    assert result.status == 1
    assert message in result.messages
    assert not result.output.exists()


def whole_32_bit_object() -> bytes:
    """A device ELF with headers of ELF class 1: string tables, and an empty symbol table."""
    names = b"\0.shstrtab\0.symtab\0.strtab\0\0"
    symbols = bytes(16)
    start = 52
    table = start + len(names) + len(symbols)
    ident = b"\x7fELF" + bytes([1, 1, 1, 0x41, 8]) + bytes(7)
    fields = (1, 190, 1, 0, 0, table, 0x5002, 52, 0, 0, 40, 4, 1)
    sections = (
        (0,) * 10,
        (1, 3, 0, 0, start, len(names) - 1, 0, 0, 1, 0),
        (19, 3, 0, 0, start + len(names) - 1, 1, 0, 0, 1, 0),
        (11, 2, 0, 0, start + len(names), 16, 2, 1, 4, 16),
    )
    headers = b"".join(struct.pack("<10I", *section) for section in sections)
    return ident + struct.pack("<HHIIIIIHHHHHH", *fields) + names + symbols + headers


def test_a_whole_32_bit_object_has_the_message_of_nvlink(tmp_path: Path) -> None:
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(whole_32_bit_object())
    result = link(tmp_path, "sm_80", GOOD, bad, name="nvlink")
    assert result.status == 1
    first = result.messages.splitlines()[0]
    assert first.startswith("nvlink fatal   : Input file '")
    assert first.endswith("bad.cubin' size does not match target '-m64'")


def test_an_older_output_survives_a_failed_link(tmp_path: Path) -> None:
    older = tmp_path / "output.cubin"
    older.write_bytes(b"older")
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(b"")
    assert link(tmp_path, "sm_80", GOOD, bad).status == 1
    assert older.read_bytes() == b"older"
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"bad.cubin", "output.cubin", "warpld"}


def test_the_name_of_a_file_does_not_matter(tmp_path: Path) -> None:
    """nvlink decides by the suffix of the name, and ignores an object whose suffix it does not
    know."""
    expected = link(tmp_path, "sm_80", GOOD).output.read_bytes()
    for name in ("object", "object.foo", "object.ptx"):
        copy = tmp_path / name
        copy.write_bytes(GOOD.read_bytes())
        result = link(tmp_path, "sm_80", copy)
        assert (result.status, result.messages) == (0, "")
        assert result.output.read_bytes() == expected
