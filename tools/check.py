#!/usr/bin/python3
"""Builds everything and runs every test: what `make check` does.

    tools/check.py [SUITE...]       runs only the suites whose names begin so

First come the builds (each uses all cores), then the suites, as many at once as there are cores. A
suite that cannot run here is reported as skipped, with the reason. The last line is the total; the
exit status is 0 when nothing failed. Whole output of each suite: build/check/SUITE.log.
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
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
BUILD = REPOSITORY / "build"
LOGS = BUILD / "check"
CORES = len(os.sched_getaffinity(0))
SUITE_TIMEOUT_SECONDS = 900
COMPARED_PROGRAMS = 60
SHOWN_LINES = 60

# Without what an outer make hands down: variables of its command line are not meant for these.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
}

SANITIZED_FOLDERS = ("notes", "containers", "golden", "saved")
ADDRESS = BUILD / "address-undefined"
# Apart from what `make SANITIZE=thread` and the like build: every link is a large one there, see
# src/base/scale.h.
THREAD = BUILD / "thread-small"
ADDRESS_SMALL = BUILD / "address-small"
SMALL_SCALE = "CFLAGS=-O1 -g -DWARPLD_SMALL_SCALE"
CLANG = BUILD / "clang"
# Clang's UBSan refuses an offset of 0 to a null pointer, which gcc's passes over. Without ASan, so
# that the arena's own blocks are used (base/arena.h).
UNDEFINED = BUILD / "clang-undefined-small"


@dataclass
class Result:
    """What became of one suite; notes say why something was skipped or failed."""

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


def run(command: list[object], **environment: object) -> tuple[int, str]:
    """Exit status (124 after a timeout) and all output."""
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
    """A warning is a failure, but the suites still run."""
    command = ["make", f"-j{CORES}", *arguments]
    status, log = run([*command, "WERROR=1"])
    if status:
        run([*command, "--keep-going"])
    return Result(passed=int(status == 0), failed=int(status != 0), log=log)


def build_plain() -> Result:
    return make("all", "unit-tests", "fuzz-programs", "example-programs", "build/gpu-check")


def build_clang() -> Result:
    if not shutil.which("clang"):
        return skip("clang is not installed")
    return make("CC=clang", f"BUILD={CLANG.relative_to(REPOSITORY)}", "all", "unit-tests")


def build_address() -> Result:
    return make("SANITIZE=address,undefined", "all", "unit-tests", "fuzz-programs")


def thread_tests() -> list[str]:
    names = ("test_*thread*.c", "test_page_feeder.c")
    return sorted(p.stem for name in names for p in REPOSITORY.glob(f"tests/unit/{name}"))


def build_thread() -> Result:
    build = THREAD.relative_to(REPOSITORY)
    programs = [f"{build}/tests/unit/{name}" for name in thread_tests()]
    return make("SANITIZE=thread", f"BUILD={build}", SMALL_SCALE, "all", *programs)


def build_address_small() -> Result:
    build = ADDRESS_SMALL.relative_to(REPOSITORY)
    return make("SANITIZE=address,undefined", f"BUILD={build}", SMALL_SCALE, "all")


def build_undefined() -> Result:
    if not shutil.which("clang"):
        return skip("clang is not installed")
    build = UNDEFINED.relative_to(REPOSITORY)
    wanted = ("all", "unit-tests", "fuzz-programs")
    return make("CC=clang", "SANITIZE=undefined", f"BUILD={build}", SMALL_SCALE, *wanted)


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


def if_clang(work: Callable[..., Result], *arguments: object) -> Result:
    if not shutil.which("clang"):
        return skip("clang is not installed")
    return work(*arguments)


def pytest_suite(folder: Path, build: Path, name: str) -> Result:
    """Runs a folder's test files; WARPLD_BUILD tells them where the programs are."""
    report = LOGS / f"{name.replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    status, log = run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        + sorted(folder.glob("test_*.py")),
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


def sanitizer_options() -> dict[str, str]:
    """A finding ends the program with a status that no test takes for an ordinary error."""
    return {
        "ASAN_OPTIONS": "exitcode=99:allocator_may_return_null=1",
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


@dataclass
class Suite:
    name: str
    work: Callable[[], Result]


def builds() -> list[Suite]:
    return [
        Suite("build gcc", build_plain),
        Suite("build clang", build_clang),
        Suite("build sanitized", build_address),
        Suite("build sanitized small", build_address_small),
        Suite("build undefined", build_undefined),
        Suite("build thread-sanitized", build_thread),
    ]


def suites() -> list[Suite]:
    """The longest first, so that the cores stay busy to the end."""
    found = [Suite("live comparison", live_comparison)]
    folders = sorted({path.parent for path in REPOSITORY.glob("tests/*/test_*.py")})
    pairs = [(folder, BUILD, folder.name) for folder in folders]
    for name in SANITIZED_FOLDERS:
        pairs.insert(0, (REPOSITORY / "tests" / name, ADDRESS, f"{name} sanitized"))
    golden = REPOSITORY / "tests" / "golden"
    pairs.insert(0, (golden, ADDRESS_SMALL, "golden sanitized small"))
    pairs.insert(0, (golden, THREAD, "golden thread-sanitized"))
    for folder, build, name in pairs:
        found.append(Suite(name, functools.partial(pytest_suite, folder, build, name)))
    for folder in (golden, REPOSITORY / "tests" / "containers"):
        name = f"{folder.name} undefined"
        work = functools.partial(if_clang, pytest_suite, folder, UNDEFINED, name)
        found.append(Suite(name, work))
    return found + [
        Suite("unit", functools.partial(unit_tests, BUILD)),
        Suite("unit clang", functools.partial(if_clang, unit_tests, CLANG)),
        Suite("unit undefined", functools.partial(if_clang, unit_tests, UNDEFINED)),
        Suite("unit sanitized", functools.partial(unit_tests, ADDRESS)),
        Suite("unit thread-sanitized", functools.partial(unit_tests, THREAD, thread_tests())),
        Suite("fuzz corpus", functools.partial(replay_corpora, ADDRESS)),
        Suite("fuzz corpus undefined", functools.partial(if_clang, replay_corpora, UNDEFINED)),
        Suite("gpu", gpu_check),
    ]


# --------------------------------------------------------------------------------------------------
# Running and reporting


def run_suite(suite: Suite) -> Result:
    start = time.monotonic()
    try:
        result = suite.work()
    except Exception as error:  # a broken suite fails; the others still run
        result = Result(failed=1, notes=[f"{type(error).__name__}: {error}"])
    (LOGS / f"{suite.name.replace(' ', '-')}.log").write_text(result.log)
    report(suite, result, time.monotonic() - start)
    return result


def report(suite: Suite, result: Result, seconds: float) -> None:
    state = "FAIL" if result.failed else "ok" if result.passed else "skip"
    lines = [
        f"{state:5} {suite.name:24} passed {result.passed:5}  failed {result.failed:4}  "
        f"skipped {result.skipped:4}  {seconds:6.1f} s"
    ]
    lines += [f"        {note}" for note in result.notes]
    if result.failed:
        lines += [f"      | {line}" for line in result.log.splitlines()[-SHOWN_LINES:]]
    print("\n".join(lines), flush=True)


def main() -> int:
    wanted = tuple(sys.argv[1:])
    LOGS.mkdir(parents=True, exist_ok=True)
    total = Result()
    for build in builds():
        total.add(run_suite(build))
    chosen = [suite for suite in suites() if not wanted or suite.name.startswith(wanted)]
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for result in pool.map(run_suite, chosen):
            total.add(result)
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
