"""The library's binary interface equals the recorded one, or only extends it. The comparison finds
changes that break programs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
HEADER = REPOSITORY / "include" / "warpld.h"
SYMBOLS = REPOSITORY / "packaging" / "debian" / "libwarpld0.symbols"

needs_abidiff = pytest.mark.skipif(
    not shutil.which("abidiff"), reason="abidiff (abigail-tools) is not installed"
)


def check(header: Path) -> tuple[int, str]:
    command = [sys.executable, REPOSITORY / "tools" / "recorded-interface.py", "check", header]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@needs_abidiff
def test_the_interface_has_no_change_that_breaks_programs() -> None:
    status, log = check(HEADER)
    assert status == 0, log


RECORDED = REPOSITORY / "packaging" / "abi" / "libwarpld.so.0.abi"


def last_recorded_field() -> str:
    """The last recorded field of struct warpld_options. No program can depend on fields that were
    added afterwards."""
    (structure,) = ElementTree.parse(RECORDED).findall(".//class-decl[@name='warpld_options']")
    return structure.findall(".//var-decl")[-1].attrib["name"]


LAST = rf"(?m)^    [^\n]*\b{last_recorded_field()};\n"
# The field that a test removes. The next field must have another type, because otherwise abidiff
# would report the removed field as renamed.
POINTER = r"(?m)^    void \*optimise_context;\n"
CHANGES = {
    "a field at the end": (
        r"(};\n\n/\* Initializer for struct warpld_options)",
        "    size_t more;\n\\g<1>",
        True,
    ),
    "a field of what another structure points to": (
        r"(size_t object_size;[^\n]*|const char \*remedy;[^\n]*)(?=\n};\n\n/\* Optimises)",
        "\\g<0>\n    size_t more;",
        True,
    ),
    "growth without a size": (r"(?<=struct warpld_kept_name {)", "    size_t more;\n", False),
    "growth of an array's element": (
        r"(?<=struct warpld_kept_name {)([^}]*)}",
        "\\g<1>    size_t more;\n}",
        False,
    ),
    "a field before the end": (LAST, "    size_t more;\n\\g<0>", False),
    "a function": ("#ifdef __cplusplus\n}", "WARPLD_API int warpld_more(void);\n\\g<0>", True),
    "an enumerator": (r"WARPLD_ERROR_CANCELLED = 7,", "\\g<0> WARPLD_ERROR_MORE = 8,", True),
    "a field in the middle": (r"    bool verbose;", "    size_t more;\n\\g<0>", False),
    "a removed field": (POINTER, "", False),
    "another type": (r"unsigned threads;", "uint64_t threads;", False),
    "a removed function": (r"WARPLD_API enum warpld_status warpld_write\([^;]*;", "", False),
    "another parameter": (r"warpld_status_name\(enum warpld_status", "\\g<0> s, int", False),
    "another enumerator": (r"WARPLD_ERROR_CANCELLED = 7", "WARPLD_ERROR_CANCELLED = 9", False),
}


@needs_abidiff
@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_distinguished(tmp_path: Path, name: str) -> None:
    """The comparison accepts changes that docs/abi.md allows, and refuses those that break
    programs."""
    pattern, new, is_allowed = CHANGES[name]
    changed, count = re.subn(pattern, new, HEADER.read_text(), count=1)
    assert count == 1
    (tmp_path / "warpld.h").write_text(changed)
    status, log = check(tmp_path / "warpld.h")
    assert (status == 0) == is_allowed, log


def test_the_symbols_file_of_debian_lists_every_function() -> None:
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    declared = set(re.findall(r"WARPLD_API [^;]*?\b(warpld_\w+)\(", text))
    assert set(re.findall(r"(?m)^ (warpld_\w+)@WARPLD_0 ", SYMBOLS.read_text())) == declared
