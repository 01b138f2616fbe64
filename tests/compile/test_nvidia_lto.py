"""Link-time optimisation with the libraries of NVIDIA, compared with nvlink."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from container_link import BUILD

PROGRAMS = Path(__file__).resolve().parent / "programs"
NAMES = ("kernels", "functions", "more")
TARGET = "sm_90"
VARIABLES = {name: text for name, text in os.environ.items() if name != "WARPLD_NVJITLINK"}


def toolkit() -> Path:
    nvcc = shutil.which("nvcc")
    if not nvcc or not shutil.which("nvlink"):
        pytest.skip("there is no CUDA toolkit")
    return Path(nvcc).resolve().parents[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two objects for each source file: one with LTO-IR, and one without. The folder
    also has the libraries at the paths where -nvvmpath expects them."""
    root, folder = toolkit(), tmp_path_factory.mktemp("lto")
    libraries = [path for path in root.glob("**/libnvvm.so") if path.is_file()]
    if not libraries or not list(root.glob("lib*/libnvJitLink.so.1?")):
        pytest.skip("the toolkit has no libnvvm or no libnvJitLink")
    (folder / "nvvm" / "lib64").mkdir(parents=True)
    (folder / "nvvm" / "lib64" / "libnvvm.so").symlink_to(libraries[0])
    runs = []
    for name in NAMES:
        command = ["nvcc", f"-arch={TARGET}", "-rdc=true", "-c", str(PROGRAMS / f"{name}.cu")]
        runs.append(subprocess.Popen([*command, "-dlto", "-o", str(folder / f"{name}.lto.o")]))
        runs.append(subprocess.Popen([*command, "-o", str(folder / f"{name}.o")]))
    assert not any(run.wait() for run in runs)
    return folder


def run_linker(
    folder: Path, program: str, output: str, *words: str
) -> subprocess.CompletedProcess[str]:
    runtime = f"-L{toolkit() / 'lib'}", f"-L{toolkit() / 'lib64'}", "-lcudadevrt"
    command = [program, f"-arch={TARGET}", "-lto", f"-nvvmpath={folder}/nvvm", *words, *runtime]
    return subprocess.run(
        [*command, "-o", output],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=VARIABLES | {"CUDA_HOME": str(toolkit())},
    )


def link(folder: Path, program: str, output: str, *words: str) -> str:
    """Runs a link, which must succeed. Returns its messages."""
    done = run_linker(folder, program, output, *words)
    assert done.returncode == 0, done.stderr
    return done.stderr


def symbols(path: Path) -> list[str]:
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    with path.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        return [symbol.name for symbol in table.iter_symbols() if symbol.name]


def test_a_whole_program_is_nvlinks(folder: Path) -> None:
    inputs = [f"{name}.lto.o" for name in NAMES]
    link(folder, "nvlink", "theirs", *inputs)
    assert link(folder, str(BUILD / "warpld"), "ours", *inputs) == ""
    assert (folder / "ours").read_bytes() == (folder / "theirs").read_bytes()


def test_the_ptx_is_nvlinks(folder: Path) -> None:
    inputs = [f"{name}.lto.o" for name in NAMES]
    link(folder, "nvlink", "theirs.ptx", *inputs, "-emit-ptx")
    link(folder, str(BUILD / "warpld"), "ours.ptx", *inputs, "-emit-ptx")
    assert (folder / "ours.ptx").read_bytes().rstrip(b"\0") == (
        (folder / "theirs.ptx").read_bytes().rstrip(b"\0")
    )


@pytest.mark.parametrize("plain", NAMES)
def test_a_file_without_lto_ir_is_linked(plain: str, folder: Path) -> None:
    inputs = [f"{name}.o" if name == plain else f"{name}.lto.o" for name in NAMES]
    link(folder, "nvlink", "theirs", *inputs)
    messages = link(folder, str(BUILD / "warpld"), "ours", *inputs)
    assert messages == (
        f"warpld info    : requested LTO but '{plain}.o' not built for LTO so doing partial LTO\n"
    )
    ours, theirs = symbols(folder / "ours"), symbols(folder / "theirs")
    for name in ("_Z5firstPi", "_Z6secondPi", "_ZZ4nextvE5count", "limit"):
        assert ours.count(name) == theirs.count(name) == 1


def functions(ptx: Path) -> dict[str, str]:
    """Maps the name of each function that the PTX defines to its linkage. Functions that the PTX
    only declares as .extern are left out."""
    pattern = r"^(\.\w+ )?\.(?:func|entry) +(?:\([^)]*\) )?([\w$]+)"
    found = re.findall(pattern, ptx.read_text(errors="replace"), re.MULTILINE)
    return {name: linkage for linkage, name in found if linkage != ".extern "}


def test_functions_that_remain_keep_their_linkage(folder: Path) -> None:
    """The optimiser must not make weak functions local: if it did, their callers would use more
    registers."""
    inputs = ["kernels.lto.o", "functions.lto.o", "more.o"]
    link(folder, "nvlink", "theirs.ptx", *inputs, "-emit-ptx")
    link(folder, str(BUILD / "warpld"), "ours.ptx", *inputs, "-emit-ptx")
    ours, theirs = functions(folder / "ours.ptx"), functions(folder / "theirs.ptx")
    assert ours["_Z6scaledILi3EEiii"] == ".weak "
    assert ours == {name: theirs[name] for name in ours}


TWICE = """__device__ {attribute} int twice(int x) {{ return x * {factor}; }}
__global__ void k{factor}(int *p) {{ *p = twice(*p); }}
"""


@pytest.mark.parametrize("attribute", ["__noinline__", ""], ids=["called", "inlined"])
def test_a_function_of_both_parts_is_reported_if_the_optimiser_keeps_it(
    attribute: str, folder: Path
) -> None:
    """Two inputs define the same function: one as LTO-IR, the other as machine code. nvlink reports
    the conflict even if the optimiser inlines all calls and then removes the function
    (docs/quirks/known-differences.md)."""
    modes: dict[int, list[str]] = {3: ["-dlto"], 5: []}
    for factor, mode in modes.items():
        source = folder / f"twice{factor}.cu"
        source.write_text(TWICE.format(attribute=attribute, factor=factor))
        command = ["nvcc", f"-arch={TARGET}", "-rdc=true", *mode, "-c", source.name]
        subprocess.run(command, cwd=folder, check=True)
    expected = "error   : Multiple definition of '"
    for program in ("nvlink", str(BUILD / "warpld")):
        done = run_linker(folder, program, "both", "twice3.o", "twice5.o")
        is_reported = bool(attribute) or program == "nvlink"
        assert (expected in done.stderr) == is_reported
        assert bool(done.returncode) == is_reported


@pytest.mark.parametrize("level", ["-Ofc", "-Ofc=0", "-Ofc=min", "-Ofc=mid", "-Ofc=max"])
def test_fast_compilation_is_nvlinks(level: str, folder: Path) -> None:
    inputs = [f"{name}.lto.o" for name in NAMES]
    link(folder, "nvlink", "theirs", *inputs, level)
    assert link(folder, str(BUILD / "warpld"), "ours", *inputs, level) == ""
    assert (folder / "ours").read_bytes() == (folder / "theirs").read_bytes()


@pytest.mark.parametrize("words", [[], ["--force-whole-lto"]])
def test_undefined_functions_are_reported_as_nvlink_does(words: list[str], folder: Path) -> None:
    """If no other input can define the functions, ptxas reports them; otherwise the linker does."""
    shutil.copy(BUILD / "warpld", folder / "nvlink")
    shutil.copy(BUILD / "warpld-ptx-helper", folder)
    theirs = run_linker(folder, "nvlink", "theirs", "kernels.lto.o", *words)
    ours = run_linker(folder, str(folder / "nvlink"), "ours", "kernels.lto.o", *words, "--no-notes")
    assert theirs.returncode
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)


def test_members_of_archives_are_optimised(folder: Path) -> None:
    members = [str(folder / f"{name}.lto.o") for name in NAMES[1:]]
    subprocess.run(["ar", "rcs", str(folder / "libmore.a"), *members], check=True)
    link(folder, "nvlink", "theirs", "kernels.lto.o", "libmore.a")
    assert link(folder, str(BUILD / "warpld"), "ours", "kernels.lto.o", "libmore.a") == ""
    assert (folder / "ours").read_bytes() == (folder / "theirs").read_bytes()


def through_nvjitlink(folder: Path, inputs: list[str]) -> bytes:
    """The output of warpld's libnvJitLink for these objects."""
    library = ctypes.CDLL(str(BUILD / "libnvJitLink.so.13"))
    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 2)(f"-arch={TARGET}".encode(), b"-lto")
    assert library.nvJitLinkCreate(ctypes.byref(handle), 2, options) == 0
    for name in inputs:
        data, kind = (folder / name).read_bytes(), 6 if name.endswith(".a") else 5
        count = ctypes.c_size_t(len(data))
        assert library.nvJitLinkAddData(handle, kind, data, count, name.encode()) == 0
    assert library.nvJitLinkComplete(handle) == 0
    assert library.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)) == 0
    cubin = ctypes.create_string_buffer(size.value)
    assert library.nvJitLinkGetLinkedCubin(handle, cubin) == 0
    assert library.nvJitLinkDestroy(ctypes.byref(handle)) == 0
    return cubin.raw


@pytest.mark.parametrize("plain", NAMES)
def test_warplds_libnvjitlink_links_as_the_command_does(
    plain: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library and the command of warpld make outputs with the same symbols. The test does not
    compare NVIDIA's libnvJitLink: it removes functions of the LTO-IR that are called only from the
    file without LTO-IR."""
    library = BUILD / "libnvJitLink.so.13"
    if not library.exists() or b"__asan_init" in library.read_bytes():
        pytest.skip("it was not built, or with a sanitizer, which Python cannot load")
    monkeypatch.setenv("CUDA_HOME", str(toolkit()))
    monkeypatch.delenv("WARPLD_NVJITLINK", raising=False)
    inputs = [f"{name}.o" if name == plain else f"{name}.lto.o" for name in NAMES]
    link(folder, str(BUILD / "warpld"), "ours", *inputs)
    (folder / "other").write_bytes(through_nvjitlink(folder, inputs))
    assert symbols(folder / "other") == symbols(folder / "ours")
