"""The saved link finds the files and folders of all options. It writes only to its own folder."""

from __future__ import annotations

import re
import shutil
import struct
from pathlib import Path

import pytest
from container_link import FIRST, REPOSITORY, SECOND
from saved_link import link, repeat

TABLE = REPOSITORY / "src" / "cli" / "options" / "options.def"
ROW = re.compile(r'OPTION\(\w+, "([^"]+)", "[^"]*", \w+, "([^"]*)"')
OPTIONS = ROW.findall(TABLE.read_text())

# The names that --help gives to the values of options. FILES has those of values that are files or
# folders, OTHERS all others.
FILES = {"FILE", "FILE,...", "FOLDER", "FOLDER,...", "PROGRAM", "COMPILER", "URL", "PATTERN:LIMITS"}
OTHERS = {
    *("", "ARCH", "ARCH,...", "BITS", "CATEGORY,...", "CODE", "FORMAT", "LEVEL", "MODE", "N"),
    *("NAME", "NAME,...", "OPTIONS", "SECONDS", "SYMBOL", "SYMBOL,...", "TYPE", "VERSION", "WHEN"),
    *("7|8", "true|false", "arch=A,code=C"),
}
NAMES = [name for name, value in OPTIONS if value in FILES]

# Options that are not in the saved file `arguments`. That file contains the contents of options
# files instead (test_words_of_options_files), and a repeated link is not saved again.
WITHOUT_FILE = {"options-file", "save-inputs"}
FOLDERS = {"library-path", "cache-dir", "nvvmpath"}
CONTENTS = {
    "limit": b"*:registers<=255\n",
    "uidx-file": struct.pack("<8sIIQQQQ", b"\x7fUFTINDX", 1, 0, 0, 0, 0, 0),
}
# A repeated link uses no cache.
LEFT_OUT = {"cache-dir", "cache-url"}
# Options whose files are not copied. The repeated link finds these by their absolute paths.
FOUND = {"host-ccbin", "nvjitlink-path", "nvvmpath", "ptx-compiler", "ptxas-path"}


def test_the_kind_of_each_value_is_known() -> None:
    """If this test fails for a new option, add the name of its value to FILES or OTHERS."""
    assert len(OPTIONS) > 100
    assert {value for _, value in OPTIONS} == FILES | OTHERS


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_FILE])
def test_relative_paths(name: str, tmp_path: Path) -> None:
    """The link is repeated in another folder, after the folder of the option's file is renamed."""
    path = tmp_path / "sub" / "it"
    path.parent.mkdir()
    if name in FOLDERS:
        path.mkdir()
    else:
        path.write_bytes(CONTENTS.get(name, b"anything"))
    value = "@sub/it" if name == "limit" else "sub/it"
    done = link(tmp_path, FIRST, SECOND, f"--{name}={value}")
    assert done.status == 0, done.messages
    lines = (tmp_path / "saved" / "arguments").read_text().splitlines()
    values = [line.strip('"').partition("=")[2] for line in lines if f'"--{name}=' in line]
    if name in FOUND:
        assert values == [str(path)]
    else:
        assert bool(values) == (name not in LEFT_OUT)
        assert all(re.match("(output|@?inputs|libraries)/", value) for value in values)
        path.parent.rename(tmp_path / "renamed")
    again = repeat(tmp_path / "saved")
    assert again.status == 0, again.messages
    for folder in (tmp_path, tmp_path / "saved", tmp_path / "elsewhere"):
        assert name in FOUND or not (folder / "sub").exists()


def test_each_file_of_limits_is_saved(tmp_path: Path) -> None:
    """The files can have equal names. Limits on the command line need no file."""
    for folder, limits in (("one", "*:registers<=255\n"), ("two", "*:registers<=3\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "limits").write_text(limits)
    words = ["--limit", "@one/limits", "--limit=*:stack<=4K", "--limit", "@two/limits"]
    done = link(tmp_path, FIRST, SECOND, *words)
    assert done.status == 255 and "but --limit allows 3" in done.messages
    for folder in ("one", "two"):
        shutil.rmtree(tmp_path / folder)
    again = repeat(tmp_path / "saved")
    assert again.status == 255 and "but --limit allows 3" in again.messages


def test_a_keyword_of_ptx_compiler_is_no_path(tmp_path: Path) -> None:
    (tmp_path / "process").write_bytes(b"no compiler")
    assert link(tmp_path, FIRST, SECOND, "--ptx-compiler=process").status == 0
    assert '"--ptx-compiler=process"' in (tmp_path / "saved" / "arguments").read_text()
