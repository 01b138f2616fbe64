"""packaging/components and docs/third-party.md name the third-party software that the programs
contain, and the files with its licences exist."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
from pathlib import Path

import pytest
from components import components

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
PAGE = REPOSITORY / "docs" / "third-party.md"
TEXTS = REPOSITORY / "packaging" / "third-party"


def files_in(*kinds: str) -> set[str]:
    """The files of all components whose row `In` is one of these kinds of builds."""
    return {name for row in components() if row["In"] in kinds for name in row["Files"].split()}


def test_the_static_program_contains_what_the_table_names(tmp_path: Path) -> None:
    """Repeats the link of the program warpld with -Wl,-t. With this option, the host's linker lists
    the files that it reads."""
    shown = ["make", "-n", "-W", "src/cli/main.c", "V=1", "STATIC=1", f"BUILD={BUILD}"]
    done = subprocess.run(
        [*shown, f"{BUILD}/warpld"], capture_output=True, text=True, cwd=REPOSITORY
    )
    command = next(line for line in done.stdout.splitlines() if "-static-pie" in line)
    command = re.sub(r"-o \S+$", f"-o {tmp_path}/warpld -Wl,-t", command)
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=REPOSITORY)
    if done.returncode:
        pytest.skip("a static program cannot be linked here")
    read = [Path(line) for line in done.stdout.splitlines()]
    others = {path.name for path in read if not path.resolve().is_relative_to(BUILD)}
    own = {path.name for path in read if (REPOSITORY / path).resolve().is_relative_to(BUILD)}
    named = files_in("all", "bundled", "glibc")
    assert others - own == {name for name in named if not name.endswith(".h")}


def test_headers_whose_code_is_compiled_in_are_named() -> None:
    sources = "\n".join(path.read_text() for path in (REPOSITORY / "src").rglob("*.[ch]"))
    included = set(re.findall(r"#define XXH_INLINE_ALL[\s\S]*?#include <(xxhash\.h)>", sources))
    assert included == {name for name in files_in("all") if name.endswith(".h")}


def page_row(row: dict[str, str]) -> tuple[str, ...]:
    """The row of docs/third-party.md that shows a paragraph of packaging/components."""
    files = ", ".join(
        f"`<{name}>`" if name.endswith(".h") else f"`{name}`" for name in row["Files"].split()
    )
    text = (
        f"[text](../packaging/third-party/{row['Text']})" if row["Text"] != "-" else "none required"
    )
    return files, row["Name"], row["Licence"], text


def test_the_page_shows_the_table() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    shown = [tuple(line.strip("| ").split(" | ")[:4]) for line in lines]
    assert shown == [page_row(row) for row in components()]


def test_every_licence_is_shipped() -> None:
    named = {row["Text"] for row in components()} - {"-"}
    assert named == {path.name for path in TEXTS.iterdir()}


def test_the_wheel_names_the_licences() -> None:
    """The wheel's licence expression names the licence of each component that a wheel can contain,
    even if that licence requires no notice."""
    metadata = runpy.run_path(str(REPOSITORY / "tools" / "make-wheel.py"))["METADATA"]
    (expression,) = re.findall(r"^License-Expression: (.*)$", metadata, re.MULTILINE)
    kinds = {"all", "bundled", "glibc"}
    used = " AND ".join(row["Licence"] for row in components() if row["In"] in kinds)
    assert set(expression.split(" AND ")) == {"Apache-2.0", *used.split(" AND ")}
