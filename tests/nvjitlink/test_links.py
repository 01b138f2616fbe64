"""Links all kinds of inputs with our libnvJitLink, one link at a time and many at once."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from library import (
    ANY,
    ARCH,
    BUILD,
    CUBIN,
    DATA,
    FATBIN,
    LIBRARY,
    LTOIR,
    OBJECT,
    PTX,
    Library,
    Link,
    ours,
)

HERE = Path(__file__).resolve().parent
needs_ptxas = pytest.mark.skipif(not shutil.which("ptxas"), reason="needs ptxas")


def linked(library: Library, *inputs: tuple[int, str], options: tuple[str, ...] = ()) -> bytes:
    link = Link(library, ARCH, *options)
    assert [link.add(kind, name) for kind, name in inputs] == [0] * len(inputs), link.errors
    assert link.complete() == 0, link.errors
    cubin = link.cubin
    assert link.destroy() == 0
    return cubin


def by_the_command(folder: Path, *arguments: str) -> bytes:
    output = folder / "linked.cubin"
    command = [str(BUILD / "warpld"), ARCH, *arguments, "-o", str(output)]
    subprocess.run(command, check=True, cwd=DATA)
    return output.read_bytes()


def compare(folder: Path, found: bytes, expected: bytes) -> None:
    """Fails unless the two cubins mean the same. Their bytes may differ, because the tool note
    names the options of the command."""
    paths = folder / "found.cubin", folder / "expected.cubin"
    for path, data in zip(paths, (found, expected)):
        path.write_bytes(data)
    subprocess.run([BUILD / "cubintool", "diff", *paths], check=True)


@pytest.mark.parametrize(
    ("kind", "name"),
    (
        (CUBIN, "defines.cubin"),
        (OBJECT, "defines.cubin"),
        (FATBIN, "defines.fatbin"),
        (OBJECT, "defines.o"),
        (LIBRARY, "libdefines.a"),
        (OBJECT, "defines.both.o"),
    ),
)
@pytest.mark.parametrize("as_any", (False, True))
def test_each_kind_of_input(tmp_path: Path, kind: int, name: str, as_any: bool) -> None:
    expected = by_the_command(tmp_path, "calls.cubin", name)
    found = linked(Library(ours(13)), (CUBIN, "calls.cubin"), (ANY if as_any else kind, name))
    assert found == expected


@needs_ptxas
@pytest.mark.parametrize(
    ("kind", "name"), ((PTX, "defines.ptx"), (FATBIN, "defines.text80.fatbin"))
)
def test_text_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: int, name: str
) -> None:
    monkeypatch.setenv("WARPLD_PTX_COMPILER", "process")
    expected = by_the_command(tmp_path, "calls.cubin", name)
    compare(tmp_path, linked(Library(ours(13)), (CUBIN, "calls.cubin"), (kind, name)), expected)


def test_a_file_is_the_same_input(tmp_path: Path) -> None:
    link = Link(Library(ours(13)), ARCH)
    results = [link.add_file(CUBIN, str(DATA / f"{name}.cubin")) for name in ("calls", "defines")]
    assert (results, link.complete()) == ([0, 0], 0)
    assert link.cubin == by_the_command(tmp_path, "calls.cubin", "defines.cubin")


@pytest.mark.parametrize("option", ("-r", "-g", "-kernels-used=kernel", "-variables-used=v"))
def test_options_of_the_link(tmp_path: Path, option: str) -> None:
    found = linked(Library(ours(13)), (CUBIN, "calls.cubin"), (CUBIN, "defines.cubin"),
                   options=(option,))  # fmt: skip
    compare(tmp_path, found, by_the_command(tmp_path, option, "calls.cubin", "defines.cubin"))


def test_index_files(tmp_path: Path) -> None:
    """An index file may be added before or after the cubins."""
    data = HERE.parent / "quirks" / "data"
    index, cubin = data / "unified_moved.index", data / "unified.sm_90.cubin"
    output = tmp_path / "linked.cubin"
    command: list[str | Path] = [
        BUILD / "warpld",
        ARCH,
        f"--uidx-file={index}",
        cubin,
        "-o",
        output,
    ]
    subprocess.run(command, check=True)
    for kinds in ((7, CUBIN), (CUBIN, ANY)):
        link = Link(Library(ours(13)), ARCH)
        names = [str(index if kind == 7 or kind == ANY else cubin) for kind in kinds]
        assert [link.add_file(*pair) for pair in zip(kinds, names)] == [0, 0]
        assert link.complete() == 0, link.errors
        assert link.cubin == output.read_bytes()


def test_links_for_other_targets() -> None:
    for name, cubin in (("sm_80", "first.sm_80.cubin"), ("sm_90", "first.sm_90.cubin")):
        link = Link(Library(ours(13)), f"-arch={name}")
        assert link.add_file(CUBIN, str(HERE.parent / "containers" / "data" / cubin)) == 0
        assert link.complete() in (0, 6)
        assert len(link.cubin) > 1000


def test_an_output_despite_undefined_names(tmp_path: Path) -> None:
    link = Link(Library(ours(13)), ARCH)
    assert link.add(CUBIN, "calls.cubin") == 0
    assert link.complete() == 6
    (tmp_path / "linked.cubin").write_bytes(link.cubin)
    command: list[str | Path] = ["readelf", "-sW", tmp_path / "linked.cubin"]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "UND _Z7definedi" in symbols


# ------------------------------------------------------------------------------------------------
# Many threads


def test_threads(tmp_path: Path) -> None:
    """64 threads link, each with its own handles, and all have the same output."""
    expected = by_the_command(tmp_path, "calls.cubin", "defines.cubin")
    library, failures = Library(ours(13)), []

    def work() -> None:
        for _ in range(20):
            if linked(library, (CUBIN, "calls.cubin"), (CUBIN, "defines.cubin")) != expected:
                failures.append(threading.get_ident())

    threads = [threading.Thread(target=work) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# ------------------------------------------------------------------------------------------------
# LTO-IR, with a library in place of NVIDIA's


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stand-in") / "libnvJitLink.so.13"
    source = HERE / "stand_in.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path, source], check=True)
    return path


def run_lto(nvidia: str, *options: str) -> list[str]:
    """Runs lto.py in another process, because our library never unloads NVIDIA's library."""
    script = HERE / "lto.py"
    command = [sys.executable, str(script), str(ours(13)), *options]
    environment = os.environ | {"WARPLD_NVJITLINK": nvidia}
    return subprocess.check_output(command, env=environment, text=True).splitlines()


def test_lto_goes_whole_to_nvidias_library(stand_in: Path) -> None:
    lines = run_lto(str(stand_in), "-lto", "-ptx")
    assert lines == [
        "0 0 0 0",
        "b'-arch=sm_90 -lto -ptx; 1 calls.cubin; 3 defines.ltoir; complete'",
        "error log of NVIDIA's; info log of NVIDIA's",
        "0",
    ]


def test_lto_without_nvidias_library() -> None:
    created, text, log, destroyed = run_lto("/nonexistent/libnvJitLink.so.13", "-lto")
    assert (created, text, destroyed) == ("0 0 5 5", "b''", "0")
    assert "LTO-IR of defines.ltoir needs NVIDIA's libnvJitLink.so.13" in log
    assert "tried /nonexistent/libnvJitLink.so.13); set WARPLD_NVJITLINK to its path" in log


def test_the_wheel_of_the_program_is_found(stand_in: Path, tmp_path: Path) -> None:
    """NVIDIA's library is found in the folder site-packages from which the program has loaded a
    library. The virtual environment need not be activated."""
    packages = tmp_path / "site-packages"
    for folder in (packages / "client", packages / "nvidia" / "cu13" / "lib"):
        folder.mkdir(parents=True)
        shutil.copy(stand_in, folder)
    extension = packages / "client" / "extension.so"
    (packages / "client" / stand_in.name).rename(extension)
    unset = "import ctypes, library, os; del os.environ['WARPLD_NVJITLINK']"
    code = f"{unset}; ctypes.CDLL({str(extension)!r}); import lto"
    command = [sys.executable, "-c", code, str(ours(13)), "-lto", "-ptx"]
    output = subprocess.check_output(command, cwd=HERE, text=True)
    lines = output.splitlines()
    assert lines[2] == "error log of NVIDIA's; info log of NVIDIA's"


def test_ours_is_not_taken_for_nvidias(tmp_path: Path) -> None:
    copy = tmp_path / "libnvJitLink.so.13"
    shutil.copy(ours(13), copy)
    assert run_lto(str(copy), "-lto")[0] == "0 0 5 5"


def test_ours_does_not_compile_for_ours(tmp_path: Path) -> None:
    """Our library refuses a copy of itself as PTX compiler. The copy would look for a compiler,
    too, and find the first library."""
    copy = tmp_path / "libnvJitLink.so.13"
    shutil.copy(ours(13), copy)
    script = HERE / "compile_text.py"
    environment = os.environ | {"WARPLD_PTX_COMPILER": str(copy)}
    output = subprocess.check_output(
        [sys.executable, str(script), str(ours(13))], env=environment, text=True, timeout=60
    )
    assert output.startswith("4\nerror   : Cannot find the chosen PTX compiler")
    assert "it is a library of warpld" in output
    assert "set WARPLD_PTX_COMPILER to its path" in output


def test_lto_ir_without_lto() -> None:
    for major, expected in ((12, 6), (13, 18)):
        link = Link(Library(ours(major)), ARCH)
        assert link.add(LTOIR, "defines.ltoir") == expected


NVIDIAS = Path("/usr/local/cuda-13.0/lib64/libnvJitLink.so.13")


@pytest.mark.skipif(not NVIDIAS.exists(), reason="needs libnvJitLink of CUDA 13.0")
def test_lto_with_nvidias_library() -> None:
    lines = run_lto(str(NVIDIAS), "-lto", "-ftz=1")
    assert lines[0] == "0 0 0 0"


@pytest.mark.skipif(not NVIDIAS.exists(), reason="needs libnvJitLink of CUDA 13.0")
def test_an_option_that_the_optimiser_refuses() -> None:
    """Our library does not examine the option, but passes it on, as NVIDIA's does. The optimiser
    refuses it."""
    results, text, log, _ = run_lto(str(NVIDIAS), "-lto", "-ftz=true")
    assert results.startswith("0 0 0 ") and results != "0 0 0 0"
    assert text == "b''"
    assert "-ftz=true is an unsupported option" in log


def test_versioned_names_are_the_same_functions() -> None:
    library = ctypes.CDLL(str(ours(12)))
    plain = ctypes.cast(library.nvJitLinkComplete, ctypes.c_void_p).value
    for minor in range(10):
        function = getattr(library, f"__nvJitLinkComplete_12_{minor}")
        assert ctypes.cast(function, ctypes.c_void_p).value == plain


# ------------------------------------------------------------------------------------------------
# Files, and incomplete libraries in place of NVIDIA's


def test_files_of_any_size(tmp_path: Path) -> None:
    large = tmp_path / "large.cubin"
    large.write_bytes((DATA / "defines.cubin").read_bytes() + bytes(200_000))
    link = Link(Library(ours(13)), ARCH)
    assert link.add_file(CUBIN, str(large)) == 0, link.errors
    assert link.complete() == 0


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    link = Link(Library(ours(13)), ARCH)
    assert link.add_file(CUBIN, str(tmp_path)) != 0
    assert link.errors == f"no such file: {tmp_path}\n"


@needs_ptxas
def test_text_is_compiled_without_a_cache() -> None:
    library = Library(ours(13))
    inputs = (CUBIN, "calls.cubin"), (PTX, "defines.ptx")
    assert linked(library, *inputs, options=("-no-cache",)) == linked(library, *inputs)


def test_the_unnamed_function_of_nvidias_libraries() -> None:
    assert getattr(ctypes.CDLL(str(ours(13))), "__nvJitLinkAPI")() == 0


def run_code(code: str, **variables: str) -> list[str]:
    """Runs lines of Python, in which `library` is our library and library.py is imported."""
    lines = f"from library import *\nimport ctypes, os, sys\nlibrary = Library(sys.argv[1])\n{code}"
    command = [sys.executable, "-c", lines, str(ours(13))]
    environment = os.environ | variables
    return subprocess.check_output(command, cwd=HERE, env=environment, text=True).splitlines()


def test_outputs_come_from_nvidias_library(stand_in: Path) -> None:
    """Like releases 12.0 to 12.2, the stand-in for NVIDIA's library cannot return LTO-IR."""
    lines = run_code(
        "link = Link(library, ARCH, '-lto')\n"
        "print(link.add(LTOIR, 'defines.ltoir'), link.complete())\n"
        "print(link.cubin, link.size('LinkedLTOIR'))\n"
        "print(library['GetLinkedLTOIR'](link.handle, ctypes.create_string_buffer(1)))\n",
        WARPLD_NVJITLINK=str(stand_in),
    )
    assert lines == ["0 0", r"b'-arch=sm_90 -lto; 3 defines.ltoir; complete\x00' (6, -1)", "6"]


def test_what_only_nvidias_library_can_read_is_left_to_it(stand_in: Path) -> None:
    lines = run_code(
        "link = Link(library, ARCH, '-lto')\n"
        "half = (DATA / 'calls.cubin').read_bytes()[:200]\n"
        "print(link.add(CUBIN, half), link.add(LTOIR, 'defines.ltoir'), link.complete())\n",
        WARPLD_NVJITLINK=str(stand_in),
    )
    assert lines == ["0 0 0"]


def test_the_toolkit_of_a_variable_is_found(stand_in: Path, tmp_path: Path) -> None:
    (tmp_path / "lib64").mkdir()
    shutil.copy(stand_in, tmp_path / "lib64")
    lines = run_code(
        "del os.environ['WARPLD_NVJITLINK']\n"
        "link = Link(library, ARCH, '-lto')\n"
        "print(link.add(LTOIR, 'defines.ltoir'), link.errors)\n",
        CUDA_HOME=str(tmp_path),
    )
    assert lines == ["0 error log of NVIDIA's"]


@pytest.mark.parametrize("source", ("int nvJitLinkCreate(void) { return 0; }", None))
def test_libraries_that_are_not_whole(source: str | None, stand_in: Path, tmp_path: Path) -> None:
    """In place of NVIDIA's library there is a library that lacks functions, or a text file."""
    path = tmp_path / stand_in.name
    if source is None:
        path.write_text("no library\n")
    else:
        command = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(path)]
        subprocess.run(command, input=source, text=True, check=True)
    created, _, log, _ = run_lto(str(path), "-lto")
    assert created == "0 0 5 5"
    assert "LTO-IR of defines.ltoir needs NVIDIA's libnvJitLink.so.13" in log
