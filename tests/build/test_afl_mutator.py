"""`make afl-mutator` builds a library of mutators, which AFL++ loads."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
CORPUS = REPOSITORY / "fuzz" / "corpus"
LARGEST, MUTATIONS = 1 << 16, 200
BYTES = ctypes.POINTER(ctypes.c_ubyte)


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    command = ["make", "afl-mutator", f"BUILD={BUILD}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = ctypes.CDLL(str(BUILD / "fuzz" / "afl_mutator.so"))
    loaded.afl_custom_init.restype = ctypes.c_void_p
    loaded.afl_custom_deinit.argtypes = [ctypes.c_void_p]
    loaded.afl_custom_fuzz.restype = ctypes.c_size_t
    loaded.afl_custom_fuzz.argtypes = [
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.POINTER(BYTES),
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_size_t,
    ]
    return loaded


def mutations(library: ctypes.CDLL, data: bytes, seed: int) -> list[bytes]:
    state = library.afl_custom_init(None, seed)
    changed = BYTES()
    results = []
    for _ in range(MUTATIONS):
        size = library.afl_custom_fuzz(
            state, data, len(data), ctypes.byref(changed), None, 0, LARGEST
        )
        results.append(ctypes.string_at(changed, size))
    library.afl_custom_deinit(state)
    return results


@pytest.mark.parametrize(
    "name", ["containers/archive.bin", "containers/host_object.bin", "elf_view/sm_90.cubin"]
)
def test_mutations_differ_and_can_be_repeated(library: ctypes.CDLL, name: str) -> None:
    data = (CORPUS / name).read_bytes()
    results = mutations(library, data, 7)
    assert len(set(results)) > MUTATIONS // 2
    assert max(map(len, results)) <= LARGEST
    assert results == mutations(library, data, 7)
    assert results != mutations(library, data, 8)


def test_an_input_that_does_not_fit_is_skipped(library: ctypes.CDLL) -> None:
    state = library.afl_custom_init(None, 1)
    changed = BYTES()
    for size in (0, LARGEST + 1):
        data = bytes(size)
        changes = library.afl_custom_fuzz(
            state, data, size, ctypes.byref(changed), None, 0, LARGEST
        )
        assert changes == 0
    library.afl_custom_deinit(state)
