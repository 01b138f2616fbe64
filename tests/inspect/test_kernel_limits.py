"""If a kernel needs more than a --limit allows, the link fails. A note names the function that
causes the value."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from maps import EXAMPLE, REPOSITORY, run

WORDS = ["-arch=sm_90", "kernel.cubin", "scale.cubin"]
GOLDEN = REPOSITORY / "tests" / "golden"


def messages(
    scratch: Path, *limits: str, inputs: Sequence[object] | None = None
) -> tuple[int, list[str]]:
    words = [f"--limit={limit}" for limit in limits]
    done = run(*(inputs or WORDS), "-o", scratch / "output.cubin", *words, folder=EXAMPLE)
    assert (done.returncode == 0) == (scratch / "output.cubin").exists()
    return done.returncode, done.stderr.splitlines()


@pytest.mark.parametrize(
    "limit",
    [
        "kernel:registers<=24",
        "*:registers<25,stack<=16,shared<=1152,local=0,parameters=8,barriers<=1",
        "k*l:constant<=1K,shared<=2K",
        "ker*:stack<=1G",
    ],
)
def test_within_the_limit(limit: str, tmp_path: Path) -> None:
    assert messages(tmp_path, limit) == (0, [])


def test_registers_and_stack_name_the_calls(tmp_path: Path) -> None:
    assert messages(tmp_path, "kernel:registers<24,stack=8") == (
        255,
        [
            "warpld error   : Kernel 'kernel' of kernel.cubin needs 24 registers, but --limit "
            "allows 23 for 'kernel'",
            "warpld note    : 'kernel' in 'kernel.cubin' uses 24 registers",
            "warpld error   : Kernel 'kernel' of kernel.cubin needs 16 bytes of stack, but --limit "
            "allows 8 for 'kernel'",
            "warpld note    : 'kernel' in 'kernel.cubin' uses 0 bytes of stack",
            "warpld note    : calls 'scale' in 'scale.cubin', which uses 16 bytes of stack",
        ],
    )


def test_shared_memory_names_the_variables(tmp_path: Path) -> None:
    status, (error, note) = messages(tmp_path, "*:shared<=1K")
    assert status == 255
    assert "needs 1152 bytes of shared memory, but --limit allows 1024 for '*'" in error
    assert note.startswith("warpld note    : 128 bytes for '")


def test_raised_registers(tmp_path: Path) -> None:
    folder = GOLDEN / "indirect-call-by-prototype"
    inputs = ["-arch=sm_80", *(folder / name for name in ("a.cubin", "b.cubin", "c.cubin"))]
    status, found = messages(tmp_path, "*:registers<=32", inputs=inputs)
    assert status == 255 and len(found) == 3
    assert "needs 62 registers" in found[0]
    assert found[1].endswith("a.cubin' uses 24 registers")
    assert "calls, through a pointer, 'with_number' in" in found[2]
    assert found[2].endswith(", which uses 62 registers")


def test_unknown_stack_is_above_any_limit(tmp_path: Path) -> None:
    folder = GOLDEN / "extern-shared-of-a-kernel-in-a-call-cycle"
    words = (folder / "link").read_text().split()
    inputs = [folder / word if word.endswith(".cubin") else word for word in words]
    status, found = messages(tmp_path, "*:stack<=1G", inputs=inputs)
    errors = [line for line in found if line.startswith("warpld error")]
    assert status == 255 and errors
    needed = "needs an unknown number of bytes of stack, because calls recurse, but --limit allows"
    assert all(needed in line for line in errors)
    assert any(line.endswith(" and is recursive") for line in found)


def test_limits_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "limits"
    path.write_text("# of the build farm\n\n  kernel:registers<=8\r\n*:stack<=4\n")
    status, found = messages(tmp_path, f"@{path}")
    assert status == 255
    assert sum(line.startswith("warpld error") for line in found) == 2
    path.write_text("kernel:registers<=64\nkernel stack\n")
    status, (error,) = messages(tmp_path, f"@{path}")
    assert status == 1 and str(path) in error and "'kernel stack' is no limit" in error
    status, (error,) = messages(tmp_path, f"@{tmp_path / 'missing'}")
    assert status == 1 and "Could not open the file" in error


def test_pattern_without_a_kernel(tmp_path: Path) -> None:
    assert messages(tmp_path, "other*:registers<=8") == (
        0,
        ["warpld warning : No kernel matches 'other*' of --limit"],
    )


@pytest.mark.parametrize(
    "limit",
    [
        *("registers<=1", ":registers<=1", "k:", "k:registers", "k:registers<=", "k:regs<=1"),
        *("k:registers>1", "k:registers<=x", "k:registers<=1,", "k:registers<=1 stack<=2"),
        *("k:registers<=99999999999999999999", "k:stack<0", "k:stack<=1T", "k:stack==1"),
    ],
)
def test_wrong_limits(limit: str, tmp_path: Path) -> None:
    status, (error,) = messages(tmp_path, limit)
    assert status == 1
    assert error.startswith("warpld fatal   : ") and " is no li" in error
