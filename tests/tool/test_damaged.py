"""No command crashes on a damaged file. Each command reports the damage, or prints its output if
the damage is harmless."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tool import LINKED, run

COMMANDS: dict[str, list[object]] = {
    "list": [],
    "dump": [],
    "resources": [],
    "verify": [],
    "uidx": [],
    "size": [],
    "symbols": [],
    "graph": [],
    "explain": ["first"],
    "diff": [LINKED],
    "disassemble": ["--nvdisasm=/bin/true"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_cut_off(command: str, tmp_path: Path) -> None:
    data = LINKED.read_bytes()
    path = tmp_path / "x.cubin"
    for size in (0, 1, 63, 64, 65, 1000, 4096, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        done = run(command, path, *COMMANDS[command])
        # Instead of failing, "list" and "verify" may describe the damaged image on standard output.
        assert done.returncode == 2 or (command in ("list", "verify") and done.stdout), size
        assert done.stderr.startswith("cubintool: ") or done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_files_with_wrong_bytes(command: str, tmp_path: Path) -> None:
    """If random bytes of headers, tables and attributes are changed, the command exits with one of
    its statuses. No signal ends it."""
    original = LINKED.read_bytes()
    path = tmp_path / "x.cubin"
    choose = random.Random(command)
    for _ in range(60):
        data = bytearray(original)
        for _ in range(choose.randrange(1, 4)):
            at = choose.choice((choose.randrange(64), choose.randrange(0x6C0, len(data))))
            data[at] = choose.randrange(256)
        path.write_bytes(data)
        done = run(command, path, *COMMANDS[command])
        assert done.returncode in (0, 1, 2), done.stderr
        assert done.returncode != 2 or done.stderr.startswith("cubintool: ")
