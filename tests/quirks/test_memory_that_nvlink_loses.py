"""nvlink 13.0.88 loses or refuses some memory, and refers to some at a wrong offset. warpld links
all of it."""

from __future__ import annotations

import struct
from pathlib import Path

from cubin import Cubin, read_cubin
from quirk_link import REPOSITORY, link

GOLDEN = REPOSITORY / "tests" / "golden"
IN_LOCAL, IN_CONSTANT, INTERNAL, HIDDEN = 0x60, 0x80, 1, 2
WEAK = 2
CONSTANT2, LOCAL = 0x70000066, 0x70000009
OWNED_MEMORY, OWNED_CONSTANTS = 0x43, 0x42
ABS32_LO_32 = 56
KERNEL = "j"


def add_constants(cubin: Cubin, kernel: str, values: list[bytes]) -> list[int]:
    """Adds compiler-made constants, with symbols named as ptxas names them. Returns the indices of
    these symbols."""
    owner = cubin.section_index(f".text.{kernel}")
    content = b"".join(values)
    section = cubin.add_section(
        f".nv.constant2.{kernel}", CONSTANT2, OWNED_CONSTANTS, content, owner, 4
    )
    symbols, offset = [], 0
    for value in values:
        name = f"{kernel}.const_opt.{offset}.{offset + len(value)}"
        facts = {"binding": WEAK, "other": IN_CONSTANT | INTERNAL}
        symbols.append(cubin.add_symbol(name, section, offset, len(value), **facts))
        offset += len(value)
    return symbols


def code_word(cubin: Path, function: str, offset: int) -> int:
    field = read_cubin(cubin).section(f".text.{function}").data[offset : offset + 8]
    return int(struct.unpack("<Q", field)[0]) >> 32


def test_constant_that_has_no_equals_moves_too(tmp_path: Path) -> None:
    """nvlink merges only constants of certain sizes. A constant of another size moves if constants
    that precede it are merged, but nvlink's code still reads it at the old offset."""
    cubin = read_cubin(GOLDEN / "local-memory-by-symbols" / "b.cubin")
    table = bytes(range(1, 41))
    symbols = add_constants(cubin, KERNEL, [b"same" * 16] * 1030 + [table])
    text = cubin.section_index(f".text.{KERNEL}")
    cubin.add_relocation(text, 0, ABS32_LO_32, symbols[-1], 0, True)
    object_file = tmp_path / "a.cubin"
    object_file.write_bytes(cubin.write())
    result = link(tmp_path, "sm_80", object_file)
    assert result.status == 0, result.messages
    bank = read_cubin(result.output).section(f".nv.constant2.{KERNEL}").data
    assert bank == b"same" * 16 + table
    assert code_word(result.output, KERNEL, 0) == bank.index(table) == 64


def test_bytes_without_a_symbol_are_kept(tmp_path: Path) -> None:
    """nvlink clears bytes that no symbol covers if the section has any symbol."""
    cubin = read_cubin(GOLDEN / "local-memory-by-symbols" / "b.cubin")
    (symbol,) = add_constants(cubin, KERNEL, [b"ABCDEFGH"])
    cubin.symbols[symbol].value, cubin.symbols[symbol].size = 4, 4
    object_file = tmp_path / "a.cubin"
    object_file.write_bytes(cubin.write())
    result = link(tmp_path, "sm_80", object_file)
    assert result.status == 0, result.messages
    assert read_cubin(result.output).section(f".nv.constant2.{KERNEL}").data == b"ABCDEFGH"


def test_memory_of_a_removed_function_is_removed_with_it(tmp_path: Path) -> None:
    """If a removed function has local memory, nvlink fails with "reference to deleted section".
    warpld removes that memory, too."""
    folder = GOLDEN / "dead-function-leaves-debug-frame"
    cubin = read_cubin(folder / "a.cubin")
    kept = {s.name for s in read_cubin(folder / "expected.cubin").sections}
    text = next(
        i
        for i, section in enumerate(cubin.sections)
        if section.name.startswith(".text.") and section.name not in kept
    )
    name = ".nv.local." + cubin.sections[text].name[6:]
    section = cubin.add_section(name, LOCAL, OWNED_MEMORY, 16, text)
    cubin.add_symbol("lost", section, 0, 16, other=IN_LOCAL)
    object_file = tmp_path / "a.cubin"
    object_file.write_bytes(cubin.write())
    result = link(tmp_path, "sm_80", object_file)
    assert result.status == 0, result.messages
    output = read_cubin(result.output)
    assert not output.has_section(name)
    assert all(symbol.name != "lost" for symbol in output.symbols)


def test_constants_of_the_copy_that_wins(tmp_path: Path) -> None:
    """The last copy of a weak kernel supersedes the others, and here has other constants. nvlink
    fails with "overlapping non-identical data". warpld writes the constants of the last copy."""
    folder = GOLDEN / "weak-kernel-constants-overlay"
    winner = read_cubin(folder / "d.cubin")
    winner.section(f".nv.constant2.{KERNEL}").data[:8] = b"another."
    changed = tmp_path / "d.cubin"
    changed.write_bytes(winner.write())
    inputs = [folder / f"{name}.cubin" for name in "abc"]
    result = link(tmp_path, "sm_80", *inputs, changed)
    assert result.status == 0, result.messages
    bank = read_cubin(result.output).section(f".nv.constant2.{KERNEL}").data
    assert bank.startswith(b"another.")


def link_with_hidden(tmp_path: Path, golden: str, name: str) -> set[str]:
    """The names in the output after `name` was made hidden in both inputs."""
    inputs = []
    for source in ("a.cubin", "b.cubin"):
        cubin = read_cubin(GOLDEN / golden / source)
        for symbol in cubin.symbols:
            if symbol.name == name:
                symbol.other |= HIDDEN
        inputs.append(tmp_path / source)
        inputs[-1].write_bytes(cubin.write())
    result = link(tmp_path, "sm_90", *inputs)
    assert result.status == 0, result.messages
    return {symbol.name for symbol in read_cubin(result.output).symbols}


def test_hidden_shared_variable_without_a_section(tmp_path: Path) -> None:
    """In both programs, a hidden shared variable has no section in the output. nvlink fails with
    "reference to deleted section" for the first, and "unallocated symbol" for the second. warpld
    links them, and leaves out the variable's symbol."""
    golden = "debug-weak-shared-variable-counts-reserve-twice"
    assert "grouped" not in link_with_hidden(tmp_path, golden, "grouped")
    assert "dynamic" not in link_with_hidden(tmp_path, "hidden-shared-variables", "dynamic")
