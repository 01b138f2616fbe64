"""cubintool explain shows which functions cause a kernel's use of registers, stack and shared
memory, and how that use limits the occupancy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cubin_file import CubinFile
from tool import DATA, LINKED, REPOSITORY, cubintool, run

TYPED = DATA / "debug" / "typed-90.cubin"
GOLDEN = REPOSITORY / "tests" / "golden"
DEMO = REPOSITORY / "examples" / "demo" / "data"


def explain(*words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(cubintool("explain", "--json", "--demangle", *words))
    return found


def test_registers_of_a_callee() -> None:
    """The kernel needs as many registers as helper, 36. The linked file does not record how many
    the kernel's own code needs."""
    whose, limit = explain(LINKED, "first")["registers"]["text"]
    first = "first(unsigned int*, char, double)"
    assert whose.startswith(f"as many as helper, along {first} -> helper")
    assert limit == "the kernel is compiled for 255 at most"
    functions = explain(LINKED, "first")["functions"]["rows"]
    assert [f["registers"] for f in functions] == [36, 24, 24, 24, 24, None]
    assert {f["function"] for f in functions} >= {"square", "add_five", "helper"}


def test_long_tables_are_cut_in_text() -> None:
    text = cubintool("explain", "--limit=2", LINKED, "first")
    assert "  4 more rows; --limit sets how many are printed\n" in text and "square" not in text
    assert "more rows" not in cubintool("explain", LINKED, "first")


def test_own_registers() -> None:
    """The kernel calls only functions whose code is not in the file."""
    text = explain(LINKED, "second")["registers"]["text"]
    assert text[0] == "its own code needs them; it calls nothing with registers"
    text = explain(DATA / "first-86.o.cubin", "first")["registers"]["text"]
    assert "the link may raise them" in text[0]


def test_deepest_stack() -> None:
    chain = explain(LINKED, "first")["stack"]["rows"]
    assert [(row["frame"], row["stack"]) for row in chain][:2] == [(0, 0), (8, 8)]
    assert [row["function"] for row in chain][:2] == [
        "first(unsigned int*, char, double)",
        "helper",
    ]


def test_recursion_is_shown_as_a_cycle() -> None:
    text = cubintool("explain", GOLDEN / "recursion-unknown-stack" / "expected.cubin", "kernel_a")
    assert "Stack: unknown, because it recurses" in text
    (cycle,) = re.findall(r"these call each other: (.*)", text)
    names = cycle.split(" -> ")
    assert names[0] == names[-1] and len(names) >= 2


def test_parameters_with_types() -> None:
    explained = explain(LINKED, "_Z5firstPjcd")["parameters"]["rows"]
    assert [(row["address"], row["size"], row["type"]) for row in explained] == [
        (0x160, 8, "unsigned int*"),
        (0x168, 1, "char"),
        (0x170, 8, "double"),
    ]


def parameters(path: Path, kernel: str) -> list[tuple[str, str]]:
    rows = explain(path, kernel)["parameters"]["rows"]
    return [(row["type"], row["name"]) for row in rows]


def test_types_and_names_of_debug_information() -> None:
    """The types are those of the debug information, because the kernel's name encodes none."""
    assert parameters(TYPED, "typed") == [
        ("point const*", "points"),
        ("point", "origin"),
        ("colour", "c"),
        ("count_t", "n"),
        ("float&", "out"),
    ]
    assert parameters(TYPED, "plain") == [("void*", "p"), ("int", "n")]


@pytest.mark.parametrize("section", [".debug_info", ".debug_abbrev"])
def test_debug_information_that_is_damaged(section: str, tmp_path: Path) -> None:
    """If a byte of the debug information is changed, the parameters may have other types, or none,
    but their number is right. The test changes about 150 bytes, one at a time."""
    original = CubinFile(TYPED)
    size = len(original.section(section).data)
    for at in range(0, size, max(1, size // 150)):
        file = CubinFile(TYPED)
        file.section(section).patch(at, bytes([file.section(section).data[at] ^ 0xFF]))
        assert len(parameters(file.write(tmp_path / "x.cubin"), "typed")) == 5


def test_constant_banks() -> None:
    rows = explain(LINKED, "first")["constants"]["rows"]
    assert [(row["bank"], row["own"], row["all_kernels"]) for row in rows] == [
        (0, 376, 376 + 356),
        (3, 0, 16),
    ]


def test_variables_and_their_users() -> None:
    rows = explain(LINKED, "first")["variables"]["rows"]
    found = {row["variable"]: (row["space"], row["size"]) for row in rows}
    assert found == {
        "counter": ("global", 4),
        "zeroed": ("global", 40),
        "operations": ("global", 16),
    }


def test_shared_variables_of_an_object() -> None:
    """Each row has the variable's readable name, no address, and the function that uses it."""
    rows = explain(DEMO / "reduction.sm_90.cubin", "block_sum")["shared"]["rows"]
    assert rows == [
        {
            "address": None,
            "size": 4096,
            "variable": "block_sum(float)::partial",
            "used_by": "block_sum(float)",
            "input": None,
            "overlaps": None,
        }
    ]


def test_shared_variables_of_a_kernel_in_an_object() -> None:
    """In an object the value of the variable's symbol is an alignment, which must not be shown as
    an address."""
    rows = explain(REPOSITORY / "examples/inspect/data/render.cubin", "shade")["shared"]["rows"]
    assert [row["variable"].rpartition("::")[2] for row in rows] == ["tile"]
    assert [(row["address"], row["overlaps"]) for row in rows] == [(None, None)]


def test_shared_memory_that_the_system_reserves() -> None:
    rows = explain(DATA / "linked-90.cubin", "first")["shared"]["rows"]
    assert [(row["address"], row["size"]) for row in rows] == [(0, 1024), (1024, 64 + 128)]


def test_with_the_objects_of_the_link() -> None:
    """If the objects of the link are given, the kernel's own register count and the input of each
    variable are known, even if nvlink made the linked file."""
    objects = [DATA / "first-86.o.cubin", DATA / "second-86.o.cubin"]
    explained = explain(LINKED, "first", *objects)
    assert "its own code needs 24; raised to 36 by helper" in explained["registers"]["text"][0]
    rows = {row["variable"]: row for row in explained["shared"]["rows"]}
    assert {name: row["size"] for name, row in rows.items()} == {
        "$__own_buffer__29": 128,
        "common_buffer": 64,
    }
    assert {row["input"] for row in rows.values()} == {str(objects[0])}
    done = run("explain", LINKED, "first", "regenerate.sh")
    assert done.returncode == 2 and "neither device code" in done.stderr


FROM_B = {"input": 1}
REPORT = {
    "format": "warpld-report",
    "inputs": ["a.o", "b.o"],
    "functions": [
        {"name": "_Z5firstPjcd", "input": 0},
        {"name": "helper", "input": 1},
    ],
    "kernels": [{"function": 0, "registers": 36, "own_registers": 24}],
    "pieces": [
        {
            "name": ".nv.shared._Z5firstPjcd",
            "parts": [
                {"address": 0, "bytes": 64, "name": "tile", "user": 0, "input": 0},
                {"address": 64, "bytes": 128, "name": "$___ZZ4sumafE3row__1", "user": 1} | FROM_B,
                {"address": 128, "bytes": 8, "name": "x", "user": 1} | FROM_B,
            ],
        }
    ],
}


def test_with_the_report_of_the_link(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(REPORT))
    explained = explain("--report", path, LINKED, "first")
    assert "its own code needs 24; raised to 36 by helper" in explained["registers"]["text"][0]
    rows = explained["shared"]["rows"]
    assert [row["variable"] for row in rows] == ["tile", "suma(float)::row", "x"]
    assert [row["input"] for row in rows] == ["a.o", "b.o", "b.o"]
    assert [row["used_by"] for row in rows][1:] == ["helper", "helper"]
    assert [row["overlaps"] for row in rows] == [None, None, rows[1]["variable"]]


@pytest.mark.parametrize(
    "text, message",
    [
        ("{}", "no report of warpld"),
        ("[", "report.json: "),
        ('{"format": "warpld-report", "kernels": 3}', None),
        ('{"format": "warpld-report", "kernels": [{"function": -1}], "pieces": [4, {}]}', None),
    ],
)
def test_reports_that_are_none(text: str, message: str | None, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    done = run("explain", "--report", path, LINKED, "first")
    assert done.returncode == (2 if message else 0)
    assert message is None or message in done.stderr
    assert message or "does not know this kernel" in done.stdout


def occupancy(registers: int, shared: int, folder: Path) -> dict[int, dict[str, Any]]:
    """Makes a file in which a kernel uses these numbers of registers and of bytes of shared memory.
    Returns the rows of the kernel's occupancy, by the number of threads in a block."""
    file = CubinFile(LINKED)
    info = file.section(".nv.info")
    data = info.data
    symbol = file.symbol_index("_Z5firstPjcd")
    at = data.index(bytes([4, 47, 8, 0]) + symbol.to_bytes(4, "little"))
    data[at + 8 : at + 12] = registers.to_bytes(4, "little")
    file.section(".nv.shared._Z5firstPjcd").size = shared
    rows = explain(file.write(folder / "x.cubin"), "first")["occupancy"]["rows"]
    return {row["threads"]: row for row in rows}


@pytest.mark.parametrize(
    "registers, shared, threads, blocks, limit, better",
    [
        (32, 0, 256, 6, "warps", None),
        (64, 0, 256, 4, "registers", "48 registers"),
        (41, 0, 256, 5, "registers", "40 registers"),
        (255, 0, 1024, 0, "registers", "64 registers"),
        (32, 48 << 10, 64, 2, "shared memory", "33024 bytes shared"),
        (32, 0, 32, 16, "blocks", None),
    ],
)
def test_occupancy(
    registers: int,
    shared: int,
    threads: int,
    blocks: int,
    limit: str,
    better: str | None,
    tmp_path: Path,
) -> None:
    """The expected numbers are computed by hand for sm_86. The registers of a warp are rounded up
    to a multiple of 256. Each of the four parts of a multiprocessor has a quarter of its 65536
    registers. A multiprocessor has 100 KB of shared memory. Each block uses 1 KB of it in addition
    to its own shared memory."""
    row = occupancy(registers, shared, tmp_path)[threads]
    assert (row["blocks"], row["limited_by"], row["more_blocks_with"]) == (blocks, limit, better)
    assert row["warps"] == blocks * threads // 32


def test_what_one_less_gives(tmp_path: Path) -> None:
    assert occupancy(41, 0, tmp_path)[256]["1_register_less"] == 6
    row = occupancy(32, (33 << 10) - 256, tmp_path)[64]
    assert (row["blocks"], row["1_KB_less"]) == (2, 3)


def test_names_of_functions(tmp_path: Path) -> None:
    whole = cubintool("explain", LINKED, "_Z5firstPjcd")
    assert whole == cubintool("explain", LINKED, "fir")
    assert whole == cubintool("explain", LINKED, "first(unsigned int*, char, double)")
    done = run("explain", LINKED, "twin")
    assert done.returncode == 2 and "2 functions fit twin" in done.stderr
    assert "\ncubintool:   twin[3]\n" in done.stderr
    done = run("explain", LINKED, "nothing")
    assert done.returncode == 2 and "no kernel or function is named nothing" in done.stderr
