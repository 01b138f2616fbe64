"""Unpacks the Python package from the wheel of the build, as an installer would."""

from __future__ import annotations

import importlib
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()


@pytest.fixture(scope="session")
def wheel() -> Path:
    found = list((BUILD / "wheel").glob("warpld-*.whl"))
    assert len(found) == 1, "run `make wheel`"
    return found[0]


@pytest.fixture(scope="session")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpacks the wheel into a folder as pip install --target does: programs are in bin/."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    next(folder.glob("warpld-*.data")).joinpath("scripts").rename(folder / "bin")
    for program in (folder / "bin").iterdir():
        program.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def warpld(unpacked: Path) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(unpacked))
        yield importlib.import_module("warpld")
