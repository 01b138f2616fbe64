"""Both of our libraries export the same names as NVIDIA's. The version of each symbol is the name
of the library."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from library import FUNCTIONS, ours

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src" / "nvjitlink"
HEADER = HERE.parents[1] / "include" / "warpld_nvjitlink.h"
RELEASES = {12: "12.9.86", 13: "13.5.37"}


def exported(library: Path) -> set[str]:
    lines = subprocess.check_output(["nm", "-D", "--defined-only", library], text=True)
    return {line.split(maxsplit=1)[1] for line in lines.splitlines()}


@pytest.mark.parametrize("major", (12, 13))
def test_names_are_nvidias(major: int) -> None:
    expected = (HERE / "symbols" / f"{RELEASES[major]}.txt").read_text().splitlines()
    assert exported(ours(major)) == set(expected)


@pytest.mark.parametrize("major", (12, 13))
def test_the_soname_is_nvidias(major: int) -> None:
    dynamic = subprocess.check_output(["readelf", "-d", ours(major)], text=True)
    assert f"Library soname: [libnvJitLink.so.{major}]" in dynamic


def test_the_table_has_all_functions() -> None:
    rows = re.findall(r"^FUNCTION\w*\((\w+)", (SOURCE / "functions.def").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(FUNCTIONS)


def test_the_header_declares_all_functions() -> None:
    declared = re.findall(r"nvJitLinkResult nvJitLink(\w+)\(", HEADER.read_text())
    assert sorted(declared) == sorted(FUNCTIONS)
