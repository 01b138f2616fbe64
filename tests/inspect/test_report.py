"""The report of --report FILE.json follows its schema, and accounts for the whole output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Symbol
from golden_folder import GoldenFolder, golden_folders
from maps import EXAMPLE, REPOSITORY, run
from schema import validate

SCHEMA = json.loads((REPOSITORY / "docs" / "report.schema.json").read_text())
LINKED = [folder for folder in golden_folders() if folder.expected_cubin.exists()]
SHARED = 0x40 >> 5  # STO_CUDA_SHARED as pyelftools shows it: the upper three bits of st_other
WORDS = ["-arch=sm_90", "kernel.cubin", "scale.cubin"]


def report_of(folder: Path, words: list[str], scratch: Path) -> tuple[dict[str, Any], bytes]:
    output, path = scratch / "output.cubin", scratch / "output.json"
    done = run(*words, "-o", output, "--report", path, folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text("utf-8")), output.read_bytes()


@pytest.mark.parametrize("folder", LINKED, ids=str)
def test_report_of_every_golden_link(folder: GoldenFolder, tmp_path: Path) -> None:
    report, output = report_of(folder.path, folder.arguments, tmp_path)
    validate(report, SCHEMA, SCHEMA)
    assert report["bytes"] == len(output)
    position = 0
    for piece in report["pieces"]:
        assert piece["offset"] == position or not piece["file_bytes"]
        position += piece["file_bytes"]
    assert position == len(output)
    check_numbers(report)
    check_shared(report, folder, tmp_path / "output.cubin")


def check_numbers(report: dict[str, Any]) -> None:
    """Each number that refers to an input, a function or a prototype is in range."""
    inputs, functions = len(report["inputs"]), len(report["functions"])
    nodes = functions + len(report["prototypes"])
    for list_ in ("functions", "variables", "removed"):
        assert all(row.get("input", 0) < inputs for row in report[list_])
    for function in report["functions"]:
        assert all(node < nodes for node in function.get("calls", ()))
    for kernel in report["kernels"]:
        assert report["functions"][kernel["function"]].get("kernel")
        assert kernel["registers"] >= kernel["own_registers"] or "registers_by" not in kernel
    assert all(function < functions for callees in report["prototypes"] for function in callees)


def symbols_of(path: Path) -> list[Symbol]:
    with path.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        return list(table.iter_symbols()) if table else []


def shared_variables(path: Path) -> set[str]:
    """The names of the shared variables that a cubin defines."""
    return {
        symbol.name
        for symbol in symbols_of(path)
        if symbol["st_other"]["local"] == SHARED
        and symbol["st_shndx"] != "SHN_UNDEF"
        and symbol["st_size"]
    }


def check_shared(report: dict[str, Any], folder: GoldenFolder, output: Path) -> None:
    """The report lists each shared variable of the inputs as removed, unless the output has it. The
    output has a variable if a kernel has memory for it, or if it has a symbol."""
    shared: set[str] = set()
    for name in folder.arguments:
        if name.endswith(".cubin") and (folder.path / name).read_bytes().startswith(b"\x7fELF"):
            shared |= shared_variables(folder.path / name)
    kept = {part.get("name") for piece in report["pieces"] for part in piece.get("parts", ())}
    kept |= {symbol.name for symbol in symbols_of(output)}
    removed = {row.get("name") for row in report["removed"] if row["reason"] == "unreferenced"}
    assert shared - kept == shared & removed


def test_example(tmp_path: Path) -> None:
    report, _ = report_of(EXAMPLE, WORDS, tmp_path)
    names = [function["name"] for function in report["functions"]]
    kernel = report["functions"][names.index("kernel")]
    assert [names[callee] for callee in kernel["calls"]] == ["scale", "clamp_unit"]
    (resources,) = report["kernels"]
    assert (resources["registers"], resources["stack"], resources["shared"]) == (24, 16, 1152)
    (removed,) = report["removed"]
    assert removed == {
        **{"kind": "function", "name": "clamp_unit", "reason": "duplicate", "bytes": 256},
        **{"input": report["inputs"].index("scale.cubin"), "used": 0},
    }


def test_registers_of_a_callee(tmp_path: Path) -> None:
    folder = REPOSITORY / "tests" / "golden" / "registers-raised-for-kernel"
    words = [word for word in (folder / "link").read_text().split() if "callgraph" not in word]
    report, _ = report_of(folder, words, tmp_path)
    raised = [kernel for kernel in report["kernels"] if "registers_by" in kernel]
    assert raised
    for kernel in raised:
        by = report["functions"][kernel["registers_by"]]
        assert by["registers"] == kernel["registers"] > kernel["own_registers"]


def test_messages_are_in_it(tmp_path: Path) -> None:
    report, _ = report_of(EXAMPLE, [*WORDS, "-v"], tmp_path)
    assert any("Function properties" in message["text"] for message in report["messages"])


@pytest.mark.parametrize("name", ["c</script>", "c\x1b[31m\x07\nu", 'c\xe9\xff\xfe_u\\"q'])
def test_names_are_inert(name: str, tmp_path: Path) -> None:
    """Control characters and HTML in a name are escaped. The name is that of a removed function,
    because several lists show removed functions."""
    raw = name.encode("latin-1").ljust(10, b"_")
    for source in WORDS[1:]:
        data = (EXAMPLE / source).read_bytes().replace(b"clamp_unit", raw)
        (tmp_path / source).write_bytes(data)
    report, _ = report_of(tmp_path, WORDS, tmp_path)
    text = (tmp_path / "output.json").read_bytes()
    assert b"</script" not in text and b"\x1b" not in text and text.count(b"\n") == 1
    assert [row["name"] for row in report["removed"]] == [raw.decode("latin-1")]
    done = run(
        *WORDS, "-o", "output.cubin", "--map=-", "--cref", "--print-removed", folder=tmp_path
    )
    assert done.returncode == 0
    assert not any(ord(c) < 32 for line in done.stdout.split("\n") for c in line)
    assert "removed function" in done.stdout


def test_format_characters_are_escaped(tmp_path: Path) -> None:
    """U+202E, which reverses text, is escaped. The harmless letter é in the same name is not."""
    raw = "\u202eé".encode().ljust(10, b"_")
    for source in WORDS[1:]:
        data = (EXAMPLE / source).read_bytes().replace(b"clamp_unit", raw)
        (tmp_path / source).write_bytes(data)
    report, _ = report_of(tmp_path, WORDS, tmp_path)
    text = (tmp_path / "output.json").read_text(encoding="utf-8")
    assert "\\u202eé___" in text and "\u202e" not in text
    assert [row["name"] for row in report["removed"]] == [raw.decode()]
