"""Files for which cubintool could need hours or much memory, because they refer to the same bytes
again and again. Each run must end within seconds, whether or not the file can be used.

In the unlimited versions, the time grew at least with the square of the numbers used here."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from limited_link import limit_resources
from linking import BUILD
from object_file import (
    ABS32_LO_32,
    FUNCTION,
    IN_GLOBAL,
    INFO_LINK,
    PROGBITS,
    REL_TYPE,
    VARIABLE,
    ObjectFile,
    Section,
    record,
    words,
)

SECONDS, BYTES = 10, 3 << 30
KPARAM_INFO = 0x17
SECTION_SYMBOL = 3


def run(*words: str | Path) -> tuple[int, str]:
    """Returns the status and the messages."""
    done = subprocess.run(
        [BUILD / "cubintool", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=20 * SECONDS,
        preexec_fn=lambda: limit_resources(SECONDS, BYTES),
        check=False,
    )
    return done.returncode, done.stderr.decode()


def with_names(path: Path, *names: str) -> Path:
    made = ObjectFile()
    made.add_function("k", kernel=True)
    for name in names:
        made.add_symbol(name, FUNCTION, 0)
    return made.write(path)


# Names --------------------------------------------------------------------------------------------

MANGLED = {
    "a substitution for a long text": f"_Z1fN300000{'a' * 300000}1aEN{'S0_' * 200_000}E",
    "millions of parts that are not shown": f"_RMIC1a{'C1a' * 1_500_000}EyC1b",
    "nested conversions": f"_Zcv{'T_I' * 60}i{'E' * 60}v",
}


@pytest.mark.parametrize("kind", MANGLED)
def test_a_mangled_name(kind: str, tmp_path: Path) -> None:
    assert run("symbols", with_names(tmp_path / "a.cubin", MANGLED[kind])) == (0, "")


def doubling_rust_name(number: int) -> str:
    """A name whose readable form has back references, each to a type with two back references."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name, last = f"IC7_x{number:06}", ""
    for _ in range(13):
        place = len(name) - 1
        name += f"TB{last}B{last}E" if last else "TyyE"
        last = (digits[place // 62] if place >= 62 else "") + digits[place % 62] + "_"
    return f"_R{name}E"


def test_many_names_with_long_readable_forms(tmp_path: Path) -> None:
    path = with_names(tmp_path / "a.cubin", *(doubling_rust_name(i) for i in range(60_000)))
    assert run("symbols", path) == (0, "")


# Labels -------------------------------------------------------------------------------------------


def test_many_references_to_a_long_name(tmp_path: Path) -> None:
    made = ObjectFile()
    function = made.add_function("k", kernel=True)
    variable = made.add_symbol("v" * 1_000_000, VARIABLE, IN_GLOBAL)
    entries = struct.pack("<QQ", 0, variable << 32 | ABS32_LO_32) * 100_000
    code = made.code_of(function)
    made.add_section(
        Section(".rel.text.k", REL_TYPE, INFO_LINK, entries, 3, code, align=8, entry_size=16)
    )
    path = made.write(tmp_path / "a.cubin")
    status, messages = run("dump", path)
    assert status == 2 and "refers to long names so often" in messages
    for command in ("symbols", "resources", "size", "graph"):
        assert run(command, path) == (0, "")
    assert run("diff", "--bytes", path, with_names(tmp_path / "b.cubin"))[0] == 2


def test_many_references_to_a_name_with_a_long_readable_form(tmp_path: Path) -> None:
    """The readable form has 9 KB: each parameter contains the type of the last one twice."""
    made = ObjectFile()
    function = made.add_function("k", kernel=True)
    name = "_Z1f1AIiiE" + "".join(f"S_IS{digit}_S{digit}_E" for digit in "01234567")
    other = made.add_symbol(name, FUNCTION, 0)
    entries = struct.pack("<QQ", 0, other << 32 | ABS32_LO_32) * 200_000
    code = made.code_of(function)
    made.add_section(
        Section(".rel.text.k", REL_TYPE, INFO_LINK, entries, 3, code, align=8, entry_size=16)
    )
    status, messages = run("dump", made.write(tmp_path / "a.cubin"))
    assert status == 0 and "names remain mangled" in messages


def test_many_symbols_of_a_section_with_a_long_name(tmp_path: Path) -> None:
    made = ObjectFile()
    made.add_function("k", kernel=True)
    section = made.add_section(Section(".debug_" + "n" * 1_000_000, PROGBITS, data=b"x"))
    for _ in range(100_000):
        made.add_symbol("", SECTION_SYMBOL, 0, section)
    status, messages = run("symbols", made.write(tmp_path / "a.cubin"))
    assert status == 2 and "refers to long names so often" in messages


def test_many_violations_in_a_section_with_a_long_name(tmp_path: Path) -> None:
    made = ObjectFile()
    function = made.add_function("k", kernel=True)
    entries = struct.pack("<QQ", 64, ABS32_LO_32) * 100_000
    name, code = ".rel.text." + "n" * 1_000_000, made.code_of(function)
    made.add_section(Section(name, REL_TYPE, INFO_LINK, entries, 3, code, align=8, entry_size=16))
    path = made.write(tmp_path / "a.cubin")
    assert run("verify", path) == (1, "")
    assert run("verify", "--json", path) == (1, "")


# Archives -----------------------------------------------------------------------------------------


def test_an_archive_in_an_archive_to_a_depth_of_100_000(tmp_path: Path) -> None:
    depth = 100_000
    header = "{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n"
    content = bytearray(b"!<arch>\n")
    for level in range(depth, 0, -1):
        content += header.format("aaaaaaaaaaaaa/", 0, 0, 0, 644, 68 * level - 60).encode()
        content += b"!<arch>\n"
    path = tmp_path / "a.a"
    path.write_bytes(content)
    status, messages = run("list", path)
    assert status == 2 and "the names of its members are far too long in all" in messages


# Debug information and attributes -----------------------------------------------------------------


def unit(entries: bytes, abbreviations: int = 0) -> bytes:
    return struct.pack("<IHIB", len(entries) + 7, 2, abbreviations, 8) + entries


# Code, tag, children, then attributes and forms: a function whose name is in .debug_str, one with
# its own name, a parameter, and a type whose name is in .debug_str.
ABBREVIATIONS = bytes(
    (1, 0x2E, 0, 3, 0xE, 0, 0)
    + (2, 0x2E, 1, 3, 8, 0, 0)
    + (3, 5, 0, 0x49, 0x13, 0, 0)
    + (4, 0x24, 0, 3, 0xE, 0, 0, 0)
)


def explain(folder: Path, info: bytes, abbreviations: bytes, strings: bytes) -> int:
    made = ObjectFile()
    made.add_function("k", kernel=True)
    for name, data in (("info", info), ("abbrev", abbreviations), ("str", strings)):
        made.add_section(Section(f".debug_{name}", PROGBITS, data=data, align=1))
    return run("explain", made.write(folder / "a.cubin"), "k")[0]


def test_many_references_to_one_debug_string(tmp_path: Path) -> None:
    count = 400_000
    info = unit((b"\1" + bytes(4)) * count)
    assert explain(tmp_path, info, ABBREVIATIONS, b"a" * (20 * count) + b"\0") == 0


def test_many_parameters_of_a_type_with_a_long_name(tmp_path: Path) -> None:
    count = 40_000
    parameter = b"\3" + struct.pack("<I", 11 + 3 + 5 * count)
    info = unit(b"\2k\0" + parameter * count + b"\4" + bytes(4))
    assert explain(tmp_path, info, ABBREVIATIONS, b"a" * 2_000_000 + b"\0") == 0


def test_many_units_with_an_endless_number(tmp_path: Path) -> None:
    info = b"".join(unit(b"", number % 2) for number in range(200_000))
    assert explain(tmp_path, info, b"\x80" * 2_000_000, b"\0") == 0


def test_many_parameters_of_one_ordinal(tmp_path: Path) -> None:
    made = ObjectFile()
    function = made.add_function("k", kernel=True)
    made.add_attributes(function, record(KPARAM_INFO, words(0, 0xFFFF, 0)) * 400_000)
    assert run("explain", made.write(tmp_path / "a.cubin"), "k")[0] == 0


def test_many_sections_of_call_frames(tmp_path: Path) -> None:
    made = ObjectFile()
    made.add_function("k", kernel=True)
    for _ in range(60_000):
        made.add_section(Section(".debug_frame", PROGBITS, align=1))
    path = made.write(tmp_path / "a.cubin")
    made.add_symbol("x", FUNCTION, 0)
    assert run("diff", path, made.write(tmp_path / "b.cubin"))[0] == 1
