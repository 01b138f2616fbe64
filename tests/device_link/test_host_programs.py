"""Builds and runs programs that contain the object of a device link. In place of the CUDA runtime,
they contain stand_in_runtime.c, which prints what a program registers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from container_files import cubin_entry, fat_binary
from container_link import BUILD, FIRST, FIRST_90, SECOND

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "compile" / "programs"
REPOSITORY = HERE.parents[1]
MAIN = '#include <stdio.h>\nint main(void) { puts("main"); }\n'
# Maps each host to its compiler, an emulator that runs its programs, and the value of -cpu-arch.
HOSTS = {
    "x86_64": ("x86_64-linux-gnu-gcc", (), "X86_64"),
    "aarch64": (
        "aarch64-linux-gnu-gcc",
        ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
        "AARCH64",
    ),
}
TARGETS = (80, 90)
GENERATE = [f"-gencode=arch=compute_{sm},code=sm_{sm}" for sm in TARGETS]


def run(folder: Path, *command: object) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def device_link(folder: Path, *words: object) -> None:
    assert run(folder, BUILD / "warpld", "--device-link", *words) == ""


def global_names(path: Path) -> list[str]:
    lines = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    return sorted(re.findall(r"[TU] \w+$", lines, re.MULTILINE))


# Without nvcc ------------------------------------------------------------------------------------


def make_modules(folder: Path, compiler: str) -> None:
    """Compiles two host objects with device code, as nvcc makes them, and the rest of a program."""
    run(folder, compiler, "-c", "-fPIC", HERE / "stand_in_runtime.c", "-o", "runtime.o")
    (folder / "main.c").write_text(MAIN)
    run(folder, compiler, "-c", "main.c", "-o", "main.o")
    contents = {
        "first": fat_binary(cubin_entry(FIRST), cubin_entry(FIRST_90)),
        "second": fat_binary(cubin_entry(SECOND)),
    }
    for name, content in contents.items():
        (folder / f"{name}.fatbin").write_bytes(content)
        defines = [f"-DID=_{name}", f"-DCONTENT={name}_code", f'-DFATBIN="{name}.fatbin"']
        run(folder, compiler, *defines, "-c", "-fPIC", HERE / "module.c", "-o", f"{name}.o")


def compiler_and_emulator(host: str) -> tuple[str, list[str], str]:
    compiler, emulator, machine = HOSTS[host]
    for program in (compiler, *emulator[:1]):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    return compiler, list(emulator), machine


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("flags", [("-no-pie",), ("-pie",), ("-static",)])
def test_modules_are_registered_when_all_have_called(
    host: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    compiler, emulator, machine = compiler_and_emulator(host)
    make_modules(tmp_path, compiler)
    objects = ["first.o", "second.o"]
    device_link(tmp_path, "--arch=sm_80", f"-cpu-arch={machine}", *objects, "-o", "code.o")
    run(tmp_path, compiler, *flags, "main.o", *objects, "code.o", "runtime.o", "-o", "app")
    assert run(tmp_path, *emulator, tmp_path / "app").splitlines() == [
        "id: def _first",
        "id: def _second",
        "fat binary: magic 466243b1 version 2 images kind 2 sm 80; module with kind 2 sm 80 "
        "kind 2 sm 90; module with kind 2 sm 80",
        "function of 0: _first _first",
        "function of 0: _second _second",
        "end of 0",
        "main",
        "unregister 0",
    ]


@pytest.mark.parametrize("host", HOSTS)
def test_a_program_may_have_two_device_links(host: str, tmp_path: Path) -> None:
    """The object of one device link is in the program, that of the other in a shared library."""
    compiler, emulator, machine = compiler_and_emulator(host)
    make_modules(tmp_path, compiler)
    for name in ("first", "second"):
        words = ["--arch=sm_80", f"-cpu-arch={machine}", f"{name}.o", "-o", f"{name}-code.o"]
        device_link(tmp_path, *words)
    run(tmp_path, compiler, "-shared", "runtime.o", "-o", "libruntime.so")
    library = ["-L.", "-lruntime", "-Wl,-rpath,$ORIGIN"]
    run(tmp_path, compiler, "-shared", "second.o", "second-code.o", *library, "-o", "libsecond.so")
    words = ["main.o", "first.o", "first-code.o", "-L.", "-Wl,--no-as-needed", "-lsecond", *library]
    run(tmp_path, compiler, *words, "-o", "app")
    lines = run(tmp_path, *emulator, tmp_path / "app").splitlines()
    assert [line for line in lines if line.startswith(("id", "function", "end"))] == [
        "id: def _second",
        "function of 0: _second _second",
        "end of 0",
        "id: def _first",
        "function of 1: _first _first",
        "end of 1",
    ]
    assert lines[-2:] == ["unregister 1", "unregister 0"]


def test_the_table_of_code_is_that_of_the_source() -> None:
    """The test needs the compiler version that made the table, because other versions may make
    other code."""
    table = REPOSITORY / "src" / "hostobject" / "stub_code.c"
    version = re.search(r"gcc (\S+)\. \*/", table.read_text())
    for compiler, _, _ in HOSTS.values():
        if not shutil.which(compiler):
            pytest.skip(f"{compiler} is not installed")
        found = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True)
        if not version or found.stdout.strip() != version[1] or not shutil.which("clang-format"):
            pytest.skip("other compiler versions, or no clang-format")
    script = REPOSITORY / "tools" / "make-host-stub.py"
    assert run(REPOSITORY, sys.executable, script, "--print") == table.read_text()


def test_the_code_can_be_unwound(tmp_path: Path) -> None:
    compiler, _, machine = compiler_and_emulator("x86_64")
    make_modules(tmp_path, compiler)
    device_link(tmp_path, "--arch=sm_80", f"-cpu-arch={machine}", "first.o", "-o", "code.o")
    frames = run(tmp_path, "readelf", "--debug-dump=frames", "code.o")
    assert frames.count(" FDE ") == 3 and "Warning" not in frames


# Compared with nvcc ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compiled")
    if not shutil.which("nvcc"):
        pytest.skip("there is no nvcc")
    names = ["kernels", "functions", "more"]
    command = ["nvcc", *GENERATE, "-rdc=true", "-c"]
    for run_ in [
        subprocess.Popen([*command, PROGRAMS / f"{name}.cu", "-o", folder / f"{name}.o"])
        for name in names
    ]:
        assert run_.wait() == 0
    run(folder, "gcc", "-c", HERE / "stand_in_runtime.c", "-o", "runtime.o")
    (folder / "main.cpp").write_text(MAIN)
    run(folder, "g++", "-c", "main.cpp", "-o", "main.o")
    return folder


def registered(folder: Path, code: str, inputs: list[str], *linker: str) -> str:
    run(folder, *linker, "main.o", *inputs, code, "runtime.o", "-o", "app")
    return run(folder, folder / "app")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_programs_register_as_with_nvcc(order: tuple[int, ...], compiled: Path) -> None:
    names = ("kernels", "functions", "more")
    inputs = [f"{names[i]}.o" for i in order]
    run(compiled, "nvcc", "-dlink", *GENERATE, *inputs, "-o", "theirs.o")
    device_link(compiled, *GENERATE, *inputs, "-o", "ours.o")
    assert global_names(compiled / "theirs.o") == global_names(compiled / "ours.o")
    theirs = registered(compiled, "theirs.o", inputs, "g++")
    assert "function of 0: _Z5firstPi" in theirs
    assert registered(compiled, "ours.o", inputs, "g++") == theirs
    if shutil.which("clang++") and shutil.which("ld.lld"):
        assert registered(compiled, "ours.o", inputs, "clang++", "-fuse-ld=lld") == theirs


def test_archives_are_linked_as_with_nvcc(compiled: Path) -> None:
    run(compiled, "ar", "rcs", "libmore.a", "functions.o", "more.o")
    inputs = ["kernels.o", "libmore.a"]
    run(compiled, "nvcc", "-dlink", *GENERATE, *inputs, "-o", "theirs.o")
    device_link(compiled, *GENERATE, *inputs, "-o", "ours.o")
    assert global_names(compiled / "theirs.o") == global_names(compiled / "ours.o")


def test_nvcc_links_a_program_with_the_object(compiled: Path) -> None:
    """nvcc links the host program in a later step, with the object of warpld's device link. It does
    not link the device code again."""
    inputs = ["kernels.o", "functions.o", "more.o"]
    device_link(compiled, *GENERATE, *inputs, "-o", "ours.o")
    if not list(Path(shutil.which("nvcc") or "").resolve().parents[1].glob("lib*/libcudart*")):
        pytest.skip("the toolkit has no runtime for host programs")
    run(compiled, "nvcc", *GENERATE, "main.o", *inputs, "ours.o", "-o", "program")
