"""Runs the command warpld, for links that need compilers."""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, List, Union

from .diagnostics import Collector, Diagnostic
from .native import Buffer, NamedInput, memory_of
from .programs import program_path


OptionValue = Union[bool, int, str, List[str]]


def elements(value: OptionValue) -> Sequence[bool | int | str]:
    """The elements of a list. Any other value is returned as a list of one element."""
    if isinstance(value, list):
        return value
    return [value]


def option_words(options: Mapping[str, OptionValue]) -> list[str]:
    """The arguments of the command for these options."""
    words = []
    for name, value in options.items():
        for one in elements(value):
            if one is True:
                words.append(f"--{name}")
            elif one is not False:
                words.append(f"--{name}={one}")
    return words


def written(folder: Path, number: int, name: str, data: Buffer) -> Path:
    """Writes an input in memory to a file. The file's name keeps the suffix, because the linker
    uses it if the contents alone do not show the kind: text in a .ptx file, for example, is PTX."""
    path = folder / f"{number}-{re.sub(r'[^A-Za-z0-9_.-]', '_', Path(name).name)}"
    with memory_of(data):
        path.write_bytes(data)
    return path


def read_message(found: Mapping[str, Any], names: Mapping[str, str]) -> Diagnostic:
    """Converts a message of the command. `names` maps paths of temporary files to the names of the
    inputs in memory that were written to them. These names replace the paths."""
    text = found["text"]
    for path, name in names.items():
        text = text.replace(path, name)
    return Diagnostic(
        found["severity"],
        found["code"],
        text,
        names.get(found["input"], found["input"]),
        found["symbol"],
        found["section"],
        tuple(read_message(note, names) for note in found.get("notes", ())),
    )


def link_with_command(
    inputs: list[NamedInput], arch: str, lto: bool, options: Mapping[str, OptionValue]
) -> tuple[bytes | None, Collector]:
    """Links with the command. Returns the output (None if the link failed) and the messages. Inputs
    in memory are written to a temporary folder, which is then removed."""
    collector = Collector()
    with tempfile.TemporaryDirectory(prefix="warpld-") as name:
        folder = Path(name)
        paths, names = [], {}
        for number, (label, data) in enumerate(inputs, 1):
            path = label if data is None else str(written(folder, number, label, data))
            paths.append(path)
            if data is not None:
                names[path] = label
        output, messages = folder / "output", folder / "messages"
        words = [f"-arch={arch}", *(["-lto"] if lto else []), *option_words(options)]
        words += ["--diagnostics-format=json", f"--diagnostics-file={messages}", "-o", str(output)]
        done = subprocess.run(
            [program_path("warpld"), *words, "--as=warpld", *paths],
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        lines = messages.read_text().splitlines() if messages.exists() else []
        for line in lines:
            collector.add(read_message(json.loads(line), names))
        if done.returncode and not collector.messages:
            text = done.stderr.decode(errors="replace").strip() or f"status {done.returncode}"
            collector.add(Diagnostic("fatal", "command", text))
        return (None if done.returncode else output.read_bytes()), collector
