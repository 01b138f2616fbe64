#!/usr/bin/python3
"""Builds everything and runs every test, for `make check`.

    tools/check.py [SUITE...]   runs the suites whose names begin with SUITE; builds what they need

The builds run first, one after the other, each on all cores. Then the suites run, one more at once
than there are cores, because some of them wait for other programs. A suite that cannot run on this
machine is reported as skipped, with the reason. The last line is the total. The exit status is 0 if
nothing failed. The complete output of each suite is in build/check/SUITE.log.
"""

from __future__ import annotations

import concurrent.futures
import functools
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from outer_make import environment_without_outer_make

REPOSITORY = Path(__file__).resolve().parents[1]
BUILD = REPOSITORY / "build"
LOGS = BUILD / "check"
LEAKS_OF_OTHERS = REPOSITORY / "tests" / "leaks-of-others.txt"
CORES = len(os.sched_getaffinity(0))
SUITE_TIMEOUT_SECONDS = 900
COMPARED_PROGRAMS = 60
SHOWN_LINES = 60

ENVIRONMENT = environment_without_outer_make()

SANITIZED_FOLDERS = ("notes", "device_link", "compile", "containers", "golden", "saved")
SMALL_SCALE = "CFLAGS=-O1 -g -DWARPLD_SMALL_SCALE"


@dataclass
class Result:
    """The result of one suite. `notes` say why something was skipped or failed."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    notes: list[str] = field(default_factory=list)
    log: str = ""

    def add(self, other: Result) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.notes += other.notes
        self.log += other.log


def skip(reason: str) -> Result:
    return Result(skipped=1, notes=[f"skipped: {reason}"])


def run(command: Sequence[object], **environment: object) -> tuple[int, str]:
    """Runs a command. Returns its exit status (124 after a timeout) and all output."""
    words = [str(word) for word in command]
    variables = {name: str(value) for name, value in environment.items()}
    try:
        done = subprocess.run(
            words,
            cwd=REPOSITORY,
            env=ENVIRONMENT | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=SUITE_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return 124, f"{' '.join(words)}: stopped after {SUITE_TIMEOUT_SECONDS} s\n"
    except OSError as error:
        return 127, f"{error}\n"
    return done.returncode, f"$ {' '.join(words)}\n{done.stdout}"


# --------------------------------------------------------------------------------------------------
# Builds


def make(*arguments: object) -> Result:
    """Builds with make; a warning is an error. After an error, it builds again: now it allows
    warnings and continues after errors, so that suites can run with the programs that it makes."""
    command = ["make", f"-j{CORES}", *arguments]
    status, log = run([*command, "WERROR=1"])
    if status:
        run([*command, "--keep-going"])
    return Result(passed=int(status == 0), failed=int(status != 0), log=log)


@dataclass(frozen=True)
class Build:
    """A folder of programs, and how make builds them. If all suites run, make builds all of
    `targets`, even those that no suite needs, to find their warnings. If only some suites run, make
    builds only the targets that these suites need."""

    name: str
    folder: Path
    targets: tuple[str, ...]
    variables: tuple[str, ...] = ()
    compiler: str = ""

    @property
    def missing(self) -> str:
        """Why this build is impossible on this machine; empty if it is possible."""
        absent = self.compiler and not shutil.which(self.compiler)
        return f"{self.compiler} is not installed" if absent else ""

    @property
    def name_for_make(self) -> Path:
        return self.folder.relative_to(REPOSITORY)

    def make(self, targets: tuple[str, ...]) -> Result:
        if self.missing:
            return skip(self.missing)
        compiler = (f"CC={self.compiler}",) if self.compiler else ()
        return make(*compiler, *self.variables, f"BUILD={self.name_for_make}", *targets)


PROGRAMS, UNIT_TESTS, FUZZ_PROGRAMS = ("all",), ("unit-tests",), ("fuzz-programs",)
WHEEL = ("wheel",)
# The targets for folders of tests that need more than PROGRAMS.
FOLDER_TARGETS = {
    "diagnostics": (*PROGRAMS, *UNIT_TESTS),
    "nvjitlink": (*PROGRAMS, *UNIT_TESTS),
    "python": (*PROGRAMS, *WHEEL),
    "torture": (*PROGRAMS, "torture-programs"),
}
GPU_CHECK = ("build/gpu-check",)


def thread_tests() -> list[str]:
    names = ("test_*thread*.c", "test_page_feeder.c")
    return sorted(p.stem for name in names for p in REPOSITORY.glob(f"tests/unit/{name}"))


OTHER_PROGRAMS = ("example-programs", "torture-programs", *GPU_CHECK, *WHEEL)
PLAIN = Build("gcc", BUILD, (*PROGRAMS, *UNIT_TESTS, *FUZZ_PROGRAMS, *OTHER_PROGRAMS))
CLANG = Build("clang", BUILD / "clang", (*PROGRAMS, *UNIT_TESTS), compiler="clang")
ADDRESS = Build(
    "sanitized",
    BUILD / "address-undefined",
    (*PROGRAMS, *UNIT_TESTS, *FUZZ_PROGRAMS, "build/address-undefined/tests/nvjitlink/stress"),
    ("SANITIZE=address,undefined",),
)
# This build needs another folder than `make SANITIZE=address,undefined`, because its programs treat
# every link as a large one (src/base/scale.h).
ADDRESS_SMALL = Build(
    "sanitized small",
    BUILD / "address-small",
    PROGRAMS,
    ("SANITIZE=address,undefined", SMALL_SCALE),
)
# This build uses Clang, because its UBSan reports the addition of 0 to a null pointer; that of gcc
# does not. The build is without ASan, so that the arena allocates blocks as in a plain build
# (base/arena.h).
UNDEFINED = Build(
    "undefined",
    BUILD / "clang-undefined-small",
    (*PROGRAMS, *UNIT_TESTS, *FUZZ_PROGRAMS),
    ("SANITIZE=undefined", SMALL_SCALE),
    "clang",
)
THREAD_TESTS = tuple(f"build/thread-small/tests/unit/{name}" for name in thread_tests())
THREAD = Build(
    "thread-sanitized",
    BUILD / "thread-small",
    (*PROGRAMS, *THREAD_TESTS, "build/thread-small/tests/nvjitlink/stress"),
    ("SANITIZE=thread", SMALL_SCALE),
)
BUILDS = (PLAIN, CLANG, ADDRESS, ADDRESS_SMALL, UNDEFINED, THREAD)


# --------------------------------------------------------------------------------------------------
# Suites


def counted(text: str, pattern: str) -> int:
    return sum(int(number) for number in re.findall(pattern, text))


def cmocka_program(program: Path) -> Result:
    status, log = run([program], **sanitizer_options())
    result = Result(
        passed=counted(log, r"\[  PASSED  \] .*?(\d+) test"),
        failed=counted(log, r"\[  FAILED  \] .*?(\d+) test"),
        skipped=counted(log, r"\[  SKIPPED \] .*?(\d+) test"),
        log=log,
    )
    if status and not result.failed:
        result.failed = 1
        result.notes.append(f"{program.name}: exit status {status}")
    elif not result.passed and not result.failed and not result.skipped:
        result.failed = 1
        result.notes.append(f"{program.name}: ran no test")
    if result.failed:
        result.notes += [f"{program.name}: {name}" for name in failed_cmocka_tests(log)]
    return result


def failed_cmocka_tests(log: str) -> list[str]:
    return re.findall(r"\[  FAILED  \] (?!.*test\(s\))(\S+)", log.split("listed below")[-1])


def unit_tests(build: Path, names: list[str] | None = None) -> Result:
    if names is None:
        names = sorted(path.stem for path in REPOSITORY.glob("tests/unit/test_*.c"))
    if not names:
        return skip("there is no such unit test")
    total = Result()
    for name in names:
        program = build / "tests" / "unit" / name
        missing = Result(failed=1, notes=[f"{name}: was not built"])
        total.add(cmocka_program(program) if program.exists() else missing)
    return total


def pytest_suite(folder: Path, build: Path, name: str, files: str = "test_*.py") -> Result:
    """Runs a folder's test files with the programs in `build`."""
    report = LOGS / f"{name.replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    status, log = run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *(f"--junitxml={report}", *sorted(folder.glob(files))),
        ],
        WARPLD_BUILD=build,
        PYTHONDONTWRITEBYTECODE=1,
        **sanitizer_options(),
    )
    result = Result(log=log)
    if report.exists():
        read_junit(report, result)
    if not result.failed and (status or not result.passed + result.skipped):
        result.failed = 1
        result.notes.append(f"pytest ended with status {status} and counted no failure")
    return result


def nvjitlink_stress(build: Path, name: str) -> Result:
    """Runs those tests of libnvJitLink that can use a build with sanitizers. The other tests load
    libnvJitLink into Python, and Python cannot load a library that was built with sanitizers."""
    return pytest_suite(REPOSITORY / "tests" / "nvjitlink", build, name, "test_stress.py")


def sanitizer_options() -> dict[str, str]:
    """Options that make a sanitizer end the program with a status that no test expects."""
    return {
        "ASAN_OPTIONS": "exitcode=99:allocator_may_return_null=1",
        "LSAN_OPTIONS": f"suppressions={LEAKS_OF_OTHERS}:print_suppressions=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=99",
        "TSAN_OPTIONS": "exitcode=99",
    }


def read_junit(report: Path, result: Result) -> None:
    reasons: dict[str, int] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            result.failed += 1
            result.notes.append(f"{case.get('classname')}: {case.get('name')}")
        elif skipped is not None:
            result.skipped += 1
            reason = skipped.get("message", "no reason given")
            reasons[reason] = reasons.get(reason, 0) + 1
        else:
            result.passed += 1
    result.notes += [f"skipped {count}: {reason}" for reason, count in reasons.items()]


def replay_corpora(build: Path) -> Result:
    """Feeds each fuzz target the inputs that once broke it, and its seeds."""
    targets = sorted(path.stem for path in REPOSITORY.glob("fuzz/fuzz_*.c"))
    if not targets:
        return skip("there is no fuzz target")
    total = Result()
    for target in targets:
        corpus = REPOSITORY / "fuzz" / "corpus" / target.removeprefix("fuzz_")
        files = sorted(path for path in corpus.rglob("*") if path.is_file())
        if not files:
            total.add(skip(f"fuzz/corpus/{corpus.name} is empty"))
            continue
        status, log = run([build / "fuzz" / target, *files], **sanitizer_options())
        good = status == 0
        total.add(Result(passed=len(files) * good, failed=int(not good), log=log))
        total.notes += [] if good else [f"{target}: exit status {status}"]
    return total


DAMAGED_LINKS = 20000
SWEEP = "7/8000"  # about 10,000 links


def damaged_links(build: Path) -> Result:
    """Links damaged objects of golden links. If a link succeeds without a warning, its output must
    pass `cubintool verify`."""
    folders = sorted(path for path in (REPOSITORY / "tests" / "golden").iterdir() if path.is_dir())
    total = Result()
    for options in (["--links", str(DAMAGED_LINKS), "--seed", "1"], ["--sweep", SWEEP]):
        status, log = run([build / "fuzz" / "campaign", *options, *folders], **sanitizer_options())
        total.add(Result(passed=int(status == 0), failed=int(status != 0), log=log))
    return total


def live_comparison() -> Result:
    for program in ("nvlink", "ptxas"):
        if not shutil.which(program):
            return skip(f"{program} is not on the PATH")
    command = ["tests/compare/compare.py", "--seed", 1, "--count", COMPARED_PROGRAMS]
    status, log = run([sys.executable, *command, "--no-tables", "--shrink", 0, "--jobs", 1])

    def number(label: str) -> int:
        return counted(log, rf"(?m)^{label} +(\d+)")

    good = number("equivalent") + number("explained") + number("refused by both")
    left_out = number("left out") + number("not compiled")
    failed = number("programs") + number("left out") - good - left_out
    result = Result(passed=good, failed=failed, skipped=left_out, log=log)
    if status and not failed:
        result.failed = 1
        result.notes.append(f"compare.py ended with status {status}")
    if left_out:
        result.notes.append("skipped: programs that nvlink or ptxas cannot handle")
    result.notes += re.findall(r"(?m)^\d+-\d+ .*:$", log)
    return result


def gpu_check() -> Result:
    status, log = run([BUILD / "gpu-check", "gpu/data"])
    if status == 77:
        return skip(log.strip().splitlines()[-1])
    passed, failed = counted(log, r"(\d+) passed"), counted(log, r"(\d+) failed")
    return Result(passed=passed, failed=max(failed, int(status != 0)), log=log)


@dataclass(frozen=True)
class Suite:
    """A function that runs tests, the build with which it runs them, and the targets it needs."""

    name: str
    work: Callable[[], Result]
    build: Build
    targets: tuple[str, ...] = PROGRAMS

    def run(self) -> Result:
        return skip(self.build.missing) if self.build.missing else self.work()


def pytest_suites() -> list[Suite]:
    """The suites of pytest. Those with AddressSanitizer or ThreadSanitizer come first, because they
    take longest."""
    golden, containers = REPOSITORY / "tests" / "golden", REPOSITORY / "tests" / "containers"
    folders = sorted({path.parent for path in REPOSITORY.glob("tests/*/test_*.py")})
    chosen = [(golden, THREAD), (golden, ADDRESS_SMALL)]
    chosen += [(REPOSITORY / "tests" / name, ADDRESS) for name in reversed(SANITIZED_FOLDERS)]
    chosen += [(folder, PLAIN) for folder in folders]
    chosen += [(golden, UNDEFINED), (containers, UNDEFINED)]
    found = []
    for folder, build in chosen:
        name = suite_name(folder.name, build)
        work = functools.partial(pytest_suite, folder, build.folder, name)
        found.append(Suite(name, work, build, FOLDER_TARGETS.get(folder.name, PROGRAMS)))
    return found


def stress_suite(build: Build) -> Suite:
    name = suite_name("nvjitlink", build)
    work = functools.partial(nvjitlink_stress, build.folder, name)
    program = build.name_for_make / "tests" / "nvjitlink" / "stress"
    return Suite(name, work, build, (*PROGRAMS, str(program)))


def suite_name(subject: str, build: Build) -> str:
    return subject if build == PLAIN else f"{subject} {build.name}"


def unit_suite(build: Build, names: list[str] | None = None) -> Suite:
    work = functools.partial(unit_tests, build.folder, names)
    targets = THREAD_TESTS if build == THREAD else UNIT_TESTS
    return Suite(suite_name("unit", build), work, build, targets)


def suites() -> list[Suite]:
    """All suites, the longest first, so that the cores are busy to the end."""
    fuzz = functools.partial(replay_corpora, ADDRESS.folder)
    fuzz_undefined = functools.partial(replay_corpora, UNDEFINED.folder)
    damaged = functools.partial(damaged_links, ADDRESS.folder)
    return [
        stress_suite(THREAD),
        Suite("live comparison", live_comparison, PLAIN),
        *pytest_suites(),
        unit_suite(PLAIN),
        unit_suite(CLANG),
        unit_suite(UNDEFINED),
        unit_suite(ADDRESS),
        unit_suite(THREAD, thread_tests()),
        stress_suite(ADDRESS),
        Suite("fuzz corpus", fuzz, ADDRESS, FUZZ_PROGRAMS),
        Suite("fuzz corpus undefined", fuzz_undefined, UNDEFINED, FUZZ_PROGRAMS),
        Suite("damaged links", damaged, ADDRESS, FUZZ_PROGRAMS),
        Suite("gpu", gpu_check, PLAIN, GPU_CHECK),
    ]


def needed_targets(build: Build, chosen: list[Suite]) -> tuple[str, ...]:
    """The targets of `build` that the chosen suites need: in the order of the suites, each once."""
    own = [suite.targets for suite in chosen if suite.build == build]
    return tuple(dict.fromkeys(target for targets in own for target in targets))


# --------------------------------------------------------------------------------------------------
# Running and reporting


def run_and_report(name: str, work: Callable[[], Result]) -> Result:
    start = time.monotonic()
    try:
        result = work()
    except Exception as error:  # a broken suite fails; the others still run
        result = Result(failed=1, notes=[f"{type(error).__name__}: {error}"])
    (LOGS / f"{name.replace(' ', '-')}.log").write_text(result.log)
    report(name, result, time.monotonic() - start)
    return result


def report(name: str, result: Result, seconds: float) -> None:
    state = "FAIL" if result.failed else "ok" if result.passed else "skip"
    lines = [
        f"{state:5} {name:24} passed {result.passed:5}  failed {result.failed:4}  "
        f"skipped {result.skipped:4}  {seconds:6.1f} s"
    ]
    lines += [f"        {note}" for note in result.notes]
    if result.failed:
        lines += [f"      | {line}" for line in result.log.splitlines()[-SHOWN_LINES:]]
    print("\n".join(lines), flush=True)


def main() -> int:
    wanted = tuple(sys.argv[1:])
    chosen = [suite for suite in suites() if not wanted or suite.name.startswith(wanted)]
    if not chosen:
        print(f"no suite begins with {' or '.join(wanted)}", file=sys.stderr)
        return 2
    LOGS.mkdir(parents=True, exist_ok=True)
    total = Result()
    for build in BUILDS:
        targets = needed_targets(build, chosen) if wanted else build.targets
        if targets:
            work = functools.partial(build.make, targets)
            total.add(run_and_report(f"build {build.name}", work))
    with concurrent.futures.ThreadPoolExecutor(CORES + 1) as pool:
        for result in pool.map(lambda suite: run_and_report(suite.name, suite.run), chosen):
            total.add(result)
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
