"""Links every golden folder with warpld, called as nvlink, and compares the result with nvlink's.

The variable WARPLD_BUILD names the folder with the programs under test. The default is build/."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from golden_folder import GOLDEN, GoldenFolder, golden_folders, without_notes

BUILD = Path(os.environ.get("WARPLD_BUILD", GOLDEN.parents[1] / "build")).absolute()
# With ThreadSanitizer, a link of many objects takes a minute while other programs use all cores.
TIMEOUT_SECONDS = 300


def run(command: list[object], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@pytest.mark.parametrize("folder", golden_folders(), ids=str)
def test_links_as_nvlink_does(folder: GoldenFolder, tmp_path: Path) -> None:
    linker, output = tmp_path / "nvlink", tmp_path / "output.cubin"
    linker.symlink_to(BUILD / "warpld")
    done = run([linker, *folder.arguments, "-o", output], folder.path)
    assert done.returncode == folder.expected_status, done.stderr
    assert without_notes(done.stderr.splitlines()) == folder.expected_messages
    assert output.exists() == folder.expected_cubin.exists()
    if output.exists():
        command = [BUILD / "cubintool", "diff", "--strict", folder.expected_cubin, output]
        difference = run(command, folder.path)
        assert difference.returncode == 0, difference.stdout + difference.stderr


@pytest.mark.parametrize("folder", golden_folders(), ids=str)
def test_folder_is_complete(folder: GoldenFolder) -> None:
    inputs = {word for word in folder.arguments if word.endswith(".cubin")}
    made = {source.with_suffix(".cubin").name for source in folder.sources}
    assert inputs == made or (folder.is_patched and not made)
    assert all((folder.path / name).is_file() for name in inputs)
    assert folder.expected_cubin.exists() == (folder.expected_status == 0)


@pytest.mark.parametrize("folder", golden_folders(), ids=str)
def test_holds_no_library_code(folder: GoldenFolder) -> None:
    """The inputs must not contain NVIDIA's code. ptxas adds its library functions to some objects,
    for example for double precision division."""
    for cubin in folder.path.glob("*.cubin"):
        assert b".text.__cuda" not in cubin.read_bytes(), cubin.name
