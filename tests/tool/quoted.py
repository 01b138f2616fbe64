"""Finds the commands that a document shows in console blocks, and the lines quoted below each."""

from __future__ import annotations

import re

LEFT_OUT = "..."


def quoted_runs(document: str) -> list[tuple[str, list[str]]]:
    """Each command of the document with the lines below it."""
    blocks = re.findall(r"```console\n(.*?)```", document, re.DOTALL)
    runs: list[tuple[str, list[str]]] = []
    for line in "\n".join(block.rstrip("\n") for block in blocks).splitlines():
        if line.startswith("$ "):
            runs.append((line[2:], []))
        else:
            runs[-1][1].append(line)
    return runs


def is_quoted_from(quoted: list[str], output: list[str]) -> bool:
    """Whether the quoted lines are those of the output, in order. LEFT_OUT represents any number of
    lines."""
    pattern = "".join(
        r"(?:.*\n)*" if line == LEFT_OUT else re.escape(line) + "\n" for line in quoted
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in output)) is not None
