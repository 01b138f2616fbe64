"""warpld splits options files into words as nvlink 13.0.88 does. The expected words are those that
this nvlink printed in its messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import prepare, run

# Maps the content of an options file to the first of its words that names no existing file. The
# error message shows this word.
WORDS = {
    r"no file": "no",
    r"no\ file": "no file",
    r'"no file"': "no file",
    r'"no\ file"': "no file",
    r'"no"such" file"': "nosuch file",
    r"'no file'": "'no",
    r"no\file": "nofile",
    r"no\\file": r"no\file",
    r"no\\ file": "no\\",
    r"no\"file": "nofile",
    r'"no\"file"': "nofile",
    r"\"no\" file": "no",
    r"no\ \"file": "no file",
    r"no\\\"file": r"no\"file",
    r'no"\\"file': r"no\"file",
    r"\ no": "no",
    r"no\ ": "no",
    r'" no"': " no",
    r'""': "",
    r"\ b.cubin no": "no",
    r"\  no": "no",
    "no\0file": "no",
}
STRAY = {'"no': '"', 'a.cubin "': '"', "no\\": "", "a.cubin \\": "", '"\\': ""}


def messages(folder: Path, text: str) -> list[str]:
    prepare(folder)
    (folder / "options").write_text(text)
    return run(folder, "-arch=sm_80", "a.cubin", "-o", "out", "-optf=options").messages


@pytest.mark.parametrize("text", WORDS)
def test_words_are_nvlinks(text: str, tmp_path: Path) -> None:
    expected = f"nvlink fatal   : Could not open input file '{WORDS[text]}'"
    assert messages(tmp_path, text)[0] == expected


@pytest.mark.parametrize("text", STRAY)
def test_what_ends_too_early_is_stray(text: str, tmp_path: Path) -> None:
    assert messages(tmp_path, text) == [f"nvlink fatal   : Stray '{STRAY[text]}' character"]


@pytest.mark.parametrize("option", ["-o", "-arch", "-L"])
def test_an_option_has_its_value_in_the_same_file(option: str, tmp_path: Path) -> None:
    prepare(tmp_path)
    (tmp_path / "options").write_text(option)
    before = (tmp_path / "b.cubin").read_bytes()
    done = run(tmp_path, "-arch=sm_80", "-optf=options", "b.cubin", "a.cubin")
    assert done.messages == [f"nvlink fatal   : argument expected after '{option}'"]
    assert done.status == 1
    assert (tmp_path / "b.cubin").read_bytes() == before


@pytest.mark.parametrize(
    ("levels", "message"), [(15, "No input files specified"), (16, "Too many options file opened")]
)
def test_files_name_files(levels: int, message: str, tmp_path: Path) -> None:
    for level in range(1, levels):
        (tmp_path / f"options{level}").write_text(f"-optf=options{level + 1}")
    (tmp_path / f"options{levels}").write_text("")
    done = run(tmp_path, "-arch=sm_80", "-o", "out", "-optf=options1")
    assert done.messages[0].startswith(f"nvlink fatal   : {message}")
