"""Every file has a licence. A file that can be installed without LICENSE names its licence itself.
REUSE.toml states the licences of all other files."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
OLDEST_REUSE = 4
LINE = "SPDX-License-" + "Identifier: Apache-2.0"
ALONE = ["python/warpld/*.py", "packaging/completion/*", "packaging/cmake/*", "include/*.h",
         "tools/warpld-overlay", "tools/warpld-nvcc"]  # fmt: skip
INSTALLED_ALONE = [path for pattern in ALONE for path in REPOSITORY.glob(pattern)]


@pytest.mark.parametrize("path", INSTALLED_ALONE, ids=[path.name for path in INSTALLED_ALONE])
def test_files_that_are_installed_alone_name_their_licence(path: Path) -> None:
    assert LINE in path.read_text()


def test_both_copies_of_the_licence_are_the_same() -> None:
    copy = REPOSITORY / "LICENSES" / "Apache-2.0.txt"
    assert copy.read_text() == (REPOSITORY / "LICENSE").read_text()


def reuse_version() -> int:
    """The major version of the program reuse, 0 if unknown. Versions before 4 do not read
    REUSE.toml."""
    done = subprocess.run(["reuse", "--version"], capture_output=True, text=True)
    found = re.search(r"(\d+)\.", done.stdout)
    return int(found[1]) if found else 0


def test_reuse_finds_no_problem() -> None:
    if not shutil.which("reuse") or reuse_version() < OLDEST_REUSE:
        pytest.skip("reuse 4 is not installed; make check-packages runs it")
    done = subprocess.run(["reuse", "lint"], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
