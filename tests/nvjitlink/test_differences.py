"""Tests the answers in which our libraries deliberately differ from NVIDIA's. docs/nvjitlink.md
lists these answers."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest
from library import ANY, ARCH, CUBIN, DATA, LIBRARY, OBJECT, PTX, Library, Link, ours

NULL_INPUT, INVALID, INTERNAL, INCOMPATIBLE = 10, 3, 6, 11


@pytest.fixture(params=(12, 13))
def library(request: pytest.FixtureRequest) -> Library:
    return Library(ours(request.param))


def code(library: Library, of_13: int) -> int:
    """The result code that this library returns where release 13 returns `of_13`."""
    return INVALID if library.version()[0] == 12 and of_13 in (10, 11, 12) else of_13


def cubins(library: Library) -> tuple[str, str]:
    folder = "older/" if library.version()[0] == 12 else ""
    return f"{folder}calls.cubin", f"{folder}defines.cubin"


def test_null_data_is_refused(library: Library) -> None:
    link = Link(library, ARCH)
    assert link.add(CUBIN, None, size=10) == INVALID
    assert link.complete() == 0


def test_a_null_option_is_refused(library: Library) -> None:
    array = (ctypes.c_char_p * 2)(ARCH.encode(), None)
    handle = ctypes.c_void_p()
    result = library["Create"](ctypes.byref(handle), ctypes.c_uint32(2), array)
    assert result == code(library, NULL_INPUT)
    assert library["Destroy"](ctypes.byref(handle)) == 0


def test_damaged_cubins_are_refused(library: Library) -> None:
    name = cubins(library)[1]
    whole = (DATA / name).read_bytes()
    link = Link(library, ARCH)
    for size in range(64, len(whole), 97):
        assert link.add(CUBIN, whole[:size]) == INVALID, size
    assert "malformed cubin ELF" in link.errors
    assert link.add(CUBIN, whole) == 0
    assert link.complete() == 0


def test_damaged_objects_are_refused(library: Library) -> None:
    link = Link(library, ARCH)
    assert link.add(OBJECT, (DATA / "defines.o").read_bytes()[:3000], "half.o") == INVALID
    assert "it may be cut off: half.o" in link.errors


def test_damaged_libraries_are_refused(library: Library) -> None:
    link = Link(library, ARCH)
    assert link.add(LIBRARY, (DATA / "libdefines.a").read_bytes()[:3000], "half.a") == INTERNAL
    assert link.errors == "ERROR 1: library processing:half.a\n"


def test_multiple_definitions_fail(library: Library) -> None:
    link = Link(library, ARCH)
    defines = (DATA / cubins(library)[1]).read_bytes()
    assert [link.add(CUBIN, defines, name) for name in ("first", "second")] == [0, 0]
    assert link.complete() == INTERNAL
    message = "Multiple definition of '_Z7definedi' in 'second', first defined in 'first'"
    assert link.errors.startswith(f"error   : {message}\n")
    assert link.cubin == b""


@pytest.mark.parametrize("option", ("-foo", "-ptx", "-arch=compute_90"))
def test_refused_handles_answer(library: Library, option: str) -> None:
    link = Link(library, option, *([ARCH] if "arch" not in option else []))
    assert link.created
    before = link.errors
    expected = code(library, INCOMPATIBLE) if option != "-foo" else INTERNAL
    assert link.add(CUBIN, cubins(library)[1]) == expected
    assert link.complete() == link.created
    assert link.errors == before
    assert link.destroy() == 0


def test_destroyed_handles_are_recognized(library: Library) -> None:
    link = Link(library, ARCH)
    copy = ctypes.c_void_p(link.handle.value)
    assert link.destroy() == 0
    expected = code(library, NULL_INPUT)
    assert library["Complete"](copy) == expected
    assert library["AddData"](copy, CUBIN, b"x", ctypes.c_size_t(1), b"n") == expected
    assert library["Destroy"](ctypes.byref(copy)) == expected


def test_inputs_after_completion_are_refused(library: Library) -> None:
    link = Link(library, ARCH)
    assert link.complete() == 0
    for kind, name in ((CUBIN, cubins(library)[0]), (OBJECT, "defines.ptx")):
        assert link.add(kind, name, "late") == INTERNAL
    assert link.errors == 2 * "ERROR 1: empty elfw when adding cubinlate\n"


def test_odd_targets_are_refused() -> None:
    link = Link(Library(ours(13)), "-arch=sm_9x")
    assert link.created == 16
    assert "unrecognized architecture (compute_9)" in link.errors


def test_names_are_copied(library: Library) -> None:
    link = Link(library, ARCH)
    name = ctypes.create_string_buffer(b"a name of the caller")
    data = (DATA / cubins(library)[0]).read_bytes()
    library["AddData"](link.handle, CUBIN, data, ctypes.c_size_t(len(data)), name)
    ctypes.memset(name, ord("x"), 20)
    assert link.complete() == INTERNAL
    assert "in 'a name of the caller'" in link.errors


def test_text_ends_at_its_size(library: Library) -> None:
    """PTX ends where its size says. NVIDIA's libraries read on until a NUL."""
    head = b".version 8.0\n.target sm_90\n.address_size 64\n"
    link = Link(library, ARCH)
    assert link.add(PTX, head + b"bad!\0", size=len(head)) in (0, 4)
    assert "bad" not in link.errors


def test_the_last_line_of_errors_is_the_same(library: Library) -> None:
    """After a refused input, the last line of the error log has the number 9. After some inputs,
    NVIDIA's library writes another number, or reports no error at all."""
    link = Link(library, ARCH)
    assert link.add(CUBIN, cubins(library)[0]) == 0
    assert link.add(ANY, "defines.text100.fatbin") == INVALID
    assert link.complete() == INTERNAL
    last = "complete" if library.version()[0] == 13 else "finish"
    assert link.errors.endswith(f"ERROR 9: {last}\n")


def test_text_that_does_not_compile_leaves_its_number(library: Library) -> None:
    """If PTX did not compile, the last line of the error log has the number of that error. The link
    here also has an undefined reference, for which NVIDIA's 12.9 returns 0."""
    link = Link(library, ARCH)
    assert link.add(PTX, "broken.ptx") == 4
    assert link.add(CUBIN, cubins(library)[0]) == 0
    assert link.complete() == INTERNAL
    last = "complete" if library.version()[0] == 13 else "finish"
    assert link.errors.endswith(f"ERROR 1: {last}\n")


GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def link_of_golden(folder: str, *names: str, arch: str = ARCH) -> Link:
    link = Link(Library(ours(13)), arch)
    assert [link.add_file(CUBIN, str(GOLDEN / folder / name)) for name in names] == [0] * len(names)
    return link


def test_broken_limits_leave_no_output() -> None:
    folder = "too-much-shared-memory"
    link = link_of_golden(folder, "a.cubin", arch=architecture_of(folder))
    assert link.complete() == INTERNAL
    assert "uses too much shared data" in link.errors
    assert link.errors.endswith("ERROR 9: complete\n")
    assert link.cubin == b""


def architecture_of(folder: str) -> str:
    """The architecture of a golden input, as an option. In ABI version 8, bits 8 to 23 of e_flags
    are the number of the SM."""
    flags = (GOLDEN / folder / "a.cubin").read_bytes()[48:52]
    return f"-arch=sm_{int.from_bytes(flags, 'little') >> 8 & 0xffff}"


def test_undefined_variables_have_no_address(tmp_path: Path) -> None:
    link = link_of_golden("undefined-variable", "a.cubin")
    assert link.complete() == INTERNAL
    (tmp_path / "linked.cubin").write_bytes(link.cubin)
    command: list[str | Path] = ["readelf", "-sW", tmp_path / "linked.cubin"]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (line,) = (line for line in symbols.splitlines() if line.endswith(" missing_global"))
    assert line.split()[1] == 16 * "0"


def test_warnings_are_in_the_info_log() -> None:
    folder = "whole-programs-with-other-objects"
    names = sorted(path.name for path in (GOLDEN / folder).glob("[a-z].cubin"))
    link = link_of_golden(folder, *names, arch=architecture_of(folder))
    assert link.complete() == 0
    assert "a.cubin': -ewp compiled objects should only link with" in link.infos


def test_objects_of_cuda_13_give_an_output_of_cuda_13() -> None:
    for names, abi in ((("older/calls", "older/defines"), 7), (("calls", "older/defines"), 8)):
        link = Link(Library(ours(12)), ARCH)
        assert [link.add(CUBIN, f"{name}.cubin") for name in names] == [0, 0]
        assert (link.complete(), link.errors) == (0, "")
        assert link.cubin[8] == abi


def test_barriers_are_those_of_the_kernel(library: Library) -> None:
    """The reported number of barriers is that of the kernel. For kernels that use none, NVIDIA's
    13.5.37 reports 6 barriers in one link and 8 in the next."""
    link = Link(library, ARCH, "-verbose")
    assert [link.add(CUBIN, name) for name in cubins(library)] == [0, 0]
    assert link.complete() == 0
    assert "used 24 registers, used 0 barriers" in link.infos


def test_nothing_is_printed(library: Library) -> None:
    """NVIDIA's libraries print messages about bad inputs. Ours print nothing."""
    major = library.version()[0]
    script = Path(__file__).with_name("noisy.py")
    command = [sys.executable, str(script), str(ours(major))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("target", ("sm_71", "sm_95"))
def test_targets_that_are_not_linked_are_named(target: str) -> None:
    link = Link(Library(ours(12)), f"-arch={target}")
    assert link.created == 0
    assert link.add(CUBIN, "older/defines.cubin") == INVALID
    assert f"libwarpld does not link for the target of -arch={target}" in link.errors
    assert link.complete() == INTERNAL
