"""Tests cubin_file.py, which reads and writes cubins for the other tests of this folder."""

from pathlib import Path

import pytest
from cubin_file import CubinFile
from tool import NATIVE_LINKS


@pytest.mark.parametrize("path", NATIVE_LINKS, ids=[path.name for path in NATIVE_LINKS])
def test_unchanged_file_is_written_as_it_was(path: Path, tmp_path: Path) -> None:
    copy = CubinFile(path).write(tmp_path / "copy")
    assert copy.read_bytes() == path.read_bytes()
