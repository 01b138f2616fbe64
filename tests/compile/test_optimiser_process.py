"""The process of the optimiser: sandboxes that refuse what it uses, and faults of all kinds."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from container_link import SECOND
from optimiser_folder import run, set_up
from sandbox import refuse_memory_files, skip_without_filters


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return set_up(tmp_path)


# --------------------------------------------------------------------------------------------------
# Sandboxes


@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOSYS])
def test_no_files_in_memory_are_needed(error: int, folder: Path) -> None:
    skip_without_filters()
    words = ["-lto", "-disable-infos", "x.ltoir", SECOND]
    done = run(folder, *words, preexec=lambda: refuse_memory_files(error))
    assert (done.status, done.file) == (0, run(folder, *words).file)


def test_a_folder_for_these_files_is_missed(folder: Path) -> None:
    skip_without_filters()
    done = run(folder, "-lto", "x.ltoir", preexec=refuse_memory_files, TMPDIR="/nowhere")
    assert done.status == 1
    assert "Could not share files with" in done.messages
    assert "No such file or directory" in done.messages
