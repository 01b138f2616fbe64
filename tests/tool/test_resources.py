"""Tests the table of cubintool resources, and where its numbers come from."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from cubin_file import INFO_LINK, CubinFile
from tool import CUBINS, DATA, REPOSITORY, cubintool, run

OTHER_BANK = REPOSITORY / "tests" / "constants" / "data" / "first.sm_80.cubin"


def resources(path: Path) -> dict[str, Any]:
    files: list[dict[str, Any]] = json.loads(cubintool("resources", "--json", path))
    (file,) = files
    return file


def test_table() -> None:
    expected = (DATA / "linked-86.resources.txt").read_text()
    assert cubintool("resources", "linked-86.cubin") == expected


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
def test_text_and_json_say_the_same(path: Path) -> None:
    text = cubintool("resources", "--no-demangle", path)
    lines = [line.split() for line in text.splitlines()]
    for function in resources(path)["functions"]:
        cells = ["-" if value is None else str(value) for value in function.values()]
        assert cells in lines
    for name, value in resources(path)["totals"].items():
        assert [name, str(value)] in lines


def test_constants_of_all_files_have_columns() -> None:
    """The table has a column for bank 2, although only one of the files has constants in that bank.
    The order of the files does not matter."""
    files = [OTHER_BANK, DATA / "linked-86.cubin"]
    for order in (files, files[::-1]):
        heading, *lines = csv.reader(cubintool("resources", "--csv", *order).splitlines())
        assert {"constant0", "constant2"} <= set(heading)
        rows = [dict(zip(heading, line, strict=True)) for line in lines]
        assert {row["file"] for row in rows if row["constant2"]} == {str(OTHER_BANK)}
        assert [row["name"] for row in rows] == [
            function["name"] for path in order for function in resources(path)["functions"]
        ]


def test_a_column_is_there_once() -> None:
    """Each bank has one column, although the files list their banks in different orders. The first
    file has only bank 0. The second has only bank 2, whose column is inserted before that of bank
    0. The third file has both banks, in the opposite order."""
    files = [
        REPOSITORY / "tests" / "containers" / "data" / "asks_for_parts.sm_80.cubin",
        REPOSITORY / "tests" / "constants" / "data" / "first.sm_80.cubin",
        REPOSITORY / "tests" / "constants" / "data" / "chain.sm_80.cubin",
    ]
    heading, *lines = csv.reader(cubintool("resources", "--csv", *files).splitlines())
    assert len(set(heading)) == len(heading)
    assert {"constant0", "constant2"} <= set(heading)
    rows = [dict(zip(heading, line, strict=True)) for line in lines]
    functions = [function for path in files for function in resources(path)["functions"]]
    for row, function in zip(rows, functions, strict=True):
        for name, value in function.items():
            assert row[name] == ("" if value is None else str(value))


def test_kernels_inherit_what_they_call() -> None:
    """The kernel's own code needs only 24 registers and no stack. Its callees need more."""
    kernels = {f["name"]: f for f in resources(DATA / "linked-86.cubin")["functions"]}
    first = kernels["_Z5firstPjcd"]
    assert (first["registers"], first["stack"], first["frame"]) == (36, 8, 0)
    assert (first["barriers"], first["shared"]) == (2, 64 + 128)
    assert (first["parameters"], first["parameter_bytes"]) == (3, 24)
    assert first["constant0"] == 0x160 + 24


def test_object_knows_no_stack_of_kernels() -> None:
    file = resources(DATA / "first-86.o.cubin")
    kernels = [f for f in file["functions"] if f["kind"] == "kernel"]
    assert len(kernels) == 2 and all(kernel["stack"] is None for kernel in kernels)
    functions = [f for f in file["functions"] if f["kind"] == "function"]
    assert [f["name"] for f in functions] == ["twin"] and functions[0]["stack"] == 0


def test_system_reserves_shared_memory_in_executables() -> None:
    linked = {f["name"]: f["shared"] for f in resources(DATA / "linked-90.cubin")["functions"]}
    assert linked["_Z5firstPjcd"] == 64 + 128 + 1024


def test_totals() -> None:
    totals = resources(DATA / "linked-86.cubin")["totals"]
    assert totals == {
        "kernels": 2,
        "functions": 5,
        "code": 512 + 640 + 2 * 384 + 2 * 256 + 512,
        "global": 40 + 24,
        "global_initialised": 24,
        "constant0": 356 + 376,
        "constant3": 16,
    }


def test_readable_names() -> None:
    text = cubintool("resources", DATA / "linked-86.cubin")
    assert "first(unsigned int*, char, double)\n" in text and "_Z" not in text
    assert "_Z5firstPjcd\n" in cubintool("resources", "--no-demangle", DATA / "linked-86.cubin")
    assert "_Z5firstPjcd\n" in cubintool("resources", "--csv", DATA / "linked-86.cubin")


def names(*options: str) -> list[str]:
    text = cubintool("resources", "--json", *options, DATA / "linked-86.cubin")
    return [function["name"] for function in json.loads(text)[0]["functions"]]


def test_sorted_by_a_column() -> None:
    """The largest number, or the first name in alphabetical order, comes first. "-" reverses the
    order. Rows without a value are last."""
    by_code = names("--sort", "code")
    assert by_code == ["_Z5firstPjcd", "_Z6secondj", "helper", *names()[2:4], "square", "add_five"]
    assert names("--sort=name") == sorted(names())
    assert names("--sort=-name") == sorted(names(), reverse=True)
    assert names("--sort=-parameter_bytes")[:2] == ["_Z6secondj", "_Z5firstPjcd"]
    done = run("resources", "--sort=size", DATA / "linked-86.cubin")
    assert done.returncode == 2 and "no column size to sort by; columns: kind, regis" in done.stderr


@pytest.mark.parametrize(
    "pattern, count",
    [("twin", 2), ("*win*", 2), ("win", 2), ("win*", 0), ("?quare", 1), ("*", 7), ("*e*e*", 1)],
)
def test_filtered_by_name(pattern: str, count: int) -> None:
    assert len(names("--filter", pattern)) == count


def test_filter_reads_names_as_they_are_shown() -> None:
    assert "first(" in cubintool("resources", "--filter=*char*", DATA / "linked-86.cubin")
    assert "first(" not in cubintool("resources", "--filter=_Z*", DATA / "linked-86.cubin")


def test_several_files() -> None:
    files = json.loads(cubintool("resources", "--json", *CUBINS))
    assert [file["file"] for file in files] == [str(path) for path in CUBINS]
    assert cubintool("resources", *CUBINS).count("File ") == len(CUBINS)


def test_attributes_that_name_no_section_belong_to_none(tmp_path: Path) -> None:
    """Without the flag SHF_INFO_LINK, sh_info need not be the number of a section. In good files it
    is 0 for the attributes of the whole object."""
    file = CubinFile(DATA / "linked-86.cubin")
    file.section(".nv.info").info = 0x10000000
    expected = resources(DATA / "linked-86.cubin")["functions"]
    assert resources(file.write(tmp_path / "x.cubin"))["functions"] == expected
    kernel = file.section(".nv.info._Z5firstPjcd")
    kernel.info, kernel.flags = 0x10000000, kernel.flags & ~INFO_LINK
    (first,) = [
        function
        for function in resources(file.write(tmp_path / "x.cubin"))["functions"]
        if function["name"] == "_Z5firstPjcd"
    ]
    assert first["registers"] == 36 and first["parameters"] == 0


def test_barriers_of_older_files() -> None:
    """The barriers of older files are in the flags of the code section."""
    path = DATA.parents[1] / "golden" / "abi7-objects" / "expected.cubin"
    file = CubinFile(path)
    found = {f["name"]: f["barriers"] for f in resources(path)["functions"]}
    flags = {name: file.section(f".text.{name}").flags >> 20 & 0x7F for name in found}
    assert found == flags and any(found.values())
