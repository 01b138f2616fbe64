"""Notes below an undefined reference name a definition that nearly fits, or that cannot be linked,
and the library that contains it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from container_files import (
    LTO_IR,
    SHT_STRTAB,
    SHT_SYMTAB,
    Entry,
    HostObject,
    HostSection,
    archive,
    cubin_entry,
    fat_binary,
    write_elf,
)
from cubin import read_cubin
from note_link import ERRORS, FATAL, Outcome, data, link

CALLS, DEFINES = data("calls_missing"), data("defines_missing")
USES, NEAR = data("near_uses"), data("near_definitions")
STATIC = (
    "as static or in an unnamed namespace, so it is invisible to other inputs; define it without "
    "either"
)
LINKAGE = "declare both or neither as extern C"
NEAREST = {
    "_Z6paramsii": "'_Z6paramsi', which has other parameters; declare and define it with the same "
    "parameters",
    "_Z4stati": f"'stat(int)' {STATIC}",
    "_Z4anoni": f"'_ZN30_GLOBAL__N__1fca9bc2_4_k_cu_ck4anonEi' {STATIC}",
    "_Z4cfuni": f"'cfun' with C linkage, but it is declared with C++ linkage; {LINKAGE}",
    "cppfun": f"'_Z6cppfuni' with C++ linkage, but it is declared with C linkage; {LINKAGE}",
    "_ZN1a6scopedEi": "'_ZN1b6scopedEi' in another namespace or class; "
    "declare and define it in the same one",
    "_Z6Casingi": "'_Z6casingi', which differs in upper and lower case; spell both alike",
    "_Z4tmplIiEvT_": "'_Z4tmplIfEvT_', another instance of the template; "
    "instantiate the undefined one there, too",
    "variable": "'variable' as static, as const or in an unnamed namespace, so it is invisible to "
    "other inputs; define it without any of these, or as extern const",
}
TABLE_OF_HINTS = {
    "cudaMalloc": "CUDA device runtime",
    "cudaStreamCreateWithFlags": "CUDA device runtime",
    "nvshmem_int_p": "NVSHMEM",
    "omp_get_thread_num": "LLVM's OpenMP",
    "GOMP_parallel": "GCC's OpenMP",
    "__nv_sinf": "libdevice",
    "puts": "host's C library",
    "_ZTV4Base": "virtual table",
    "_ZNSt6vectorIiSaIiEE9push_backERKi": "C++ standard library",
    "_Znwm": "operator new",
    "__cxa_throw": "C++ exceptions",
    "__asan_report_load4": "a sanitizer",
    "__llvm_profile_instrument_target": "profiling",
    "_ZN4core9panicking5panic17h0123456789abcdefE": "Rust's core",
    "_RNvNtCs1_4core9panicking5panic": "Rust's core",
    "julia_kernel_123": "Julia",
    "curand_init": "cuRAND",
    "ncclAllReduce": "NCCL",
    "_Z8ncclSendPKvi": "NCCL",
}


@pytest.fixture
def nearly(tmp_path: Path) -> Outcome:
    (tmp_path / "a.cubin").write_bytes(USES.read_bytes())
    (tmp_path / "b.cubin").write_bytes(NEAR.read_bytes())
    return link(tmp_path, "a.cubin", "b.cubin")


@pytest.mark.parametrize("name", NEAREST)
def test_a_definition_that_nearly_fits(name: str, nearly: Outcome) -> None:
    notes = nearly.find(f"Undefined reference to '{name}'").notes
    assert f"'b.cubin' defines {NEAREST[name]}" in notes


def test_readable_names_of_near_definitions(tmp_path: Path) -> None:
    outcome = link(tmp_path, USES, NEAR, demangle=True)
    for name in (
        "params(int)",
        "(anonymous namespace)::anon(int)",
        "cppfun(int)",
        "b::scoped(int)",
        "casing(int)",
        "void tmpl<float>(float)",
    ):
        assert f"defines '{name}'" in outcome.text


def test_what_is_said_once(nearly: Outcome) -> None:
    """All references of a kernel to undefined functions make one note. All undefined names that the
    same library defines make one hint."""
    assert nearly.text.count("referenced by 'kernel' in 'a.cubin'") == 1
    assert nearly.messages[-1].notes[-2:] == [
        "'__cudaCDP2LaunchDeviceV2' and 1 more are part of the CUDA device runtime; "
        "add -lcudadevrt, and -L with the toolkit's folder of libraries",
        "'__kmpc_barrier' is part of LLVM's OpenMP device runtime; link the code with clang "
        "-fopenmp --offload-arch=..., which adds libomptarget's device library",
    ]


def with_name(folder: Path, name: str) -> str:
    cubin = read_cubin(CALLS)
    cubin.symbols[cubin.symbol_index("_Z7missingi")].name = name
    (folder / "renamed.cubin").write_bytes(cubin.write())
    return "renamed.cubin"


@pytest.mark.parametrize("name", TABLE_OF_HINTS)
def test_the_library_of_a_name(name: str, tmp_path: Path) -> None:
    outcome = link(tmp_path, with_name(tmp_path, name))
    assert outcome.status == ERRORS
    (hint,) = [note for note in outcome.messages[0].notes if "' is part of " in note]
    assert TABLE_OF_HINTS[name] in hint


NO_LIBRARY = ["_Z7missingi", "gpu_scale", "_Z11my_nccl_sumi", "_ZN1a8ncclSendEi"]


@pytest.mark.parametrize("name", NO_LIBRARY)
def test_a_name_of_no_library(name: str, tmp_path: Path) -> None:
    outcome = link(tmp_path, with_name(tmp_path, name))
    assert "is part of" not in outcome.text


# Code that cannot be linked -----------------------------------------------------------------------


def host_file(
    *names: str, kind: int = 1, linked_code: bytes = b"", code: bytes = b"", repeat: int = 1
) -> bytes:
    """A host file that defines functions of these names, all of them `repeat` times; kind: ET_REL
    or ET_DYN."""
    text = b"\0" + b"".join(name.encode() + b"\0" for name in names)
    offsets = [1 + sum(len(n) + 1 for n in names[:i]) for i in range(len(names))]
    table = (
        bytes(24)
        + b"".join(struct.pack("<IBBHQQ", at, 0x12, 0, 1, 0, 1) for at in offsets) * repeat
    )
    made = HostObject(code, linked_code=linked_code, has_segment=bool(linked_code or code))
    sections = made.sections()
    sections.append(HostSection(".names", text, SHT_STRTAB, alignment=1))
    link_to = len(sections)
    sections.append(HostSection(".table", table, SHT_SYMTAB, link=link_to, entry_size=24))
    content = bytearray(write_elf(sections, 62))
    content[16] = kind
    if kind == 3:  # a program header: nothing but its size and count is read
        struct.pack_into("<Q", content, 32, 64)
        struct.pack_into("<HH", content, 54, 56, 1)
    return bytes(content)


def section_table(content: bytes) -> bytes:
    (start,) = struct.unpack_from("<Q", content, 40)
    (count,) = struct.unpack_from("<H", content, 60)
    return content[start : start + 64 * count]


def table_header(content: bytes) -> bytes:
    """The header of the symbol table that host_file adds: the first of type SHT_SYMTAB."""
    table = section_table(content)
    headers = (table[start : start + 64] for start in range(0, len(table), 64))
    return next(header for header in headers if header[4:8] == struct.pack("<I", SHT_SYMTAB))


def more_sections(content: bytes, header: bytes) -> bytes:
    """The file with 70,000 more sections, which all have this section header. The header of the
    null section has their number, and the number of the section with the names."""
    table = bytearray(section_table(content) + header * 70_000)
    struct.pack_into("<Q", table, 32, len(table) // 64)
    struct.pack_into("<I", table, 40, struct.unpack_from("<H", content, 62)[0])
    made = bytearray(content + table)
    struct.pack_into("<Q", made, 40, len(content))
    struct.pack_into("<HH", made, 60, 0, 0xFFFF)
    return bytes(made)


def notes_with(folder: Path, name: str, content: bytes, *words: str) -> list[str]:
    (folder / name).write_bytes(content)
    (folder / "calls.cubin").write_bytes(CALLS.read_bytes())
    outcome = link(folder, "calls.cubin", *(words or [name]))
    assert outcome.status == ERRORS
    return outcome.find("Undefined reference").notes


WITHOUT_RDC = "which was compiled without -rdc=true; recompile it with -rdc=true"


def test_defined_in_an_object_without_rdc(tmp_path: Path) -> None:
    code = fat_binary(cubin_entry(data("address_taken")))
    found = notes_with(tmp_path, "b.o", host_file("_Z7missingi", linked_code=code))
    assert found[-1] == f"'_Z7missingi' is defined in 'b.o', {WITHOUT_RDC}"


def test_defined_in_device_code_without_rdc(tmp_path: Path) -> None:
    """The function is defined in device code only, so the host's code does not have its name."""
    code = fat_binary(cubin_entry(DEFINES))
    found = notes_with(tmp_path, "b.o", HostObject(linked_code=code).write())
    assert found[-1] == f"'_Z7missingi' is defined in 'b.o', {WITHOUT_RDC}"


def test_an_archive_member_without_rdc(tmp_path: Path) -> None:
    code = fat_binary(cubin_entry(DEFINES))
    member = HostObject(linked_code=code).write()
    found = notes_with(tmp_path, "libx.a", archive({"y.o": member}), "-L.", "-lx")
    assert f"'_Z7missingi' is defined in './libx.a:y.o', {WITHOUT_RDC}" in found


def test_an_object_without_rdc_that_defines_something_else(tmp_path: Path) -> None:
    code = fat_binary(cubin_entry(data("address_taken")))
    found = notes_with(tmp_path, "b.o", HostObject(linked_code=code).write())
    assert found[-1] == (
        "'b.o' contains device code, but it was compiled without -rdc=true and cannot be linked; "
        "recompile it with -rdc=true"
    )


@pytest.mark.parametrize("words", [("libx.so",), ("-L.", "-lx")])
def test_defined_in_a_shared_library(words: tuple[str, ...], tmp_path: Path) -> None:
    code = fat_binary(cubin_entry(DEFINES))
    content = host_file("other", kind=3, linked_code=code)
    found = notes_with(tmp_path, "libx.so", content, *words)
    path = "libx.so" if words == ("libx.so",) else "./libx.so"
    assert (
        f"'_Z7missingi' is defined in '{path}', but device code in shared libraries cannot be "
        "linked; add its objects or static library"
    ) in found


def test_defined_for_the_host_only(tmp_path: Path) -> None:
    found = notes_with(tmp_path, "b.o", host_file("_Z7missingi"))
    assert (
        "'_Z7missingi' is defined in 'b.o' for the host only; declare it __device__ and compile "
        "it with nvcc -rdc=true"
    ) in found


def test_defined_in_lto_ir_for_other_targets(tmp_path: Path) -> None:
    """warpld cannot read the names in LTO-IR. But for each device function, nvcc also writes a host
    function of the same name, so the note says "probably"."""
    entries = [Entry(LTO_IR, sm, b"scrambled") for sm in (90, 100)]
    found = notes_with(tmp_path, "b.o", host_file("_Z7missingi", code=fat_binary(*entries)))
    assert found[-1] == (
        "'_Z7missingi' is probably defined in the LTO-IR of 'b.o', which is for lto_90, lto_100 "
        "only; compile it for sm_80, too"
    )


def test_lto_ir_beside_machine_code_says_nothing(tmp_path: Path) -> None:
    """If an object also has machine code, the names in that code are those of the LTO-IR, too. Here
    they do not include the undefined name, so no note says that the LTO-IR may define it."""
    entries = [Entry(LTO_IR, 90, b"scrambled"), cubin_entry(data("address_taken"))]
    found = notes_with(tmp_path, "b.o", host_file("_Z7missingi", code=fat_binary(*entries)))
    assert "'_Z7missingi' is defined in 'b.o' for the host only" in found[-1]


def test_a_host_file_that_is_cut_off(tmp_path: Path) -> None:
    content = host_file("_Z7missingi", kind=3, linked_code=b"\x50\xed\x55\xba" + b"\xff" * 40)
    for size in range(60, len(content), 37):
        (tmp_path / "libx.so").write_bytes(content[:size])
        assert link(tmp_path, CALLS, "libx.so").status in (ERRORS, FATAL)


def test_host_files_whose_symbols_cannot_be_read(tmp_path: Path) -> None:
    """A file of 32 bits, and a symbol table whose string table does not exist."""
    content = bytearray(host_file("_Z7missingi"))
    struct.pack_into("<I", content, content.index(table_header(content)) + 40, 100)
    for unreadable in (HostObject(has_segment=False, bits=32).write(), bytes(content)):
        found = notes_with(tmp_path, "b.o", unreadable)
        assert not any("is defined in 'b.o'" in note for note in found)


def test_a_host_file_with_more_sections_than_16_bits_can_number(tmp_path: Path) -> None:
    found = notes_with(tmp_path, "b.o", more_sections(host_file("_Z7missingi"), bytes(64)))
    assert "'_Z7missingi' is defined in 'b.o' for the host only" in found[-1]


# Bounds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1000, 300000])
def test_long_names_are_shortened(size: int, tmp_path: Path) -> None:
    name = "omp_" + "x" * size
    outcome = link(tmp_path, with_name(tmp_path, name))
    assert outcome.status == ERRORS
    assert len(outcome.text) < len(name) + 3000


def test_a_host_file_with_a_long_name_again_and_again(tmp_path: Path) -> None:
    """The lengths of the names add up to 2 TB."""
    content = host_file("_Z7missingi", "n" * 2_000_000, repeat=1_000_000)
    found = notes_with(tmp_path, "b.o", content)
    assert "'_Z7missingi' is defined in 'b.o' for the host only" in found[-1]


def test_a_host_file_with_a_symbol_table_again_and_again(tmp_path: Path) -> None:
    """The 70,001 tables with a million symbols each all have the same offset."""
    content = host_file("_Z7missingi", repeat=1_000_000)
    found = notes_with(tmp_path, "b.o", more_sections(content, table_header(content)))
    assert "'_Z7missingi' is defined in 'b.o' for the host only" in found[-1]
