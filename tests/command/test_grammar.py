"""warpld accepts and refuses the same command lines as nvlink, with the same messages and exit
status."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from command import DATA, REPOSITORY, prepare, run

ANSWERS = [json.loads(line) for line in (DATA / "answers").read_text().splitlines()]
ROW = re.compile(r'^OPTION\((\w+), "([\w-]+)", "([\w-]*)", (\w+), "[^"]*", (\w+),', re.M)
OPTIONS = (REPOSITORY / "src" / "cli" / "options" / "options.def").read_text()


class Option(NamedTuple):
    """A row of options.def, without the option's help text."""

    identifier: str
    long: str
    short: str
    argument: str
    effect: str


TABLE = [Option(*row) for row in ROW.findall(OPTIONS)]
# Options that nvlink does not have.
OWN = {
    "DEVICE_LINK",
    "GENCODE",
    "CODE",
    "FATBIN",
    "CUBIN",
    "COMPRESS_MODE",
    "DEPENDENCY_FILE",
    "FSYNC",
    "PTXAS_PATH",
    "PTX_COMPILER",
    "CACHE_DIR",
    "CACHE_URL",
    "CACHE_SIZE",
    "NO_CACHE",
    "ALLOW_EMPTY",
    "ALLOW_NEWER_TOOLKIT",
    "NO_NOTES",
    "KEEP_SYMBOL",
    "WHOLE_ARCHIVE",
    "NO_WHOLE_ARCHIVE",
    "SAVE_INPUTS",
    "THREADS",
    "STATISTICS",
    "TRACE",
    "MERGE_CONSTANTS",
    "REMOVE_UNUSED_CONSTANTS",
    "OUTPUT_ABI",
    "EXPLAIN",
    "NO_DEMANGLE",
    "ERROR_LIMIT",
    "COLOR",
    "DIAGNOSTICS_FORMAT",
    "DIAGNOSTICS_FILE",
    "AS",
    "NVJITLINK_PATH",
    "PTXAS_TIMEOUT",
    *("MAP", "REPORT", "PRINT_REMOVED", "WHY", "TRACE_SYMBOL", "CREF", "LIMIT"),
}


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: " ".join(answer["words"]))
def test_answer_is_nvlinks(answer: dict[str, Any], tmp_path: Path) -> None:
    prepare(tmp_path)
    done = run(tmp_path, *answer["words"])
    assert done.messages == answer["messages"]
    assert done.status == answer["status"]


def spellings(long: str, short: str) -> list[str]:
    return [f"--{long}", *([f"-{short}"] if short else [])]


@pytest.mark.parametrize("row", TABLE, ids=[row.long for row in TABLE])
def test_every_spelling_was_tried(row: Option) -> None:
    if row.identifier in OWN:
        return
    tried = {word.split("=")[0] for answer in ANSWERS for word in answer["words"]}
    short = row.short
    glued = {f"-{short}" for word in tried if short in "lLm" and word.startswith(f"-{short}")}
    assert set(spellings(row.long, short)) <= tried | glued


@pytest.mark.parametrize(("number", "status"), [("-5", 1), ("-1", 1), ("0", 0), ("1", 0)])
def test_there_are_no_negative_threads(number: str, status: int, tmp_path: Path) -> None:
    prepare(tmp_path)
    good = ["-arch=sm_80", "a.cubin", "b.cubin", "-o", "output.cubin"]
    done = run(tmp_path, *good, f"--threads={number}")
    assert done.status == status
    message = "nvlink fatal   : Invalid argument for option '-threads'"
    assert done.messages == [message] * status
