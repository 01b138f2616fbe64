"""Makes one overlay, which all tests of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest
from toolkit import make_overlay, missing_program


@pytest.fixture(scope="session")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if missing := missing_program():
        pytest.skip(missing)
    return make_overlay(tmp_path_factory.mktemp("toolkit") / "overlay")
