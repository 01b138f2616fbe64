#!/usr/bin/python3
"""Runs real clients with NVIDIA's libnvJitLink and with warpld's, and compares what they print.

    check_clients.py --build FOLDER [--cache FOLDER] [--document FILE] [CLIENT...]

Only `make check-clients` runs the script, because it downloads packages: pip installs pinned
releases into two environments in the cache folder. warpld's library passes LTO-IR on to NVIDIA's
library in the environment of the client. The script rewrites the table between the markers of
docs/clients.md.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import venv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = Path(__file__).resolve().parent / "scripts"
DATA = REPOSITORY / "tests" / "nvjitlink" / "data"
DOCUMENT = REPOSITORY / "docs" / "clients.md"
BEGIN, END = "<!-- make check-clients writes this -->", "<!-- end -->"
CLIENT_SECONDS = 300
# NVRTC comes from CUDA 13.0, so that an installed ptxas of that release can compile NVRTC's PTX.
PACKAGES = {
    12: ("cuda-bindings==12.9.10", "nvidia-nvjitlink-cu12==12.9.86"),
    13: (
        "cuda-bindings==13.0.3",
        "cuda-core==1.2.2",
        "numba-cuda==0.30.4",
        "numba==0.68.1",
        "tinygrad==0.14.0",
        "nvidia-nvjitlink==13.5.37",
        "nvidia-cuda-nvrtc==13.0.88",
    ),
}
FOLDERS = {12: "nvidia/nvjitlink/lib", 13: "nvidia/cu13/lib"}
# Parts of lines that are replaced before the lines are compared. The first pattern matches times,
# which differ between any two runs. The second matches counts of barriers: NVIDIA's library also
# counts barriers that no kernel uses, a fault that docs/nvjitlink.md describes.
MASKS = (
    (re.compile(r"\d+\.\d{3,6}(?= ms|\b)"), "T"),
    (re.compile(r"(?<!ptxas )info    : used (\d+) registers, used \d+ barriers"), r"info : \1"),
)


@dataclass(frozen=True)
class Client:
    package: str
    major: int
    script: str
    cubins: int  # the number of links without LTO, each of which must use the expected linker

    @property
    def name(self) -> str:
        return f"{self.package}-{self.major}"

    def versions(self) -> tuple[str, str]:
        """The versions of the client and of NVIDIA's library."""
        pinned = dict(package.split("==") for package in PACKAGES[self.major])
        library = next(name for name in pinned if "nvjitlink" in name)
        return pinned[self.package], pinned[library]


CLIENTS = (
    Client("cuda-bindings", 12, "bindings_calls.py", 24),
    Client("cuda-bindings", 13, "bindings_calls.py", 24),
    Client("cuda-core", 13, "core_links.py", 18),
    Client("numba-cuda", 13, "numba_links.py", 5),
    Client("tinygrad", 13, "tinygrad_compiles.py", 1),
)


@dataclass
class Run:
    lines: list[str]
    makers: Counter[str]
    errors: str


def install(cache: Path, major: int) -> Path:
    """Installs the packages for a CUDA major version into a virtual environment, unless they are
    installed. Returns the folder of the environment."""
    folder = cache / f"cuda{major}"
    installed, wanted = folder / "installed", list(PACKAGES[major])
    if not installed.exists() or installed.read_text().split() != wanted:
        venv.create(folder, with_pip=True, clear=True)
        pip: list[str | Path] = [folder / "bin" / "python", "-m", "pip", "install", "-q"]
        subprocess.run([*pip, "--disable-pip-version-check", *wanted], check=True)
        installed.write_text("\n".join(wanted))
    return folder


def masked(line: str) -> str:
    for pattern, replacement in MASKS:
        line = pattern.sub(replacement, line)
    return line


def run(client: Client, environment: Path, library: Path, preload: bool) -> Run:
    """Runs a client with this library. NVIDIA's Python packages search their wheels for
    libnvJitLink first, so only LD_PRELOAD can make them use warpld's library. tinygrad searches the
    folders of LD_LIBRARY_PATH."""
    variables = {
        "LD_LIBRARY_PATH": str(library.parent),
        "CACHELEVEL": "0",  # makes tinygrad compile each time, instead of using its cache
        "WARPLD_PTX_COMPILER": "process",
    } | ({"LD_PRELOAD": str(library)} if preload else {})
    done = subprocess.run(
        [environment / "bin" / "python", SCRIPTS / client.script, DATA],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=CLIENT_SECONDS,
        check=False,
    )
    makers = Counter(re.findall(r"^maker (\w+)$", done.stderr, re.MULTILINE))
    failure = done.stderr if done.returncode else ""
    return Run([masked(line) for line in done.stdout.splitlines()], makers, failure)


def differences(client: Client, theirs: Run, ours: Run) -> list[str]:
    """Returns a line for each fault: an error output, a line that differs between the two runs, and
    a number of cubins that is not the expected one."""
    found = [*theirs.errors.splitlines(), *ours.errors.splitlines()]
    if len(theirs.lines) != len(ours.lines) or not theirs.lines:
        found.append(f"{len(theirs.lines)} lines, ours {len(ours.lines)}")
    for one, other in zip(theirs.lines, ours.lines, strict=False):
        if one != other:
            found += [f"- {one}", f"+ {other}"]
    for made, maker in ((theirs, "NVIDIA"), (ours, "warpld")):
        if made.makers != {maker: client.cubins}:
            found.append(f"cubins of {dict(made.makers)}, expected {client.cubins} of {maker}")
    return found


def failures(lines: list[str]) -> int:
    """The number of lines in which a client reports that a link failed."""
    return sum(": ERROR_" in line or "| failed: " in line for line in lines)


def check(client: Client, cache: Path, build: Path) -> str:
    """Runs a client with NVIDIA's library and with warpld's, and prints the differences. Returns
    the client's row of the table in docs/clients.md."""
    environment = install(cache, client.major)
    soname = f"libnvJitLink.so.{client.major}"
    packages = next((environment / "lib").glob("python3*/site-packages"))
    theirs = run(client, environment, packages / FOLDERS[client.major] / soname, False)
    ours = run(client, environment, build / soname, True)
    wrong = differences(client, theirs, ours)
    print("\n".join([f"{client.name}: {'differs' if wrong else 'same'}", *wrong]))
    links = [line for line in ours.lines if "|" in line]
    result = f"{len(wrong)} differences" if wrong else "same lines"
    version, library = client.versions()
    refused = failures(links)
    return (
        f"| {client.package} | {version} | {library} | {len(links) - refused} | {refused} | "
        f"{ours.makers['warpld']} | {result} |"
    )


def write_table(document: Path, rows: list[str]) -> None:
    head = [
        "| client | version | NVIDIA's library | links made | links refused | "
        "cubins by warpld | result |",
        "|---|---|---|---|---|---|---|",
    ]
    before, rest = document.read_text().split(BEGIN)
    after = rest.split(END)[1]
    table = "\n".join([BEGIN, *head, *rows, END])
    document.write_text(before + table + after)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / "build" / "clients")
    parser.add_argument("--document", type=Path, default=DOCUMENT)
    parser.add_argument("clients", nargs="*", help="their names, such as cuda-bindings-12")
    args = parser.parse_args()
    known = {client.name for client in CLIENTS}
    if not known.issuperset(args.clients):
        parser.error(f"the clients are {', '.join(sorted(known))}")
    chosen = [client for client in CLIENTS if not args.clients or client.name in args.clients]
    rows = [check(client, args.cache.absolute(), args.build.absolute()) for client in chosen]
    if not args.clients:
        write_table(args.document, rows)
    return 0 if all(row.endswith("same lines |") for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
