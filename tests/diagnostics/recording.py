"""Runs tests of other folders with a linker that records the messages of each test."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from provoked_rows import plain_line

TESTS = Path(__file__).resolve().parents[1]
TIMEOUT_SECONDS = 300
# This script takes the place of warpld. It runs the linker under the name by which the test called
# the script. pytest passes the name of the test in an environment variable. Tests may run several
# linkers at once, so each script appends to the log with a single write.
RECORDER = """#!{python} -SE
import os, subprocess, sys
done = subprocess.run([sys.argv[0], *sys.argv[1:]], executable={linker!r}, stderr=subprocess.PIPE)
sys.stderr.buffer.write(done.stderr)
test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0].partition("[")[0]
head = ("=== " + test + "\\n").encode()
log = os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(log, head + done.stderr)
sys.exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)
"""


@dataclass
class Recorded:
    lines: list[str] = field(default_factory=list)
    skipped: str = ""  # the reason, if the test was skipped
    failed: bool = False


def recording_build(build: Path, folder: Path) -> Path:
    """A copy of the build in which warpld records its messages in FOLDER/log. The other files are
    symbolic links."""
    copy = folder / "build"
    copy.mkdir()
    for path in build.iterdir():
        if path.name != "warpld":
            (copy / path.name).symlink_to(path)
    program = copy / "warpld"
    names = {"python": sys.executable, "linker": str(build / "warpld"), "log": str(folder / "log")}
    program.write_text(RECORDER.format(**names))
    program.chmod(0o755)
    return copy


def run_tests(tests: list[str], build: Path, folder: Path) -> dict[str, Recorded]:
    """Runs tests, which are all in one folder of tests/. Returns what each of them recorded."""
    report = folder / "report.xml"
    copy = recording_build(build, folder)
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        + tests,
        cwd=TESTS,
        env=os.environ | {"WARPLD_BUILD": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    recorded = {test: Recorded(lines) for test, lines in read_log(folder / "log").items()}
    found = {test: recorded.get(test, Recorded()) for test in tests}
    for case in ElementTree.parse(report).iter("testcase"):
        module, test = case.get("classname", "").replace(".", "/"), case.get("name", "")
        name = f"{module}.py::{test.partition('[')[0]}"
        if name in found:
            note_outcome(case, found[name])
    return found


def note_outcome(case: ElementTree.Element, test: Recorded) -> None:
    skipped = case.find("skipped")
    test.failed |= case.find("failure") is not None or case.find("error") is not None
    if skipped is not None:
        test.skipped = skipped.get("message", "skipped")


def read_log(log: Path) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = defaultdict(list)
    test = ""
    for line in log.read_text(errors="replace").splitlines() if log.exists() else []:
        if line.startswith("=== "):
            test = line.removeprefix("=== ")
        elif plain := plain_line(line):
            lines[test].append(plain)
    return lines
