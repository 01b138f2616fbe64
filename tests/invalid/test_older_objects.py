"""Objects of CUDA 12 that are damaged, or that cannot be linked for the target."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from linking import BUILD, DATA, OTHER, PROGRAM, assert_fails, link
from mutate import U16, Cubin

GOLDEN = DATA.parents[1] / "golden" / "older-objects"
MIXED = GOLDEN.with_name("older-objects-mixed-with-newer-sm90a")
TOO_OLD = "must be recompiled with toolkit >= Cuda 12.0"
FATAL = 1
E_VERSION, E_FLAGS, ABI_VERSION = 20, 48, 8
ADDRESS_64 = 0x400
WARNING = "nvlink warning : expected 64bit object 'a.cubin' to have EF_CUDA_64BIT_ADDRESS set\n"
REFUSAL = "nvlink fatal   : Input file 'a.cubin' abi does not match\n"


def changed(folder: Path, offset: int, form: str, change: Callable[[int], int]) -> tuple[int, str]:
    """Links objects of CUDA 12 after a change in the header of the first. Returns status and
    messages."""
    content = bytearray((GOLDEN / "a.cubin").read_bytes())
    (value,) = struct.unpack_from(form, content, offset)
    struct.pack_into(form, content, offset, change(value))
    (folder / "a.cubin").write_bytes(content)
    outcome = link(folder, folder / "a.cubin", GOLDEN / "b.cubin")
    return outcome.status, outcome.messages.replace(f"{folder}/", "")


def test_without_the_mark_of_64_bits(tmp_path: Path) -> None:
    assert changed(tmp_path, E_FLAGS, "<I", lambda flags: flags ^ ADDRESS_64) == (0, WARNING)


def test_highest_flag(tmp_path: Path) -> None:
    status, messages = changed(tmp_path, E_FLAGS, "<I", lambda flags: flags | 1 << 31)
    assert status == FATAL
    assert messages.startswith(REFUSAL)


@pytest.mark.parametrize("version", [6, 8])
def test_another_abi_version(tmp_path: Path, version: int) -> None:
    note = f"nvlink note    : 'a.cubin' has OSABI 0x33 and ABI version {version}, which are "
    status, messages = changed(tmp_path, ABI_VERSION, "<B", lambda _: version)
    assert status == FATAL
    assert messages == f"{REFUSAL}{note}not those of CUDA 12 or 13; recompile it\n"


@pytest.mark.parametrize("toolkit", [0, 1, 110, 119, 130])
def test_any_older_toolkit(tmp_path: Path, toolkit: int) -> None:
    assert changed(tmp_path, E_VERSION, "<I", lambda _: toolkit) == (0, "")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({("cuinfo", 4): 120}, ""),
        ({("cuinfo", 4): 119}, TOO_OLD),
        ({("cuinfo", 4): 0}, TOO_OLD),
        # A .note.nv.cuinfo of version 0 or 1 has no toolkit. Then the first word of
        # .note.nv.tkinfo is taken as the toolkit.
        ({("cuinfo", 0): 1}, TOO_OLD),
        ({("cuinfo", 0): 1, ("tkinfo", 0): 119}, TOO_OLD),
        ({("cuinfo", 0): 1, ("tkinfo", 0): 129}, ""),
        ({("cuinfo", 0): 0, ("tkinfo", 0): 130, ("cuinfo", 4): 131}, ""),
        ({("cuinfo", 0): 1, ("tkinfo", 0): 131}, "newer than toolkit (131 vs 130)"),
        ({("cuinfo", 0): 3, ("cuinfo", 4): 131}, "newer than toolkit (131 vs 130)"),
    ],
)
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_toolkit_of_the_notes(
    tmp_path: Path, architecture: str, changes: dict[tuple[str, int], int], expected: str
) -> None:
    """An object for sm_90 is refused if its toolkit is too old. An object for sm_80 is not."""
    cubin = Cubin(PROGRAM.with_name(f"program.{architecture}.cubin"))
    for (kind, offset), value in changes.items():
        cubin.put(cubin.contents(f".note.nv.{kind}") + 24 + offset, U16, value)
    (tmp_path / "a.cubin").write_bytes(cubin.data)
    other = OTHER.with_name(f"other.{architecture}.cubin")
    outcome = link(tmp_path, tmp_path / "a.cubin", other, architecture=architecture)
    if expected == TOO_OLD and architecture != "sm_90":
        expected = ""
    assert expected in outcome.messages
    assert outcome.status == (FATAL if expected else 0)


@pytest.mark.parametrize(("toolkit", "status"), [(119, FATAL), (120, 0)])
def test_header_of_old_code_for_sm_90(tmp_path: Path, toolkit: int, status: int) -> None:
    cubin = bytearray((MIXED / "a.cubin").read_bytes())
    struct.pack_into("<I", cubin, E_VERSION, toolkit)
    (tmp_path / "a.cubin").write_bytes(cubin)
    outcome = link(tmp_path, tmp_path / "a.cubin", "-r", architecture="sm_90a")
    assert outcome.status == status
    assert (TOO_OLD in outcome.messages) == bool(status)


@pytest.mark.parametrize("toolkit", [99, 100])
def test_code_from_before_release_10_is_marked(tmp_path: Path, toolkit: int) -> None:
    assert changed(tmp_path, E_VERSION, "<I", lambda _: toolkit) == (0, "")
    dump = subprocess.run(
        [BUILD / "cubintool", "dump", tmp_path / "output.cubin"], capture_output=True, text=True
    ).stdout
    assert ("HAS_PRE_V10_OBJECT" in dump) == (toolkit < 100)


@pytest.mark.parametrize("toolkit", [131, 65666])
def test_a_newer_toolkit(tmp_path: Path, toolkit: int) -> None:
    status, messages = changed(tmp_path, E_VERSION, "<I", lambda _: toolkit)
    assert status == FATAL
    shown = min(toolkit, 65535)
    assert f"Input file 'a.cubin' newer than toolkit ({shown} vs 130)\n" in messages


def test_mixed_in_an_output_of_abi_7(tmp_path: Path) -> None:
    older = GOLDEN / "b.cubin"
    message = f"Input file '{OTHER}' has ABI version 8 and cannot be linked with '{older}'"
    assert_fails(tmp_path, FATAL, message, "--output-abi=7", older, OTHER)
    assert_fails(tmp_path, FATAL, message, "--output-abi=7", OTHER, older)


def test_newer_objects_in_an_output_of_abi_7(tmp_path: Path) -> None:
    message = f"'{PROGRAM}' has ABI version 8 and cannot be linked into an output of ABI version 7"
    assert_fails(tmp_path, FATAL, message, "--output-abi=7", PROGRAM, OTHER)


def test_target_without_abi_7(tmp_path: Path) -> None:
    message = "Outputs of ABI version 7 are not possible for 'sm_100'"
    assert_fails(tmp_path, FATAL, message, "--output-abi=7", PROGRAM, architecture="sm_100")


def test_no_such_abi(tmp_path: Path) -> None:
    message = "Value '9' is not defined for option 'output-abi'"
    assert_fails(tmp_path, FATAL, message, "--output-abi=9", PROGRAM)


def test_abi_8_is_the_default(tmp_path: Path) -> None:
    named = link(tmp_path, "--output-abi=8", PROGRAM, OTHER).output
    assert named == link(tmp_path, PROGRAM, OTHER).output
