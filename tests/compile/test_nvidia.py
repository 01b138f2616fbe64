"""PTX is compiled by NVIDIA's own libraries, where they are installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from container_link import BUILD, DATA, Link, kernels, link, put

TOOLKIT = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
LIBRARIES = {
    "nvjitlink": TOOLKIT / "lib64" / "libnvJitLink.so.13",
    "nvptxcompiler": BUILD / "libwarpld-nvptxcompiler.so",  # make ptx-plugin
}
PTXAS = TOOLKIT / "bin" / "ptxas"


@pytest.fixture(params=LIBRARIES)
def choice(request: pytest.FixtureRequest) -> str:
    path = LIBRARIES[request.param]
    if not path.exists() or not PTXAS.exists():
        pytest.skip(f"{path} or ptxas is not installed")
    return str(path)


def compile_and_link(folder: Path, choice: str, name: str) -> Link:
    text = put(folder, f"{name}.ptx", (DATA / f"{name}.ptx").read_bytes())
    return link(folder, text, "-r", f"--ptx-compiler={choice}", name="warpld")


@pytest.mark.parametrize("name", ["first", "second", "complete", "linkages"])
def test_code_is_that_of_ptxas(choice: str, name: str, tmp_path: Path) -> None:
    ours = compile_and_link(tmp_path, choice, name)
    theirs = compile_and_link(tmp_path, str(PTXAS), name)
    assert (ours.status, ours.messages) == (0, theirs.messages)
    code = {section: data for section, data in theirs.output if section.startswith(".text.")}
    assert code
    assert {section: data for section, data in ours.output if section in code} == code
    assert kernels(ours.output, "first") == kernels(theirs.output, "first")


def test_errors_are_those_of_ptxas(choice: str, tmp_path: Path) -> None:
    text = (DATA / "first.ptx").read_bytes().replace(b"ret;", b"rett;")
    put(tmp_path, "bad.ptx", text)
    messages = [
        link(tmp_path, "bad.ptx", f"--ptx-compiler={compiler}", name="warpld").messages
        for compiler in (choice, PTXAS)
    ]
    assert "rett" in messages[0]
    assert messages[0] == messages[1]
