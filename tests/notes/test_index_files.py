"""Notes below a message about unified tables give the identifier and the sizes."""

from __future__ import annotations

from pathlib import Path

from note_link import FATAL, GOLDEN, Outcome, link_golden


def link_unified(folder: Path, golden: str) -> Outcome:
    (folder / "unified.index").symlink_to(GOLDEN / golden / "unified.index")
    outcome = link_golden(folder, golden)
    assert outcome.status == FATAL
    return outcome


def identifier(low: int, high: int, table: str) -> str:
    return f"identifier <{low:016x},{high:016x}> of the unified {table} table"


def test_sizes_of_a_window(tmp_path: Path) -> None:
    outcome = link_unified(tmp_path, "unified-function-window-differs")
    assert outcome.find("window != nv.uft").notes == [
        "256 bytes in the index file, 128 bytes in the program"
    ]


def test_sizes_of_the_data_window(tmp_path: Path) -> None:
    outcome = link_unified(tmp_path, "unified-data-window-differs")
    assert outcome.find("window != nv.udt").notes == [
        "8 bytes in the index file, 4 bytes in the program"
    ]


def test_an_identifier_that_nothing_has(tmp_path: Path) -> None:
    outcome = link_unified(tmp_path, "unified-id-of-variable-unknown")
    assert outcome.find("uuid not found").notes == [identifier(5, 9, "data")]


def test_an_identifier_of_one_key(tmp_path: Path) -> None:
    outcome = link_unified(tmp_path, "unified-id-of-one-key-unknown")
    assert outcome.find("matching uuid not found").notes == [identifier(2, 1, "function")]


def test_an_identifier_that_stands_twice(tmp_path: Path) -> None:
    outcome = link_unified(tmp_path, "unified-id-twice-in-index")
    assert outcome.find("already found").notes == [identifier(1, 2, "function")]


def test_equal_identifiers(tmp_path: Path) -> None:
    outcome = link_unified(tmp_path, "unified-ids-duplicate")
    assert outcome.find("duplicate ids").notes == [
        "'b' in 'a.cubin' and 'c' in 'a.cubin' have the same identifier",
        identifier(2, 1, "function"),
    ]
