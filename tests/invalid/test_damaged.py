"""Each test changes one field of a good object. The link fails with one or several messages that
name the fault. If nvlink 13.0.88 has a message for the fault, warpld uses nvlink's words."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from linking import OTHER, PROGRAM, REPOSITORY, assert_fails, link
from mutate import SYMBOL, SYMBOL_SIZE, U8, U16, U32, U64, Cubin

Patch = Callable[[Cubin], None]
FATAL, ERRORS = 1, 255
GOLDEN = REPOSITORY / "tests" / "golden"


def header(field: str, value: int) -> Patch:
    return lambda cubin: cubin.set_header(field, value)


def section(name: str, field: str, value: int) -> Patch:
    return lambda cubin: cubin.set_section(name, field, value)


def same_section(name: str, field: str, other: str) -> Patch:
    """Gives a field the index of another section."""
    return lambda cubin: cubin.set_section(name, field, cubin.index(other))


def symbol(name: str, field: str, value: int) -> Patch:
    return lambda cubin: cubin.set_symbol(name, field, value)


def symbol_in(name: str, where: str) -> Patch:
    return lambda cubin: cubin.set_symbol(name, "section", cubin.index(where))


def word(name: str, number: int, value: int) -> Patch:
    return lambda cubin: cubin.set_word(name, number, value)


def word_of_symbol(name: str, number: int, of: str) -> Patch:
    return lambda cubin: cubin.set_word(name, number, cubin.symbol_index(of))


def record(section_name: str, code: int, offset: int, form: str, value: int) -> Patch:
    return lambda cubin: cubin.put(cubin.record(section_name, code) + offset, form, value)


def cuinfo(offset: int, value: int) -> Patch:
    """Sets a field of .note.nv.cuinfo; `offset` counts from the end of the note's header and
    name."""
    return lambda cubin: cubin.put(cubin.contents(".note.nv.cuinfo") + 24 + offset, U16, value)


def many(*patches: Patch) -> Patch:
    def apply(cubin: Cubin) -> None:
        for patch in patches:
            patch(cubin)

    return apply


def renamed(name: str, new: bytes) -> Patch:
    """Changes a section's name to one of the same length or shorter."""

    def apply(cubin: Cubin) -> None:
        names = cubin.contents(".shstrtab")
        at = cubin.data.index(b"\0" + name.encode() + b"\0", names) + 1
        cubin.data[at : at + len(new) + 1] = new + b"\0"

    return apply


LOCAL_VARIABLE = 0x0D
REGCOUNT, FRAME_SIZE, KPARAM_INFO, LOAD_CACHE_REQUEST = 0x2F, 0x11, 0x17, 0x26


def no_register_count(cubin: Cubin) -> None:
    """Leaves the function `twice` without a register count: its record names the kernel instead,
    and its code section has no count either."""
    twice, kernel = struct.pack("<I", cubin.symbol_index("twice")), cubin.symbol_index("kernel")
    at = cubin.data.index(struct.pack("<BBH", 4, REGCOUNT, 8) + twice)
    cubin.put(at + 4, U32, kernel)
    cubin.set_section(".text.twice", "info", cubin.symbol_index("twice"))


def empty_register_count(function: str) -> Patch:
    def change(cubin: Cubin) -> None:
        symbol = struct.pack("<I", cubin.symbol_index(function))
        cubin.put(cubin.data.index(struct.pack("<BBH", 4, REGCOUNT, 8) + symbol) + 8, U32, 0)

    return change


def symbol_without_room(cubin: Cubin) -> None:
    """Gives a record a code that requires a symbol, and a format of 16 bits, which cannot hold a
    symbol. No known compiler writes records with this code."""
    at = cubin.data.index(struct.pack("<BBH", 4, REGCOUNT, 8))
    cubin.put(at, U16, LOAD_CACHE_REQUEST << 8 | 3)


def partial_instruction(cubin: Cubin) -> None:
    size = cubin.field(cubin.index(".text.kernel"), "size") - 8
    cubin.set_section(".text.kernel", "size", size)
    cubin.set_symbol("kernel", "size", size)


# For each name: the change to the first object, the exit status, and a part of the message
PATCHES: dict[str, tuple[Patch, int, str]] = {
    # The ELF header
    "no magic": (lambda c: c.put(1, U8, 0), FATAL, "cubin not an elf?"),
    "32-bit": (header("class", 1), FATAL, "size does not match target '-m64'"),
    "big-endian": (header("data", 2), FATAL, "cubin not a device elf?"),
    "foreign machine": (header("machine", 62), FATAL, "cubin not a device elf?"),
    "ABI of CUDA 12": (header("osabi", 0x33), FATAL, "abi does not match"),
    "no OS ABI": (header("osabi", 0), FATAL, "abi does not match"),
    "ABI version": (header("abi_version", 7), FATAL, "abi does not match"),
    "architecture": (header("sm", 90), FATAL, "arch does not match target 'sm_80'"),
    "unknown architecture": (header("sm", 255), FATAL, "arch does not match target 'sm_80'"),
    "note index": (header("cuinfo", 2), FATAL, "(cuinfo-index)"),
    "header size": (header("ehsize", 65), FATAL, "(header-size)"),
    "no section table": (header("shoff", 0), FATAL, "(no-sections)"),
    "section table outside": (header("shoff", 1 << 40), FATAL, "(section-table-outside)"),
    "section header size": (header("shentsize", 40), FATAL, "(section-header-size)"),
    "no sections": (header("shnum", 0), FATAL, "(no-sections)"),
    "too many sections": (header("shnum", 0xFEFF), FATAL, "(section-table-outside)"),
    "names section": (header("shstrndx", 2000), FATAL, "(names-section)"),
    "names in code": (header("shstrndx", 4), FATAL, "(names-section)"),
    "program headers": (header("phnum", 9), FATAL, "(segment-outside)"),
    # Section headers
    "section name": (section(".text.kernel", "name", 1 << 20), FATAL, "(section-name)"),
    "section outside": (section(".text.kernel", "offset", 1 << 40), FATAL, "(section-outside)"),
    "section size": (section(".text.kernel", "size", 1 << 63), FATAL, "(section-outside)"),
    "memory size": (section(".nv.global", "size", 1 << 63), FATAL, "(section-size)"),
    "overlap": (
        lambda c: c.set_section(".text.kernel", "offset", c.contents(".text.twice")),
        FATAL,
        "(section-overlap)",
    ),
    "alignment 3": (section(".text.kernel", "align", 3), FATAL, "(alignment)"),
    "alignment 4 GB": (section(".nv.global", "align", 1 << 32), FATAL, "(alignment)"),
    "alignment larger than file": (section(".nv.global", "align", 1 << 20), FATAL, "(alignment)"),
    "alignment of notes": (section(".note.nv.tkinfo", "align", 8), FATAL, "(alignment)"),
    "linked section": (section(".text.kernel", "link", 2000), FATAL, "(link-range)"),
    "link to no symbols": (section(".text.kernel", "link", 2), FATAL, "(link-kind)"),
    "symbols without strings": (section(".symtab", "link", 4), FATAL, "(link-kind)"),
    "no symbols": (section(".symtab", "type", 1), FATAL, "damaged"),
    "entry size": (section(".symtab", "entry_size", 16), FATAL, "(entry-size)"),
    "table size": (section(".nv.callgraph", "size", 7), FATAL, "(table-size)"),
    "local symbols": (section(".symtab", "info", 9999), FATAL, "(first-global)"),
    "code of no function": (section(".text.kernel", "info", 1), FATAL, "(code-symbol)"),
    "code of another function": (
        lambda c: c.set_section(".text.kernel", "info", c.symbol_index("twice")),
        FATAL,
        "(code-symbol)",
    ),
    "code without a type": (section(".text.kernel", "type", 0), FATAL, "damaged"),
    "code without the flag": (section(".text.kernel", "flags", 2), FATAL, "damaged"),
    "attributes of nothing": (section(".nv.info.kernel", "info", 2000), FATAL, "(info-range)"),
    "attributes of data": (
        same_section(".nv.info.kernel", "info", ".symtab"),
        FATAL,
        "(info-kind)",
    ),
    "shared memory of a function": (
        same_section(".nv.shared.kernel", "info", ".text.twice"),
        FATAL,
        "(info-kind)",
    ),
    "parameters of a function": (
        same_section(".nv.constant0.kernel", "info", ".text.twice"),
        FATAL,
        "(info-kind)",
    ),
    "attributes twice": (
        same_section(".nv.info.kernel", "info", ".text.twice"),
        FATAL,
        "(section-duplicate)",
    ),
    "relocations twice": (
        same_section(".rel.text.twice", "info", ".text.kernel"),
        FATAL,
        "(section-duplicate)",
    ),
    "relocations of attributes": (
        same_section(".rel.text.kernel", "info", ".nv.info"),
        FATAL,
        "(relocation-target)",
    ),
    "constants under another name": (
        renamed(".nv.constant3", b".nv.constant4"),
        FATAL,
        "(section-kind)",
    ),
    "data called code": (renamed(".nv.global.init", b".text.kernel"), FATAL, "(section-kind)"),
    "debug data called constants": (
        renamed(".debug_frame", b".nv.global"),
        FATAL,
        "(section-kind)",
    ),
    "relocations under an unknown type": (
        section(".rel.text.kernel", "type", 6),
        FATAL,
        "(section-kind)",
    ),
    "unknown section type": (
        section(".nv.prototype", "type", 0x70000099),
        FATAL,
        "(section-kind)",
    ),
    "code that ends within an instruction": (partial_instruction, FATAL, "(code-size)"),
    "data without a space": (section(".nv.global.init", "type", 8), FATAL, "damaged"),
    # Symbols
    "symbol name": (symbol("kernel", "name", 1 << 24), FATAL, "(symbol-name)"),
    "binding": (symbol("kernel", "info", 0x52), FATAL, "(symbol-binding)"),
    "local among globals": (symbol("counter", "info", LOCAL_VARIABLE), FATAL, "(symbol-local)"),
    "symbol's section": (symbol("counter", "section", 2000), FATAL, "(symbol-section)"),
    "absolute symbol": (symbol("counter", "section", 0xFFF1), FATAL, "damaged"),
    "local symbol undefined": (symbol("scratch", "section", 0), FATAL, "(symbol-undefined)"),
    "local common symbol": (symbol("scratch", "section", 0xFFF2), FATAL, "(symbol-undefined)"),
    "function in data": (symbol_in("kernel", ".nv.global.init"), FATAL, "damaged"),
    "function in the middle": (symbol("kernel", "value", 128), FATAL, "(function-value)"),
    "internal function": (symbol("kernel", "other", 0x11), FATAL, "(function-visibility)"),
    "function in shared memory": (symbol("kernel", "other", 0x50), FATAL, "(symbol-space)"),
    "two kernels in one section": (
        many(symbol_in("other", ".text.kernel"), symbol("other", "other", 0x10)),
        FATAL,
        "(function-alias)",
    ),
    "function longer than code": (symbol("kernel", "size", 1 << 20), FATAL, "(symbol-outside)"),
    "variable outside": (symbol("counter", "value", 9), FATAL, "(symbol-outside)"),
    "variable wraps around": (symbol("counter", "size", (1 << 64) - 4), FATAL, "(symbol-size)"),
    "variable in attributes": (symbol_in("counter", ".nv.info"), FATAL, "(symbol-space)"),
    "space of another section": (symbol("counter", "other", 0x80), FATAL, "(symbol-space)"),
    "common alignment 3": (symbol("shared_by_name", "value", 3), FATAL, "(symbol-alignment)"),
    "common alignment 4 GB": (
        symbol("shared_by_name", "value", 1 << 32),
        FATAL,
        "(symbol-alignment)",
    ),
    "common alignment 2 GB": (symbol("shared_by_name", "value", 1 << 31), FATAL, "of padding"),
    "common larger than memory": (
        symbol("shared_by_name", "size", (1 << 48) - 1),
        ERRORS,
        "Section '.nv.global' is too large (",
    ),
    "shared alignment": (symbol("scratch", "value", (1 << 64) - 1), FATAL, "damaged"),
    "variable in empty shared memory": (
        section(".nv.shared.kernel", "size", 0),
        FATAL,
        "(symbol-outside)",
    ),
    "shared variable too large": (
        symbol("scratch", "size", (1 << 47)),
        ERRORS,
        "Entry function 'kernel' uses too much shared data",
    ),
    # Relocations
    "relocation offset": (word(".rel.text.kernel", 0, 1 << 20), FATAL, "(relocation-offset)"),
    "relocation symbol": (word(".rel.text.kernel", 3, 9999), FATAL, "(relocation-symbol)"),
    # Attributes
    "attribute format": (record(".nv.info", REGCOUNT, 0, U8, 9), FATAL, "(attribute-format)"),
    "attribute without room": (symbol_without_room, FATAL, "(attribute-format)"),
    "attribute cut": (record(".nv.info", REGCOUNT, 2, U16, 999), FATAL, "(attribute-cut)"),
    "short register count": (
        record(".nv.info", REGCOUNT, 2, U16, 4),
        FATAL,
        "(attribute-payload)",
    ),
    "short frame size": (record(".nv.info", FRAME_SIZE, 2, U16, 0), FATAL, "(attribute-payload)"),
    "short parameter": (
        record(".nv.info.kernel", KPARAM_INFO, 2, U16, 8),
        FATAL,
        "(attribute-payload)",
    ),
    "register count of nothing": (
        record(".nv.info", REGCOUNT, 4, U32, 9999),
        FATAL,
        "(attribute-symbol)",
    ),
    "no register count": (no_register_count, FATAL, "Internal error: no regcount?"),
    "register count of 0": (empty_register_count("twice"), FATAL, "Internal error: no regcount?"),
    # Call graph, prototypes, notes
    "call before heading": (
        many(word_of_symbol(".nv.callgraph", 0, "kernel"), word(".nv.callgraph", 1, 5)),
        FATAL,
        "(callgraph-group)",
    ),
    "unknown heading": (word(".nv.callgraph", 1, 0xFFFFFFF0), FATAL, "(callgraph-heading)"),
    "call of a variable": (
        word_of_symbol(".nv.callgraph", 3, "counter"),
        FATAL,
        "(callgraph-symbol)",
    ),
    "call of a section": (word(".nv.callgraph", 3, 1), FATAL, "(callgraph-symbol)"),
    "call of nothing": (word(".nv.callgraph", 2, 9999), FATAL, "(callgraph-symbol)"),
    "prototype": (word(".nv.prototype", 1, 1 << 24), FATAL, "(prototype-string)"),
    "prototype of nothing": (word(".nv.prototype", 0, 9999), FATAL, "(prototype-symbol)"),
    "note cut": (word(".note.nv.tkinfo", 1, 9999), FATAL, "(note-cut)"),
    "note strings": (word(".note.nv.tkinfo", 8, 9999), FATAL, "(note-tkinfo)"),
    "newer toolkit": (cuinfo(4, 131), FATAL, "newer than toolkit (131 vs 130)"),
}


@pytest.mark.parametrize("name", PATCHES)
def test_patched_object_is_refused(name: str, tmp_path: Path) -> None:
    patch, status, message = PATCHES[name]
    cubin = Cubin(PROGRAM)
    patch(cubin)
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(cubin.data)
    assert_fails(tmp_path, status, message, bad, OTHER)


def test_damage_is_found_in_any_input(tmp_path: Path) -> None:
    cubin = Cubin(PROGRAM)
    cubin.set_section(".text.kernel", "align", 3)
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(cubin.data)
    assert_fails(tmp_path, FATAL, "(alignment)", OTHER, bad)
    assert_fails(tmp_path, FATAL, "(alignment)", bad, bad)


def test_views_with_memory_of_different_sizes_are_refused(tmp_path: Path) -> None:
    """In each view the variable is within its section, but the sections differ in size."""
    folder = GOLDEN / "links-and-entry-sizes-of-the-first-sm100"
    outcome = link(tmp_path, folder / "a.cubin", folder / "b.cubin", architecture="sm_100")
    assert (outcome.status, outcome.messages) == (0, "")
    cubin = Cubin(folder / "a.cubin")
    cubin.set_symbol("data", "size", 8)
    mercury = cubin.contents(".nv.merc.symtab") + SYMBOL_SIZE * cubin.symbol_index("data")
    assert cubin.get(mercury + SYMBOL["size"][0], U64) == 16
    cubin.put(mercury + SYMBOL["size"][0], U64, 8)
    cubin.set_section(".nv.merc.nv.global.init", "size", 8)
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(cubin.data)
    outcome = link(tmp_path, bad, folder / "b.cubin", architecture="sm_100")
    assert outcome.status == FATAL and ".nv.merc.nv.global.init" in outcome.messages


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_truncated_object_is_refused(architecture: str, tmp_path: Path) -> None:
    good = PROGRAM.with_name(f"program.{architecture}.cubin")
    cubin = Cubin(good)
    bad = tmp_path / "bad.cubin"
    for size in sorted(cubin.boundaries()):
        bad.write_bytes(cubin.data[:size])
        outcome = link(tmp_path, bad, architecture=architecture)
        expected = "is damaged: " if size >= 56 else "Could not open input file"
        assert outcome.status == FATAL, size
        assert (expected if size else "cubin not an elf?") in outcome.messages
        assert outcome.output is None


def test_every_byte_changed_is_survived(tmp_path: Path) -> None:
    """Links an object in which one byte is changed, for every seventh byte. Each link ends without
    a crash, and writes a whole output or none."""
    bad = tmp_path / "bad.cubin"
    good = PROGRAM.read_bytes()
    for at in range(0, len(good), 7):
        bad.write_bytes(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :])
        outcome = link(tmp_path, bad, OTHER)
        assert outcome.status in (0, FATAL, ERRORS), (at, outcome.messages)
        assert (outcome.output is None) == (outcome.status != 0), at
        assert outcome.output is not None or outcome.messages, at
        (tmp_path / "output.cubin").unlink(missing_ok=True)


def test_names_do_not_break_lines(tmp_path: Path) -> None:
    cubin = Cubin(PROGRAM)
    at = cubin.data.index(b"\0other\0", cubin.contents(".strtab")) + 1
    cubin.data[at : at + 5] = b"o\nt\x1br"
    bad = tmp_path / "bad.cubin"
    bad.write_bytes(cubin.data)
    messages = link(tmp_path, bad).messages
    assert r"Undefined reference to 'o\x0at\x1br'" in messages
    assert all(line.startswith("nvlink ") for line in messages.splitlines())


def test_structs_of_this_file_are_those_of_the_format() -> None:
    """Guards the patches above: the fields are at the offsets that this file uses."""
    cubin = Cubin(PROGRAM)
    at = cubin.record(".nv.info", REGCOUNT)
    function, registers = struct.unpack_from("<II", cubin.data, at + 4)
    assert function in (cubin.symbol_index("kernel"), cubin.symbol_index("twice"))
    assert 0 < registers < 256
