"""The archives that -l names are linked: the folders where they are searched, and the files that
are skipped.

nvlink 13.0.88 gives the same result for the same files, unless a test names a difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from container_files import archive, host
from container_link import FIRST, SECOND, link, put


def test_libraries_are_linked_after_files(folder: Path, expected: list[tuple[str, bytes]]) -> None:
    put(folder, "libsecond.a", archive({"second.o": host(SECOND)}))
    for words in (("-L.", "-lsecond", str(FIRST)), (str(FIRST), "-lsecond", "-L", ".")):
        assert link(folder, *words).output == expected


def test_first_folder_with_a_fitting_library_counts(
    folder: Path, expected: list[tuple[str, bytes]]
) -> None:
    for name in ("text", "good"):
        (folder / name).mkdir()
    put(folder, "text/libsecond.a", archive({"second.o": b"no object at all" * 10}))
    put(folder, "good/libsecond.a", archive({"second.o": host(SECOND)}))
    result = link(folder, FIRST, "-Lmissing,text,good", "-lsecond,nowhere")
    assert result.output == expected
    assert result.messages == (
        "nvlink warning : Skipping incompatible 'text/libsecond.a' when searching for -lsecond\n"
    )


@pytest.mark.parametrize("content", [b"", b"short", b"/* GNU ld script */", b"no slash" * 9])
def test_what_is_no_archive_is_passed_over(
    content: bytes, folder: Path, expected: list[tuple[str, bytes]]
) -> None:
    """warpld skips every file that is not an archive. nvlink skips such a file only if its
    bytes after the first 8 contain a slash, and otherwise ends the link."""
    for name in ("one", "two"):
        (folder / name).mkdir()
    put(folder, "one/libsecond.a", content)
    put(folder, "two/libsecond.a", archive({"second.o": host(SECOND)}))
    result = link(folder, FIRST, "-Lone,two", "-lsecond")
    message = "Skipping incompatible 'one/libsecond.a' when searching for -lsecond\n"
    assert (result.messages, result.output) == (f"nvlink warning : {message}", expected)


def test_library_passed_over_is_an_error(folder: Path) -> None:
    """-Werror turns the warning about a skipped library into an error. nvlink then ends the link
    with a general message if an archive, host object, fat binary or PTX follows. If an input that
    cannot be opened follows, nvlink reports this input."""
    for name in ("one", "two"):
        (folder / name).mkdir()
        put(folder, f"{name}/libsecond.a", archive({"second.o": b"no object at all" * 10}))
    put(folder, "second.o", host(SECOND))
    put(folder, "second.ptx", b".version 7.8\n.target sm_75\n.address_size 64\n//\n//\n//\n//\n")
    skipped = (
        "nvlink error   : Skipping incompatible 'one/libsecond.a' when searching for -lsecond\n"
    )
    internal = "nvlink fatal   : elfLink internal error\n"
    cases: list[tuple[list[str | Path], int, str]] = [
        ([FIRST, "-Lone"], 255, ""),
        ([FIRST, "-Lone,two"], 1, internal),
        ([FIRST, "second.o", "-Lone"], 1, internal),
        ([FIRST, "second.ptx", "-Lone"], 1, "nvlink fatal   : elfLink fatbinary error\n"),
        (["none", "-Lone"], 1, "nvlink fatal   : Could not open input file 'none'\n"),
    ]
    for words, status, more in cases:
        result = link(folder, *words, "-lsecond", "-Werror")
        lines = [x for x in result.messages.splitlines(True) if "note" not in x]
        assert (result.status, "".join(lines)) == (status, skipped + more), words


def test_shared_library_hides_all_archives(folder: Path, expected: list[tuple[str, bytes]]) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
    put(folder, "two/libsecond.a", archive({"second.o": host(SECOND)}))
    assert link(folder, FIRST, "-Lone,two", "-lsecond").output == expected
    put(folder, "one/libsecond.so", b"")
    for folders in ("one,two", "two,one"):
        result = link(folder, FIRST, f"-L{folders}", "-lsecond")
        assert result.output == link(folder, FIRST).output


LIBRARY_PATHS = {
    "one": "one",
    "first": "one:two",
    "skipped": "nowhere::one",
    "blanks": " one\t: two ",
    "escape": "\\one",
    "behind-the-option": "two",
}


@pytest.mark.parametrize("kind", LIBRARY_PATHS)
def test_folders_of_the_environment(
    kind: str, folder: Path, expected: list[tuple[str, bytes]]
) -> None:
    for name, cubin in (("one", SECOND), ("two", FIRST)):
        (folder / name).mkdir()
        put(folder, f"{name}/libsecond.a", archive({"second.o": host(cubin)}))
    options = ["-Lone"] if kind == "behind-the-option" else []
    environment = {"LIBRARY_PATH": LIBRARY_PATHS[kind]}
    result = link(folder, FIRST, "-lsecond", *options, environment=environment)
    assert (result.messages, result.output) == ("", expected)


@pytest.mark.parametrize(("path", "character"), [('one"', '"'), ("one\\", "")])
def test_stray_character_in_the_environment(path: str, character: str, folder: Path) -> None:
    result = link(folder, FIRST, environment={"LIBRARY_PATH": path})
    assert (result.status, result.messages) == (
        1,
        f"nvlink fatal   : Stray '{character}' character\n",
    )


# Arguments of -L, each with the folder that it names.
ITEMS = {
    " one\t": "one",
    '"one"': "one",
    '""o"n"e': "one",
    '" one "': "one",
    '"one,two"': "one,two",
    'one" "two': "one two",
    " one two ": "one two",
    "one\\two": "one\\two",
    "\\,one": "one",
    '"one\\"two"': 'one\\"two',
    ' ,"",one': "one",
}


@pytest.mark.parametrize("item", ITEMS)
def test_blanks_and_quotes_in_lists(
    item: str, folder: Path, expected: list[tuple[str, bytes]]
) -> None:
    (folder / ITEMS[item]).mkdir()
    put(folder, f"{ITEMS[item]}/libsecond.a", archive({"second.o": host(SECOND)}))
    result = link(folder, FIRST, f"-L{item}", '-l "second" ')
    assert (result.messages, result.output) == ("", expected)


def test_one_archive_by_two_paths_is_linked_once(
    folder: Path, expected: list[tuple[str, bytes]]
) -> None:
    put(folder, "libsecond.a", archive({"second.o": host(SECOND)}))
    assert link(folder, FIRST, "libsecond.a", "./libsecond.a", "-L.", "-lsecond").output == expected


def test_member_is_named_with_its_archive(folder: Path) -> None:
    put(folder, "libsecond.a", archive({"second.o": host(SECOND)}))
    result = link(folder, SECOND, "-L.", "-lsecond")
    assert result.status == 1
    assert "in './libsecond.a:second.o', first defined in" in result.messages


WORDS_OF_OTHER_LINKERS = (
    ["-u", "some_symbol"],
    ["-u=first,second"],
    ["--undefined=some_symbol"],
    ["--whole-archive"],
    ["-whole-archive", "-no-whole-archive"],
)


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
@pytest.mark.parametrize("words", WORDS_OF_OTHER_LINKERS, ids=" ".join)
def test_words_of_other_linkers_change_nothing(
    words: list[str], name: str, folder: Path, expected: list[tuple[str, bytes]]
) -> None:
    """These options make other linkers extract more members of an archive. warpld accepts and
    ignores the options, because a device link always links all members."""
    library = put(folder, "libboth.a", archive({"first.o": host(FIRST), "second.o": host(SECOND)}))
    first, last = words[:1], words[1:]
    for line in ([*words, library], [library, *words], [*first, *last, library, *first, *last]):
        result = link(folder, *line, name=name)
        assert (result.status, result.messages, result.output) == (0, "", expected)
