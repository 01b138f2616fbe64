"""Regenerates inputs of golden links, if the ptxas that made them is installed.

Either tests/golden/regenerate.py compiles the inputs from the sources in their folder, or
tests/patch_golden.py makes them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from golden_folder import GOLDEN, GoldenFolder, compiled, golden_folders, source_release
from patch_golden import Recipe, derived, read_recipe

SOURCES = GOLDEN / "sources"
RECIPES = sorted(GOLDEN.glob("*/*.edits"))
# To save time, only one in EVERY of the compiled inputs is regenerated.
EVERY = 8


def is_recorded(tool: str) -> bool:
    if not shutil.which(tool):
        return False
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True)
    lines = (GOLDEN / "VERSION").read_text().splitlines()
    recorded = next(line for line in lines if line.startswith(f"{tool}: "))
    return said.stdout.strip().splitlines()[-1] in recorded


def usual_compiler() -> bool:
    """Whether the tools are those that made the objects: other releases make other code."""
    return is_recorded("ptxas") and is_recorded("nvlink")


needs_compiler = pytest.mark.skipif(not usual_compiler(), reason="not the ptxas of tests/golden")


def inputs_of(folder: GoldenFolder) -> list[Path]:
    return [folder.path / word for word in folder.arguments if word.endswith(".cubin")]


def compiled_inputs(folder: GoldenFolder) -> set[Path]:
    return {source.with_suffix(".cubin") for source in folder.sources}


def test_each_input_has_one_origin() -> None:
    for folder in golden_folders():
        for path in inputs_of(folder):
            edits = path.with_suffix(".edits").exists()
            origins = [path in compiled_inputs(folder), edits]
            assert origins.count(True) == 1, f"{path}: is compiled, is patched: {origins}"


def test_no_recipe_is_of_nothing() -> None:
    inputs = {path for folder in golden_folders() for path in inputs_of(folder)}
    assert {path.with_suffix(".cubin") for path in RECIPES} <= inputs
    bases = {base for path in RECIPES for base in read_recipe(path).bases}
    assert {f"sources/{path.name}" for path in SOURCES.glob("*.ptx")} <= bases
    assert all((GOLDEN / base).exists() for base in bases)


def test_objects_that_are_bases_have_an_origin() -> None:
    """No recipe begins with an input that another recipe makes."""
    for path in RECIPES:
        recipe = read_recipe(path)
        if not recipe.arch and not recipe.is_joined:
            base = GOLDEN / recipe.base
            assert base in compiled_inputs(GoldenFolder(base.parent)), path


@needs_compiler
@pytest.mark.parametrize("path", RECIPES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_edits_make_the_input(path: Path) -> None:
    assert read_recipe(path).make() == path.with_suffix(".cubin").read_bytes()


def usual_sources() -> list[tuple[Path, str]]:
    """The PTX sources in the folders of golden links, and the target of each link. Sources that
    name a release of ptxas are left out."""
    found = [(s, folder.arch) for folder in golden_folders() for s in folder.sources]
    return [(s, arch) for s, arch in found if s.suffix == ".ptx" and not source_release(s)]


@needs_compiler
@pytest.mark.parametrize(
    ("source", "arch"),
    usual_sources()[::EVERY],
    ids=lambda value: f"{value.parent.name}-{value.stem}" if isinstance(value, Path) else value,
)
def test_sources_make_the_input(source: Path, arch: str) -> None:
    assert compiled(source, arch) == source.with_suffix(".cubin").read_bytes()


@needs_compiler
@pytest.mark.parametrize(
    "path", RECIPES[::EVERY], ids=[path.parent.name for path in RECIPES[::EVERY]]
)
def test_edits_are_what_differs(path: Path) -> None:
    """No recipe has needless edits: derived(), which compares the object with the base, finds the
    same recipe."""
    recipe = read_recipe(path)
    made = path.with_suffix(".cubin").read_bytes()
    again = derived(made, recipe.base, recipe.arch, recipe.layout)
    assert again == recipe


def test_edits_must_fit_the_base() -> None:
    path = next(path for path in RECIPES if "\n- " in path.read_text())
    recipe = read_recipe(path)
    wrong = [f"{edit}0" if edit.startswith("- ") else edit for edit in recipe.edits]
    other = GOLDEN / "abi7-objects" / "a.cubin"
    with pytest.raises(ValueError, match="is not"):
        Recipe(str(other), "", recipe.layout, tuple(wrong)).make()
