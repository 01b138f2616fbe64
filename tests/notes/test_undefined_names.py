"""The notes below the message about an undefined name list the functions that refer to the name,
and possible causes."""

from __future__ import annotations

from pathlib import Path

import pytest
from container_files import (
    EM_AARCH64,
    PTX,
    Entry,
    HostObject,
    archive,
    cubin_entry,
    fat_binary,
)
from cubin import read_cubin
from note_link import DATA, ERRORS, data, link, link_golden

CALLS, DEFINES = data("calls_missing"), data("defines_missing")
UNDEFINED = "Undefined reference to '_Z7missingi'"


def nowhere(name: str, target: str = "sm_80") -> str:
    """The text of the note about a name that no input defines."""
    return (
        f"no input defines '{name}'; add the object or library that does, compiled with "
        f"-rdc=true for {target}"
    )


def nowhere_and(more: int, name: str, target: str = "sm_80") -> str:
    """The text of the note about `name` and `more` further names that no input defines."""
    return (
        f"no input defines '{name}' and {more} more; add the objects or libraries that do, "
        f"compiled with -rdc=true for {target}"
    )


def place(kernel: int) -> str:
    return f"referenced by '_Z7kernel{kernel}v' in 'calls_missing.cubin'"


@pytest.fixture
def calls(tmp_path: Path) -> str:
    (tmp_path / "calls_missing.cubin").write_bytes(CALLS.read_bytes())
    return "calls_missing.cubin"


def notes(folder: Path, *words: object) -> list[str]:
    outcome = link(folder, *words)
    assert outcome.status == ERRORS
    return outcome.find(UNDEFINED).notes


# Who refers to it ---------------------------------------------------------------------------------


def test_the_first_three_places_and_how_many_more(tmp_path: Path, calls: str) -> None:
    """Each kernel calls the function twice, but is listed once. The last kernel is listed first,
    because ptxas writes its code first."""
    assert notes(tmp_path, calls) == [
        "'_Z7missingi' is 'missing(int)'",
        place(4),
        place(3),
        place(2),
        "... and 1 more",
        nowhere("_Z7missingi"),
    ]


def test_places_in_several_inputs(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "undefined-reference")
    assert outcome.find("'missing'").notes == [
        f"referenced by 'kernel_{x}' in '{x}.cubin'" for x in "ab"
    ]
    assert outcome.find("'missing_too'").text.endswith("in 'b.cubin'")
    assert outcome.find("'missing_too'").notes[1:] == [nowhere_and(1, "missing")]


def test_a_variable_that_refers_to_it(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "undefined-variable")
    assert outcome.find("'missing_in_data'").notes == [
        "referenced by 'table' in 'b.cubin' (section .nv.global.init)",
        nowhere_and(3, "missing_global", "sm_90"),
    ]


def test_bytes_that_belong_to_no_variable(tmp_path: Path) -> None:
    cubin = read_cubin(DATA.parents[1] / "golden" / "undefined-variable" / "b.cubin")
    cubin.symbols[cubin.symbol_index("table")].size = 0
    (tmp_path / "x.cubin").write_bytes(cubin.write())
    outcome = link(tmp_path, "x.cubin", architecture="sm_90")
    assert outcome.find("'missing_in_data'").notes == [
        "referenced in 'x.cubin' (section .nv.global.init)",
        nowhere("missing_in_data", "sm_90"),
    ]


def test_removed_functions_need_variables_but_no_functions(tmp_path: Path) -> None:
    caller = data("dead_caller")
    outcome = link(tmp_path, caller)
    assert outcome.find("'missing'").notes == [f"referenced by 'live' in '{caller}'"]
    assert outcome.find("'missing_data'").notes == [
        f"referenced by 'dead' in '{caller}'",
        nowhere_and(1, "missing"),
    ]


# Defined, but not for this target -----------------------------------------------------------------


def test_defined_for_another_target(tmp_path: Path, calls: str) -> None:
    code = fat_binary(cubin_entry(data("defines_missing", "sm_90")))
    (tmp_path / "x.o").write_bytes(HostObject(code).write())
    assert (
        notes(tmp_path, calls, "x.o")[-1]
        == "defined in 'x.o' for sm_90 only; compile it for sm_80, too"
    )


def test_defined_for_several_targets_in_an_archive(tmp_path: Path, calls: str) -> None:
    """There is no warning for a member of an archive that has no code for the target, but there is
    one for a library in which no member has such code."""
    images = (cubin_entry(data("defines_missing", a)) for a in ("sm_86", "sm_90"))
    (tmp_path / "libx.a").write_bytes(archive({"y.o": HostObject(fat_binary(*images)).write()}))
    outcome = link(tmp_path, calls, "-L.", "-lx")
    warning, error = outcome.messages
    assert warning.text == "SM Arch ('sm_80') not found in './libx.a'"
    assert error.notes[-2:] == [
        "defined in './libx.a:y.o' for sm_86, sm_90 only; compile it for sm_80, too",
        "'./libx.a:y.o' contains device code, but none for 'sm_80'",
    ]


def test_defined_beside_the_image_that_was_taken(tmp_path: Path, calls: str) -> None:
    other = cubin_entry(data("address_taken"))
    code = fat_binary(other, cubin_entry(data("defines_missing", "sm_90")))
    (tmp_path / "x.fatbin").write_bytes(code)
    assert (
        notes(tmp_path, calls, "x.fatbin")[-1]
        == "defined in 'x.fatbin' for sm_90 only; compile it for sm_80, too"
    )


def test_defined_in_a_packed_image(tmp_path: Path, calls: str) -> None:
    found = notes(tmp_path, calls, DATA / "packed.fatbin")
    assert (
        found[-1]
        == f"defined in '{DATA / 'packed.fatbin'}' for sm_86 only; compile it for sm_80, too"
    )


TEXT = b"""
.version 9.0
.target sm_90
.address_size 64
// _Z7missingi
.visible .func other(.param .b32 p0) { call _Z7missingi, (p0); ret; }
.visible .global .align 8 .u64 table = _Z7missingi;
.extern .func _Z7missingi(.param .b32 p0);
"""
DEFINITION = b".visible .func _Z7missingi(.param .b32 p0)\n{ ret; }\n"


@pytest.mark.parametrize("is_defined", (False, True))
def test_defined_in_text_for_another_target(is_defined: bool, tmp_path: Path, calls: str) -> None:
    """A note names a file whose PTX defines the name, but not a file whose PTX only refers to
    it."""
    entry = Entry(PTX, 90, TEXT + DEFINITION * is_defined)
    (tmp_path / "x.o").write_bytes(HostObject(fat_binary(entry)).write())
    found = notes(tmp_path, calls, "x.o")
    expected = "defined in 'x.o' for compute_90 only; compile it for sm_80, too"
    assert (expected in found) == is_defined


def test_a_damaged_image_that_nobody_wants_is_passed_over(tmp_path: Path, calls: str) -> None:
    content = fat_binary(cubin_entry(data("defines_missing", "sm_90")))
    good = len(content) - len(data("defines_missing", "sm_90").read_bytes())
    (tmp_path / "x.fatbin").write_bytes(content[: good + 40] + b"\xff" * (len(content) - good - 40))
    assert not any("defined in" in note for note in notes(tmp_path, calls, "x.fatbin"))


def test_defined_but_static(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "static-function-is-not-visible-elsewhere")
    (message,) = outcome.messages
    static = "'b.cubin' defines it as static, so it is invisible to other inputs"
    assert message.notes[-1] == f"{static}; define it without static"


# What else may be the cause -----------------------------------------------------------------------


def test_a_library_that_is_nowhere(tmp_path: Path, calls: str) -> None:
    words = ("-L.", "-lfoo", "-lbar,foo")
    assert notes(tmp_path, calls, *words)[-2:] == [
        "libfoo.a was not found for -lfoo",
        "libbar.a was not found for -lbar",
    ]
    assert link(tmp_path, CALLS, DEFINES, *words).text == ""


def test_a_library_for_another_host(tmp_path: Path, calls: str) -> None:
    """The library was found, so no note says that it is missing."""
    host = HostObject(fat_binary(cubin_entry(DEFINES)), machine=EM_AARCH64)
    (tmp_path / "libarm.a").write_bytes(archive({"a.o": host.write()}))
    found = notes(tmp_path, calls, "-cpu-arch=X86_64", "-L.", "-larm", "-lfoo")
    assert found[-2:] == [
        "libfoo.a was not found for -lfoo",
        "'./libarm.a' was not linked for -larm: its objects are for AArch64 hosts",
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive", "it is not an archive"),
        (archive({"a.txt": b"text"}), "its first member is neither an object nor device code"),
    ],
)
def test_a_library_without_objects(content: bytes, reason: str, tmp_path: Path, calls: str) -> None:
    (tmp_path / "libx.a").write_bytes(content)
    found = notes(tmp_path, calls, "-L.", "-lx")
    assert found[-1] == f"'./libx.a' was not linked for -lx: {reason}"


def test_an_archive_that_a_shared_library_hides(tmp_path: Path, calls: str) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    for name in ("one/libfoo.so", "two/libfoo.a", "one/libbar.so"):
        (tmp_path / name).write_bytes(b"")
    assert notes(tmp_path, calls, "-Lone,two", "-lfoo,bar")[-1:] == [
        "'two/libfoo.a' was not linked: -lfoo finds the shared library 'one/libfoo.so', "
        "which hides it"
    ]


def test_many_libraries_that_are_nowhere(tmp_path: Path, calls: str) -> None:
    found = notes(tmp_path, calls, *(f"-lnone{i}" for i in range(14)))
    assert sum("was not found for" in note for note in found) == 10
    assert found[-1] == "... and 4 more libraries"


def test_inputs_without_device_code(tmp_path: Path, calls: str) -> None:
    (tmp_path / "host.o").write_bytes(HostObject(has_segment=False).write())
    (tmp_path / "libhost.a").write_bytes(archive({"a.o": HostObject(has_segment=False).write()}))
    assert notes(tmp_path, calls, "host.o", "-L.", "-lhost")[-2:] == [
        "'host.o' contains no relocatable device code",
        "'./libhost.a' contains no relocatable device code",
    ]
    assert link(tmp_path, CALLS, DEFINES, "host.o").text == ""


def test_many_inputs_without_device_code(tmp_path: Path, calls: str) -> None:
    names = [f"host{i}.o" for i in range(13)]
    for name in names:
        (tmp_path / name).write_bytes(HostObject(has_segment=False).write())
    found = notes(tmp_path, calls, *names)
    assert sum("no relocatable device code" in note for note in found) == 10
    assert found[-1] == "... and 3 more inputs"


# Names --------------------------------------------------------------------------------------------


def renamed(folder: Path, name: str) -> str:
    cubin = read_cubin(CALLS)
    cubin.symbols[cubin.symbol_index("_Z7missingi")].name = name
    (folder / "renamed.cubin").write_bytes(cubin.write())
    return "renamed.cubin"


HOSTILE = {
    "not-mangled-at-all": "_Z7missing",
    "deep": "_Z1f" + "P" * 1000 + "i",
    "deeper": "_Z1f" + "P" * 100000 + "i",
    # Each template argument doubles the length of the readable name.
    "bomb": "_Z1fI1AIiiE" + "".join(f"S1_IS{c}_S{c}_E" for c in "0123456789ABCDEFGHIJ") + "Evv",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_names_that_no_compiler_writes(kind: str, tmp_path: Path) -> None:
    name = HOSTILE[kind]
    outcome = link(tmp_path, renamed(tmp_path, name))
    assert outcome.status == ERRORS
    found = outcome.find(f"Undefined reference to '{name}'").notes
    assert sum(note.startswith("referenced by") for note in found) == 3
    assert len(outcome.text) < len(name) + 10000


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    outcome = link(tmp_path, renamed(tmp_path, "_Z7miss\x1b\x01gi"))
    assert outcome.status == ERRORS
    assert outcome.find(r"'_Z7miss\x1b\x01gi'").notes[-4].startswith("referenced by")


@pytest.mark.parametrize("demangle", (False, True))
def test_a_caller_whose_name_is_no_text(demangle: bool, tmp_path: Path) -> None:
    """The note does not name the section, which repeats the name of the function."""
    content = CALLS.read_bytes().replace(b"_Z7kernel2v", b"_Z7ker\x1b\x01l2v")
    (tmp_path / "x.cubin").write_bytes(content)
    found = link(tmp_path, "x.cubin", demangle=demangle).find("Undefined reference").notes
    name = r"ker\x1b\x01l2()" if demangle else r"_Z7ker\x1b\x01l2v"
    assert f"referenced by '{name}' in 'x.cubin'" in found


@pytest.mark.parametrize("demangle", (False, True))
def test_an_escape_is_no_part_of_a_mangled_name(demangle: bool, tmp_path: Path) -> None:
    """Otherwise the name would be read as the function "a\\x"."""
    outcome = link(tmp_path, renamed(tmp_path, "_Z3a\x1bbbi"), demangle=demangle)
    assert r"Undefined reference to '_Z3a\x1bbbi'" in outcome.text
    assert r"a\x(" not in outcome.text


def test_a_readable_name_can_be_safe_if_the_name_is_not(tmp_path: Path) -> None:
    """Each identifier that begins with _GLOBAL__N has the same readable form."""
    outcome = link(tmp_path, renamed(tmp_path, "_ZN12_GLOBAL__N_\x1b1fEv"))
    assert r"'_ZN12_GLOBAL__N_\x1b1fEv'" in outcome.text and "\x1b" not in outcome.text
