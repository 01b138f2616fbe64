"""nvcc -dlto and CMake's link-time optimisation work through the overlay."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from toolkit import BUILD, needs_toolkit, run, toolkit

PROGRAMS = Path(__file__).resolve().parents[1] / "compile" / "programs"
MAIN = "int main() { return 0; }\n"
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(optimised LANGUAGES CXX CUDA)
add_library(more STATIC functions.cu more.cu)
add_executable(program main.cpp kernels.cu)
target_link_libraries(program PRIVATE more)
set_target_properties(more program PROPERTIES
    CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES 90 INTERPROCEDURAL_OPTIMIZATION ON)
set_target_properties(more PROPERTIES POSITION_INDEPENDENT_CODE ON)
"""

pytestmark = [
    needs_toolkit,
    pytest.mark.skipif(
        needs_toolkit.args[0] or not list(toolkit().glob("lib*/libnvJitLink.so.1?")),
        reason="the toolkit has no libnvJitLink",
    ),
]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for path in PROGRAMS.iterdir():
        shutil.copy(path, tmp_path)
    (tmp_path / "main.cpp").write_text(MAIN)
    return tmp_path


def linked_kernels(folder: Path, program: str) -> str:
    """The resources of the kernels in the linked code."""
    return run([BUILD / "cubintool", "resources", "--no-demangle", program], folder)


@pytest.mark.parametrize("device_link", [True, False])
def test_nvcc_optimises_at_link_time(device_link: bool, sources: Path, overlay: Path) -> None:
    nvcc = [overlay / "bin" / "nvcc", "-arch=sm_90", "-dlto"]
    run([*nvcc, "-dc", "kernels.cu", "functions.cu", "more.cu"], sources)
    objects = ["kernels.o", "functions.o", "more.o"]
    if device_link:
        run([*nvcc, "-dlink", *objects, "-o", "code.o"], sources)
        run([*nvcc, "-cubin", "-dlink", *objects, "-o", "code.cubin"], sources)
        assert "_Z5firstPi" in linked_kernels(sources, "code.cubin")
        run(["g++", "-c", "main.cpp"], sources)
        runtime = [f"-L{toolkit()}/lib64", f"-L{toolkit()}/lib", "-lcudart_static", "-lpthread"]
        run(["g++", "main.o", *objects, "code.o", *runtime, "-ldl", "-lrt", "-o", "app"], sources)
    else:
        run([*nvcc, "main.cpp", *objects, "-o", "app"], sources)
    assert "_Z6secondPi" in linked_kernels(sources, "app")


def test_cmake_optimises_at_link_time(sources: Path, overlay: Path) -> None:
    if not shutil.which("cmake"):
        pytest.skip("there is no cmake")
    (sources / "CMakeLists.txt").write_text(CMAKE)
    compiler = f"-DCMAKE_CUDA_COMPILER={overlay}/bin/nvcc"
    run(["cmake", "-S", ".", "-B", "build", compiler], sources)
    built = run(["cmake", "--build", "build", "--verbose"], sources)
    assert "-dlto" in built
    assert "_Z5firstPi" in linked_kernels(sources, "build/program")
