#!/usr/bin/python3
"""Builds the command and the tool for other hosts, and runs tests with them under qemu.

    tools/check-hosts.py [--build FOLDER] [HOST...]

The outputs must have the same bytes on 32-bit hosts and on big-endian hosts. The cross compilers,
qemu and the libraries of the hosts are Debian's. `install-packages.sh hosts` installs the compilers
and qemu. A host whose compiler is missing is an error.

The libraries are only unpacked. Debian can install a library for two architectures only if both
have the same version, and security updates of older releases lack some architectures.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PROGRAMS = ("warpld", "cubintool")
LIBRARIES = ("xxhash", "lz4", "zstd", "jansson")
TESTS = ("golden", "containers", "relocatable")
# These tests make the command handle SIGBUS. They cannot pass, because this signal ends qemu.
LEFT_OUT = "cut_input"


@dataclass(frozen=True)
class Host:
    triplet: str
    debian: str  # the name of the architecture in Debian
    emulator: str
    why: str


HOSTS = (
    Host("aarch64-linux-gnu", "arm64", "qemu-aarch64", "64 bits, little-endian"),
    Host("i686-linux-gnu", "i386", "qemu-i386", "32 bits"),
    Host("s390x-linux-gnu", "s390x", "qemu-s390x", "big-endian"),
)


def unpack_libraries(host: Host, folder: Path) -> None:
    """Downloads the packages of the libraries, and unpacks them below `folder`, unless an earlier
    run has done so."""
    if {path.stem for path in folder.rglob("*.a")} >= {f"lib{name}" for name in LIBRARIES}:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = [f"lib{library}-dev:{host.debian}" for library in LIBRARIES]
    # Otherwise apt warns root that its user for downloads cannot write to the folder.
    download = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download"]
    subprocess.run([*download, *names], cwd=folder, check=True)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)


def build(host: Host, folder: Path) -> None:
    """Builds statically, so that the emulator needs no libraries of the host."""
    unpacked = folder / "libraries"
    unpack_libraries(host, unpacked)
    (archives,) = {path.parent for path in unpacked.rglob("*.a")}
    tools = {"CC": "gcc", "AR": "ar", "OBJCOPY": "objcopy"}
    variables = [f"{name}={host.triplet}-{tool}" for name, tool in tools.items()]
    variables += [f"CPPFLAGS=-isystem {unpacked / 'usr' / 'include'}", "STATIC=0"]
    targets = [f"{folder}/{program}" for program in PROGRAMS]
    command = ["make", f"-j{os.cpu_count()}", *variables, f"LDFLAGS=-static -L{archives}"]
    subprocess.run([*command, f"BUILD={folder}", *targets], cwd=REPOSITORY, check=True)


def wrap(host: Host, built: Path, folder: Path) -> None:
    """Writes scripts that run the programs in the emulator, under the programs' names."""
    folder.mkdir(exist_ok=True)
    emulator = shutil.which(host.emulator)
    for program in PROGRAMS:
        script = folder / program
        script.write_text(f'#!/bin/sh\nexec {emulator} -0 "$0" {built / program} "$@"\n')
        script.chmod(0o755)


def test(folder: Path) -> bool:
    """Runs the tests of each folder separately: modules of different folders may have the same
    name."""
    good = True
    for name in TESTS:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-k", f"not ({LEFT_OUT})", str(REPOSITORY / "tests" / name)]
        done = subprocess.run(command, env=os.environ | {"WARPLD_BUILD": str(folder)}, check=False)
        good &= done.returncode == 0
    return good


def check(host: Host, folder: Path) -> bool:
    for program in (f"{host.triplet}-gcc", host.emulator):
        if not shutil.which(program):
            print(f"{program} is not installed")
            return False
    print(f"{host.triplet}: {host.why}", flush=True)
    build(host, folder)
    wrap(host, folder, folder / "emulated")
    return test(folder / "emulated")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    parser.add_argument("hosts", nargs="*", metavar="HOST", help="such as s390x-linux-gnu")
    arguments = parser.parse_args()
    chosen = [host for host in HOSTS if not arguments.hosts or host.triplet in arguments.hosts]
    results = [check(h, arguments.build.absolute() / "hosts" / h.triplet) for h in chosen]
    return 0 if chosen and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
