"""tools/check.py builds what the chosen suites run, and nothing else."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check", REPOSITORY / "tools" / "check.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["check"] = module  # dataclasses look up their module here
    spec.loader.exec_module(module)
    return module


def builds_of(check: ModuleType, name: str) -> dict[str, tuple[str, ...]]:
    chosen = [suite for suite in check.suites() if suite.name.startswith(name)]
    every = {build.name: check.needed_targets(build, chosen) for build in check.BUILDS}
    return {build: targets for build, targets in every.items() if targets}


def test_a_folder_of_tests_needs_the_programs(check: ModuleType) -> None:
    assert builds_of(check, "trace") == {"gcc": ("all",)}


def test_folders_that_run_more_need_the_programs_too(check: ModuleType) -> None:
    for name in check.FOLDER_TARGETS:
        assert set(builds_of(check, name)["gcc"]) > {"all"}, name


def test_sanitized_suites_need_their_build(check: ModuleType) -> None:
    assert builds_of(check, "golden sanitized small") == {"sanitized small": ("all",)}


def test_unit_suites_need_their_programs(check: ModuleType) -> None:
    found = builds_of(check, "unit")
    tests = {f"build/thread-small/tests/unit/{name}" for name in check.thread_tests()}
    assert tests
    assert set(found.pop("thread-sanitized")) == tests
    assert found == dict.fromkeys(("gcc", "clang", "sanitized", "undefined"), ("unit-tests",))


def test_a_complete_run_builds_what_any_suite_needs(check: ModuleType) -> None:
    for suite in check.suites():
        assert set(suite.targets) <= set(suite.build.targets), suite.name
        assert suite.build in check.BUILDS
