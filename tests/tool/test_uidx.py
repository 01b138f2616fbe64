"""cubintool uidx shows index files of unified tables, and makes them from objects."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path

import pytest
from tool import BUILD, REPOSITORY, cubintool, run

GOLDEN = REPOSITORY / "tests" / "golden" / "unified-tables-of-two-files"
INDEX = GOLDEN / "unified.index"
OBJECTS = (GOLDEN / "a.cubin", GOLDEN / "b.cubin")

SHOWN = """\
Index file
  version          1
  function_window  0x200
  functions        4
  data_window      0x17
  data             4

Entries
  table      offset  id_low  id_high
  functions    0x80     0x1      0x2
  functions     0x0     0x3      0x4
  functions   0x180     0x9      0xa
  functions   0x100     0xb      0xc
  data         0x10     0x5      0x6
  data          0x0     0x7      0x8
  data         0x14     0xd      0xe
  data          0x8     0xf     0x10
"""


def test_an_index_file_as_text() -> None:
    assert cubintool("uidx", INDEX) == f"File {INDEX}\n\n{SHOWN}"


def test_the_index_file_of_an_executable() -> None:
    linked = GOLDEN / "expected.cubin"
    assert cubintool("uidx", linked) == f"File {linked}\n\n{SHOWN}"


def test_an_index_file_as_json() -> None:
    (file,) = json.loads(cubintool("uidx", "--json", INDEX))
    assert file["file"] == str(INDEX)
    assert file["header"] == {
        "version": 1,
        "function_window": 0x200,
        "functions": 4,
        "data_window": 0x17,
        "data": 4,
    }
    assert file["entries"][0] == {"table": "functions", "offset": 0x80, "id_low": 1, "id_high": 2}
    assert len(file["entries"]) == 8


def test_what_version_2_adds() -> None:
    path = REPOSITORY / "tests" / "golden" / "unified-index-of-version-2" / "unified.index"
    (file,) = json.loads(cubintool("uidx", "--json", path))
    assert file["header"]["extra"] == bytes(range(16)).hex(" ")


def test_what_objects_need_is_shown_by_name() -> None:
    (file,) = json.loads(cubintool("uidx", "--json", *OBJECTS))
    assert file["file"] is None
    places = {entry["symbol"]: entry["offset"] for entry in file["entries"]}
    assert places == {
        **{"first": 0, "second": 0x80, "third": 0x100, "unused": 0x180},
        **{"large": 0, "small": 8, "other": 0xC, "bytes": 0x10},
    }
    assert file["entries"][0]["file"] == str(OBJECTS[0])
    text = cubintool("uidx", *OBJECTS)
    assert "unused" in text and not text.startswith("File")


def test_a_made_index_file_links(tmp_path: Path) -> None:
    index, output = tmp_path / "index", tmp_path / "output.cubin"
    assert cubintool("uidx", "-o", index, *OBJECTS) == ""
    command: list[str | Path] = [
        BUILD / "warpld",
        "-arch=sm_90",
        f"-uidx={index}",
        *OBJECTS,
        "-o",
        output,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    shown, linked = (cubintool("uidx", path).split("\n", 1)[1] for path in (index, output))
    assert shown == linked


def test_an_object_without_unified_code_needs_nothing(tmp_path: Path) -> None:
    plain = REPOSITORY / "tests" / "containers" / "data" / "first.sm_80.cubin"
    index = tmp_path / "index"
    assert cubintool("uidx", "-o", index, plain) == ""
    assert index.read_bytes() == struct.pack("<8sIIQQQQ", b"\x7fUFTINDX", 1, 0, 0, 0, 0, 0)


def refused(*words: object) -> str:
    done = run("uidx", *words)
    assert done.returncode == 2
    return done.stderr


def test_equal_identifiers_are_refused(tmp_path: Path) -> None:
    index = tmp_path / "index"
    error = refused("-o", index, OBJECTS[0], OBJECTS[0])
    assert "first in" in error and "<0000000000000001,0000000000000002>" in error
    assert not index.exists()


@pytest.mark.parametrize("content", [INDEX.read_bytes()[:-1], INDEX.read_bytes()[:20], b"other"])
def test_other_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "index"
    path.write_bytes(content)
    assert str(path) in refused(path)


def test_nothing_to_make_or_to_show() -> None:
    assert "no object" in refused("-o", "/dev/null", INDEX)
    plain = REPOSITORY / "tests" / "golden" / "kernel-parameters" / "expected.cubin"
    assert "without an index file" in refused(plain)
