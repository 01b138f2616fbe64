"""The table of characters that must not reach a terminal agrees with Unicode. It contains the
control and format characters, and the separators of lines and paragraphs."""

from __future__ import annotations

import re
import sys
from unicodedata import category

from repository import REPOSITORY

SOURCE = REPOSITORY / "src" / "base" / "terminal_text.c"
CATEGORIES = ("Cc", "Cf", "Zl", "Zp")
UNASSIGNED = "Cn"  # in the Unicode of this Python, which may be older than that of the table


def test_the_table_has_all_of_them() -> None:
    rows = re.findall(r"\{(0x[0-9a-f]+), (0x[0-9a-f]+)\}", SOURCE.read_text())
    ranges = [(int(first, 16), int(last, 16)) for first, last in rows]
    assert ranges == sorted(ranges)
    listed = {code for first, last in ranges for code in range(first, last + 1)}
    expected = {c for c in range(0x80, sys.maxunicode + 1) if category(chr(c)) in CATEGORIES}
    assert expected <= listed
    assert {category(chr(code)) for code in listed - expected} <= {UNASSIGNED}
