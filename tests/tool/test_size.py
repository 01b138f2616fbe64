"""cubintool size prints several tables, each of which counts each byte of the file once."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from cubin_file import CubinFile
from tool import CUBINS, DATA, LINKED, cubintool, run

VIEWS = ["space", "section", "function", "namespace", "template", "debug"]


def rows(by: str, *words: object) -> dict[str, dict[str, Any]]:
    views = json.loads(cubintool("size", "--json", "--by", by, *words))
    return {row["name"]: row for row in views[by]}


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
@pytest.mark.parametrize("by", VIEWS)
def test_rows_account_for_each_byte(by: str, path: Path) -> None:
    """The sum is right even for a file whose sections share bytes (linked-100)."""
    found = rows(by, path)
    total = found.pop("[total]")
    assert total["file"] == path.stat().st_size
    assert sum(row["file"] for row in found.values()) == total["file"]
    assert sum(row["memory"] for row in found.values()) == total["memory"]
    assert total["memory"] == rows("section", path)["[total]"]["memory"]


def test_memory_spaces() -> None:
    found = rows("space", LINKED)
    spaces = {name.split()[0]: row["memory"] for name, row in found.items() if row["memory"]}
    assert spaces == {
        "code": 2944,
        "constant": 356 + 376 + 16,
        "global": 64,
        "shared": 192,
        "[total]": 2944 + 748 + 64 + 192,
    }


def test_functions_have_what_belongs_to_them() -> None:
    """The size of a function is that of its code, attributes and relocations. A kernel's size also
    includes constants and shared memory."""
    found = rows("function", LINKED)
    file = CubinFile(LINKED)
    names = (".text.helper", ".nv.info.helper", ".rel.text.helper", ".rela.text.helper")
    assert found["helper"]["file"] == sum(file.section(name).size for name in names)
    assert found["helper"]["memory"] == 512
    first = found["first(unsigned int*, char, double)"]
    assert first["memory"] == 640 + 376 + 192
    assert (found["weights"]["file"], found["weights"]["memory"]) == (16, 16)
    assert (found["zeroed"]["file"], found["zeroed"]["memory"]) == (0, 40)
    assert found["[.strtab]"]["memory"] == 0


def test_without_a_view_text_has_two() -> None:
    text = cubintool("size", LINKED)
    assert "\nBy space\n" in text and "\nBy section\n" in text and "\nBy function\n" not in text
    lines = list(csv.DictReader(io.StringIO(cubintool("size", "--csv", LINKED))))
    assert {line["by"] for line in lines} == {"space", "section"}
    assert sum(int(line["file"]) for line in lines) == 2 * LINKED.stat().st_size


def test_difference_of_two_files() -> None:
    found = rows("function", DATA / "first-86.o.cubin", LINKED)
    assert found["helper"]["old_file"] == 0
    assert found["helper"]["file_difference"] == f"+{found['helper']['new_file']}"
    total = found["[total]"]
    assert total["new_file"] - total["old_file"] == int(total["file_difference"])
    assert set(rows("space", LINKED, LINKED)) == set()


REPORT = {
    "format": "warpld-report",
    "inputs": ["a.o"],
    "pieces": [
        {"name": "x", "space": "code", "file_bytes": 96, "bytes": 96,
         "parts": [{"bytes": 64, "input": 0}, {"bytes": 4, "kind": "padding"}]},
        {"name": "s", "space": "shared", "file_bytes": 0, "bytes": 32, "input": 0},
        {"kind": "padding", "file_bytes": 4},
        {"name": "m", "file_bytes": 96, "bytes": 96, "shares_bytes": True},
    ],
}  # fmt: skip


def test_inputs_of_a_report(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(REPORT))
    found = rows("input", "--report", path, LINKED)
    assert (found["a.o"]["file"], found["a.o"]["memory"]) == (64, 64 + 32)
    assert (found["[the linker]"]["file"], found["[the linker]"]["memory"]) == (36, 32)
    assert found["[total]"]["file"] == 100


@pytest.mark.parametrize(
    "words, message",
    [
        (["--by=colour"], "unknown value of --by: colour"),
        (["--report=x"], "--report is for --by input"),
        (["--by=input"], "--by input needs one file, and --report"),
        (["--sort=colour"], "no column colour to sort by"),
    ],
)
def test_errors(words: list[str], message: str) -> None:
    done = run("size", *words, LINKED)
    assert done.returncode == 2 and message in done.stderr


@pytest.mark.parametrize("pattern", ["no such name", ".text.*"])
def test_the_total_follows_what_the_filter_leaves(pattern: str) -> None:
    lines = cubintool("size", "--by", "section", "--filter", pattern, LINKED).splitlines()
    heading, *rows = lines[lines.index("By section") + 1 :]
    assert heading.split() == ["file", "of_file", "memory", "name"]
    assert all(len(row.split(maxsplit=3)) == 4 for row in rows)
    assert bool(rows[:-1]) == (pattern == ".text.*")
    assert all(".text." in row for row in rows[:-1])
    size, *_, name = rows[-1].split()
    assert (int(size), name) == (LINKED.stat().st_size, "[total]")


def test_sorted_and_filtered() -> None:
    words = ("--by", "section", "--sort", "memory", "--filter", ".text.*", LINKED)
    text = cubintool("size", *words)
    names = [line.split()[3] for line in text.splitlines()[4:]]
    assert names[0] == ".text.first(unsigned" and len(names) == 7 + 1
