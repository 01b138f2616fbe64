#!/usr/bin/python3
"""Builds with each compiler of two Debian releases, and runs the unit tests and the golden links
with each build. A warning of a compiler is an error.

    check_toolchains.py --build FOLDER [COMPILER...]       default: all, as in COMPILERS

The script needs the network, and root for clean systems (mmdebstrap). Therefore `make
check-toolchains` runs it, and `make check` does not.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_packages import REPOSITORY, Failure, clean_system, run

COMPILERS = {
    "bookworm": ("gcc-12", "clang-14", "clang-15", "clang-16"),
    "trixie": ("gcc-13", "gcc-14", "clang-17", "clang-18", "clang-19"),
}
CORES = len(os.sched_getaffinity(0))
# Prints how many tests passed. If a program fails, prints the end of its output instead, and stops.
RUN_UNIT_TESTS = r"""
total=0
for program in "$1"/tests/unit/test_*; do
    log=$("$program" 2>&1) || { printf '%s\n' "$log" | tail -n 20; exit 1; }
    passed=$(printf '%s\n' "$log" | sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p')
    total=$((total + ${passed:-0}))
done
echo "$total passed"
"""


def inside(system: Path, *command: str, **environment: str) -> str:
    """Runs a command in the folder of the sources of `system`. The system's /proc is mounted for
    this command only."""
    enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" env -C /warpld "$@"'
    words = ("unshare", "--mount", "sh", "-c", enter, system, *command)
    return run(*words, folder=REPOSITORY, **environment)


def packages_of(compiler: str) -> list[str]:
    """The packages of a compiler and of its libsupc++. For gcc-N, the package g++-N contains
    libsupc++. clang uses the libsupc++ of the system."""
    version = compiler.rpartition("-")[2]
    return [compiler, f"g++-{version}"] if compiler.startswith("gcc") else [compiler]


def prepare(build: Path, release: str, compilers: list[str], system: Path) -> None:
    """Makes a system of the Debian release, with the sources, the packages that they need, and the
    compilers."""
    clean_system(build, release, system)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    ).stdout
    names = [name for name in listed.decode().split("\0") if (REPOSITORY / name).is_file()]
    (system / "warpld").mkdir()
    (system / "files").write_text("\0".join(names))
    run("tar", "--null", "-T", system / "files", "-cf", system / "files.tar")
    run("tar", "-C", system / "warpld", "-xf", system / "files.tar")
    inside(system, "tools/install-packages.sh", "build", "test")
    packages = [name for compiler in compilers for name in packages_of(compiler)]
    words = ["-qq", "-y", "install", "--no-install-recommends", *packages]
    inside(system, "apt-get", *words, DEBIAN_FRONTEND="noninteractive")


def check_compiler(system: Path, compiler: str) -> str:
    """Builds and tests with a compiler. Returns the numbers of passed tests, and the version that
    the compiler reports."""
    build = f"build/{compiler}"
    words = [f"-j{CORES}", f"CC={compiler}", f"BUILD={build}", "WERROR=1", "all", "unit-tests"]
    inside(system, "make", *words)
    version = inside(system, compiler, "--version").splitlines()[0]
    unit = inside(system, "sh", "-c", RUN_UNIT_TESTS, "sh", build).strip()
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/golden"]
    golden = inside(system, "/usr/bin/python3", *words, WARPLD_BUILD=f"/warpld/{build}")
    passed = re.findall(r"^(\d+) passed", golden, re.MULTILINE)
    if not passed or unit.startswith("0 "):
        raise Failure(f"{compiler} ran no test\n{golden[-2000:]}")
    run("rm", "-rf", system / "warpld" / build)
    return f"unit tests: {unit}, golden links: {passed[0]} passed; {version}"


def check_release(build: Path, release: str, compilers: list[str]) -> int:
    """Prints a line for each compiler. Returns how many compilers failed."""
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        system = Path(name) / release
        system.mkdir()
        prepare(build, release, compilers, system)
        for compiler in compilers:
            start = time.monotonic()
            try:
                answer = f"ok    {release} {compiler:9} {check_compiler(system, compiler)}"
            except Failure as failure:
                failed += 1
                answer = f"FAIL  {release} {compiler:9} {failure}"
            print(f"{answer}  ({time.monotonic() - start:.0f} s)", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("compilers", nargs="*", metavar="COMPILER")
    given = parser.parse_args()
    known = {name for names in COMPILERS.values() for name in names}
    if set(given.compilers) - known:
        parser.error(f"known compilers: {', '.join(sorted(known))}")
    failed = count = 0
    for release, names in COMPILERS.items():
        chosen = [name for name in names if not given.compilers or name in given.compilers]
        if chosen:
            count += len(chosen)
            failed += check_release(given.build.absolute(), release, chosen)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
