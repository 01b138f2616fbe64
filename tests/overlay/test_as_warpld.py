"""nvcc calls the linker by the name nvlink. With --as-warpld an overlay's linker still prints
warpld's messages."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from toolkit import BUILD, REPOSITORY, needs_toolkit, run

pytestmark = needs_toolkit

SOURCE = "extern __device__ int missing(int);\n__global__ void k(int *p) { *p = missing(*p); }\n"
READABLE = "warpld error   : Undefined reference to 'missing(int)' in "
MANGLED = "nvlink error   : Undefined reference to '_Z7missingi' in "


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with objects, and an overlay whose linker behaves as warpld."""
    made = tmp_path_factory.mktemp("as")
    (made / "a.cu").write_text(SOURCE)
    (made / "host.cu").write_text("int f() { return 1; }\n")
    run(["nvcc", "-dc", "-arch=sm_80", "a.cu", "host.cu"], made)
    script = REPOSITORY / "tools" / "warpld-overlay"
    run([script, "--as-warpld", made / "toolkit"], made, WARPLD=str(BUILD / "warpld"))
    return made


def messages(nvcc: Path, folder: Path, *words: str, **variables: str) -> str:
    command: list[str | Path] = [nvcc, "-dlink", "-arch=sm_80", "a.o", "-o", "linked.o", *words]
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0
    return done.stdout + done.stderr


def test_ways_to_be_warpld(folder: Path, overlay: Path) -> None:
    nvcc = overlay / "bin" / "nvcc"
    assert MANGLED in messages(nvcc, folder)
    assert READABLE in messages(nvcc, folder, "-Xnvlink", "--as=warpld")
    assert READABLE in messages(nvcc, folder, WARPLD_AS="warpld")
    mine = folder / "toolkit" / "bin" / "nvcc"
    assert READABLE in messages(mine, folder)
    assert MANGLED in messages(mine, folder, WARPLD_AS="nvlink")


def test_json_within_nvcc(folder: Path, overlay: Path) -> None:
    text = messages(overlay / "bin" / "nvcc", folder, "-Xnvlink", "--diagnostics-format=json")
    assert '"code":"undefined-reference"' in text


def test_a_link_without_device_code_succeeds(folder: Path) -> None:
    nvcc = folder / "toolkit" / "bin" / "nvcc"
    run([nvcc, "-dlink", "-arch=sm_90", "host.o", "-o", "nothing.o"], folder)
