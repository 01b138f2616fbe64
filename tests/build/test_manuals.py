"""The man pages say what the programs' --help says; `make manuals` rewrites them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()


@pytest.mark.parametrize("name", ["warpld.1", "cubintool.1"])
def test_is_current(tmp_path: Path, name: str) -> None:
    subprocess.run(
        [sys.executable, REPOSITORY / "tools" / "make-manuals.py", BUILD, tmp_path], check=True
    )
    written = (REPOSITORY / "docs" / name).read_text()
    assert written == (tmp_path / name).read_text(), "run `make manuals`"


def test_the_library_manual_is_that_of_the_header(tmp_path: Path) -> None:
    """The script makes manuals from comments: that of the library, and those of programs whose
    source begins with the manual. All of them are up to date."""
    script = REPOSITORY / "tools" / "make-comment-manuals.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    for made in tmp_path.iterdir():
        assert made.read_text() == (REPOSITORY / "docs" / made.name).read_text(), made.name
    header = (REPOSITORY / "include" / "warpld.h").read_text()
    page = (tmp_path / "libwarpld.3").read_text()
    functions = re.findall(r"(?m)^WARPLD_API ([^;]+;)", header)
    headings = page.split(".SH FUNCTIONS")[1].split(".SH SEE ALSO")[0]
    shown = re.findall(r"(?m)^\.B (.*)$", headings)
    assert shown == [re.sub(r"\s+", " ", text) for text in functions]
