"""The section .nv.metadata contains data about functions. nvlink 13.0.88 copies the numbers of
symbols in it from the input, although other symbols may have these numbers in the output. nvlink
also copies the data of functions that are not in the output."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from cubin import STT_FUNC, Cubin, read_cubin, string_at
from quirk_link import REPOSITORY, link

DATA = REPOSITORY / "tests" / "invalid" / "data"
FUNCTION_DATA, TEXT, ENTRY = 0x70000004, 3, 0x10
PROGRAMS = {
    "sm_80": DATA / "program.sm_80.cubin",
    "sm_100": REPOSITORY / "tests" / "sections" / "data" / "kernels.sm_100.cubin",
}
Record = tuple[int, int, list[tuple[int, int]]]  # symbol, name, kinds and values


def strings(cubin: Cubin) -> bytearray:
    return cubin.sections[cubin.symbol_table.link].data


def new_string(cubin: Cubin, text: str) -> int:
    offset = len(strings(cubin))
    strings(cubin).extend(text.encode() + b"\0")
    return offset


def encode(records: list[Record]) -> bytes:
    words = [
        word
        for symbol, name, pairs in records
        for word in (symbol, name, len(pairs), *(value for pair in pairs for value in pair))
    ]
    return struct.pack(f"<{len(words)}I", *words)


def decode(cubin: Cubin) -> list[tuple[str, str, list[tuple[int, int | str]]]]:
    content = bytes(cubin.section(".nv.metadata").data)
    found, at = [], 0
    while at < len(content):
        symbol, name, count = struct.unpack_from("<III", content, at)
        pairs = list(struct.iter_unpack("<II", content[at + 12 : at + 12 + 8 * count]))
        shown = [(k, string_at(strings(cubin), v) if k == TEXT else v) for k, v in pairs]
        found.append((cubin.symbols[symbol].name, string_at(strings(cubin), name), shown))
        at += 12 + 8 * count
    return found


def linked(folder: Path, content: bytes, cubin: Cubin) -> Cubin:
    cubin.add_section(".any.name", FUNCTION_DATA, 0, content)
    path = folder / "program.cubin"
    path.write_bytes(cubin.write())
    done = link(folder, "sm_80", path, DATA / "other.sm_80.cubin")
    assert done.status == 0, done.messages
    return read_cubin(done.output)


def test_symbols_and_texts_are_those_of_the_output(tmp_path: Path) -> None:
    cubin = read_cubin(DATA / "program.sm_80.cubin")
    kernel, twice = cubin.symbol_index("kernel"), cubin.symbol_index("twice")
    section_symbol = next(i for i, s in enumerate(cubin.symbols) if s.type == 3)
    first, second = new_string(cubin, "first name"), new_string(cubin, "second name")
    text = new_string(cubin, "a text")
    records: list[Record] = [
        (kernel, first, [(1, 7), (TEXT, text), (9, 0xFFFFFFFF)]),
        (section_symbol, second, [(TEXT, text)]),
        (twice, second, []),
    ]
    output = linked(tmp_path, encode(records), cubin)
    assert decode(output) == [
        ("kernel", "first name", [(1, 7), (TEXT, "a text"), (9, 0xFFFFFFFF)]),
        ("twice", "second name", []),
    ]
    prototypes_and_texts = bytes(strings(output)).split(b"\0.shstrtab\0")[0]
    assert prototypes_and_texts.endswith(b"\0a text\0first name\0second name")


@pytest.mark.parametrize("toolkit", [130, 134, 135])
def test_texts_are_there_in_every_release(toolkit: int, tmp_path: Path) -> None:
    """Outputs of release 13.5 contain only strings to which something refers. The strings of
    .nv.metadata must be among them."""
    cubin = read_cubin(PROGRAMS["sm_100"])
    cubin.section(".note.nv.cuinfo").data[28:30] = toolkit.to_bytes(2, "little")
    kernel = next(i for i, s in enumerate(cubin.symbols) if s.type == STT_FUNC and s.section)
    name, text = new_string(cubin, "a name"), new_string(cubin, "a text")
    cubin.add_section(".any.name", FUNCTION_DATA, 0, encode([(kernel, name, [(TEXT, text)])]))
    path = tmp_path / "program.cubin"
    path.write_bytes(cubin.write())
    done = link(tmp_path, "sm_100", path, options=("--allow-newer-toolkit",))
    assert done.status == 0, done.messages
    expected = (cubin.symbols[kernel].name, "a name", [(TEXT, "a text")])
    assert decode(read_cubin(done.output)) == [expected]


def test_nothing_leaves_no_section(tmp_path: Path) -> None:
    output = linked(tmp_path, b"", read_cubin(DATA / "program.sm_80.cubin"))
    assert not output.has_section(".nv.metadata")


@pytest.mark.parametrize("arch", PROGRAMS)
def test_section_has_its_position_among_relocations(arch: str, tmp_path: Path) -> None:
    """In the output, .nv.metadata precedes the lists of relocations. The test makes the input's
    section out of .nv.callgraph, a native section, because nvlink crashes if .nv.metadata follows
    the Mercury sections."""
    cubin = read_cubin(PROGRAMS[arch])
    kernel = next(i for i, s in enumerate(cubin.symbols) if s.type == STT_FUNC and s.other & ENTRY)
    section = cubin.section(".nv.callgraph")
    section.type, section.name, section.entry_size = FUNCTION_DATA, ".any.name", 0
    section.data = bytearray(encode([(kernel, new_string(cubin, "of a kernel"), [(1, 7)])]))
    changed = tmp_path / "program.cubin"
    changed.write_bytes(cubin.write())
    done = link(tmp_path, arch, changed)
    assert (done.status, done.messages) == (0, "")
    output = read_cubin(done.output)
    assert decode(output) == [(cubin.symbols[kernel].name, "of a kernel", [(1, 7)])]
    assert [s.name for s in output.sections if s.type == FUNCTION_DATA] == [".nv.metadata"]
    names = bytes(output.sections[1].data).split(b"\0")
    lists = [
        i
        for i, name in enumerate(names)
        if name.startswith((b".rela.", b".rel.text", b".rel.debug"))
    ]
    assert names.index(b".nv.metadata") < min(lists)


DAMAGED = {
    "cut off header": struct.pack("<II", 1, 0),
    "cut off pairs": struct.pack("<IIIII", 1, 0, 2, 1, 2),
    "too many pairs": struct.pack("<III", 1, 0, 0xFFFFFFFF),
    "symbol": struct.pack("<III", 1 << 20, 0, 0),
    "name": struct.pack("<III", 1, 1 << 20, 0),
    "text": struct.pack("<IIIII", 1, 0, 1, TEXT, 1 << 20),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED.keys())
def test_damaged_records_are_refused(tmp_path: Path, content: bytes) -> None:
    cubin = read_cubin(DATA / "program.sm_80.cubin")
    cubin.add_section(".any.name", FUNCTION_DATA, 0, content)
    path = tmp_path / "program.cubin"
    path.write_bytes(cubin.write())
    done = link(tmp_path, "sm_80", path, DATA / "other.sm_80.cubin")
    assert done.status == 1
    assert "(function-data)" in done.messages
    assert not done.output.exists()
