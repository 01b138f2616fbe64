"""Tests the texts that --print-removed, --why, --trace-symbol and --cref print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from container_files import host
from container_link import FIRST, SECOND
from maps import EXAMPLE, REPOSITORY, run
from test_unused_constants import sample

GOLDEN = REPOSITORY / "tests" / "golden"
WORDS = ["-arch=sm_90", "kernel.cubin", "scale.cubin"]


def lines(
    scratch: Path, *words: str, folder: Path = EXAMPLE, inputs: Sequence[object] | None = None
) -> list[str]:
    done = run(*(inputs or WORDS), "-o", scratch / "output.cubin", *words, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def golden(scratch: Path, name: str, *words: str) -> list[str]:
    inputs = (GOLDEN / name / "link").read_text().split()
    return lines(scratch, *words, folder=GOLDEN / name, inputs=inputs)


REMOVED = {
    "weak-fewer-registers-wins": [
        "removed function 'pick' of a.cubin: it is weak, and one that needs fewer registers or was "
        "compiled for a later target is in b.cubin"
    ],
    "weak-function-then-global-definition": [
        "removed function 'pick' of a.cubin: it is weak, and a strong one is in b.cubin"
    ],
    "weak-more-registers-is-rejected": [
        "removed function 'pick' of a.cubin: it is weak, and an earlier one is in b.cubin"
    ],
    "kernels-used-by-substring": [
        "removed kernel 'whole' of a.cubin: no name of -kernels-used matches it",
        "removed function 'helper' of b.cubin: nothing that is kept uses it",
        "removed kernel 'other' of b.cubin: no name of -kernels-used matches it",
    ],
    # The linker assigns an address to this variable, but no kernel has memory for it.
    "shared-used-by-dead-function": [
        "removed shared 'lost' of a.cubin: nothing that is kept uses it",
        "removed function 'dead' of a.cubin: nothing that is kept uses it",
    ],
    "alias-keeps-its-symbol": [],
}


@pytest.mark.parametrize("name", REMOVED)
def test_what_is_removed(name: str, tmp_path: Path) -> None:
    *found, total = golden(tmp_path, name, "--print-removed")
    assert found == REMOVED[name]
    kernels = sum(line.startswith("removed kernel") for line in found)
    functions = sum(line.startswith("removed function") for line in found)
    others = len(found) - kernels - functions
    assert total == f"removed in all: {kernels} kernels, {functions} functions, {others} others"


def test_kernel_without_host_reference(tmp_path: Path) -> None:
    for name, cubin, pattern in (("a.o", FIRST, ("fir*",)), ("b.o", SECOND, ())):
        content = host(cubin, references={".nvHRKE": pattern, ".nvHRKI": ()})
        (tmp_path / name).write_bytes(content)
    inputs = ["-arch=sm_80", "a.o", "b.o"]
    words = ["--print-removed", "--why=first", "--why=second"]
    found = lines(tmp_path, *words, folder=tmp_path, inputs=inputs)
    assert found == [
        "removed kernel 'second' of b.o: no host code refers to it",
        "removed in all: 1 kernels, 0 functions, 0 others",
        "'first' is kept:",
        "  kernel 'first' of a.o: host code refers to it",
        "removed kernel 'second' of b.o: no host code refers to it",
    ]


def test_unused_constants(tmp_path: Path) -> None:
    (tmp_path / "a.cubin").write_bytes(sample().write())
    inputs = ["-arch=sm_80", "a.cubin"]
    words = ["--print-removed", "--why=unused", "--why=held"]
    found = lines(tmp_path, *words, folder=tmp_path, inputs=inputs)
    assert "  'unused' of a.cubin: variables are kept, and no kept code uses it" in found
    words.append("--remove-unused-constants")
    found = lines(tmp_path, *words, folder=tmp_path, inputs=inputs)
    removed = "removed constant 'unused' of a.cubin: nothing that is kept uses it"
    assert found.count(removed) == 2  # --print-removed and --why print one each
    assert "'held' is kept:" in found


WHY = {
    ("indirect-call-by-prototype", "deeper"): [
        "'deeper' is kept:",
        "  kernel 'kernel' of a.cubin: all kernels are kept",
        "  -> calls through a pointer 'with_number' of b.cubin",
        "  -> calls 'deeper' of c.cubin",
    ],
    ("indirect-call-by-prototype", "unreached"): [
        "removed function 'unreached' of c.cubin: nothing that is kept uses it"
    ],
    ("address-taken-function-is-not-followed", "taken"): [
        "'taken' is kept:",
        "  'taken' of a.cubin: its address is taken",
    ],
    ("shared-used-by-dead-function", "lost"): [
        "removed shared 'lost' of a.cubin: nothing that is kept uses it"
    ],
    ("shared-used-by-dead-function", "third"): [
        "'third' is kept:",
        "  kernel 'kernel_a' of a.cubin: all kernels are kept",
        "  -> calls 'alive' of a.cubin",
        "  -> uses 'third' of a.cubin",
    ],
    ("kernels-used-by-substring", "part_of_name"): [
        "'part_of_name': no input has a symbol of this name"
    ],
    ("weak-fewer-registers-wins", "pick"): [
        "'pick' is kept:",
        "  kernel 'kernel_a' of a.cubin: all kernels are kept",
        "  -> calls 'pick' of b.cubin",
        "removed function 'pick' of a.cubin: it is weak, and one that needs fewer registers or was "
        "compiled for a later target is in b.cubin",
    ],
    # --why accepts a demangled name with or without its parameters.
    ("call-graph-of-names-of-templates", "a::fetch"): [
        "'a::fetch(int)' is kept:",
        "  'a::fetch(int)' of a.cubin: its address is taken",
    ],
    ("call-graph-of-names-of-templates", "a::fetch(int)"): [
        "'a::fetch(int)' is kept:",
        "  'a::fetch(int)' of a.cubin: its address is taken",
    ],
}


@pytest.mark.parametrize(("name", "symbol"), WHY)
def test_why(name: str, symbol: str, tmp_path: Path) -> None:
    assert golden(tmp_path, name, f"--why={symbol}") == WHY[name, symbol]


def test_why_of_variables(tmp_path: Path) -> None:
    assert lines(tmp_path, "--why", "weights", "--why", "nothing") == [
        "'weights' is kept:",
        "  kernel 'kernel' of kernel.cubin: all kernels are kept",
        "  -> calls 'scale' of scale.cubin",
        "  -> uses 'weights' of scale.cubin",
        "'nothing': no input has a symbol of this name",
    ]


def test_why_with_debug(tmp_path: Path) -> None:
    found = lines(tmp_path, "-g", "--why=clamp_unit", "--why=kernel")
    assert "  kernel 'kernel' of kernel.cubin: all kernels are kept" not in found
    option = "  'kernel' of kernel.cubin: -g, -r or --preserve-relocs keeps all functions"
    assert found.count(option) == 2


def test_why_of_a_variable_that_no_kernel_reaches(tmp_path: Path) -> None:
    """The only user of the variable is a function that no kernel calls. The option -g keeps that
    function, and so also the variable."""
    assert golden(tmp_path, "shared-used-by-dead-function", "-g", "--why=lost") == [
        "'lost' is kept:",
        "  'dead' of a.cubin: -g, -r or --preserve-relocs keeps all functions",
        "  -> uses 'lost' of a.cubin",
    ]


def test_trace_symbol(tmp_path: Path) -> None:
    assert lines(tmp_path, "--trace-symbol=scale", "--trace-symbol=clamp_unit") == [
        "kernel.cubin: reference to function 'scale', defined in scale.cubin",
        "scale.cubin: definition of function 'scale', used",
        "kernel.cubin: weak definition of function 'clamp_unit', used",
        "scale.cubin: weak definition of function 'clamp_unit', discarded for that of kernel.cubin",
    ]
    assert lines(tmp_path, "--trace-symbol=none") == ["'none': no input has a symbol of this name"]


def test_trace_of_superseded_and_common(tmp_path: Path) -> None:
    found = golden(tmp_path, "weak-fewer-registers-wins", "--trace-symbol=pick")
    assert any(line.endswith("superseded by that of b.cubin") for line in found)
    found = golden(tmp_path, "common-with-definition", "--cref")
    assert any(line.endswith("(common)") for line in found)


def test_cref(tmp_path: Path) -> None:
    head, *rows = lines(tmp_path, "--cref")
    assert head.split() == ["Symbol", "Input"]
    at = next(i for i, row in enumerate(rows) if row.startswith("scale "))
    assert [" ".join(row.split()) for row in rows[at : at + 2]] == [
        "scale scale.cubin (definition)",
        "kernel.cubin",
    ]
    assert not any(row.startswith("__UDT") for row in rows)
    names = [row.split()[0] for row in rows if row[0] != " "]
    assert names == sorted(names)


@pytest.mark.parametrize("name", ["nvlink", "warpld"])
def test_bytes_and_messages_stay(name: str, tmp_path: Path) -> None:
    plain = run(*WORDS, f"--as={name}", "-o", tmp_path / "plain.cubin", "-v")
    words = ["--print-removed", "--why=scale", "--cref", "--trace-symbol=scale", "--map=-"]
    other = run(*WORDS, f"--as={name}", "-o", tmp_path / "other.cubin", "-v", *words)
    assert (plain.returncode, plain.stderr) == (other.returncode, other.stderr)
    assert (tmp_path / "plain.cubin").read_bytes() == (tmp_path / "other.cubin").read_bytes()
