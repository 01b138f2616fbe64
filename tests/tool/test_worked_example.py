"""The commands of docs/worked-example.md print the lines that it quotes. Its tables agree with the
files."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from cubin_file import CubinFile, Section
from quoted import LEFT_OUT, is_quoted_from, quoted_runs
from tool import BUILD, REPOSITORY

DOCUMENT = (REPOSITORY / "docs" / "worked-example.md").read_text()
RUNS = quoted_runs(DOCUMENT)
DATA = Path("examples/two-files/data")
OBJECTS = ("kernel.cubin", "scale.cubin")


def run(folder: Path, *words: object) -> str:
    done = subprocess.run(
        [*map(str, words)], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands of the document find the same files as in the root of the
    repository. They write to build/ in it."""
    root = tmp_path_factory.mktemp("repository")
    (root / "build").mkdir()
    for program in ("warpld", "cubintool"):
        (root / "build" / program).symlink_to(BUILD / program)
    (root / "examples").symlink_to(REPOSITORY / "examples")
    return root


@pytest.fixture(scope="module")
def printed(folder: Path) -> list[str]:
    """Runs the commands of the document in order, the first of which links. Returns what each
    prints."""
    return [run(folder, *shlex.split(command)) for command, _ in RUNS]


def test_commands_print_what_is_quoted(printed: list[str]) -> None:
    assert len(printed) >= 7
    for (command, quoted), output in zip(RUNS, printed, strict=True):
        lines = [line.rstrip() for line in output.splitlines()]
        headed = [LEFT_OUT, *quoted] if "dump" in command else quoted
        assert is_quoted_from(headed, lines), f"{command}\n{output}"


# ---- the drawing and the tables, computed from the files


@dataclass(frozen=True)
class Definition:
    """A symbol with the section that defines it."""

    section: Section
    value: int
    size: int

    @property
    def offset(self) -> int:
        return self.section.offset + self.value


def definition(file: CubinFile, name: str) -> Definition:
    _, _, _, section, value, size = file.symbol(file.symbol_index(name))
    return Definition(file.sections[section], value, size)


@pytest.fixture(scope="module")
def objects() -> dict[str, CubinFile]:
    return {name: CubinFile(REPOSITORY / DATA / name) for name in OBJECTS}


@pytest.fixture(scope="module")
def linked(folder: Path) -> CubinFile:
    """The output of the document's first link."""
    run(folder, *shlex.split(RUNS[0][0]))
    return CubinFile(folder / "build" / "linked.cubin")


def rows_under(heading: str) -> list[list[str]]:
    """The cells of the rows of the table below a heading."""
    section = DOCUMENT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip().replace("`", "") for cell in row.split("|")[1:-1]] for row in rows]


def function_row(name: str, where: str, file: CubinFile, linked: CubinFile) -> list[str]:
    row = [name, where, f"{definition(file, name).offset:#x}, {definition(file, name).size:#x}"]
    if (name, where) == ("clamp_unit", "scale.cubin"):
        return [*row, "none, discarded", "none"]
    before, after = definition(file, name).section, definition(linked, name).section
    changed = [hex(i) for i, (a, b) in enumerate(zip(before.data, after.data)) if a != b]
    return [*row, f"{after.name}, {after.offset:#x}", ", ".join(changed) or "none"]


def test_table_of_functions(objects: dict[str, CubinFile], linked: CubinFile) -> None:
    rows = rows_under("Functions")
    assert [row[:2] for row in rows] == [
        ["clamp_unit", "kernel.cubin"],
        ["clamp_unit", "scale.cubin"],
        ["kernel", "kernel.cubin"],
        ["scale", "scale.cubin"],
    ]
    assert rows == [function_row(name, where, objects[where], linked) for name, where, *_ in rows]


def variable_row(name: str, where: str, file: CubinFile, linked: CubinFile) -> list[str]:
    before, after = definition(file, name), definition(linked, name)
    places = [f"{d.section.name}, {d.value:#x}" for d in (before, after)]
    if not after.section.has_bytes:
        return [name, where, *places, "none", "none"]
    data = after.section.data[after.value : after.value + after.size]
    assert data == before.section.data[before.value : before.value + before.size]
    return [name, where, *places, hex(after.offset), data.hex(" ")]


def test_table_of_variables(objects: dict[str, CubinFile], linked: CubinFile) -> None:
    rows = rows_under("Variables")
    assert [row[0] for row in rows] == ["start", "calls", "total", "limit", "weights"]
    assert rows == [variable_row(name, where, objects[where], linked) for name, where, *_ in rows]


def test_drawing(objects: dict[str, CubinFile], linked: CubinFile) -> None:
    """Each line of the drawing states at which offset of an output section the bytes of an input
    section are. The bytes there are the same, except for those that relocations change."""
    line = re.compile(r"^(\w+\.cubin) +(\S+) +(\S+) \+ (0x\w+) +\[(0x\w+), (0x\w+)\]", re.MULTILINE)
    drawn = line.findall(DOCUMENT)
    assert len(drawn) == 7
    for where, name, output, contribution, chunk, size in drawn:
        section, target = objects[where].section(name), linked.section(output)
        assert contribution == chunk
        assert int(size, 16) == section.size
        piece = target.data[int(chunk, 16) :][: section.size]
        changed = sum(a != b for a, b in zip(piece, section.data, strict=True))
        assert changed <= (output == ".text.scale")
        assert f"{target.offset:#x}, {target.size:#x}" in DOCUMENT


@pytest.mark.skipif(not shutil.which("nvlink"), reason="needs CUDA")
def test_nvlink_makes_the_same_file(folder: Path, linked: CubinFile) -> None:
    inputs = [DATA / name for name in OBJECTS]
    run(folder, "nvlink", "-arch=sm_90", "-o", "build/nvlink.cubin", *inputs)
    (folder / "build" / "ours.cubin").write_bytes(linked.bytes)
    run(folder, "build/cubintool", "diff", "--strict", "build/ours.cubin", "build/nvlink.cubin")


def test_text_has_no_other_numbers(printed: list[str]) -> None:
    """Every number in the text of the document is printed by a command, or is in the tables or the
    drawing. The tests above compute those."""
    rows = rows_under("Functions") + rows_under("Variables")
    tables = " ".join(cell for row in rows for cell in row)
    drawing = DOCUMENT.split("```\nobject ")[1].split("```")[0]
    known = set(re.findall(r"0x[0-9a-f]+", "".join(printed) + tables + drawing))
    assert set(re.findall(r"0x[0-9a-f]+", DOCUMENT)) - known == set()
