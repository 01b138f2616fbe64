"""Below a conflict of two inputs: what each of them says."""

from __future__ import annotations

from pathlib import Path

from note_link import FATAL, data, link, link_golden


def test_a_function_with_two_definitions(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "multiple-definition")
    assert outcome.status == FATAL
    assert outcome.find("Multiple definition of 'twice' in 'b.cubin'").notes == [
        "'a.cubin' and 'b.cubin' both define it; "
        "a function that a header defines must be inline, static or weak"
    ]
    assert "merge_elf failed" not in outcome.text


def test_a_variable_with_two_definitions(tmp_path: Path) -> None:
    """What is true of all of them is said once as warpld, and of each as nvlink."""
    golden = "multiple-definition-of-every-kind"
    note = (
        "'a.cubin' and 'b.cubin' both define it; a variable that a header defines must be "
        "inline or static; otherwise declare it extern there and define it in one file"
    )
    outcome = link_golden(tmp_path, golden)
    names = [f"Multiple definition of '{name}'" for name in ("variable", "constant", "array")]
    assert sorted(outcome.find(name).notes for name in names) == [[], [], [note]]
    assert [note in message.notes for message in outcome.messages].count(True) == 1
    as_nvlink = link_golden(tmp_path, golden, name="nvlink")
    assert all(as_nvlink.find(name).notes == [note] for name in names)


def test_an_input_that_is_named_twice(tmp_path: Path) -> None:
    (tmp_path / "a.cubin").write_bytes(data("defines_missing").read_bytes())
    outcome = link(tmp_path, "a.cubin", "a.cubin")
    assert outcome.find("'_Z7missingi'").notes == [
        "'_Z7missingi' is 'missing(int)'",
        "'a.cubin' is among the inputs twice",
    ]


def test_sizes(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "size-does-not-match")
    assert outcome.find("Size doesn't match for 'table'").notes == [
        "16 bytes in 'b.cubin', 12 bytes in 'a.cubin'"
    ]


def test_prototypes_and_the_files_that_have_them(tmp_path: Path) -> None:
    """nvlink names the definition's file twice when it follows the declaration."""
    message = link_golden(tmp_path, "prototype-does-not-match").find("Prototype doesn't match")
    assert message.text.endswith("in 'b.cubin', first defined in 'b.cubin'")
    assert message.notes == ["prototype '#vl' in 'b.cubin', '#vi' in 'a.cubin'"]
