"""find_package(warpld) provides targets, a version check, and warpld_device_link()."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
INPUTS = REPOSITORY / "examples" / "two-files" / "data"

pytestmark = pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not installed")

PROGRAM = """
#include <stdio.h>
#include <warpld.h>

int main(void)
{
    puts(warpld_version());
    return 0;
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(example C)
find_package(warpld {version} REQUIRED)
add_executable(shared program.c)
target_link_libraries(shared PRIVATE warpld::warpld)
add_executable(static program.c)
target_link_libraries(static PRIVATE warpld::warpld_static)
warpld_device_link(kernels {words})
message(STATUS "outputs: ${{kernels_OUTPUTS}}")
"""
LINK = f"INPUTS {INPUTS}/kernel.cubin {INPUTS}/scale.cubin ARCHITECTURES sm_90"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prefix")
    variables = [f"BUILD={BUILD}", f"PREFIX={folder}", f"LIBDIR={folder}/lib/own", "DESTDIR="]
    run("make", "install", *variables)
    return folder


def run(*command: object) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def configure(prefix: Path, folder: Path, words: str, version: str = "") -> tuple[int, str]:
    (folder / "program.c").write_text(PROGRAM)
    (folder / "CMakeLists.txt").write_text(PROJECT.format(version=version, words=words))
    package = prefix / "lib" / "own" / "cmake" / "warpld"
    command = ["cmake", "-S", folder, "-B", folder / "out", f"-Dwarpld_DIR={package}"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_project_builds(prefix: Path, tmp_path: Path) -> None:
    status, log = configure(prefix, tmp_path, f"{LINK} FORMAT CUBIN", "0.9")
    assert status == 0, log
    run("cmake", "--build", tmp_path / "out")
    version = run(prefix / "bin" / "cubintool", "--version").split()[1]
    for name in ("shared", "static"):
        assert run(tmp_path / "out" / name).strip() == version
    assert "libwarpld" in run("readelf", "-d", tmp_path / "out" / "shared")
    assert "libwarpld" not in run("readelf", "-d", tmp_path / "out" / "static")
    run(prefix / "bin" / "cubintool", "verify", tmp_path / "out" / "kernels.sm_90.cubin")


def test_host_objects_need_the_option(prefix: Path, tmp_path: Path) -> None:
    status, log = configure(prefix, tmp_path, LINK)
    if "--device-link" not in run(prefix / "bin" / "warpld", "--help=all"):
        assert status != 0
        assert "has no --device-link; use FORMAT CUBIN" in " ".join(log.split())
        return
    assert status == 0, log
    run("cmake", "--build", tmp_path / "out")
    listed = run(prefix / "bin" / "cubintool", "list", tmp_path / "out" / "kernels.o")
    assert "sm_90" in listed and "yes" in listed


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("INPUTS a.o", "are required"),
        (f"{LINK} FORMAT ELF", "OBJECT or CUBIN"),
        (f"FASTER {LINK}", "unknown arguments"),
    ],
)
def test_wrong_calls_are_refused(prefix: Path, tmp_path: Path, words: str, expected: str) -> None:
    status, log = configure(prefix, tmp_path, words)
    assert status != 0
    assert expected in " ".join(log.split())


@pytest.mark.parametrize(
    ("version", "is_compatible"),
    [("0.9.0", True), ("0.1", True), ("0.99", False), ("1.0", False), ("0.9.0 EXACT", True),
     ("0.1...0.20", True), ("0.1...<0.9", False)],
)  # fmt: skip
def test_versions(prefix: Path, tmp_path: Path, version: str, is_compatible: bool) -> None:
    status, log = configure(prefix, tmp_path, f"{LINK} FORMAT CUBIN", version)
    assert (status == 0) == is_compatible, log
