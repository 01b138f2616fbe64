"""Messages for contents that no compiler writes, and for a machine without memory."""

from __future__ import annotations

import resource
import struct
import subprocess
from pathlib import Path

from linking import BUILD, OTHER, PROGRAM, link
from object_file import ObjectFile, record, words

TESTS = Path(__file__).resolve().parents[1]
FATAL = 1
MERCURY = (TESTS / "relocatable/data/first.sm_100.cubin").read_bytes()
CRS_STACK_SIZE, SYNC_STACK = 30, 13


def messages(folder: Path, made: ObjectFile) -> tuple[int, str]:
    made.write(folder / "a.cubin")
    outcome = link(folder, folder / "a.cubin")
    return outcome.status, outcome.messages.replace(f"{folder}/", "")


def test_two_sizes_of_one_call_stack(tmp_path: Path) -> None:
    made = ObjectFile()
    kernel = made.add_function("kernel", kernel=True)
    made.add_attributes(kernel, record(CRS_STACK_SIZE, words(8)) + record(SYNC_STACK, words(16)))
    assert messages(tmp_path, made) == (
        FATAL,
        "nvlink fatal   : Internal error: conflicting crs_stack attribute\n",
    )


def test_code_without_its_mercury_form(tmp_path: Path) -> None:
    made = ObjectFile()
    made.architecture = 100
    made.add_function("kernel", kernel=True)
    made.write(tmp_path / "a.cubin")
    outcome = link(tmp_path, tmp_path / "a.cubin", architecture="sm_100")
    assert outcome.status == FATAL
    assert outcome.output is None
    assert "its native code and its Mercury code do not correspond" in outcome.messages


def test_another_osabi_has_a_warning_too(tmp_path: Path) -> None:
    """If an object has another OSABI, nvlink prints a warning and then refuses the file. If it has
    another ABI version, nvlink only refuses the file. warpld does the same."""
    warning = "nvlink warning : expected 64bit object 'a.cubin' to have EF_CUDA_64BIT_ADDRESS set\n"
    refusal = "nvlink fatal   : Input file 'a.cubin' abi does not match\n"
    note = (
        "nvlink note    : 'a.cubin' has OSABI {} and ABI version {}, which are not those of CUDA "
        "12 or 13; recompile it\n"
    )
    for offset, value, expected in (
        (7, 0x33, warning + refusal + note.format("0x33", 8)),
        (8, 7, refusal + note.format("0x41", 7)),
    ):
        content = bytearray(PROGRAM.read_bytes())
        content[offset] = value
        (tmp_path / "a.cubin").write_bytes(content)
        outcome = link(tmp_path, tmp_path / "a.cubin")
        assert outcome.messages.replace(f"{tmp_path}/", "") == expected


def test_a_machine_without_memory(tmp_path: Path) -> None:
    """A compressed image of 2 MB claims to unpack to 400 MB. The linker cannot refuse this size as
    damage, because it is possible, so it tries to allocate the memory. The process may use only
    200 MB."""
    payload, unpacked = bytes(2 << 20), 400 << 20
    entry = struct.pack(
        "<HHIQIIHHIIIQQQ",
        2, 0x0101, 0x40, len(payload), len(payload), 0, 8, 1, 80, 0, 0, 0x2011, 0, unpacked,
    )  # fmt: skip
    content = entry + payload
    fat = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(content)) + content
    (tmp_path / "a.fatbin").write_bytes(fat)
    limit = 200 << 20
    done = subprocess.run(
        [BUILD / "warpld", "-arch=sm_80", "a.fatbin", "-o", "output.cubin"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        check=False,
    )
    assert done.returncode == FATAL
    first, second = done.stderr.splitlines()
    assert first == "warpld fatal   : Out of memory"
    assert second.startswith("warpld note    : the link would need more than ")
    assert " bytes of memory for " in second
    assert not (tmp_path / "output.cubin").exists()


def test_a_file_type_of_no_object(tmp_path: Path) -> None:
    """From sm_100 on a file is refused if its ELF type is not that of an object. For earlier
    targets files of every type are linked. nvlink does the same."""
    for target, data, more in (("sm_80", PROGRAM.read_bytes(), (OTHER,)), ("sm_100", MERCURY, ())):
        for file_type in (0, 3, 4, 5, 0xFE00, 0xFF01, 0xFFFF):
            content = bytearray(data)
            content[16:18] = struct.pack("<H", file_type)
            (tmp_path / "a.cubin").write_bytes(content)
            outcome = link(tmp_path, tmp_path / "a.cubin", *more, architecture=target)
            if target == "sm_80":
                assert outcome.output is not None
                continue
            assert outcome.status == FATAL
            assert outcome.messages.replace(f"{tmp_path}/", "") == (
                "nvlink fatal   : Internal FNLZR error 'a.cubin'\n"
                f"nvlink note    : 'a.cubin' has the file type {file_type:#x} (e_type), which no "
                "compiler writes; recompile it\n"
            )
