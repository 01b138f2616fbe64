"""Fixtures for the tests of this folder: a folder for files, and the output of a link of the plain
cubins."""

from __future__ import annotations

from pathlib import Path

import pytest
from container_link import output_of_cubins


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def expected(folder: Path) -> list[tuple[str, bytes]]:
    return output_of_cubins(folder)
