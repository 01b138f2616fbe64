"""docs/third-party.md names what programs contain of others, and its licences exist."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
PAGE = REPOSITORY / "docs" / "third-party.md"
ROWS = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
ARCHIVES = {name for row in ROWS for name in re.findall(r"`<?([\w+]+\.[aoh])>?`", row)}


def test_the_static_program_contains_what_the_page_names(tmp_path: Path) -> None:
    """Links the command once more, for the list of files that the linker reads."""
    shown = ["make", "-n", "-W", "src/cli/main.c", "V=1", "STATIC=1", f"BUILD={BUILD}"]
    done = subprocess.run([*shown, f"{BUILD}/warpld"], capture_output=True, text=True, cwd=REPOSITORY)
    command = next(line for line in done.stdout.splitlines() if "-static-pie" in line)
    command = re.sub(r"-o \S+$", f"-o {tmp_path}/warpld -Wl,-t", command)
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=REPOSITORY)
    if done.returncode:
        pytest.skip("a static program cannot be linked here")
    read = [Path(line) for line in done.stdout.splitlines()]
    others = {path.name for path in read if not path.resolve().is_relative_to(BUILD)}
    own = {path.name for path in read if (REPOSITORY / path).resolve().is_relative_to(BUILD)}
    assert others - own == {name for name in ARCHIVES if not name.endswith(".h")}


def test_headers_whose_code_is_compiled_in_are_named() -> None:
    sources = "\n".join(path.read_text() for path in (REPOSITORY / "src").rglob("*.[ch]"))
    included = set(re.findall(r"#define XXH_INLINE_ALL[\s\S]*?#include <(xxhash\.h)>", sources))
    assert included == {name for name in ARCHIVES if name.endswith(".h")}


def test_every_licence_is_shipped() -> None:
    named = set(re.findall(r"\]\(\.\./packaging/third-party/([-\w.]+)\)", "\n".join(ROWS)))
    assert named == {path.name for path in (REPOSITORY / "packaging/third-party").iterdir()}
