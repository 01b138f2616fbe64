"""The wheel can be installed into a fresh environment, has type annotations, and has a tag that
states where it runs."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
DATA = REPOSITORY / "examples" / "two-files" / "data"
PAGE = (REPOSITORY / "docs" / "python.md").read_text()


def run(*command: object, folder: Path = REPOSITORY) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_package_is_typed(unpacked: Path, tmp_path: Path) -> None:
    if not shutil.which("mypy"):
        pytest.skip("mypy is not installed")
    words = ["--strict", "--python-version=3.9", f"--cache-dir={tmp_path}"]
    run("mypy", *words, "-p", "warpld", folder=unpacked)
    program = tmp_path / "program.py"
    program.write_text("".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)))
    run("mypy", *words, program, folder=unpacked)


def test_everything_public_has_a_docstring(warpld: ModuleType) -> None:
    for name in warpld.__all__:
        assert len(getattr(warpld, name).__doc__) > 20, name


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not importlib.util.find_spec("ensurepip"):
        pytest.skip("ensurepip is not installed")
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin" / "pip", "install", "-q", "--no-index", wheel)
    return folder


def test_the_example_of_the_page_works(environment: Path) -> None:
    example, *_ = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    printed = re.findall(r"it prints\n\n```\n(.*?)```", PAGE, re.DOTALL)
    assert [run(environment / "bin" / "python", "-c", example, folder=DATA)] == printed


def test_commands_are_installed(environment: Path) -> None:
    assert run(environment / "bin" / "warpld", "--version").startswith("warpld ")
    assert run(environment / "bin" / "cubintool", "--version").startswith("cubintool ")
    find = "import warpld; print(warpld.program_path('cubintool'))"
    found = run(environment / "bin" / "python", "-c", find).strip()
    assert found == str(environment / "bin" / "cubintool")


def test_it_is_removed_without_a_trace(wheel: Path, tmp_path: Path) -> None:
    if not importlib.util.find_spec("ensurepip"):
        pytest.skip("ensurepip is not installed")
    run(sys.executable, "-m", "venv", tmp_path)
    pip = [tmp_path / "bin" / "pip", "-q"]
    before = {path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts}
    run(*pip, "install", "--no-index", wheel)
    run(*pip, "uninstall", "-y", "warpld")
    assert {path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts} == before


def test_the_tag_is_honest(wheel: Path, unpacked: Path) -> None:
    """No file uses a symbol of a newer C library than the tag says, and one uses a symbol of
    exactly that release."""
    tag = re.search(r"manylinux_(\d+)_(\d+)_", wheel.name)
    assert tag
    used: set[tuple[int, int]] = set()
    for path in [*(unpacked / "bin").iterdir(), *(unpacked / "warpld/libraries").iterdir()]:
        text = run("readelf", "-W", "-V", path)
        used |= {(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", text)}
    assert max(used) == (int(tag[1]), int(tag[2]))
    assert f"Tag: py3-none-{wheel.stem.split('none-')[1]}" in metadata(wheel, "WHEEL")


def metadata(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (path,) = (n for n in archive.namelist() if n.endswith(f".dist-info/{name}"))
        return archive.read(path).decode()


def test_the_record_lists_every_file(wheel: Path) -> None:
    recorded = {line.split(",")[0] for line in metadata(wheel, "RECORD").splitlines()}
    with zipfile.ZipFile(wheel) as archive:
        assert recorded == set(archive.namelist())


def test_the_same_inputs_give_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "tools/make-wheel.py", BUILD / "portable", tmp_path)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_it_has_the_bill_of_materials(unpacked: Path) -> None:
    (bill,) = unpacked.glob("warpld-*.dist-info/sboms/*")
    assert bill.read_text() == (BUILD / "portable" / "warpld.cdx.json").read_text()


def test_the_program_of_the_quick_start_runs(environment: Path, tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "quick-start.md").read_text()
    (program,) = re.findall(r'```python title="\S*"\n(import .*?)```', page, re.DOTALL)
    for name, data in (("a", "kernel"), ("b", "scale")):
        shutil.copy(DATA / f"{data}.cubin", tmp_path / f"{name}.cubin")
    python = environment / "bin" / "python"
    assert run(python, "-c", program, folder=tmp_path) == "['kernel']\n"
