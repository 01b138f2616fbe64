#!/usr/bin/python3
"""Packs the Python package warpld as a wheel, for `make wheel`.

    tools/make-wheel.py [--strip=PROGRAM] PROGRAMS_FOLDER OUTPUT_FOLDER

PROGRAMS_FOLDER has programs and libraries that need no library but the C library. The wheel's
platform tag names the oldest release of the GNU C Library that has all symbols which these files
use. The same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PROGRAMS = ("warpld", "cubintool", "warpld-ptx-helper")
LIBRARIES = {
    "libwarpld.so": "libwarpld.so.0",
    "libnvJitLink.so.12": "libnvJitLink.so.12",
    "libnvJitLink.so.13": "libnvJitLink.so.13",
}
# The shared libraries of the GNU C Library, which every system has; see PEP 600.
SYSTEM_LIBRARIES = {"libc.so.6", "libdl.so.2", "libpthread.so.0", "libm.so.6"}
# The file name of the software bill of materials. Its folder is the one that PEP 770 reserves.
BILL = "warpld.cdx.json"
TIME = (1980, 1, 1, 0, 0, 0)
OLDEST_PYTHON = "3.9"
# Maps the names of machines that readelf prints to those in Python's platform tags.
MACHINES = {"Advanced Micro Devices X86-64": "x86_64", "AArch64": "aarch64"}

METADATA = f"""\
Metadata-Version: 2.4
Name: warpld
Version: {{version}}
Summary: The open CUDA device linker: commands, libraries and a module
License-Expression: Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND MIT AND LGPL-2.1-or-later \
AND GPL-3.0-or-later WITH GCC-exception-3.1
License-File: LICENSE
{{licence_files}}
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >={OLDEST_PYTHON}
Description-Content-Type: text/markdown

"""
WHEEL = """\
Wheel-Version: 1.0
Generator: warpld
Root-Is-Purelib: false
Tag: {tag}
"""


def project_version() -> str:
    header = (REPOSITORY / "include" / "warpld.h").read_text()
    match = re.search(r'WARPLD_VERSION\s+"([\d.]+)"', header)
    assert match
    return match[1]


def readelf(option: str, file: Path) -> str:
    command = ["readelf", "-W", option, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def oldest_c_library(files: list[Path]) -> tuple[int, int]:
    """The oldest release of the GNU C Library that has all versioned symbols which the files use.
    Exits if a file needs another library."""
    newest = (2, 5)
    for file in files:
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", file)))
        others = {name for name in needed - SYSTEM_LIBRARIES if not name.startswith("ld-linux")}
        if others:
            sys.exit(f"make-wheel: {file} needs {', '.join(sorted(others))}")
        for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", readelf("-V", file)):
            newest = max(newest, (int(major), int(minor)))
    return newest


def machine_of(file: Path) -> str:
    """The machine for which a program is built. This script may run on a different machine."""
    match = re.search(r"Machine: +(.*)", readelf("-h", file))
    assert match
    return MACHINES[match[1]]


def package_files() -> dict[str, bytes]:
    """The files of the Python package, among them the binding that is made from warpld.h."""
    return {
        f"warpld/{path.name}": path.read_bytes()
        for path in sorted((REPOSITORY / "python" / "warpld").iterdir())
        if path.is_file()
    }


def stripped(files: list[Path], strip: str) -> dict[str, bytes]:
    """The contents of each file without the parts that only debuggers need."""
    contents = {}
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            copy = Path(folder) / file.name
            subprocess.run([strip, "--strip-unneeded", "-o", copy, file], check=True)
            contents[file.name] = copy.read_bytes()
    return contents


def licence_files() -> dict[str, bytes]:
    files = {"LICENSE": (REPOSITORY / "LICENSE").read_bytes()}
    for path in sorted((REPOSITORY / "packaging" / "third-party").glob("*.txt")):
        files[f"third-party/{path.name}"] = path.read_bytes()
    return files


def record_line(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def metadata(version: str, tag: str) -> dict[str, bytes]:
    """The files of the folder .dist-info except RECORD."""
    names = [f"License-File: {name}" for name in licence_files() if name != "LICENSE"]
    head = METADATA.format(version=version, licence_files="\n".join(names))
    about = (REPOSITORY / "docs" / "python.md").read_text()
    files = {"METADATA": (head + about).encode(), "WHEEL": WHEEL.format(tag=tag).encode()}
    return files | {f"licenses/{name}": data for name, data in licence_files().items()}


def write_archive(path: Path, files: dict[str, bytes], record: str) -> None:
    """Writes the wheel. Programs and libraries are executable. The record comes last, as installers
    expect."""
    lines = "".join(record_line(name, data) for name, data in files.items())
    files = {**files, record: f"{lines}{record},,\n".encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if data.startswith(b"\x7fELF") else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3
            archive.writestr(entry, data)


def make_wheel(programs: Path, output: Path, strip: str) -> Path:
    built = [programs / name for name in (*PROGRAMS, *LIBRARIES)]
    major, minor = oldest_c_library(built)
    tag = f"py3-none-manylinux_{major}_{minor}_{machine_of(built[0])}"
    version = project_version()
    contents = stripped(built, strip)
    files = package_files()
    for name, installed in LIBRARIES.items():
        files[f"warpld/libraries/{installed}"] = contents[name]
    for name in PROGRAMS:
        files[f"warpld-{version}.data/scripts/{name}"] = contents[name]
    folder = f"warpld-{version}.dist-info"
    files |= {f"{folder}/{name}": data for name, data in metadata(version, tag).items()}
    files[f"{folder}/sboms/{BILL}"] = (programs / BILL).read_bytes()
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("warpld-*.whl"):
        old.unlink()
    path = output / f"warpld-{version}-{tag}.whl"
    write_archive(path, files, f"{folder}/RECORD")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strip", default="strip")
    parser.add_argument("programs", type=Path)
    parser.add_argument("output", type=Path)
    given = parser.parse_args()
    print(make_wheel(given.programs, given.output, given.strip))
    return 0


if __name__ == "__main__":
    sys.exit(main())
