"""Our libraries give the recorded answers. These differ from those of NVIDIA's libraries where
docs/nvjitlink.md says so, and nowhere else."""

from __future__ import annotations

import os
import re
import shutil
import site
import subprocess
import sys
from pathlib import Path

import pytest
from library import ALONE, ours

HERE = Path(__file__).resolve().parent
ANSWERS = HERE / "answers"
DOCUMENT = HERE.parents[1] / "docs" / "nvjitlink.md"
# Maps the major version of each of our libraries to a release of NVIDIA's library, which has the
# same interface.
FOLLOWED = {12: "12.9.86", 13: "13.5.37"}
RECORDED = (*FOLLOWED.values(), "13.0.88")
# The folders inside site-packages that contain NVIDIA's libraries.
WHEELS = ("nvidia/cu13/lib", "nvidia/nvjitlink/lib")


def parse(text: str) -> dict[str, str]:
    answers = dict(line.split(" | ", 1) for line in text.splitlines())
    assert len(answers) == len(text.splitlines())
    return answers


def recorded(name: str) -> dict[str, str]:
    return parse((ANSWERS / f"{name}.txt").read_text())


def answers_of(library: Path) -> dict[str, str]:
    command = [sys.executable, str(HERE / "cases.py"), str(library)]
    return parse(subprocess.check_output(command, env=os.environ | ALONE, text=True))


def needs_ptxas(answer: str) -> bool:
    return "ptxas" in answer or "PTX" in answer


def same_ptxas() -> bool:
    """Whether the ptxas in PATH is of the version whose messages are recorded."""
    if not shutil.which("ptxas"):
        return False
    return "V13.0.88" in subprocess.check_output(["ptxas", "--version"], text=True)


@pytest.mark.parametrize("major", (12, 13))
def test_answers_are_those_recorded(major: int) -> None:
    expected, found = recorded(f"warpld-{major}"), answers_of(ours(major))
    if not same_ptxas():
        for name in [name for name in found if needs_ptxas(found[name] + expected[name])]:
            del expected[name], found[name]
    assert found == expected


@pytest.mark.parametrize("major", (12, 13))
def test_differences_from_nvidias_are_documented(major: int) -> None:
    own, theirs = recorded(f"warpld-{major}"), recorded(f"nvidia-{FOLLOWED[major]}")
    assert own.keys() == theirs.keys()
    differing = {name for name in own if own[name] != theirs[name]}
    assert differing == documented(f".so.{major}")


def documented(column: str) -> set[str]:
    """The cases with a mark in this column of the table of differences. Each of our libraries has a
    column."""
    section = DOCUMENT.read_text().split("## Differences", 1)[1].split("\n## ", 1)[0]
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("|")]
    index = [cell.strip() for cell in rows[0]].index(column)
    marked = [row for row in rows[2:] if row[index].strip() == "x"]
    return {name for row in marked for name in re.findall(r"`([^`]*)`", row[0])}


def test_every_difference_has_a_test() -> None:
    section = DOCUMENT.read_text().split("## Differences", 1)[1].split("\n## ", 1)[0]
    tests = re.findall(r"`(test_\w+)`", section)
    source = "".join(path.read_text() for path in HERE.glob("test_*.py"))
    assert tests
    assert [name for name in tests if f"def {name}(" not in source] == []


def installed(release: str) -> Path | None:
    """The library of this release in a toolkit, in a wheel of this Python, or where `make
    check-clients` installed it."""
    major, _, rest = release.partition(".")
    packages = [Path(folder) for folder in (*site.getsitepackages(), site.getusersitepackages())]
    packages += (HERE.parents[1] / "build" / "clients").glob("cuda1?/lib/python3*/site-packages")
    folders = list(Path("/usr/local").glob("cuda*/lib64"))
    folders += [package / wheel for package in packages for wheel in WHEELS]
    found = [folder / f"libnvJitLink.so.{major}" for folder in folders]
    minor = int(rest.partition(".")[0])
    return next((path for path in found if path.exists() and version(path)[1] == minor), None)


def version(library: Path) -> tuple[int, int]:
    """Asks the library in another process, since this one cannot load two libraries of one name."""
    program = "import sys; from library import Library; print(*Library(sys.argv[1]).version())"
    command = [sys.executable, "-c", program, str(library)]
    major, minor = subprocess.check_output(command, cwd=HERE, text=True).split()
    return int(major), int(minor)


@pytest.mark.parametrize("release", RECORDED)
def test_nvidias_library_answers_as_recorded(release: str) -> None:
    """Crashes are not compared, since they need not happen each time."""
    library = installed(release)
    if not library:
        pytest.skip(f"libnvJitLink {release} is not installed")
    expected, found = recorded(f"nvidia-{release}"), answers_of(library)
    crashes = {name for name in expected if "CRASH" in expected[name] + found[name]}
    assert {name: found[name] for name in found if name not in crashes} == {
        name: expected[name] for name in expected if name not in crashes
    }
