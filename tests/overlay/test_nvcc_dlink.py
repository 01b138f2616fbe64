"""The overlay's nvcc -dlink calls warpld --device-link, if warpld knows all its options."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from toolkit import BUILD, REPOSITORY

NVCC = '#!/bin/sh\necho "nvcc $*"\n'
WARPLD = '#!/bin/sh\necho "warpld $*"\n'


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """An overlay whose nvcc and whose linker are stand-ins. They print their arguments."""
    (tmp_path / "toolkit" / "bin").mkdir(parents=True)
    (tmp_path / "toolkit" / "targets" / "some-host" / "lib").mkdir(parents=True)
    for path, text in ((tmp_path / "toolkit" / "bin" / "nvcc", NVCC), (tmp_path / "w", WARPLD)):
        path.write_text(text)
        path.chmod(0o755)
    subprocess.run(
        ["sh", REPOSITORY / "tools" / "warpld-overlay", tmp_path / "o", tmp_path / "toolkit"],
        env={"PATH": "/usr/bin:/bin", "WARPLD": str(tmp_path / "w")},
        check=True,
        capture_output=True,
    )
    return tmp_path / "o"


def run(overlay: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [overlay / "bin" / "nvcc", *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}
    )


GENERATE = ["-gencode", "arch=compute_80,code=sm_80"]


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        ([*GENERATE, "a.o"], "--gencode=arch=compute_80,code=sm_80 a.o"),
        (["-arch=sm_90", "-Xcompiler=-fPIC", "a.o"], "--arch=sm_90 a.o"),
        (["-arch=sm_90", "-rdc=true", "-lineinfo", "-std=c++17", "a.o"], "--arch=sm_90 a.o"),
        (["-arch", "sm_90", "-G", "libx.a"], "--arch=sm_90 -g libx.a"),
        (["-arch=compute_90", "-code=sm_90", "a.o"], "--arch=compute_90 --gpu-code=sm_90 a.o"),
        (
            ["--gpu-architecture", "compute_90", "--gpu-code", "sm_90", "a.o"],
            "--arch=compute_90 --gpu-code=sm_90 a.o",
        ),
        (
            ["--generate-code=arch=compute_90,code=sm_90", "a.o"],
            "--gencode=arch=compute_90,code=sm_90 a.o",
        ),
        (["-arch=sm_90", "-Xnvlink=-v,-w", "a.o"], "--arch=sm_90 -v -w a.o"),
        (["-arch=sm_90", "-Xnvlink", "--map=%a.map", "a.o"], "--arch=sm_90 --map=%a.map a.o"),
        (["-arch=sm_90", "-L", "x y", "-lz", "a.o"], "--arch=sm_90 -L x y -lz a.o"),
        (["-arch=sm_90", "-dlto", "it's.o"], "--arch=sm_90 -lto it's.o"),
        (["-arch=sm_90", "-no-compress", "a.o"], "--arch=sm_90 --compress-mode=none a.o"),
        (["-arch=sm_90", "-compress-mode", "size", "a.o"], "--arch=sm_90 --compress-mode=size a.o"),
        (["-arch=sm_90", "-fatbin", "a.o"], "--arch=sm_90 --fatbin a.o"),
    ],
)
def test_known_options_are_passed(words: list[str], passed: str, overlay: Path) -> None:
    done = run(overlay, "-dlink", *words, "-o", "x.o")
    library = f"-L{overlay}/bin/../targets/some-host/lib"
    assert done.stdout == (
        f"warpld --as=nvlink --device-link -o x.o {passed} {library} -lcudadevrt\n"
    )


def test_the_runtime_and_the_host_can_be_others(overlay: Path) -> None:
    words = ["-dlink", "-arch=sm_90", "-cudadevrt=none", "-ccbin", "aarch64-linux-gnu-g++", "a.o"]
    done = run(overlay, *words)
    assert done.stdout.startswith("warpld --as=nvlink --device-link -o a_dlink.o --arch=sm_90 a.o")
    assert done.stdout.endswith(" -cpu-arch=AARCH64\n") and "cudadevrt" not in done.stdout


@pytest.mark.parametrize(
    ("words", "unknown"),
    [
        (["-dlink", "-arch=sm_90", "-new-option", "a.o"], "-new-option"),
        (["-dlink", "-arch=native", "a.o"], "-arch=native"),
        (["-dlink", "-arch=sm_90", "-Xnvlink", "-v,-save-inputs=x", "a.o"], "-Xnvlink"),
        (["-dlink", "-arch=sm_90", "-Xnvlink=--map=x", "a.o"], "-Xnvlink=--map=x"),
        (["-dlink", "-arch=sm_90", "a.cu"], "a.cu"),
        (["-dlink", "a.o"], "no target"),
        (["-dlink", "-arch=sm_90", "a.o", "-o"], "-o"),
        (["-arch=sm_90", "-c", "a.cu"], ""),
    ],
)
def test_the_rest_is_the_toolkits(words: list[str], unknown: str, overlay: Path) -> None:
    done = run(overlay, *words)
    assert (done.stdout, done.stderr) == (f"nvcc {' '.join(words)}\n", "")
    done = run(overlay, "--verbose", *words)
    note = f"warpld note    : the toolkit's nvcc links, because of '{unknown}'\n"
    assert done.stderr == (note if unknown else "")


def test_the_script_has_no_mistakes() -> None:
    assert (BUILD / "warpld").exists()
    for name in ("warpld-nvcc", "warpld-overlay"):
        subprocess.run(["sh", "-n", REPOSITORY / "tools" / name], check=True)
