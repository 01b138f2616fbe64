"""If an input cannot be linked, a message names its kind. The message is a warning, or an error if
nothing else is linked."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import pytest
from container_files import (
    HostObject,
    HostSection,
    archive,
    cubin_entry,
    fat_binary,
    write_elf,
)
from container_link import FIRST_90
from input_link import ERRORS, FATAL, FIRST, SECOND, TESTS, link, put

FILLED = bytes(200)
TEXT = b"no program at all\n" * 10
KINDS = {
    "LLVM bitcode": b"BC\xc0\xde" + FILLED,
    "LLVM bitcode in a wrapper": b"\xde\xc0\x17\x0b" + FILLED,
    "LTO-IR, code for link-time optimisation": b"\xed\x43\x4e\x7f" + FILLED,
    "text with a byte order mark; PTX has none": b"\xef\xbb\xbf.version 8.0\n" * 20,
    "text in UTF-16; PTX is ASCII": ".version 8.0\n".encode("utf-16") * 20,
    "compressed with gzip": gzip.compress(bytes(range(200))),
    "an object of Windows (COFF)": b"\x64\x86" + FILLED,
    "a program or library of Windows (PE)": b"MZ" + FILLED,
    "a Mach-O file of macOS": b"\xcf\xfa\xed\xfe" + FILLED,
}
OTHERS = {
    "text": TEXT,
    "data of an unknown kind": b"\1" + FILLED,
    "an ELF file for the host, without device code that can be linked": HostObject(
        has_segment=False
    ).write(),
}
LINKED_CODE = fat_binary(cubin_entry(FIRST))
WITHOUT_FLTO = "compile it without -flto, or with -ffat-lto-objects"
UNUSABLE = {
    "was compiled without -rdc=true": HostObject(linked_code=LINKED_CODE).write(),
    "holds only GCC's code for the host's linker (-flto)": write_elf(
        [HostSection(".text", b"", flags=6), HostSection(".gnu.lto_.opts", b"x")], 62
    ),
    "holds only LLVM's code for the host's linker (-flto)": write_elf(
        [HostSection(".llvm.lto", b"BC\xc0\xde")], 62
    ),
}
REFUSED = {
    "x.cubin": "cubin not an elf?",
    "x.fatbin": "fatbin wrong format?",
    "x.ptx": "Binary format for key='0', ident='' is not recognized",
}


def unusable(reason: str) -> str:
    remedy = "recompile it with -rdc=true" if "-rdc" in reason else WITHOUT_FLTO
    return f"'b.o' {reason}: its device code cannot be linked; {remedy}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_another_format_is_named(kind: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.o", KINDS[kind])
    outcome = link(tmp_path, SECOND, path)
    assert outcome.lines == [f"warning : Input file 'x.o' was ignored: it is {kind}"]
    assert outcome.status == 0 and outcome.output
    assert link(tmp_path, SECOND, path, name="nvlink").messages == ""
    assert link(tmp_path, path).status == ERRORS
    assert link(tmp_path, path, name="nvlink").status == 0


@pytest.mark.parametrize("reason", UNUSABLE)
def test_device_code_that_cannot_be_linked_is_reported(reason: str, tmp_path: Path) -> None:
    path = put(tmp_path, "b.o", UNUSABLE[reason])
    outcome = link(tmp_path, SECOND, path)
    assert outcome.lines == [f"warning : {unusable(reason)}"]
    assert outcome.status == 0 and outcome.output
    assert link(tmp_path, SECOND, path, name="nvlink").messages == ""
    assert link(tmp_path, path).status == ERRORS


def test_a_missing_name_says_what_was_not_linked(tmp_path: Path) -> None:
    missing = TESTS / "notes" / "data" / "calls_missing.sm_80.cubin"
    reason = "holds only GCC's code for the host's linker (-flto)"
    path = put(tmp_path, "b.o", UNUSABLE[reason])
    for name in ("warpld", "nvlink"):
        outcome = link(tmp_path, missing, path, name=name)
        assert outcome.status == ERRORS and f"note : {unusable(reason)}" in outcome.lines


def test_code_for_the_host_beside_it_needs_no_warning(tmp_path: Path) -> None:
    code = [HostSection(".text", b"\xc3", flags=6), HostSection(".gnu.lto_.opts", b"x")]
    path = put(tmp_path, "b.o", write_elf(code, 62))
    assert link(tmp_path, SECOND, path).messages == ""


@pytest.mark.parametrize("kind", [*KINDS, *OTHERS])
@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_promises_device_code(name: str, kind: str, tmp_path: Path) -> None:
    content = (KINDS | OTHERS)[kind]
    elf = "cubin not a device elf?"
    message = elf if content[:4] == b"\x7fELF" and name == "x.cubin" else REFUSED[name]
    for program in ("warpld", "nvlink"):
        outcome = link(tmp_path, SECOND, put(tmp_path, name, content), name=program)
        assert outcome.status == FATAL and not outcome.output
        assert outcome.lines[0].endswith(f" : {message}")
        more = ", but not PTX, which begins with .version" * (name == "x.ptx" and kind == "text")
        assert outcome.lines[1] == f"note : {name}: it is {kind}{more}"


OBJECT_TYPE = b"\1\0".rjust(18, b"h")
OF_OBJECT_TYPE = {
    "nothing that can be read, but it has the type of an object file": b"",
    "compressed with gzip": b"\x1f\x8b",
    "compressed with zstd": b"\x28\xb5\x2f\xfd",
    "a program or library of Windows (PE)": b"MZ",
}


@pytest.mark.parametrize("kind", OF_OBJECT_TYPE)
def test_the_type_of_an_object_without_its_magic(kind: str, tmp_path: Path) -> None:
    """nvlink takes a file for an object if its e_type says so, whatever its first bytes are. It
    refuses such a file as an input, but skips such a member of an archive."""
    magic = OF_OBJECT_TYPE[kind]
    content = magic + OBJECT_TYPE[len(magic) :] + FILLED
    path = put(tmp_path, "x.o", content)
    for program in ("warpld", "nvlink"):
        outcome = link(tmp_path, SECOND, path, name=program)
        assert outcome.status == FATAL and not outcome.output
        assert outcome.lines[:2] == [
            "fatal : Could not find fatbin in 'x.o'",
            f"note : x.o: it is {kind}",
        ]
    member = put(tmp_path, "libx.a", archive({"x.o": content}))
    assert link(tmp_path, SECOND, member).status == 0


def test_the_suffix_of_another_kind_does_not_matter(tmp_path: Path) -> None:
    code = fat_binary(cubin_entry(FIRST))
    for name in REFUSED:
        for content in (FIRST.read_bytes(), code, HostObject(code).write()):
            outcome = link(tmp_path, SECOND, put(tmp_path, name, content))
            assert (outcome.status, outcome.messages) == (0, "")


REMOVED = (
    "note : 1 of 2 kernels are removed, because no host object refers to them (second);"
    " --ignore-host-info keeps them"
)


def put_referring_objects(folder: Path) -> list[str]:
    """Writes two host objects with one kernel each. The sections that list the kernels that host
    code uses (.nvHRKE) name only the first kernel."""
    objects: dict[str, tuple[Path, dict[str, tuple[str, ...]]]] = {
        "a.o": (FIRST, {".nvHRKE": ("first",), ".nvHRKI": ()}),
        "b.o": (SECOND, {".nvHRKE": (), ".nvHRKI": ()}),
    }
    for name, (cubin, references) in objects.items():
        put(folder, name, HostObject(fat_binary(cubin_entry(cubin)), (), references).write())
    return list(objects)


NOT_PTX = "text, but not PTX, which begins with .version; compile source files first"


def test_text_is_named(tmp_path: Path) -> None:
    source = put(
        tmp_path, "x.cu", b"__global__ void k(int *p) { *p = 1; } // as nvcc compiles it\n"
    )
    outcome = link(tmp_path, SECOND, source)
    assert outcome.lines == [f"warning : Input file 'x.cu' was ignored: it is {NOT_PTX}"]
    assert link(tmp_path, SECOND, source, name="nvlink").messages == ""


def test_text_alone_is_an_error(tmp_path: Path) -> None:
    """If text is the only input, the user meant to link something else."""
    for content in (b"text that nothing can be linked of, again and again and again", b"\x80" * 99):
        outcome = link(tmp_path, put(tmp_path, "x.txt", content))
        assert (outcome.status, outcome.output) == (ERRORS, b"")
        assert outcome.lines[1] == "error : No input has device code for 'sm_80'"
        assert link(tmp_path, "x.txt", "--allow-empty").status == 0
        assert link(tmp_path, "x.txt", name="nvlink").messages == ""


NOT_LTO_IR = "but not LTO-IR, which nvcc writes with -dlto"
IS_LTO_IR = "LTO-IR, code for link-time optimisation"


@pytest.mark.parametrize("name", ["x.ltoir", "x.nvvm", "x.bc"])
@pytest.mark.parametrize("kind", ["text", "LLVM bitcode", IS_LTO_IR])
def test_a_name_of_lto_ir(kind: str, name: str, tmp_path: Path) -> None:
    outcome = link(tmp_path, SECOND, put(tmp_path, name, (KINDS | OTHERS)[kind]))
    assert outcome.status == FATAL and outcome.lines[0] == f"fatal : {LINKED[name]}"
    reason = "optimised at link time, with -lto" if kind == IS_LTO_IR else f"{kind}, {NOT_LTO_IR}"
    assert outcome.lines[1] == f"note : {name}: it is {reason}"


@pytest.mark.parametrize("name", ["x.ltoir", "x.nvvm"])
def test_a_name_of_lto_ir_with_lto(name: str, tmp_path: Path) -> None:
    """nvlink 13.0.88 prints the same error."""
    outcome = link(tmp_path, SECOND, put(tmp_path, name, TEXT), "-lto")
    assert outcome.status == FATAL and not outcome.output
    reason = f"note : {name}: it is text, {NOT_LTO_IR}"
    assert outcome.lines[-2:] == ["fatal : elfLink nvvm error", reason]


LINKED = {
    "x.fatbin": "fatbin wrong format?",
    "x.bc": "should never see bc files",
    "x.ltoir": "should only see nvvm files when -lto",
    "x.nvvm": "should only see nvvm files when -lto",
}


@pytest.mark.parametrize("name", LINKED)
def test_an_executable_cubin_under_a_name_of_another_kind(name: str, tmp_path: Path) -> None:
    put(tmp_path, name, link(tmp_path, FIRST).output)
    for program in ("warpld", "nvlink"):
        outcome = link(tmp_path, SECOND, name, name=program)
        assert outcome.status == FATAL and not outcome.output
        note = f"note : {name}: it is an executable cubin, which is linked already"
        assert outcome.lines[0] == f"fatal : {LINKED[name]}" and note in outcome.lines
    for other in ("x.cubin", "x.ptx", "x.o"):
        put(tmp_path, other, (tmp_path / name).read_bytes())
        assert link(tmp_path, SECOND, other).status == 0
        assert link(tmp_path, SECOND, other, name="nvlink").messages == ""


def program_of(code: bytes) -> bytes:
    """A program with a segment, like the programs that the host's linker makes."""
    program = bytearray(HostObject(code).write())
    struct.pack_into("<H", program, 16, 2)  # e_type: ET_EXEC
    struct.pack_into("<H", program, 56, 1)  # e_phnum
    return bytes(program)


def test_relocatable_code_of_a_program_in_an_archive_is_linked(tmp_path: Path) -> None:
    program = program_of(fat_binary(cubin_entry(FIRST)))
    expected = link(tmp_path, FIRST, SECOND).output
    put(tmp_path, "libx.a", archive({"x.so": program}))
    put(tmp_path, "x.so", program)
    alone = link(tmp_path, SECOND).output
    for linker in ("warpld", "nvlink"):
        for words in (["libx.a"], ["-L.", "-lx"]):
            outcome = link(tmp_path, SECOND, *words, name=linker)
            assert (outcome.status, outcome.messages) == (0, "")
            assert len(outcome.output) == len(expected)
        assert len(link(tmp_path, SECOND, "x.so", name=linker).output) == len(alone)
    assert "is a program or shared library" in link(tmp_path, SECOND, "x.so").messages


def test_a_library_for_other_targets(tmp_path: Path) -> None:
    """A library without any member for the target causes a warning. A library with such a member
    causes none, because its vendor chose the targets of the members."""
    other, fitting = fat_binary(cubin_entry(FIRST_90)), fat_binary(cubin_entry(FIRST))
    put(tmp_path, "libx.a", archive({"x.o": HostObject(other).write()}))
    outcome = link(tmp_path, SECOND, "-L.", "-lx")
    assert outcome.lines == ["warning : SM Arch ('sm_80') not found in './libx.a'"]
    assert link(tmp_path, SECOND, "-L.", "-lx", "-suppress-arch-warning").messages == ""
    assert link(tmp_path, SECOND, "-L.", "-lx", name="nvlink").messages == ""
    both = {"x.o": HostObject(other).write(), "y.o": HostObject(fitting).write()}
    put(tmp_path, "libx.a", archive(both))
    assert link(tmp_path, SECOND, "-L.", "-lx").messages == ""


DAMAGED_SIZES = (b"-1", b"0x10", b"", b"9", b"1000", b"9999999999")


@pytest.mark.parametrize("size", DAMAGED_SIZES)
def test_a_damaged_archive_is_an_error_however_it_is_found(size: bytes, tmp_path: Path) -> None:
    content = bytearray(archive({"x.o": HostObject(fat_binary(cubin_entry(FIRST))).write()}))
    content[56:66] = size.ljust(10)
    put(tmp_path, "libx.a", content)
    for linker in ("warpld", "nvlink"):
        for words in (["libx.a"], ["-L.", "-lx"]):
            outcome = link(tmp_path, SECOND, *words, name=linker)
            assert outcome.status == FATAL and not outcome.output
            reasons = "libx.a' is damaged: ", "libx.a:x.o: its section headers are outside"
            assert any(reason in outcome.messages for reason in reasons)


@pytest.mark.parametrize("version", ("9", "9/**/.0", "0x9.0", "", "nine"))
def test_ptx_with_a_false_version_is_left_to_the_compiler(version: str, tmp_path: Path) -> None:
    """A file with the suffix .ptx is passed to the compiler, as nvlink does. With any other name it
    counts as text."""
    text = f".version {version}\n.target sm_80\n.address_size 64\n.visible .entry k() {{ ret; }}\n"
    helper = tmp_path / "ptxas"
    helper.write_text("#!/bin/sh\necho false version >&2\nexit 1\n")
    helper.chmod(0o755)
    put(tmp_path, "x.txt", text.encode())
    for linker in ("warpld", "nvlink"):
        words = [put(tmp_path, "x.ptx", text.encode()), "--ptxas-path=ptxas"]
        outcome = link(tmp_path, SECOND, *words, name=linker)
        assert outcome.status == FATAL and "false version" in outcome.messages
    assert NOT_PTX in link(tmp_path, SECOND, "x.txt").messages


def test_a_missing_member_of_a_thin_archive(tmp_path: Path) -> None:
    put(tmp_path, "libx.a", archive({"gone.o": FIRST.read_bytes()}, thin=True))
    note = "note : gone.o: No such file or directory; the thin archive 'libx.a' only refers to"
    for program in ("warpld", "nvlink"):
        outcome = link(tmp_path, SECOND, "libx.a", name=program)
        assert outcome.status == FATAL and not outcome.output
        assert outcome.lines[0] == "fatal : Could not open input file 'gone.o'"
        assert outcome.lines[1] == f"{note} this file"


def test_the_note_on_removed_kernels_explains_no_warning(tmp_path: Path) -> None:
    """The note about removed kernels does not belong to a warning: -w does not hide it, and in JSON
    it is a separate message."""
    objects = put_referring_objects(tmp_path)
    texts = [put(tmp_path, name, TEXT) for name in ("x.txt", "y.txt")]
    ignored = f"Input file 'x.txt' was ignored: it is {NOT_PTX}"
    assert link(tmp_path, *texts, *objects).lines == [
        f"warning : {ignored} (and 1 more input)",
        REMOVED,
    ]
    assert link(tmp_path, *texts, *objects, "-w").lines == [REMOVED]
    lines = link(tmp_path, *texts, *objects, "--diagnostics-format=json").messages.splitlines()
    found = [json.loads(line) for line in lines]
    assert [message["severity"] for message in found] == ["warning", "warning", "note"]


def test_kernels_that_nothing_names(tmp_path: Path) -> None:
    objects = put_referring_objects(tmp_path)
    assert link(tmp_path, *objects).lines == [REMOVED]
    assert link(tmp_path, *objects, "--ignore-host-info").messages == ""
    outcome = link(tmp_path, *objects, "--kernels-used=none", "--variables-used=nothing")
    assert outcome.lines == [
        "warning : --kernels-used: no kernel's name contains 'none'",
        "warning : --variables-used: no variable's name contains 'nothing'",
        "warning : All kernels (2) are removed: --kernels-used names none of them",
    ]
    assert link(tmp_path, *objects, "--kernels-used=none", name="nvlink").messages == ""


def test_variables_of_relocatable_files_have_the_type_of_cuda(tmp_path: Path) -> None:
    """--variables-used finds variables whose symbols have the type STT_CUDA_OBJECT. ptxas 13.0.88
    writes this type instead of STT_OBJECT."""
    folder = TESTS / "golden" / "managed-variables"
    inputs = [folder / "a.cubin", folder / "b.cubin"]
    removed = "warning : All kernels (2) are removed: "
    outcome = link(tmp_path, *inputs, "--variables-used=managed_zero")
    assert outcome.lines == [f"{removed}--variables-used is given without --kernels-used"]
    outcome = link(tmp_path, *inputs, "--variables-used=managed_zero", "--kernels-used=kernel_a")
    assert outcome.messages == ""


def test_no_kernel_that_host_code_names(tmp_path: Path) -> None:
    objects = put_referring_objects(tmp_path)
    code = HostObject(fat_binary(cubin_entry(FIRST)), (), {".nvHRKE": ("other",), ".nvHRKI": ()})
    put(tmp_path, "a.o", code.write())
    warning = (
        "warning : All kernels (2) are removed, because no host object refers to them "
        "(first, second); --ignore-host-info keeps them"
    )
    assert link(tmp_path, *objects).lines == [warning]
    assert link(tmp_path, *objects, name="nvlink").messages == ""


def test_a_second_image_for_one_target(tmp_path: Path) -> None:
    """warpld warns that only the first image is linked, unless both images are the same. nvlink has
    no message."""
    first, second = cubin_entry(FIRST, 80), cubin_entry(SECOND, 80)
    two = put(tmp_path, "two.fatbin", fat_binary(first, second))
    outcome = link(tmp_path, two)
    assert outcome.lines == [
        "warning : 'two.fatbin' has several images for sm_80, of which only the first is linked; "
        "put each into a separate file"
    ]
    assert outcome.status == 0
    assert link(tmp_path, two, name="nvlink").messages == ""
    for entries in ((first, first), (first, cubin_entry(FIRST, 75)), (second, first, second)):
        path = put(tmp_path, "x.fatbin", fat_binary(*entries))
        has_warning = len(entries) == 3
        assert ("several images" in link(tmp_path, path).messages) == has_warning
