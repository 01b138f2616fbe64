"""Files of at most 64 MB in which thousands of items refer to one long item, or to one another. The
time or memory of a link must not grow with the product of their numbers and sizes."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

import pytest
from container_files import HostObject, cubin_entry, fat_binary
from limited_link import ERRORS, FATAL, link, link_files
from linking import OTHER, PROGRAM
from object_file import (
    ABS32_LO_32,
    ALLOC,
    CONSTANT0,
    GLOBAL,
    GLOBAL_INIT,
    IN_GLOBAL,
    IN_SHARED,
    INFO_LINK,
    REL,
    REL_TYPE,
    VARIABLE,
    WRITE,
    ObjectFile,
    Section,
    words,
)

LOCAL, RESERVED_SHARED, PROTOTYPES = 0x70000009, 0x70000015, 0x70000002
IN_RESERVED_SHARED = 0xA0
PC_RELATIVE, CONST_FIELD = 40, 66
TEXTURE, UNKNOWN_TYPE = 10, 5
NOT_SHOWN = "further messages are not shown"


def add_relocations(made: ObjectFile, section: int, entries: bytes) -> None:
    made.add_section(
        Section(".rel.x", REL_TYPE, INFO_LINK, entries, 3, section, align=8, entry_size=16)
    )


# --------------------------------------------------------------------------------------------------
# One long name


def test_a_name_of_megabytes_in_many_messages(tmp_path: Path) -> None:
    """Of each message, only 4 KB are shown."""
    made = ObjectFile()
    variable = made.add_symbol("n" * (5 << 20), VARIABLE, IN_SHARED)
    kernel = made.add_function("k", kernel=True)
    add_relocations(made, made.code_of(kernel), REL.pack(0, PC_RELATIVE, variable) * 8000)
    status, messages, has_output = link(tmp_path, made)
    assert (status, has_output) == (FATAL, False)
    assert messages.count(NOT_SHOWN) == 2


def test_many_sections_of_a_function_with_a_long_name(tmp_path: Path) -> None:
    """The names of the sections do not end with the name of their function."""
    made = ObjectFile()
    code = made.code_of(made.add_function("f" * (12 << 20), kernel=True))
    flags = ALLOC | WRITE | INFO_LINK
    made.sections += [Section(".nv.local.x", LOCAL, flags, size=4, info=code)] * 80_000
    status, messages, has_output = link(tmp_path, made)
    assert (status, has_output) == (0, True)
    assert messages.count("owner-name") == 1


def test_many_unusual_symbols_in_a_table_with_a_long_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_sections = ObjectFile._own_sections

    def renamed(self: ObjectFile) -> list[Section]:
        sections = own_sections(self)
        sections[ObjectFile.SYMBOLS - 1].name = ".symtab" + "x" * 100_000
        return sections

    monkeypatch.setattr(ObjectFile, "_own_sections", renamed)
    made = ObjectFile()
    made.add_function("k", kernel=True)
    made.symbols += [(0, 1 << 4 | UNKNOWN_TYPE, IN_GLOBAL, 0, 0, 0)] * 30_000
    status, messages, _ = link(tmp_path, made)
    assert status == ERRORS
    assert messages.count("symbol-type") == 1
    assert "Undefined reference to ''" in messages


def test_many_variables_in_a_section_with_a_long_name(tmp_path: Path) -> None:
    made = ObjectFile()
    made.add_function("k", kernel=True)
    name = ".nv.shared.reserved." + "x" * (8 << 20)
    section = made.add_section(Section(name, RESERVED_SHARED, ALLOC | WRITE, size=4))
    for i in range(60_000):
        made.add_symbol(f"v{i}", VARIABLE, IN_RESERVED_SHARED, section, 4, 4)
    assert link(tmp_path, made) == (0, "", True)


@pytest.mark.parametrize("letter", "v9")
def test_a_long_prototype_that_differs_from_many(letter: str, tmp_path: Path) -> None:
    made = ObjectFile()
    made.add_function("k", kernel=True)
    function = made.add_function("f")
    pairs = words(function, made.strings.offset("#v" + letter * (8 << 20)))
    other = words(function, made.strings.offset("#i"))
    made.add_section(
        Section(".nv.prototype", PROTOTYPES, 0, pairs + other * 80_000, 3, entry_size=8)
    )
    status, messages, has_output = link(tmp_path, made)
    assert (status, has_output) == (FATAL, False)
    assert "Prototype doesn't match for 'f'" in messages


# --------------------------------------------------------------------------------------------------
# Pairs


def moved_down(content: bytes, distance: int) -> bytes:
    """The object with `distance` zeros after its header."""
    header = bytearray(content[:64])
    (start,) = struct.unpack_from("<Q", header, 40)
    struct.pack_into("<Q", header, 40, start + distance)
    table = bytearray(content[start:])
    for offset in range(64 + 24, len(table), 64):
        (place,) = struct.unpack_from("<Q", table, offset)
        struct.pack_into("<Q", table, offset, place + distance)
    return bytes(header) + bytes(distance) + content[64:start] + bytes(table)


def test_objects_that_begin_alike_and_conflict_in_many_names(tmp_path: Path) -> None:
    """The third object defines names of the first two in turn. The link compares the bytes of two
    objects once, not for each name."""
    count, paths = 20_000, []
    for number in range(3):
        made = ObjectFile()
        section = made.add_section(Section(".nv.global", GLOBAL, ALLOC | WRITE, size=8))
        for i in range(count):
            offsets = made.strings.offset(f"v{i}"), made.strings.offset(f"w{i}")
            offset = offsets[number < 2 and i % 2 != number]
            made.symbols.append((offset, 1 << 4 | VARIABLE, IN_GLOBAL, section, 0, 8))
        paths.append(tmp_path / f"{number}.cubin")
        paths[-1].write_bytes(moved_down(made.bytes(), 16 << 20))
    status, messages, has_output = link_files(tmp_path, *paths)
    assert (status, has_output) == (FATAL, False)
    assert "Multiple definition of 'v0'" in messages


def test_names_of_referrers_with_a_long_readable_form(tmp_path: Path) -> None:
    """Each undefined variable has three of four referrers. Their readable names have 17,000
    characters."""
    made = ObjectFile()
    made.add_function("k", kernel=True)
    missing = [made.add_symbol(f"u{i}", VARIABLE, IN_GLOBAL) for i in range(100_000)]
    pairs = "".join(f"ES0_IS{i}_S{i}_" for i in range(1, 10))
    for number in range(4):
        section = made.add_section(
            Section(f".nv.global.init.{number}", GLOBAL_INIT, ALLOC | WRITE, bytes(8))
        )
        made.add_symbol(f"_Z3qx{number}I1AIii{pairs}EEvv", VARIABLE, IN_GLOBAL, section, 0, 8)
        entries = (
            struct.pack("<QQ", 0, name << 32 | ABS32_LO_32)
            for i, name in enumerate(missing)
            if i % 4 != number
        )
        add_relocations(made, section, b"".join(entries))
    status, messages, _ = link(tmp_path, made)
    assert status == ERRORS
    assert "referenced by" in messages


def test_many_patterns_that_consist_of_the_same_pieces(tmp_path: Path) -> None:
    """Each name of a kernel contains each piece, but matches no pattern."""
    made, count = ObjectFile(), 20_000
    for i in range(count):
        made.add_function("ba" * 20 + f"k{i}x", kernel=True)
    source = random.Random(1)
    patterns = {"*" + "*".join(source.choices("ab", k=70)) + "*" for _ in range(count)}
    code = fat_binary(cubin_entry(made.write(tmp_path / "a.cubin")))
    host = HostObject(code, references={".nvHRKE": tuple(sorted(patterns))})
    (tmp_path / "a.o").write_bytes(host.write())
    status, messages, has_output = link_files(tmp_path, tmp_path / "a.o")
    assert (status, has_output) == (0, True)
    assert f"of {count} kernels are removed" in messages


def test_many_arguments_that_name_no_kernel(tmp_path: Path) -> None:
    made, count = ObjectFile(), 30_000
    for i in range(count):
        made.add_function(f"k{i}x", kernel=True)
    options = tmp_path / "options"
    options.write_text("".join(f"--kernels-used=z{i}\n" for i in range(count)))
    path = made.write(tmp_path / "a.cubin")
    status, messages, has_output = link_files(tmp_path, path, "--options-file", options)
    assert (status, has_output) == (0, True)
    assert "no kernel's name contains 'z0'" in messages
    assert "All kernels (30000) are removed" in messages


def test_more_textures_than_the_tables_of_many_kernels_can_have(tmp_path: Path) -> None:
    made = ObjectFile()
    textures = [made.add_symbol(f"t{i}", TEXTURE, 0) for i in range(16_000)]
    for i in range(3000):
        code = made.code_of(made.add_function(f"k{i}", kernel=True))
        bank = Section(f".nv.constant0.k{i}", CONSTANT0, ALLOC | INFO_LINK, bytes(4), info=code)
        made.add_section(bank)
        add_relocations(made, code, struct.pack("<QQ", 0, textures[0] << 32 | CONST_FIELD))
    status, messages, has_output = link(tmp_path, made)
    assert (status, has_output) == (FATAL, False)
    assert "More than 256 textures used in entry function 'k2999'" in messages
    assert "all 16000 textures" in messages


# --------------------------------------------------------------------------------------------------
# Archives


def header(name: str, size: int) -> bytes:
    return f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{size:<10}`\n".encode()


def archive_of_copies(content: bytes, count: int) -> bytes:
    """An archive whose members all have one name of 4,000 characters."""
    name = b"n" * 4000 + b"/\n"
    member = header("/0", len(content)) + content + b"\n" * (len(content) % 2)
    return b"!<arch>\n" + header("//", len(name)) + name + member * count


@pytest.mark.parametrize(
    "content, count, status",
    (
        pytest.param(b"This is a text.\n", 80_000, 0, id="texts"),
        pytest.param(fat_binary() * 200, 400, ERRORS, id="containers"),
    ),
)
def test_many_members_inside_archives_with_long_names(
    content: bytes, count: int, status: int, tmp_path: Path
) -> None:
    """The name of each member consists of seven names. A member can have hundreds of containers,
    each of which is an input with this name."""
    made = archive_of_copies(content, count)
    for _ in range(6):
        made = archive_of_copies(made, 1)
    (tmp_path / "libmany.a").write_bytes(made)
    assert link_files(tmp_path, tmp_path / "libmany.a")[0] == status


@pytest.mark.parametrize("size", (0, 8 << 20))
def test_a_thin_archive_of_one_file_again_and_again(size: int, tmp_path: Path) -> None:
    """The file is an archive of thousands of empty members, or it begins with a long comment."""
    count = 20_000
    members = b"!<arch>\n" + header("x.txt/", 0) * count
    (tmp_path / "file").write_bytes(b"// c\n" * (size // 5) + b"\x01" if size else members)
    thin = tmp_path / "libthin.a"
    thin.write_bytes(b"!<thin>\n" + header("file/", 0) * count)
    status, messages, has_output = link_files(tmp_path, thin)
    assert (status, has_output) == (FATAL, False)
    assert "its members name the same files again and again" in messages


def test_thin_archives_may_share_large_files(tmp_path: Path) -> None:
    """Each of two archives names a host object of 300 MB, most of it holes, that has no device
    code. Links of C++ programs have such archives."""
    shared = tmp_path / "shared.o"
    shared.write_bytes(HostObject(has_segment=False).write())
    os.truncate(shared, 300 << 20)
    archives = [tmp_path / name for name in ("libone.a", "libtwo.a", "libthree.a")]
    for thin in archives:
        thin.write_bytes(b"!<thin>\n" + header("shared.o/", 300 << 20))
    status, messages, has_output = link_files(tmp_path, PROGRAM, OTHER, *archives)
    assert (status, messages, has_output) == (0, "", True)
