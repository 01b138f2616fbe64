"""Files whose names may make a linker use much time or memory: names of symbols, and of members of
archives. Only the file with a name of 100 MB is larger than 13 MB. Each link must end within
seconds and use at most 2 GB of memory, whether or not it succeeds."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from pathlib import Path

from limited_link import ERRORS, FATAL, assert_links, assert_refused, link, link_files
from object_file import (
    ABS32_LO_32,
    ALLOC,
    EXECUTE,
    FUNCTION,
    GLOBAL_BINDING,
    GLOBAL_INIT,
    IN_GLOBAL,
    IN_SHARED,
    INFO_LINK,
    KERNEL,
    PROGBITS,
    REL,
    REL_TYPE,
    VARIABLE,
    WRITE,
    ObjectFile,
    Section,
    functions,
)

LONGEST_NAME = 1 << 16


# --------------------------------------------------------------------------------------------------
# Names


def test_a_name_of_megabytes(tmp_path: Path) -> None:
    made = ObjectFile()
    made.add_function("k" * (3 << 20), kernel=True)
    assert_links(tmp_path, made)
    (tmp_path / "output.cubin").unlink()
    made.add_symbol("u" * (3 << 20), VARIABLE, IN_GLOBAL)
    assert_refused(tmp_path, ERRORS, "Undefined reference to 'uuuu", made)


def test_a_name_of_100_megabytes(tmp_path: Path) -> None:
    """The message leaves out the middle of the name."""
    made, (kernel,), _ = functions(1, 0)
    name = made.add_symbol("'\x01_Z" + "u" * 100_000_000, VARIABLE, IN_GLOBAL)
    entries = struct.pack("<QQ", 0, name << 32 | ABS32_LO_32)
    code = made.code_of(kernel)
    made.add_section(
        Section(".rel.x", REL_TYPE, INFO_LINK, entries, 3, code, align=8, entry_size=16)
    )
    path = made.write(tmp_path / "a.cubin")
    for form in ("text", "json", "sarif"):
        found, messages, _ = link_files(tmp_path, path, f"--diagnostics-format={form}")
        assert found == ERRORS and len(messages) < 10000
        assert re.search(r"Undefined reference to ''\\+x01_Zuuu", messages)
        assert "uuu [...] uuu" in messages
        assert "referenced by" in messages


def with_long_names(offsets: Sequence[int]) -> ObjectFile:
    """An object with kernels whose names are suffixes of one string of 64 KB. The names start
    at `offsets` in the string table."""
    made = ObjectFile()
    made.strings.data = bytearray(b"\0" + b"n" * LONGEST_NAME + b"\0")
    for offset in offsets:
        symbol = len(made.symbols) + 1
        section = made.add_section(
            Section(".text.n", PROGBITS, ALLOC | EXECUTE, bytes(16), 3, symbol, align=16)
        )
        made.symbols.append((offset, GLOBAL_BINDING << 4 | FUNCTION, KERNEL, section, 0, 16))
    return made


def test_names_that_are_parts_of_one_another(tmp_path: Path) -> None:
    """The sum of the names' lengths is 650 MB."""
    made = with_long_names(range(1, 60001, 3))
    assert_refused(tmp_path, FATAL, "(names-total)", made)


def test_names_that_use_up_what_is_allowed(tmp_path: Path) -> None:
    """The lengths of all names may add up to four times the size of the file. Here the lengths of
    the first names add up to exactly this limit, and those of all names to 4 GB."""
    count = 65000
    left = 4 * len(with_long_names([1] * count).bytes())
    offsets: list[int] = []
    while len(offsets) < count:
        size = min(LONGEST_NAME + 1, left) or LONGEST_NAME + 1
        offsets.append(LONGEST_NAME + 2 - size)
        left -= min(size, left)
    assert_refused(tmp_path, FATAL, "(names-total)", with_long_names(offsets))


def test_long_names_in_many_messages(tmp_path: Path) -> None:
    """The input has 20,000 faults. The message about each shows a name of 100 KB."""
    made = ObjectFile()
    variable = made.add_symbol("n" * 100000, VARIABLE, IN_SHARED)
    function = made.add_function("k", kernel=True)
    entries = REL.pack(0, 40, variable) * 20000
    code = made.code_of(function)
    made.add_section(
        Section(".rel.text.k", REL_TYPE, INFO_LINK, entries, 3, code, align=8, entry_size=16)
    )
    status, messages, has_output = link(tmp_path, made)
    assert status == FATAL
    assert not has_output
    assert len(messages) < 70 << 20
    assert "further messages are not shown" in messages


def test_many_undefined_names(tmp_path: Path) -> None:
    """Each message about an undefined name has notes that list the references. The linker visits
    all references once, not once for each name."""
    count = 30000
    made, (kernel,), _ = functions(1, 0)
    texts = [f"_Z{len(str(i)) + 1}v{i}i" for i in range(count)]
    names = [made.add_symbol(text, VARIABLE, IN_GLOBAL) for text in texts]
    data = Section(".nv.global.init", GLOBAL_INIT, ALLOC | WRITE, bytes(8 * count))
    table = made.add_section(data)
    for i in range(count):
        made.add_symbol(f"table{i}", VARIABLE, IN_GLOBAL, table, 8 * i, 8)
    for place, size in ((table, 8 * count), (made.code_of(kernel), 16)):
        entries = b"".join(
            struct.pack("<QQ", 8 * i % size, name << 32 | ABS32_LO_32)
            for i, name in enumerate(names)
        )
        made.add_section(
            Section(".rel.x", REL_TYPE, INFO_LINK, entries, 3, place, align=8, entry_size=16)
        )
    path = made.write(tmp_path / "input0.cubin")
    found, messages, _ = link_files(tmp_path, path, "--error-limit=0", "--no-demangle")
    assert found == ERRORS, messages[:1000]
    assert messages.count(" error ") == messages.count("' is 'v") == count
    assert messages.count(" note    : referenced by") == 2 * count


# --------------------------------------------------------------------------------------------------
# Archives


def archive_of_empty_members(folder: Path, long_names: bytes, count: int) -> Path:
    """An archive with `count` empty members. All have the same name: the first one in the table of
    long names."""

    def header(name: str, size: int) -> bytes:
        return f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{size:<10}`\n".encode()

    table = header("//", len(long_names)) + long_names
    path = folder / "libmany.a"
    path.write_bytes(b"!<arch>\n" + table + header("/0", 0) * count)
    return path


def test_a_table_of_long_names_without_an_end(tmp_path: Path) -> None:
    """All 70,000 members have the same name, which does not end within the 4 MB of the table. A
    linker that searched the 4 MB again for each member would take too long."""
    found = link_files(tmp_path, archive_of_empty_members(tmp_path, b"n" * (4 << 20), 70000))
    assert found[0] == FATAL
    assert "the name of a member is damaged" in found[1]


def test_many_members_of_one_long_name(tmp_path: Path) -> None:
    """The link causes 100,000 warnings, each with a name of 4 KB. The command shows 64 MB of them,
    and keeps none in memory."""
    made, _, _ = functions(1, 0)
    kernel = made.write(tmp_path / "k.cubin")
    members = archive_of_empty_members(tmp_path, b"n" * 4096 + b"/\n", 100000)
    status, messages, has_output = link_files(tmp_path, "--stats", kernel, members)
    assert (status, has_output) == (0, True)
    assert len(messages) < 70 << 20
    assert int(messages.rsplit("bytes of memory", 1)[1].split()[0]) < 1 << 20


def test_a_member_whose_name_consists_of_colons(tmp_path: Path) -> None:
    """In JSON, the name of an input is split into the file and the member. The command must not
    look for a file at each of the 4,000 colons in the name, for each of the messages."""
    made, _, _ = functions(1, 0)
    kernel = made.write(tmp_path / "k.cubin")
    members = archive_of_empty_members(tmp_path, b":" * 4000 + b"/\n", 5000)
    status, messages, has_output = link_files(
        tmp_path, "--diagnostics-format=json", kernel, members
    )
    assert (status, has_output) == (0, True)
    assert json.loads(messages.splitlines()[0])["input"] == str(members)
