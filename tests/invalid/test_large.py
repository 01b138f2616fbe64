"""Files that may make a linker use much time or memory: long chains of calls and aliases, many
sections, and sizes whose sum is large. Each file has at most 13 MB. Each link must end within
seconds and use at most 2 GB of memory, whether or not it succeeds.

For some of these files nvlink 13.0.88 needs time that grows with the square of the number of items,
or crashes."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

from limited_link import ERRORS, FATAL, assert_links, assert_refused, link, link_files
from linking import BUILD
from object_file import (
    ABS32_LO_32,
    ALLOC,
    COMMON,
    CONSTANT0,
    FUNCTION,
    GLOBAL,
    GLOBAL_INIT,
    IN_GLOBAL,
    IN_SHARED,
    INFO_LINK,
    REL,
    REL_TYPE,
    SHARED,
    VARIABLE,
    WEAK,
    WRITE,
    ObjectFile,
    Section,
    functions,
)

E_SHOFF, E_SHNUM, SH_SIZE = 40, 60, 32


# --------------------------------------------------------------------------------------------------
# Deep and wide


def test_a_chain_of_200_000_calls(tmp_path: Path) -> None:
    """The chain goes through seven objects: the last function of each calls the first function of
    the next."""
    count, length = 7, 30000
    objects = []
    for number in range(count):
        made = ObjectFile()
        chain = [made.add_function("k", kernel=True)] if number == 0 else []
        chain += [made.add_function(f"f{number}_{i}") for i in range(length)]
        if number + 1 < count:
            chain.append(made.add_symbol(f"f{number + 1}_0", FUNCTION, 0))
        made.add_calls(*zip(chain, chain[1:], strict=False))
        objects.append(made)
    assert_links(tmp_path, *objects)


def test_more_sections_than_16_bits_can_number(tmp_path: Path) -> None:
    """The number of sections is stored as the size of the null section. The section numbers of
    symbols are stored in .symtab_shndx."""
    count = 70000
    assert_links(tmp_path, functions(1, count)[0])
    output = tmp_path / "output.cubin"
    content = output.read_bytes()
    assert struct.unpack_from("<H", content, E_SHNUM) == (0,)
    (sections,) = struct.unpack_from("<Q", content, E_SHOFF)
    assert struct.unpack_from("<Q", content, sections + SH_SIZE)[0] > count
    verify = subprocess.run(
        [BUILD / "cubintool", "verify", output], capture_output=True, text=True, check=False
    )
    assert not verify.stdout


def test_a_circle_of_60_000_calls(tmp_path: Path) -> None:
    made, _, others = functions(1, 60000)
    made.add_calls((others[-1], others[0]))
    status, messages, _ = link(tmp_path, made)
    assert status == 0
    assert messages.count("cannot be statically determined") == 1


def test_thousands_of_aliases(tmp_path: Path) -> None:
    made, kernels, others = functions(1, 1)
    for i in range(50000):
        alias = made.add_symbol(f"alias{i}", FUNCTION, 0, made.code_of(others[0]))
        made.add_calls((kernels[0], alias), (alias, others[0]))
    assert_links(tmp_path, made)


def weak_pair(owner: str, alias: str) -> ObjectFile:
    """An object with a weak function `owner` and a global alias of this function. The function
    calls its alias."""
    made = ObjectFile()
    function = made.add_function(owner, binding=WEAK)
    made.add_symbol(alias, FUNCTION, 0, made.code_of(function))
    made.add_calls((function, function + 1))
    return made


def test_aliases_in_a_circle(tmp_path: Path) -> None:
    made = ObjectFile()
    kernel = made.add_function("k", kernel=True)
    made.add_calls((kernel, made.add_symbol("a", FUNCTION, 0)))
    circle = [weak_pair("a", "b"), weak_pair("b", "c"), weak_pair("c", "a")]
    assert_refused(tmp_path, ERRORS, "is an alias of itself", made, *circle)


def test_a_chain_of_aliases(tmp_path: Path) -> None:
    made = ObjectFile()
    kernel = made.add_function("k", kernel=True)
    made.add_calls((kernel, made.add_symbol("b", FUNCTION, 0)))
    assert_links(tmp_path, made, weak_pair("a", "b"), weak_pair("c", "a"))


# --------------------------------------------------------------------------------------------------
# Memory


def shared_variables(size: int, count: int = 60000) -> ObjectFile:
    """An object with `count` shared variables of one function, which two kernels call."""
    made, _, others = functions(2, 1)
    section = made.add_section(Section(".nv_debug.shared", SHARED, ALLOC | WRITE, size=1 << 20))
    variables = [
        made.add_symbol(f"v{i:x}", VARIABLE, IN_SHARED, section, 4, size) for i in range(count)
    ]
    entries = b"".join(REL.pack(0, ABS32_LO_32, variable) for variable in variables)
    code = made.code_of(others[0])
    made.add_section(
        Section(".rel.text.f0", REL_TYPE, INFO_LINK, entries, 3, code, align=8, entry_size=16)
    )
    return made


def test_many_shared_variables(tmp_path: Path) -> None:
    """nvlink needs minutes for this number of variables."""
    assert_refused(tmp_path, ERRORS, "uses too much shared data (0x3a980", shared_variables(4))


def test_more_shared_variables_than_any_memory_has_bytes(tmp_path: Path) -> None:
    made = shared_variables(1, (1 << 18) + 1)
    assert_refused(tmp_path, ERRORS, "Too many shared variables need separate addresses", made)


def test_shared_variables_of_many_pairs_of_kernels(tmp_path: Path) -> None:
    """The functions have one shared variable each. A function is called by a kernel that calls no
    other function and, alternately, by one of two common kernels. For each variable the linker
    searches for a free address. It must not compare the variable with all earlier variables."""
    made, kernels, others = functions(10002, 0)
    others = [made.add_function(f"f{i}") for i in range(10000)]
    calls = [(kernels[i % 2], function) for i, function in enumerate(others)]
    made.add_calls(*calls, *zip(kernels[2:], others, strict=True))
    section = made.add_section(Section(".nv_debug.shared", SHARED, ALLOC | WRITE, size=1 << 20))
    for i, function in enumerate(others):
        variable = made.add_symbol(f"v{i}", VARIABLE, IN_SHARED, section, 1, 1)
        entry, code = REL.pack(0, ABS32_LO_32, variable), made.code_of(function)
        made.add_section(
            Section(f".rel.text.f{i}", REL_TYPE, INFO_LINK, entry, 3, code, align=8, entry_size=16)
        )
    assert_links(tmp_path, made)


def test_many_shared_variables_without_a_size(tmp_path: Path) -> None:
    """Variables without a size are extern shared memory and have one address."""
    assert_links(tmp_path, shared_variables(0))


def test_sums_of_sizes_do_not_wrap_around(tmp_path: Path) -> None:
    """The sum of 65,537 variables or 65,530 sections of the largest size does not fit in 64
    bits."""
    made, _, _ = functions(1, 0)
    for i in range(65537):
        made.add_symbol(f"c{i}", VARIABLE, IN_GLOBAL, COMMON, 1, (1 << 48) - 1)
    assert_refused(tmp_path, ERRORS, "is too large (", made)
    made, _, _ = functions(1, 0)
    for _ in range(65530):
        made.add_section(Section(".nv.global", GLOBAL, ALLOC | WRITE, size=(1 << 48) - 1))
    section = made.OWN_SECTIONS + 1
    for i in range(65530):
        made.add_symbol(f"g{i}", VARIABLE, IN_GLOBAL, section + i, 0, 4)
    assert_refused(tmp_path, ERRORS, "is too large (", made)
    status, messages, has_output = link_files(tmp_path, tmp_path / "input0.cubin", "-r")
    assert (status, has_output) == (ERRORS, False)
    assert "Section '.nv.global' is too large (" in messages


def test_shared_memory_does_not_wrap_around(tmp_path: Path) -> None:
    made = ObjectFile()
    kernel = made.add_function("k", kernel=True)
    shape = Section(".nv.shared.k", SHARED, ALLOC | WRITE | INFO_LINK, size=16)
    shape.info = made.code_of(kernel)
    section = made.add_section(shape)
    for i in range(65537):
        made.add_symbol(f"v{i}", VARIABLE, IN_SHARED, section, 1, (1 << 48) - 1, WEAK)
    assert_refused(tmp_path, ERRORS, "uses too much shared data (0xffffffffffffffff bytes", made)


def test_padding_is_in_proportion(tmp_path: Path) -> None:
    """The object alternates sections of one byte with empty sections that have a large
    alignment."""
    made, _, _ = functions(1, 0)
    for _ in range(20000):
        made.add_section(Section(".nv.global.init", GLOBAL_INIT, ALLOC | WRITE, b"x", align=1))
        made.add_section(Section(".nv.global.init", GLOBAL_INIT, ALLOC | WRITE, align=1 << 19))
    assert_refused(tmp_path, FATAL, "of padding for", made)


def test_constants_of_many_functions_in_many_kernels(tmp_path: Path) -> None:
    made, _, others = functions(3000, 3000)
    for function in others:
        shape = Section(".nv.constant2.f", CONSTANT0 + 2, ALLOC | INFO_LINK)
        shape.info = made.code_of(function)
        made.add_section(shape)
    assert_links(tmp_path, made)
