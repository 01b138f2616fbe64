"""Kernels that host code does not name are removed.

nvlink 13.0.88 gives the same result for the same files."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from container_files import HostObject, archive, host
from container_link import DATA, FIRST, SECOND, kernels, link, put

REFERRING = {".nvHRKE": ("fir*",), ".nvHRKI": ()}
SILENT = {".nvHRKE": (), ".nvHRKI": ()}


def test_kernels_without_a_host_reference_go(folder: Path) -> None:
    names = ("first", "second")
    both: dict[str, tuple[str, ...]] = {".nvHRKE": (), ".nvHRKI": ()}

    def referring(cubin: Path, *patterns: str) -> bytes:
        return host(cubin, references={".nvHRKE": patterns, ".nvHRKI": ()})

    a = put(folder, "a.o", referring(FIRST, "fir*"))
    b = put(folder, "b.o", referring(SECOND))
    plain = put(folder, "plain.o", host(SECOND))
    assert kernels(link(folder, a, b).output, *names) == {"first"}
    assert kernels(link(folder, a, b, "-ignore-host-info").output, *names) == set(names)
    assert kernels(link(folder, a, b, "-g").output, *names) == set(names)
    assert kernels(link(folder, a, plain).output, *names) == set(names)
    assert kernels(link(folder, a, SECOND).output, *names) == set(names)
    for silent in (HostObject(has_segment=False), HostObject(linked_code=b"x", references=both)):
        other = put(folder, "other.o", silent.write())
        assert kernels(link(folder, a, b, other).output, *names) == set(names)
        other = put(folder, "libother.a", archive({"other.o": silent.write()}))
        assert kernels(link(folder, a, b, other).output, *names) == set(names)
    assert kernels(link(folder, a, b, put(folder, "none.o", b"")).output, *names) == {"first"}
    c = put(folder, "c.o", referring(FIRST))
    assert kernels(link(folder, b, c).output, *names) == set(names)
    only_one_section = put(folder, "d.o", host(SECOND, references={".nvHRKE": ()}))
    assert kernels(link(folder, a, only_one_section).output, *names) == {"first"}
    the_other = put(folder, "e.o", host(SECOND, references={".nvHRKI": ()}))
    assert kernels(link(folder, a, the_other).output, *names) == set(names)


REFERENCES = {".nvHRKE": ("none",), ".nvHRKI": ()}
# A relocatable ELF for the 80386 with nothing but the null section.
EMPTY_OBJECT_32 = (
    b"\x7fELF\x01\x01\x01"
    + bytes(9)
    + struct.pack("<HHIIIIIHHHHHH", 1, 3, 1, 0, 0, 52, 0, 52, 0, 0, 40, 1, 0)
    + bytes(40)
)
# Inputs that contain no code to link. True: because of the input, the link also keeps the kernels
# that no host code names.
OTHERS = {
    "of-the-host-only": (HostObject(has_segment=False).write(), True),
    "whole-program": (HostObject(linked_code=b"x" * 8).write(), True),
    "whole-program-with-references": (
        HostObject(linked_code=b"x" * 8, references=REFERENCES).write(),
        True,
    ),
    "for-32-bits": (EMPTY_OBJECT_32, True),
    "text": (b"no object at all " * 10, False),
    "empty-archive": (archive({}), False),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_objects_may_refer_to_any_kernel(name: str, folder: Path) -> None:
    content, all_stay = OTHERS[name]
    host_object = host(SECOND, references={".nvHRKE": ("sec*",), ".nvHRKI": ()})
    tells = put(folder, "a.o", host_object)
    unnamed = put(folder, "b.o", host(FIRST, references={".nvHRKE": (), ".nvHRKI": ()}))
    other = put(folder, "other.o", content)
    expected = {"first", "second"} if all_stay else {"second"}
    for words in ([tells, unnamed, other], [other, tells, unnamed]):
        result = link(folder, *words)
        assert (result.status, result.messages) == (0, "")
        assert kernels(result.output, "first", "second") == expected


@pytest.mark.parametrize(
    ("external", "internal", "kept"),
    [
        ("outer", "", {"outer"}),
        ("*", "", {"outer", "weak"}),
        ("inner", "", set()),
        ("", "inner", {"inner"}),
        ("", "*", {"inner"}),
        ("weak", "inner", {"weak", "inner"}),
        ("none", "outer", set()),
    ],
)
def test_references_count_for_their_linkage(
    external: str, internal: str, kept: set[str], folder: Path
) -> None:
    """The patterns of .nvHRKI are for LOCAL kernels, those of .nvHRKE for all other kernels."""
    references = {".nvHRKE": (external,), ".nvHRKI": (internal,)}
    a = put(folder, "a.o", host(DATA / "linkages.sm_80.cubin", references=references))
    assert kernels(link(folder, a).output, "outer", "inner", "weak") == kept


def test_removed_kernel_leaves_a_name_where_it_is_defined(folder: Path) -> None:
    """The output keeps the name of the removed kernel's shared memory section, at the position of
    the object that defines the kernel. An earlier object that only refers to the kernel leaves no
    name."""
    references = {".nvHRKE": ("named",), ".nvHRKI": ()}
    refers = put(folder, "a.o", host(DATA / "asks_for_parts.sm_80.cubin", references=references))
    defines = put(folder, "b.o", host(SECOND, references={".nvHRKE": (), ".nvHRKI": ()}))
    result = link(folder, refers, defines)
    assert kernels(result.output, "named", "second") == {"named"}
    names = dict(result.output)[".strtab"].split(b"\0")
    assert names.index(b".nv.shared.named") < names.index(b".nv.shared.second")


@pytest.mark.parametrize(
    ("named", "kept"),
    [
        (("launching",), {"launching", "launched"}),
        (("launching", "lone"), {"launching", "launched", "called_by_launched", "lone"}),
        (("lone",), {"lone", "launched"}),
        (("launched",), {"launched", "called_by_launched"}),
    ],
)
def test_launched_kernels_are_kept(named: tuple[str, ...], kept: set[str], folder: Path) -> None:
    """A launched kernel, whose address device code takes, is always kept. The functions that it
    calls are kept, too, unless host code names exactly one kernel, and that is another one."""
    references = {".nvHRKE": named, ".nvHRKI": ()}
    a = put(folder, "a.o", host(DATA / "launching.sm_80.cubin", references=references))
    names = ("launching", "launched", "called_by_launched", "lone")
    assert kernels(link(folder, a).output, *names) == kept


@pytest.mark.parametrize(
    ("options", "is_told"),
    [
        ([], False),
        (["-kernels-used=launching,lone"], False),
        (["-kernels-used=launching"], True),
        (["-kernels-used=launching", "-g"], False),
    ],
)
def test_launched_kernels_need_no_call(options: list[str], is_told: bool, folder: Path) -> None:
    """If the options name only the launching kernel, the launched kernel is treated as a device
    function. The linker warns that nothing calls it, as nvlink does."""
    result = link(folder, DATA / "launching.sm_80.cubin", "-extrawarn", *options)
    warning = "nvlink warning : Function 'launched' has address taken but no calls to it found\n"
    assert (result.status, result.messages) == (0, warning * is_told)


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        ("first", True),
        ("f*st", True),
        ("f*t*", True),
        ("*", True),
        ("**", True),
        ("first*", True),
        ("firs", False),
        ("irst*", False),
        ("f*x*", False),
        ("f*rst*t", False),
    ],
)
def test_patterns_of_host_references(pattern: str, kept: bool, folder: Path) -> None:
    references = {".nvHRKE": (pattern,), ".nvHRKI": ("none*",)}
    output = link(folder, put(folder, "a.o", host(FIRST, references=references))).output
    assert kernels(output, "first") == ({"first"} if kept else set())


def test_programs_do_not_count(folder: Path) -> None:
    """A program on the command line does not change which kernels are kept. If an archive contains
    a program, all kernels are kept."""
    a = put(folder, "a.o", host(FIRST, references=REFERRING))
    b = put(folder, "b.o", host(SECOND, references=SILENT))
    program = link(folder, FIRST).file
    alone, packed = put(folder, "done", program), put(folder, "libdone.a", archive({"d": program}))
    assert kernels(link(folder, a, b, alone).output, "first", "second") == {"first"}
    assert kernels(link(folder, a, b, packed).output, "first", "second") == {"first", "second"}
