"""docs/inspect.md answers seventeen questions, each with a command that prints the quoted lines."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from quoted import is_quoted_from, quoted_runs
from tool import BUILD, REPOSITORY

PAGE = (REPOSITORY / "docs" / "inspect.md").read_text()
QUESTIONS = PAGE.split("\n## Seventeen questions\n")[1].split("\n## ")[0]
RUNS = quoted_runs(QUESTIONS)
PREPARATION = 2  # links before the first question


def run(folder: Path, command: str) -> list[str]:
    environment = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode in (0, 1) and not done.stderr, done.stderr
    return [line.rstrip() for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("inspect")
    for path in (REPOSITORY / "examples" / "inspect" / "data").glob("*.cubin"):
        (root / path.name).symlink_to(path)
    for command, quoted in RUNS[:PREPARATION]:
        assert run(root, command) == quoted == []
    return root


def test_each_question_has_a_row_and_a_section() -> None:
    rows = re.findall(r"^\| (\d+) \| \[(.*)\]\(#.*\) \| `", QUESTIONS, re.M)
    sections = re.findall(r"^### (\d+)\. (.*)$", QUESTIONS, re.M)
    assert rows == sections and [int(number) for number, _ in rows] == list(range(1, 18))
    assert len(RUNS) == PREPARATION + len(rows)


@pytest.mark.parametrize("number", range(1, 18))
def test_command_prints_what_is_quoted(number: int, folder: Path) -> None:
    command, quoted = RUNS[PREPARATION + number - 1]
    if "disassemble" in command and not shutil.which("nvdisasm"):
        pytest.skip("needs nvdisasm")
    output = run(folder, command)
    if "disassemble" in command:  # the spelling of instructions depends on nvdisasm's release
        quoted, output = ([line.split("//")[1] for line in lines] for lines in (quoted, output))
    assert is_quoted_from(quoted, output), command + "\n" + "\n".join(output)
    assert sum(line != "..." for line in quoted) >= 2
