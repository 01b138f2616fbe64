"""The cubins in every kind of container are linked, whatever its form. Host objects say which
modules are linked already, and damage ends the link.

nvlink 13.0.88 gives the same result for the same files, unless a test names a difference."""

from __future__ import annotations

import itertools
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from container_files import (
    CUBIN,
    EM_AARCH64,
    EM_X86_64,
    Entry,
    HostObject,
    archive,
    archive_member,
    bsd_archive,
    cubin_entry,
    fat_binary,
    host,
)
from container_link import DATA, FIRST, FIRST_90, SECOND, kernels, link, put


# Each form of one input ---------------------------------------------------------------------------

FORMS: dict[str, Callable[[Path], bytes]] = {
    "fat-binary": lambda cubin: fat_binary(cubin_entry(cubin)),
    "host-object": host,
    "host-object-of-another-processor": lambda cubin: host(cubin, machine=EM_AARCH64),
    "host-object-of-32-bits": lambda cubin: host(cubin, bits=32),
    "archive": lambda cubin: archive({"member.o": host(cubin)}),
    "archive-with-long-name": lambda cubin: archive({"a_rather_long_member.o": host(cubin)}),
    "archive-with-names-of-bsd": lambda cubin: bsd_archive({"a rather long one.o": host(cubin)}),
    "archive-with-the-longest-name": lambda cubin: archive({"n" * 4096: host(cubin)}),
    "archive-with-empty-members": lambda cubin: archive(
        {"a.o": HostObject(has_segment=False).write(), "member.o": host(cubin), "b.txt": b"text"}
    ),
    # The first members of this archive are no objects. nvlink skips them without a message.
    "archive-with-text-in-front": lambda cubin: archive(
        {"a.txt": b"text " * 20, "empty": b"", "member.o": host(cubin)}
    ),
    "archive-of-cubins": lambda cubin: archive({"member.cubin": cubin.read_bytes()}),
    "archive-of-fat-binaries": lambda cubin: archive({"x": fat_binary(cubin_entry(cubin))}),
}


@pytest.mark.parametrize("form", FORMS)
def test_form_does_not_matter(form: str, folder: Path, expected: list[tuple[str, bytes]]) -> None:
    for inputs in itertools.product((False, True), repeat=2):
        words: list[str | Path] = [
            put(folder, f"input{i}.o", FORMS[form](cubin)) if wrapped else cubin
            for i, (wrapped, cubin) in enumerate(zip(inputs, (FIRST, SECOND), strict=True))
        ]
        result = link(folder, *words)
        assert (result.status, result.messages) == (0, "")
        assert result.output == expected


def test_text_inside_a_host_object_is_no_input(
    folder: Path, expected: list[tuple[str, bytes]]
) -> None:
    """In nvcc's objects for whole programs the first line of the compressed PTX is readable. warpld
    must not mistake these objects for PTX files."""
    whole = HostObject(linked_code=b"\n.version 9.0\n").write()
    result = link(folder, FIRST, put(folder, "whole.o", whole), SECOND)
    assert (result.status, result.messages) == (0, "")
    assert result.output == expected


@pytest.mark.parametrize("packed", sorted(path.name for path in DATA.glob("*.fatbin")))
def test_packed_fat_binaries(packed: str, folder: Path, expected: list[tuple[str, bytes]]) -> None:
    """Each file contains second.sm_80.cubin, compressed by one of the methods of NVIDIA's program
    fatbinary."""
    assert link(folder, FIRST, DATA / packed).output == expected


def test_thin_archive(folder: Path, expected: list[tuple[str, bytes]]) -> None:
    members = {"first.o": host(FIRST), "second.o": host(SECOND)}
    for name, content in members.items():
        put(folder, name, content)
    result = link(folder, put(folder, "libthin.a", archive(members, thin=True)))
    assert (result.status, result.output) == (0, expected)


MAKERS = {"ar": ["-rcs"], "llvm-ar": ["-rcs"], "llvm-ar-bsd": ["--format=bsd", "-rcs"]}


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("maker", MAKERS)
def test_archives_as_they_are_made(
    maker: str, thin: bool, folder: Path, expected: list[tuple[str, bytes]]
) -> None:
    program = shutil.which(maker.removesuffix("-bsd"))
    if not program:
        pytest.skip(f"{maker} is not installed")
    if thin and maker.endswith("bsd"):
        pytest.skip("BSD has no thin archives")
    (folder / "objects").mkdir()
    names = [
        put(folder, f"objects/{name}.o", host(cubin))
        for name, cubin in (("short", FIRST), ("one_with_a_rather_long_name", SECOND))
    ]
    words = [word + "T" * (thin and word == "-rcs") for word in MAKERS[maker]]
    subprocess.run([program, *words, "libmade.a", *names], cwd=folder, check=True)
    result = link(folder, "libmade.a")
    assert (result.status, result.messages, result.output) == (0, "", expected)


def test_joined_objects(folder: Path, expected: list[tuple[str, bytes]]) -> None:
    """If `ld -r` joined objects, or a file contains several fat binaries, warpld links the code of
    all of them. nvlink links only the first."""
    code = fat_binary(cubin_entry(FIRST)) + fat_binary(cubin_entry(SECOND))
    assert link(folder, put(folder, "joined.o", HostObject(code).write())).output == expected
    assert link(folder, put(folder, "joined.fatbin", code)).output == expected


# What host objects say ----------------------------------------------------------------------------


def test_segment_without_code(folder: Path) -> None:
    result = link(folder, FIRST, put(folder, "a.o", HostObject().write()))
    assert (result.status, result.messages) == (
        1,
        "nvlink fatal   : Could not find fatbin in 'a.o'\n"
        "nvlink note    : a.o: it has .nvFatBinSegment, but no code\n"
        "nvlink fatal   : elfLink internal error\n",
    )


def test_objects_linked_before_are_skipped(folder: Path) -> None:
    a = put(folder, "a.o", host(FIRST, module_ids=("_id_a",)))
    b = put(folder, "b.o", host(SECOND, module_ids=("_id_b",)))
    stub = put(folder, "stub.o", HostObject(linked_code=b"x", module_ids=("def _id_a",)).write())
    result = link(folder, a, b, stub, "--register-link-binaries=names")
    assert kernels(result.output, "first", "second") == {"second"}
    assert (folder / "names").read_text() == (
        "#define NUM_PRELINKED_OBJECTS 1\nDEFINE_REGISTER_FUNC(_id_b)\n"
    )
    # Without --register-link-binaries all objects are linked.
    assert kernels(link(folder, a, b, stub).output, "first", "second") == {"first", "second"}


def test_object_linked_before_lacks_its_image_all_the_same(folder: Path) -> None:
    a = put(folder, "a.o", host(FIRST_90, module_ids=("_id_a",)))
    stub = put(folder, "stub.o", HostObject(linked_code=b"x", module_ids=("def _id_a",)).write())
    result = link(folder, a, SECOND, stub, "--register-link-binaries=names")
    assert result.messages == "nvlink warning : SM Arch ('sm_80') not found in 'a.o'\n"


def test_names_of_registered_objects(folder: Path) -> None:
    joined = HostObject(
        fat_binary(cubin_entry(FIRST)), module_ids=("_one", "_two", "_three"), machine=EM_X86_64
    )
    words = [put(folder, "a.o", joined.write()), put(folder, "b-c.cubin", SECOND.read_bytes())]
    assert link(folder, *words, "--register-link-binaries", "names").status == 0
    path = "".join(c if c.isalnum() else "_" for c in f"{folder}/b-c.cubin")
    ids = ["_one", path, "_three", "_two"]
    assert (folder / "names").read_text() == "#define NUM_PRELINKED_OBJECTS 4\n" + "".join(
        f"DEFINE_REGISTER_FUNC({name})\n" for name in ids
    )


def test_a_file_that_registers_the_device_runtime_stays(folder: Path) -> None:
    """nvcc runs one link for each architecture, and passes the same file of names to all of them.
    If a link has listed the runtime in the file, later links must not replace the file."""
    words = [put(folder, "a.o", host(FIRST, module_ids=("_id",))), "--register-link-binaries=names"]
    names = folder / "names"
    for text, stays in (
        ("DEFINE_REGISTER_FUNC(_1_cuda_device_runtime_cu_2)\n", True),
        ("// x\n_cuda_device_runtime_", True),
        ("DEFINE_REGISTER_FUNC(cuda_device_runtime_cu)\n", False),
        ("x\0_cuda_device_runtime_", False),
        ("", False),
    ):
        names.write_text(text)
        assert link(folder, *words).status == 0
        assert (names.read_text() == text) == stays


def test_of_what_does_not_fit_only_ids_are_registered(folder: Path) -> None:
    fat = put(folder, "none.fatbin", fat_binary(cubin_entry(FIRST_90)))
    named = put(folder, "named.o", host(FIRST_90, module_ids=("_id",)))
    words = [put(folder, "plain.o", host(FIRST_90)), fat, named]
    link(folder, *words, "--register-link-binaries=names")
    assert (folder / "names").read_text() == (
        "#define NUM_PRELINKED_OBJECTS 1\nDEFINE_REGISTER_FUNC(_id)\n"
    )


def test_of_joined_objects_each_is_skipped_by_its_own_id(folder: Path) -> None:
    """Each of the joined objects has a module ID. nvlink links only the first object, and considers
    only the first ID."""
    code = fat_binary(cubin_entry(FIRST)) + fat_binary(cubin_entry(SECOND))
    joined = put(folder, "joined.o", HostObject(code, module_ids=("_1", "_2")).write())
    for linked, left in (("_1", "second"), ("_2", "first")):
        stub = HostObject(linked_code=b"x", module_ids=(f"def {linked}",)).write()
        words = [joined, put(folder, "stub.o", stub), "--register-link-binaries=names"]
        assert kernels(link(folder, *words).output, "first", "second") == {left}
        assert f"FUNC({linked})" not in (folder / "names").read_text()


# Damage -------------------------------------------------------------------------------------------


def damaged(content: bytes, offset: int, value: int) -> bytes:
    return content[:offset] + bytes([value]) + content[offset + 1 :]


FAT = fat_binary(cubin_entry(FIRST))
DAMAGED = {
    "version": damaged(FAT, 4, 2),
    "header-size": damaged(FAT, 6, 4),
    "entry-header-size": damaged(FAT, 16 + 4, 0),
    "payload-size": damaged(FAT, 16 + 14, 1),
    "cut-off": FAT[:100],
    "archive-cut-off": archive({"member.o": host(FIRST)})[:-64],
    "archive-header": damaged(archive({"member.o": host(FIRST)}), 8 + 58, 0),
    "archive-name-outside": b"!<arch>\n" + archive_member("/0", host(FIRST)),
    "archive-name-without-end": b"!<arch>\n"
    + archive_member("//", b"name.o/")
    + archive_member("/0", host(FIRST)),
    "archive-name-too-long": archive({"n" * 4097: host(FIRST)}),
    "archive-name-of-bsd-too-long": bsd_archive({"n" * 4097: host(FIRST)}),
    "packed-without-contents": fat_binary(Entry(CUBIN, 80, b"x" * 64, 0x2011)),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_ends_the_link(kind: str, folder: Path) -> None:
    result = link(folder, FIRST, put(folder, "bad.o", DAMAGED[kind]))
    assert result.status == 1
    assert "bad.o" in result.messages or "Uncompress failed" in result.messages
    assert result.file == b""


def with_field(content: bytes, form: str, offset: int, value: int) -> bytes:
    changed = bytearray(content)
    struct.pack_into(form, changed, offset, value)
    return bytes(changed)


def with_text_outside(content: bytes) -> bytes:
    """Moves the contents of the first section, .text, beyond the end of the file. The offset of the
    contents is at byte 24 of the section's header."""
    (headers,) = struct.unpack_from("<Q", content, 40)
    return with_field(content, "<Q", headers + 64 + 24, 1 << 40)


CUT_OFF = {
    "header-alone": host(FIRST)[:60],
    "in-the-middle": host(FIRST)[:2000],
    "last-byte": host(FIRST)[:-1],
    "of-32-bits": host(FIRST, bits=32)[:2000],
    "without-device-code": HostObject(has_segment=False).write()[:200],
    "another-processor": host(FIRST, machine=EM_AARCH64)[:2000],
    "no-section-headers": with_field(host(FIRST), "<Q", 40, 0),
    "headers-of-no-size": with_field(host(FIRST), "<H", 58, 0),
    "class": with_field(host(FIRST), "B", 4, 3),
    "byte-order": with_field(host(FIRST), "B", 5, 2),
    "section-outside": with_text_outside(host(FIRST)),
}


@pytest.mark.parametrize("kind", CUT_OFF)
def test_cut_off_host_object_ends_the_link(kind: str, folder: Path) -> None:
    result = link(folder, SECOND, put(folder, "bad.o", CUT_OFF[kind]))
    fatal, note, end = result.messages.splitlines()
    assert fatal == "nvlink fatal   : Could not find fatbin in 'bad.o'"
    assert note.startswith("nvlink note    : bad.o: its ") or "one of its sections" in note
    assert end == "nvlink fatal   : elfLink internal error"
    assert (result.status, result.file) == (1, b"")


def test_what_of_a_cut_off_member_can_be_read_is_enough(
    folder: Path, expected: list[tuple[str, bytes]]
) -> None:
    """A member is linked even if the contents of its section .text are cut off. A member whose
    section headers are cut off ends the link; nvlink skips it without a message."""
    members = archive({"a.o": with_text_outside(host(FIRST)), "b.o": host(SECOND)})
    assert link(folder, put(folder, "good.a", members)).output == expected
    lost = put(folder, "bad.a", archive({"b.o": host(SECOND), "a.o": CUT_OFF["in-the-middle"]}))
    result = link(folder, lost)
    assert result.status == 1
    assert "Could not find fatbin in 'bad.a:a.o'" in result.messages


def test_programs_are_passed_over(folder: Path) -> None:
    """A host program has program headers. The linker skips it, but reports a file of the same ELF
    type without program headers as a damaged object (tests/inputs)."""
    alone = link(folder, SECOND).output
    program = with_field(with_field(host(FIRST), "<H", 16, 2), "<H", 56, 1)
    result = link(folder, SECOND, put(folder, "a.o", program))
    assert (result.status, result.messages, result.output) == (0, "", alone)
