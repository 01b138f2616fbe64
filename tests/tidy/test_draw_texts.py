"""tools/draw-texts.py draws as many texts as requested, and the same ones for the same seed."""

from __future__ import annotations

import re
import subprocess

import pytest
from repository import REPOSITORY

SCRIPT = REPOSITORY / "tools" / "draw-texts.py"

pytestmark = pytest.mark.skipif(
    not (REPOSITORY / ".git").exists(), reason="the script takes the list of files from git"
)


def drawn(*words: str) -> str:
    command = [str(SCRIPT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_texts_of_a_seed() -> None:
    first = drawn("7", "3", "2", "1")
    assert first == drawn("7", "3", "2", "1")
    assert first != drawn("8", "3", "2", "1")
    assert first.count("\n--------\n") == 3 + 2 + 1


def test_each_text_is_found_in_its_line() -> None:
    for text in drawn("7", "3", "2", "1").split("\n--------\n")[:-1]:
        found = re.match(r"\n?(\S+):(\d+)\n", text)
        assert found
        line = (REPOSITORY / found[1]).read_text().splitlines()[int(found[2]) - 1]
        assert line in text


def test_a_row_is_shown_below_its_header() -> None:
    rows = [text for text in drawn("7", "0", "0", "60").split("\n--------\n") if "\n| " in text]
    assert rows
    for text in rows:
        assert len(re.findall(r"^\| ", text, re.MULTILINE)) == 2
        assert re.search(r"^# ", text, re.MULTILINE)
