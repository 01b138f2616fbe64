#!/usr/bin/python3
"""Validates SARIF logs of failing and of good links with two packages that know the standard:
pydantic-sarif, whose models are made from its JSON schema and refuse unknown members, and the
reader of sarif-tools.

    check_sarif.py --build FOLDER

pip installs them into a folder of the build, so this is `make check-sarif` and no part of `make
check`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = REPOSITORY / "tests" / "golden"
PACKAGES = ("pydantic-sarif==0.1.1", "sarif-tools==3.0.5")
# Golden links, and how many results their logs have.
LINKS = {
    "undefined-reference": 2,
    "recursion-unknown-stack": 2,
    "callgraph-of-all-kinds": 0,
}
VALIDATE = """
import sys
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Log
log = Log.parse_raw(open(sys.argv[1]).read())
print(len(log.runs[0].results))
"""


def install(folder: Path) -> Path:
    """The folder of the programs of an environment with the packages."""
    programs = folder / "bin"
    if not (programs / "sarif").exists():
        venv.create(folder, with_pip=True)
        pip = [programs / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES], check=True)
    return programs


def write_log(warpld: Path, name: str, folder: Path) -> Path:
    log = folder / f"{name}.sarif"
    arguments = (GOLDEN / name / "link").read_text().split()
    options = ["--diagnostics-format=sarif", f"--diagnostics-file={log}"]
    command = [warpld, *arguments, *options, "-o", folder / "output.cubin"]
    subprocess.run(command, cwd=GOLDEN / name, timeout=60, check=False)
    return log


def count_results(programs: Path, log: Path) -> int:
    """As the models count them; they raise an error for a log that breaks the schema."""
    command = [programs / "python", "-W", "ignore", "-c", VALIDATE, log]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def count_rows(programs: Path, log: Path) -> int:
    """As the reader lists them, without the headings."""
    table = log.with_suffix(".csv")
    command = [programs / "sarif", "csv", log, "-o", table]
    subprocess.run(command, check=True, capture_output=True)
    return len(table.read_text().splitlines()) - 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    build = parser.parse_args().build.absolute()
    programs = install(build / "sarif")
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        for name, expected in LINKS.items():
            log = write_log(build / "warpld", name, Path(scratch))
            counts = count_results(programs, log), count_rows(programs, log)
            good &= counts == (expected, expected)
            print(f"{name}: {counts[0]} results, {counts[1]} rows, {expected} expected")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
