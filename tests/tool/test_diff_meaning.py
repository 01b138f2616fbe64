"""cubintool diff lists changes of functions, variables and resources, the most important first."""

from __future__ import annotations

import csv
import io
import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from cubin_file import CubinFile
from tool import DATA, LINKED, cubintool, run

FIRST = "first(unsigned int*, char, double)"
REGCOUNT, FRAME_SIZE, MIN_STACK_SIZE = 47, 17, 18


def record_of(file: CubinFile, code: int, symbol: str) -> int:
    """The offset in .nv.info of the record with this code about a function."""
    head = struct.pack("<BBHI", 4, code, 8, file.symbol_index(symbol))
    return file.section(".nv.info").data.index(head)


def set_value(file: CubinFile, code: int, symbol: str, value: int) -> None:
    place = record_of(file, code, symbol) + 8
    file.section(".nv.info").patch(place, struct.pack("<I", value))


def set_record(file: CubinFile, section: str, code: int, data: bytes) -> None:
    file.section(section).patch(file.record(section, code) + 4, data)


def other(folder: Path, change: Callable[[CubinFile], None]) -> Path:
    file = CubinFile(LINKED)
    change(file)
    return file.write(folder / "other.cubin")


def lines(*words: object, status: int = 1) -> list[str]:
    return cubintool("diff", *words, status=status).splitlines()


def more_registers(file: CubinFile) -> None:
    set_value(file, REGCOUNT, "_Z5firstPjcd", 48)


def recursive(file: CubinFile) -> None:
    set_value(file, MIN_STACK_SIZE, "_Z5firstPjcd", 0xFFFFFFFF)


def other_call(file: CubinFile) -> None:
    section = file.section(".nv.callgraph")
    place = section.data.index(struct.pack("<II", file.symbol_index("_Z5firstPjcd"), 25))
    section.patch(place + 4, struct.pack("<I", file.symbol_index("square")))


def renamed(file: CubinFile) -> None:
    strings = file.section(".strtab").data
    at = strings.index(b"\0zeroed\0")
    strings[at + 1 : at + 7] = b"blanks"


CHANGES = {
    "registers": (more_registers, f"changed kernel {FIRST}: registers 36 -> 48 (+12)"),
    "frame": (
        lambda file: set_value(file, FRAME_SIZE, "helper", 0),
        "changed function helper: frame 8 -> 0 (-8)",
    ),
    "recursion": (recursive, f"changed kernel {FIRST}: stack 8 -> unlimited"),
    "code": (
        lambda file: file.section(".text.helper").patch(0x10, b"\x5a"),
        "changed function helper: instructions 1 of 32 changed",
    ),
    "shared": (
        lambda file: setattr(file.section(".nv.shared._Z5firstPjcd"), "size", 256),
        f"changed kernel {FIRST}: shared 192 -> 256 (+64)",
    ),
    "calls": (other_call, f"changed kernel {FIRST}: no longer calls helper, calls square"),
    "contents": (
        lambda file: file.section(".nv.constant3").patch(4, b"\x77\x66"),
        "changed constant variable weights: contents 2 of 16 bytes changed, the first at 4",
    ),
    "attribute": (
        lambda file: set_record(file, ".nv.info.square", 55, b"\x83"),
        "changed function square: attribute CUDA_API_VERSION 130 -> 131",
    ),
    "frames": (
        lambda file: file.section(".debug_frame").patch(0x300, b"\x01"),
        "changed function helper: call frame rules others of the same size",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_change_is_named_in_the_second_line(name: str, tmp_path: Path) -> None:
    change, expected = CHANGES[name]
    summary, line, blank, headings, *rows = lines(LINKED, other(tmp_path, change))
    assert summary.startswith("1 ") and summary.endswith(" changed")
    assert (line.strip(), blank) == (expected, "")
    assert headings.split() == ["change", "what", "resource", "old", "new", "difference", "name"]
    assert len(rows) == 1 + ("calls" in name)


def test_added_and_removed(tmp_path: Path) -> None:
    text = lines(LINKED, other(tmp_path, renamed))
    assert text[:3] == [
        "1 global variable removed, 1 global variable added",
        "  removed global variable zeroed: size 40",
        "  added global variable blanks: size 40",
    ]


def test_what_changed_itself_precedes_what_inherits(tmp_path: Path) -> None:
    def change(file: CubinFile) -> None:
        more_registers(file)
        set_value(file, REGCOUNT, "helper", 48)
        file.section(".text.helper").patch(0x10, b"\x5a")

    text = lines(LINKED, other(tmp_path, change))
    assert text[0] == "1 function changed, 1 kernel changed"
    assert [line.split()[2].rstrip(":") for line in text[1:3]] == [
        "helper",
        "first(unsigned",
    ]


def test_other_differences_are_mentioned(tmp_path: Path) -> None:
    def change(file: CubinFile) -> None:
        file.section(".nv.rel.action").patch(0, b"\x01")

    path = other(tmp_path, change)
    (line,) = lines(LINKED, path)
    assert line.startswith("functions and variables are the same; 2 differences elsewhere")
    assert "--bytes" in line and ".nv.rel.action" in lines("--bytes", LINKED, path)[0]


def test_equal_files(tmp_path: Path) -> None:
    assert cubintool("diff", LINKED, shutil.copy(LINKED, tmp_path / "copy")) == ""


@pytest.mark.parametrize(
    "limits, fails",
    [
        ("registers+12", True),
        ("registers+13", False),
        ("registers+33%", True),
        ("registers+34%", False),
        ("code+1,registers+1", True),
        ("stack+1", False),
        ("registers+1K", False),
    ],
)
def test_fail_if_something_grew(limits: str, fails: bool, tmp_path: Path) -> None:
    done = run("diff", "--fail-if", limits, LINKED, other(tmp_path, more_registers))
    assert done.returncode == int(fails)
    message = f"kernel {FIRST}: registers 36 -> 48 (+12), which --fail-if does not allow"
    assert (message in done.stderr) == fails
    back = run("diff", "--fail-if", limits, tmp_path / "other.cubin", LINKED)
    assert back.returncode == 0


def test_fail_if_a_kernel_recurses(tmp_path: Path) -> None:
    assert run("diff", "--fail-if=stack+1000", LINKED, other(tmp_path, recursive)).returncode == 1


@pytest.mark.parametrize("text", ["", "registers", "registers+", "+8", "registers+8x", "a+1,"])
def test_bad_limits(text: str) -> None:
    done = run("diff", f"--fail-if={text}", LINKED, LINKED)
    assert done.returncode == 2 and "bad value of --fail-if" in done.stderr


def test_json(tmp_path: Path) -> None:
    path = other(tmp_path, more_registers)
    result = json.loads(cubintool("diff", "--json", LINKED, path, status=1))
    assert result == {
        "a": str(LINKED),
        "b": str(path),
        "equal": False,
        "differences_of_bytes": 1,
        "changes": [
            {
                "change": "changed",
                "what": "kernel",
                "resource": "registers",
                "old": 36,
                "new": 48,
                "difference": "+12",
                "name": "_Z5firstPjcd",
            }
        ],
    }


def test_csv(tmp_path: Path) -> None:
    path = other(tmp_path, more_registers)
    (row,) = csv.DictReader(io.StringIO(cubintool("diff", "--csv", LINKED, path, status=1)))
    assert (row["file"], row["resource"], row["old"], row["new"]) == (
        str(path),
        "registers",
        "36",
        "48",
    )


@pytest.mark.parametrize("option", ["--csv", "--fail-if=code+1"])
@pytest.mark.parametrize("mode", ["--bytes", "--strict"])
def test_options_that_do_not_go_together(option: str, mode: str) -> None:
    done = run("diff", option, mode, LINKED, LINKED)
    assert done.returncode == 2 and "not for --bytes or --strict" in done.stderr


def test_limit() -> None:
    rows = lines("--limit=3", LINKED, DATA / "linked-90.cubin")
    assert rows[-1].endswith("more rows; --limit sets how many are printed")
    assert sum(line.startswith("  changed  ") for line in rows) == 3
