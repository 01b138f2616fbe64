"""The programs and libraries of the default build are hardened."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
FILES = ("warpld", "warpld-ptx-helper", "cubintool", "libwarpld.so", "libnvJitLink.so.13")
NOW = {"DF_BIND_NOW": 8, "DF_1_NOW": 1}


@pytest.fixture(scope="module", params=FILES)
def elf(request: pytest.FixtureRequest) -> ELFFile:
    path = BUILD / request.param
    if b"__asan_init" in path.read_bytes() or b"__tsan_init" in path.read_bytes():
        pytest.skip("it was built with a sanitizer")
    return ELFFile(path.open("rb"))


def test_addresses_are_bound_at_the_start_and_then_read_only(elf: ELFFile) -> None:
    kinds = {segment["p_type"] for segment in elf.iter_segments()}
    assert "PT_GNU_RELRO" in kinds
    tags = {tag["d_tag"]: tag["d_val"] for tag in elf.get_section_by_name(".dynamic").iter_tags()}
    assert tags.get("DT_FLAGS", 0) & NOW["DF_BIND_NOW"] or tags["DT_FLAGS_1"] & NOW["DF_1_NOW"]


def test_the_stack_holds_no_code(elf: ELFFile) -> None:
    stacks = [s for s in elf.iter_segments() if s["p_type"] == "PT_GNU_STACK"]
    assert stacks and not any(segment["p_flags"] & 1 for segment in stacks)


def test_programs_are_at_random_addresses(elf: ELFFile) -> None:
    assert elf["e_type"] == "ET_DYN"


@pytest.mark.parametrize("name", ["libwarpld.so", "libnvJitLink.so.13"])
def test_stacks_and_strings_are_checked(name: str) -> None:
    """The libraries call libc's functions that check stacks and strings. The programs are not
    tested: they are usually linked statically, and libc contains these functions in any case."""
    if b"__asan_init" in (BUILD / name).read_bytes():
        pytest.skip("it was built with a sanitizer")
    command: list[str | Path] = ["nm", "--dynamic", "--undefined-only", BUILD / name]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "__stack_chk_fail" in names
    assert "_chk@" in names or "_chk\n" in names
