"""The link takes one image from each fat binary: the best one for its target. If none fits, a
message says so.

nvlink 13.0.88 gives the same result for the same files, unless a test names a difference."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from container_files import (
    CUBIN,
    FLAG_64_BIT,
    FLAG_ACCELERATED,
    FLAG_ALWAYS,
    FLAG_FAMILY,
    LTO_IR,
    PTX,
    Entry,
    HostObject,
    archive,
    cubin_entry,
    fat_binary,
    host,
)
from container_link import FIRST, FIRST_90, SECOND, link, put


def image(cubin: Path, sm: int, kind: int = CUBIN, flags: int = 0) -> Entry:
    return Entry(kind, sm, cubin.read_bytes(), FLAG_64_BIT | FLAG_ALWAYS | flags)


def test_highest_number_that_runs_is_taken(folder: Path) -> None:
    entries = [image(FIRST, 75), image(SECOND, 80), image(FIRST, 86), image(FIRST_90, 90)]
    for order in itertools.permutations(entries):
        fat = put(folder, "x.fatbin", fat_binary(*order))
        assert link(folder, fat).output == link(folder, SECOND).output


def test_machine_code_comes_before_text(folder: Path) -> None:
    text = Entry(PTX, 80, b".version 8.0\n.target sm_80\n")
    for order in itertools.permutations([text, image(SECOND, 80)]):
        fat = put(folder, "x.fatbin", fat_binary(*order))
        assert link(folder, fat).output == link(folder, SECOND).output


def test_no_image_is_a_warning(folder: Path) -> None:
    fat = put(folder, "x.fatbin", fat_binary(cubin_entry(FIRST_90)))
    result = link(folder, fat, SECOND)
    assert result.messages == "nvlink warning : SM Arch ('sm_80') not found in 'x.fatbin'\n"
    assert result.output == link(folder, SECOND).output
    assert link(folder, fat, SECOND, "-suppress-arch-warning").messages == ""
    assert link(folder, fat, SECOND, "-Werror").status == 255
    library = put(folder, "libx.a", archive({"x.o": host(FIRST_90)}))
    assert link(folder, library, SECOND).messages == ""


def test_no_code_at_all_is_an_error_but_for_nvlink(folder: Path) -> None:
    fat = put(folder, "x.fatbin", fat_binary(cubin_entry(FIRST_90)))
    assert link(folder, fat).status == 0
    result = link(folder, fat, name="warpld")
    assert result.status == 255
    assert "No input has device code for 'sm_80'" in result.messages
    assert "the inputs contain code for sm_90; compile them for 'sm_80', too" in result.messages
    assert link(folder, fat, "--allow-empty", name="warpld").status == 0


@pytest.mark.parametrize(
    ("target", "sm", "flags"),
    [
        ("sm_80", 80, 0),
        ("sm_80", 75, 0),
        ("sm_90a", 90, FLAG_ACCELERATED),
        ("sm_103", 100, FLAG_FAMILY),
    ],
)
def test_intermediate_code_alone_needs_an_option(
    target: str, sm: int, flags: int, folder: Path
) -> None:
    code = Entry(LTO_IR, sm, b"x" * 64, FLAG_64_BIT | FLAG_ALWAYS | flags)
    other = Entry(CUBIN, 120, b"x" * 64)
    result = link(folder, put(folder, "x.fatbin", fat_binary(code, other)), architecture=target)
    error, *notes = result.messages.splitlines()
    assert (result.status, error) == (1, "nvlink fatal   : LTO objects found, use -dlto")
    advice = f"compile it with code={target} instead of code=lto_..., or with both"
    cause = "'x.fatbin' holds only LTO-IR for this target"
    assert notes == [f"nvlink note    : {cause}; link with -lto, or {advice}"]


@pytest.mark.parametrize(
    ("target", "sm", "flags"),
    [
        ("sm_80", 90, 0),
        ("sm_90", 90, FLAG_ACCELERATED),
        ("sm_120", 100, FLAG_FAMILY),
        ("compute_80", 80, 0),
    ],
)
def test_intermediate_code_for_others(target: str, sm: int, flags: int, folder: Path) -> None:
    """LTO-IR never fits a virtual target. It fits the real targets that PTX for the same
    architecture fits."""
    entry = Entry(LTO_IR, sm, b"x" * 64, FLAG_64_BIT | FLAG_ALWAYS | flags)
    result = link(folder, put(folder, "x.fatbin", fat_binary(entry)), architecture=target)
    missing = f"nvlink warning : SM Arch ('{target}') not found in 'x.fatbin'\n"
    assert (result.status, result.messages) == (0, missing)


@pytest.mark.parametrize(
    ("suffix", "message"),
    [
        ("fatbin", "fatbin wrong format?"),
        ("ltoir", "should only see nvvm files when -lto"),
        ("nvvm", "should only see nvvm files when -lto"),
        ("bc", "should never see bc files"),
    ],
)
def test_names_that_promise_device_code(suffix: str, message: str, folder: Path) -> None:
    text = put(folder, f"x.{suffix}", b"no object at all\n" * 10)
    result = link(folder, SECOND, text)
    fatal, note = result.messages.splitlines()
    assert (result.status, fatal) == (1, f"nvlink fatal   : {message}")
    assert note.startswith(f"nvlink note    : x.{suffix}: ")
    put(folder, f"x.{suffix}", b"")
    assert link(folder, SECOND, text).status == 0


@pytest.mark.parametrize(
    ("target", "fits"),
    [("compute_75", False), ("compute_80", True), ("compute_90a", True), ("compute_121f", True)],
)
def test_virtual_target_has_no_output(target: str, fits: bool, folder: Path) -> None:
    """nvcc links for a virtual target if all device code is PTX, which the driver compiles and
    links. In a container only PTX fits such a target."""
    objects = [put(folder, f"{n}.o", host(FIRST, module_ids=(f"_{n}",))) for n in "ab"]
    words = [*objects, "--register-link-binaries=names"]
    result = link(folder, *words, architecture=target)
    assert (result.status, result.file) == (0, b"")
    missing = [f"nvlink warning : SM Arch ('{target}') not found in '{o}'\n" for o in objects]
    assert result.messages == "".join(missing)
    assert (folder / "names").read_text().count("DEFINE_REGISTER_FUNC") == 2
    result = link(folder, FIRST, architecture=target)
    assert result.status == (0 if fits else 1)


def test_an_error_ends_the_link_at_the_next_container(folder: Path) -> None:
    """Exit status and messages are those of nvlink."""
    none = put(folder, "none.o", host(FIRST_90))
    missing = "nvlink error   : SM Arch ('sm_80') not found in 'none.o'\n"
    link(folder, none, "-Werror", "--register-link-binaries=names")
    assert not (folder / "names").exists()
    cases: list[tuple[list[str | Path], int, str]] = [
        ([FIRST], 255, ""),
        ([put(folder, "plain.o", HostObject(has_segment=False).write())], 1, "internal"),
        ([put(folder, "x.fatbin", fat_binary(cubin_entry(FIRST)))], 1, "fatbinary"),
        ([FIRST, put(folder, "libx.a", archive({"x.o": host(FIRST)}))], 1, "internal"),
    ]
    for words, status, ending in cases:
        result = link(folder, none, *words, "-Werror")
        fatal = f"nvlink fatal   : elfLink {ending} error\n" if ending else ""
        assert (result.status, result.messages) == (status, missing + fatal)
