"""warpld links objects of nvcc -ewp for which nvlink 13.0.88 crashes or loses shared memory."""

from __future__ import annotations

from pathlib import Path

from cubin import STT_FUNC, read_cubin
from quirk_link import DATA, REPOSITORY, link, symbol_value

GOLDEN = REPOSITORY / "tests" / "golden"
A, B = (GOLDEN / "whole-programs-of-kernels" / f"{name}.cubin" for name in "ab")
WHOLE_PROGRAM = 0xFF00
PLAIN = GOLDEN / "whole-programs-with-other-objects" / "a.cubin"


def test_shared_memory_stays_with_debug_information(tmp_path: Path) -> None:
    """With -g, nvlink leaves out .nv.shared.K, the section of a kernel K's shared memory."""
    done = link(tmp_path, "sm_80", A, B, options=("-g",))
    assert done.status == 0, done.messages
    sizes = {s.name: s.size for s in read_cubin(done.output).sections if "shared" in s.name}
    assert sizes[".nv.shared._Z7anotherPi"] == 256
    assert sizes[".nv.shared._Z5callsPi"] == 192


def test_functions_of_a_removed_kernel_go_with_it(tmp_path: Path) -> None:
    """nvlink crashes."""
    done = link(tmp_path, "sm_80", A, B, options=("-kernels-used=another,recurses",))
    assert done.status == 0, done.messages
    functions = {s.name for s in read_cubin(done.output).symbols if s.type == STT_FUNC}
    assert functions == {
        "_Z7anotherPi",
        "_Z8recursesPi",
        "$_Z8recursesPi$_Z9recursivePii",
    }


def test_joined_they_keep_what_the_compiler_placed(tmp_path: Path) -> None:
    """The output of nvlink -r is no longer marked as a whole program. A final link of it drops the
    shared memory to which the compiler has assigned addresses."""
    (tmp_path / "first").mkdir()
    joined = link(tmp_path / "first", "sm_80", A, B, options=("-r",))
    assert joined.status == 0, joined.messages
    assert read_cubin(joined.output).header[1] == WHOLE_PROGRAM
    direct = link(tmp_path, "sm_80", A, B).output.rename(tmp_path / "direct.cubin")
    relinked = link(tmp_path, "sm_80", joined.output).output
    compared = [read_cubin(output).sections for output in (direct, relinked)]
    for name in (".nv.shared._Z7anotherPi", ".nv.shared._Z5callsPi", ".nv.info"):
        one, other = (next(s for s in sections if s.name == name) for sections in compared)
        assert (one.size, len(one.data)) == (other.size, len(other.data))


def shared_memory(cubin: Path) -> dict[str, int]:
    return {s.name: s.size for s in read_cubin(cubin).sections if "shared" in s.name}


def test_named_variables_are_not_assigned_space_again(tmp_path: Path) -> None:
    """In objects of nvcc -G shared variables have symbols. nvlink assigns these variables space a
    second time, after the space that the compiler assigned, and symbol 0 is no longer the null
    symbol. With -g, kernels without variables lose their section."""
    cubin = DATA / "named_shared.cubin"
    sizes = {".nv.shared.one": 0x430, ".nv.shared.two": 0x400, ".nv_debug.shared": 0}
    plain = link(tmp_path, "sm_90", cubin)
    assert plain.status == 0, plain.messages
    assert shared_memory(plain.output) == sizes
    assert "own" not in {s.name for s in read_cubin(plain.output).symbols}
    debug = link(tmp_path, "sm_90", cubin, options=("-g",))
    assert shared_memory(debug.output) == sizes | {".nv_debug.shared": 0x400}
    assert symbol_value(debug.output, "own") == 0x400
    (tmp_path / "joined").mkdir()
    joined = link(tmp_path / "joined", "sm_90", cubin, options=("-r",))
    assert shared_memory(link(tmp_path, "sm_90", joined.output).output) == sizes


def test_unnamed_kernel_has_reserved_memory(tmp_path: Path) -> None:
    """The kernel's code uses 256 bytes of shared memory from address 0x400 on, after the reserved
    bytes. nvlink assigns the kernel only 256 bytes, without the reserved ones."""
    done = link(tmp_path, "sm_90", DATA / "launched.cubin", options=("-kernels-used=taker",))
    assert done.status == 0, done.messages
    assert shared_memory(done.output) == {".nv.shared.launched": 0x400 + 256}


def test_not_joined_with_other_objects(tmp_path: Path) -> None:
    """With -r, warpld refuses to join a whole program with other objects. nvlink joins them, but
    its output does not show that the compiler has assigned the addresses in shared memory."""
    for inputs in ((A, PLAIN), (PLAIN, A)):
        done = link(tmp_path, "sm_80", *inputs, options=("-r",))
        assert done.status == 1
        assert "into a relocatable object, which is not supported yet" in done.messages


def test_shared_variables_of_others(tmp_path: Path) -> None:
    """Kernels of a whole program may not call a function of another object that uses a shared
    variable. warpld and nvlink report an error for each such pair of variable and kernel."""
    cubin = read_cubin(DATA / "two_callers.sm_80.cubin")
    cubin.header[1] = WHOLE_PROGRAM
    (tmp_path / "callers.cubin").write_bytes(cubin.write())
    done = link(tmp_path, "sm_80", tmp_path / "callers.cubin", DATA / "uses_shared.sm_80.cubin")
    assert done.status == 255
    errors = [line for line in done.messages.splitlines() if "error" in line]
    assert errors == [
        f"warpld error   : Cannot link shared object 'row' with partially linked kernel '{kernel}'"
        for kernel in ("first_caller", "second_caller")
    ]
    assert not done.output.exists()
