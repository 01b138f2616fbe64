"""The Makefile documents all its targets, and does no needless work."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
TARGETS = (
    "all analyze bench check check-clients check-hosts check-msan check-overlay check-packages "
    "check-sarif check-toolchains check-valgrind clean compare compare-cached-links "
    "compare-constants compare-containers compare-cpp compare-csmith compare-device-links "
    "compare-diagnostics compare-inspect compare-lto compare-names compare-newer "
    "compare-nvjitlink compare-old compare-older compare-patched compare-registrations "
    "compare-relink compare-unified completions coverage damage damage-sweep deb demo fuzz "
    "fuzz-nightly gpu-check help install install-strip lint manuals portable-wheel ptx-plugin "
    "record-interface release site static-musl torture uninstall wheel"
).split()


def make(*words: str) -> str:
    done = subprocess.run(["make", *words], capture_output=True, text=True, cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_help_lists_every_target() -> None:
    assert sorted(re.findall(r"^  make ([a-z-]+)", make("help"), re.MULTILINE)) == TARGETS


def test_nothing_is_built_twice() -> None:
    assert make(f"BUILD={BUILD}") == ""


def test_a_changed_flag_rebuilds(tmp_path: Path) -> None:
    target = f"{tmp_path}/obj/src/base/arena.o"
    build = [target, f"BUILD={tmp_path}"]
    assert "arena.c" in make(*build)
    assert make(*build).count("arena.c") == 0
    assert "arena.c" in make(*build, "CFLAGS=-O1")


@pytest.mark.parametrize("shown", [True, False])
def test_commands_are_shown_on_request(tmp_path: Path, shown: bool) -> None:
    output = make(
        f"{tmp_path}/obj/src/base/arena.o", f"BUILD={tmp_path}", *(["V=1"] if shown else [])
    )
    assert ("-std=c17" in output) == shown


def flags_of(tmp_path: Path, source: str, *words: str) -> list[str]:
    commands = make("-n", "V=1", f"{tmp_path}/obj/{source}.o", f"BUILD={tmp_path}", *words)
    return commands.strip().split("\n")[-1].split()


@pytest.mark.parametrize("words", [["LTO=0"], ["CFLAGS=-O1"], ["SANITIZE=address"]])
def test_only_the_library_is_optimized_as_a_whole(tmp_path: Path, words: list[str]) -> None:
    assert "-flto=auto" in flags_of(tmp_path, "src/base/arena", "LTO=1")
    assert "-flto=auto" not in flags_of(tmp_path, "src/cli/main", "LTO=1")
    assert "-flto=auto" not in flags_of(tmp_path, "src/base/arena", *words)
