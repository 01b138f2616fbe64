"""The module links in memory, raises diagnostics as exceptions, and reads cubins."""

from __future__ import annotations

import ctypes
import mmap
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # the tests themselves run the module of the wheel
    from warpld import Diagnostic

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
DATA = REPOSITORY / "examples" / "two-files" / "data"
FILES = [DATA / "kernel.cubin", DATA / "scale.cubin"]
KERNEL, SCALE = (path.read_bytes() for path in FILES)
RECURSION, ARCH = REPOSITORY / "tests" / "golden" / "recursion-unknown-stack", "sm_80"
PTX = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry noop() { ret; }
"""


@pytest.fixture(scope="module")
def expected(warpld: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The module's output. It equals the command's, except for the tool note, which names
    options."""
    output: bytes = warpld.link(FILES, arch="sm_90")
    path = tmp_path_factory.mktemp("command") / "out.cubin"
    command = [BUILD / "warpld", "-arch=sm_90", *FILES, "-o", path]
    subprocess.run(list(map(str, command)), check=True)
    (path.parent / "module.cubin").write_bytes(output)
    diff = [BUILD / "cubintool", "diff", "--strict", path, path.parent / "module.cubin"]
    done = subprocess.run(list(map(str, diff)), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    return output


def test_paths_and_buffers_give_the_same(
    warpld: ModuleType, expected: bytes, tmp_path: Path
) -> None:
    with FILES[1].open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as map_:
        for second in (str(FILES[1]), SCALE, bytearray(SCALE), memoryview(SCALE), map_):
            assert warpld.link([FILES[0], second], arch="sm_90") == expected
    assert warpld.link([("a", KERNEL), ("b", SCALE)], arch="sm_90") == expected
    assert warpld.link(tuple(FILES), arch="sm_90") == expected


def test_one_input_needs_no_list(warpld: ModuleType) -> None:
    """A single input can be a path, a buffer, or a pair of a name and a buffer. Such a pair is one
    input, and not a list of two."""
    linked = warpld.link([SCALE], arch="sm_90")
    for alone in (FILES[1], str(FILES[1]), SCALE, ("scale", SCALE), ("scale", memoryview(SCALE))):
        assert warpld.link(alone, arch="sm_90") == linked


def test_buffers_are_released(warpld: ModuleType) -> None:
    data = bytearray(SCALE)
    warpld.link([KERNEL, data], arch="sm_90")
    data.extend(b"more")  # raises BufferError if the buffer is still in use
    count = sys.getrefcount(KERNEL)
    warpld.link([KERNEL, SCALE], arch="sm_90")
    assert sys.getrefcount(KERNEL) == count


def test_an_error_has_code_and_notes(warpld: ModuleType) -> None:
    with pytest.raises(warpld.LinkError) as caught:
        warpld.link([("kernel", KERNEL)], arch="sm_90")
    error = caught.value
    assert error.code == "undefined-reference"
    assert any("kernel" in note.text for note in error.notes)
    assert error.diagnostics[0].severity == "error"
    assert error.diagnostics[0].symbol in ("calls", "scale")
    assert "undefined-reference" in str(error)
    with pytest.raises(warpld.LinkError, match="sm_7"):
        warpld.link([KERNEL, SCALE], arch="sm_7")
    with pytest.raises(warpld.LinkError, match="no-such"):
        warpld.link([KERNEL, SCALE], arch="sm_90", options={"no-such": True})


@pytest.mark.parametrize("inputs", [[1], 1, [("a", 1)]])
def test_other_types_are_refused(warpld: ModuleType, inputs: object) -> None:
    with pytest.raises(TypeError):
        warpld.link(inputs, arch="sm_90")


def test_warnings_are_those_of_python(warpld: ModuleType) -> None:
    inputs = [RECURSION / "a.cubin", RECURSION / "b.cubin"]
    with pytest.warns(warpld.LinkWarning, match="Stack size") as caught:
        warpld.link(inputs, arch=ARCH)
    warnings = [one.message for one in caught]
    assert all(isinstance(warning, warpld.LinkWarning) for warning in warnings)
    reported: list[Diagnostic] = [vars(warning)["diagnostic"] for warning in warnings]
    assert reported[0].severity == "warning"
    assert caught[0].filename == __file__
    seen: list[Diagnostic] = []
    warpld.link(inputs, arch=ARCH, on_diagnostic=seen.append)
    assert [one.code for one in seen] == [one.code for one in reported]
    with pytest.raises(warpld.LinkError):
        warpld.link(inputs, arch=ARCH, options={"warning-as-error": True})


def test_options(warpld: ModuleType, expected: bytes) -> None:
    seen: list[Diagnostic] = []
    options = {"verbose": True, "kernels-used": ["kern*", "other"], "threads": 2}
    warpld.link(FILES, arch="sm_90", options=options, on_diagnostic=seen.append)
    assert any("24 registers" in one.text for one in seen)


def test_a_library_is_shared_by_threads(warpld: ModuleType, expected: bytes) -> None:
    with warpld.Library([FILES[0]]) as shared:
        shared.add(("scale", SCALE))
        with ThreadPoolExecutor(4) as pool:
            links = [
                pool.submit(warpld.link, [], arch="sm_90", libraries=[shared]) for _ in range(40)
            ]
            assert {one.result() for one in links} == {expected}
        with pytest.raises(ValueError, match="argument"):
            shared.add(SCALE)


def test_the_interpreter_runs_while_a_link_does(warpld: ModuleType) -> None:
    """The diagnostic callback takes the GIL; everything else runs without it."""
    counted, stop = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    for _ in range(200):
        warpld.link([KERNEL, SCALE], arch="sm_90")
    stop.set()
    thread.join()
    assert counted > 100


def test_inspect(warpld: ModuleType, expected: bytes, tmp_path: Path) -> None:
    path = tmp_path / "linked.cubin"
    path.write_bytes(expected)
    found = warpld.inspect(path)
    assert found == warpld.inspect(expected) == warpld.inspect(memoryview(expected))
    (image,), (kernel,) = found.images, found.kernels
    assert (image.kind, image.target, image.is_linked) == ("cubin", "sm_90", True)
    assert image.size_bytes == len(expected)
    assert (kernel.name, kernel.registers, kernel.shared_bytes) == ("kernel", 24, 1152)
    assert {one.name for one in image.functions} == {"kernel", "clamp_unit", "scale"}
    assert any(one.name == "total" and one.space == "global" for one in found.symbols)


def test_inspect_reads_text_without_functions(warpld: ModuleType) -> None:
    (image,) = warpld.inspect(PTX.encode()).images
    assert image.kind == "PTX"
    assert image.functions == image.symbols == ()


@pytest.mark.parametrize("source", ["no-such-file", "-", b"text", b""])
def test_inspect_refuses_what_is_no_device_code(warpld: ModuleType, source: object) -> None:
    with pytest.raises(warpld.InspectError):
        warpld.inspect(source)


def test_text_goes_to_the_command(
    warpld: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """To link PTX, the module runs the program warpld, which needs ptxas. If there is none, the
    error message shows the name that the caller gave the input."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(warpld.LinkError, match="ptxas") as caught:
        warpld.link([("text.ptx", PTX.encode())], arch="sm_90")
    assert "'text.ptx'" in str(caught.value)
    assert "ptxas" in caught.value.text
    assert caught.value.code == "ptxas-failed"


def test_link_time_optimisation(warpld: ModuleType) -> None:
    data = REPOSITORY / "tests" / "nvjitlink" / "data"
    files = [data / "calls.ltoir", data / "defines.ltoir"]
    with pytest.raises(warpld.LinkError, match="lto"):
        warpld.link(files, arch="sm_90")
    try:
        outputs = [
            warpld.link(inputs, arch="sm_90", lto=True)
            for inputs in (files, [path.read_bytes() for path in files])
        ]
    except warpld.LinkError as error:
        pytest.skip(f"no optimiser or no compiler: {error.code}")
    assert outputs[0] == outputs[1]
    assert [one.name for one in warpld.inspect(outputs[0]).kernels] == ["_Z6kernelPi"]


def test_options_of_the_command_go_to_the_command(warpld: ModuleType, tmp_path: Path) -> None:
    written = tmp_path / "map.txt"
    warpld.link([KERNEL, SCALE], arch="sm_90", options={"map": str(written)})
    assert "kernel" in written.read_text()


def test_nvjitlink(warpld: ModuleType, unpacked: Path) -> None:
    for major in (12, 13):
        path = Path(warpld.nvjitlink_path(major))
        assert path.parent == unpacked / "warpld" / "libraries"
        version = ctypes.c_uint(), ctypes.c_uint()
        library = warpld.preload(major)
        assert library.nvJitLinkVersion(ctypes.byref(version[0]), ctypes.byref(version[1])) == 0
        assert version[0].value == major
    with pytest.raises(ValueError, match="12"):
        warpld.nvjitlink_path(11)


def test_versions_agree(warpld: ModuleType) -> None:
    header = (REPOSITORY / "include" / "warpld.h").read_text()
    assert f'"{warpld.__version__}"' in header
    assert warpld.version() == warpld.__version__
