#!/usr/bin/python3
"""Builds all files of a release in one folder, for `make release`.

    tools/make-release.py [--rehearse] [--check] BUILD_FOLDER

Everything is built from a clone of the last commit, with the time of that commit, so the same
commit gives the same files. The folder is BUILD_FOLDER/release/warpld-VERSION. Afterwards the
commit is tagged; nothing is pushed. --rehearse accepts a version without a date and a changed work
tree (the changes are not part of the release), and makes no tag. --check runs the tests of the
clone first.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from outer_make import environment_without_outer_make

REPOSITORY = Path(__file__).resolve().parents[1]
# The files that the archive of statically linked programs contains besides the programs.
STATIC_DOCUMENTS = ("LICENSE", "README.md", "CHANGELOG.md", "docs/warpld.1", "docs/cubintool.1",
                    "packaging/third-party/*.txt")  # fmt: skip
# The targets of make that --check runs. They test with all packages, compilers and hosts that users
# may have.
TESTS = ("check", "check-packages", "check-toolchains", "check-hosts")
# The machines for which wheels are built.
WHEELS = ("x86_64", "aarch64")


@dataclass
class Release:
    """The clone that is built, the folder in which the files of the release are collected, and the
    version for their names."""

    source: Path
    output: Path
    version: str
    time: int  # of the commit, in seconds since 1970

    @property
    def name(self) -> str:
        return f"warpld-{self.version}"

    def make(self, *words: str) -> None:
        """Runs make in the clone, without the variables that an outer make passes on."""
        variables = environment_without_outer_make()
        variables.pop("BUILD", None)
        variables["SOURCE_DATE_EPOCH"] = str(self.time)
        print(f"  make {' '.join(words)}", flush=True)
        done = subprocess.run(
            ["make", f"-j{len(os.sched_getaffinity(0))}", *words],
            cwd=self.source,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{done.stdout[-4000:]}\nmake-release: make {' '.join(words)} failed")


def git(*words: str, folder: Path = REPOSITORY) -> str:
    command = ["git", "-C", str(folder), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"make-release: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()


# --------------------------------------------------------------------------------------------------
# Checks before anything is built


def version_of(source: Path) -> str:
    """The version in warpld.h. Exits if WARPLD_VERSION_MAJOR, _MINOR and _PATCH differ from it."""
    header = (source / "include" / "warpld.h").read_text()
    names = ("MAJOR", "MINOR", "PATCH")
    parts = [re.findall(rf"WARPLD_VERSION_{name} (\d+)", header) for name in names]
    (version,) = re.findall(r'WARPLD_VERSION +"([\d.]+)"', header)
    if version != ".".join(part for (part,) in parts):
        sys.exit(f"make-release: include/warpld.h: WARPLD_VERSION is {version}, its parts differ")
    return str(version)


def release_notes(changelog: str, version: str, needs_date: bool) -> str:
    """The section of CHANGELOG.md about the version. This section must be the first one and, if
    `needs_date` is true, have a date."""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    title, _, body = sections[0].partition("\n") if sections else ("", "", "")
    found = re.fullmatch(r"([\d.]+) \((unreleased|\d{4}-\d{2}-\d{2})\)", title.strip())
    if not found or found[1] != version:
        sys.exit(f"make-release: CHANGELOG.md begins with '{title}', and the version is {version}")
    if needs_date and found[2] == "unreleased":
        sys.exit(f"make-release: CHANGELOG.md gives {version} no date; --rehearse builds without")
    if not body.strip():
        sys.exit(f"make-release: CHANGELOG.md says nothing of {version}")
    return f"# warpld {version}\n\n{body.strip()}\n"


def check_repository(version: str) -> None:
    """Checks that all changes are committed, so that the clone contains them, and that the tag of
    the version does not name another commit."""
    changed = git("status", "--porcelain")
    if changed:
        sys.exit(f"make-release: not committed:\n{changed}")
    tag = f"v{version}"
    if git("tag", "--list", tag):
        tagged = git("rev-list", "-n", "1", tag)
        if tagged != git("rev-parse", "HEAD"):
            sys.exit(f"make-release: {tag} is the tag of {tagged}")


# --------------------------------------------------------------------------------------------------
# The files


def prepare(build: Path) -> Release:
    """Clones the last commit. Files that builds download are kept for later releases."""
    source = build / "release" / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.parent.mkdir(parents=True, exist_ok=True)
    git("clone", "-q", "--shared", str(REPOSITORY), str(source))
    (build / "packages").mkdir(exist_ok=True)
    (source / "build").mkdir()
    (source / "build" / "packages").symlink_to(build / "packages")
    version = version_of(source)
    output = build / "release" / f"warpld-{version}"
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir()
    time = int(git("log", "-1", "--format=%ct", folder=source))
    return Release(source, output, version, time)


def write_gzip(path: Path, data: bytes) -> None:
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(data)


def add_source_archive(release: Release) -> None:
    words = ["git", "-C", str(release.source), "archive", f"--prefix={release.name}/", "HEAD"]
    done = subprocess.run(words, capture_output=True, check=True)
    write_gzip(release.output / f"{release.name}.tar.gz", done.stdout)


def static_files(release: Release) -> list[Path]:
    folder = release.source / "build" / "static-musl"
    documents = [path for name in STATIC_DOCUMENTS for path in release.source.glob(name)]
    return [folder / "warpld", folder / "cubintool", folder / "warpld.cdx.json", *sorted(documents)]


def add_static_archive(release: Release) -> None:
    """Adds the archive of statically linked programs. Owners and times in it do not depend on who
    builds it and when."""
    release.make("static-musl")
    name = f"{release.name}-linux-{platform.machine()}-static"
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in static_files(release):
            entry = tarfile.TarInfo(f"{name}/{path.name}")
            entry.size = path.stat().st_size
            entry.mtime = release.time
            entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            with path.open("rb") as file:
                archive.addfile(entry, file)
    write_gzip(release.output / f"{name}.tar.gz", data.getvalue())
    shutil.copy(static_files(release)[2], release.output / f"{name}.cdx.json")


def add_debian_packages(release: Release) -> None:
    """Adds the Debian packages except those with debug information."""
    release.make("deb")
    for path in (release.source / "build" / "deb").glob("*.deb"):
        if "-dbgsym_" not in path.name:
            shutil.copy(path, release.output)


def add_wheel(release: Release, machine: str) -> None:
    """Adds the wheel for the machine, and its bill of materials. Older systems can use it, too."""
    release.make("portable-wheel", f"MACHINE={machine}")
    (folder,) = (release.source / "build").glob(f"glibc-*-{machine}")
    (wheel,) = (folder / "wheel").glob("*.whl")
    shutil.copy(wheel, release.output)
    bill = release.output / f"{release.name}-wheel-{machine}.cdx.json"
    shutil.copy(folder / "portable" / "warpld.cdx.json", bill)


def add_sums(release: Release) -> None:
    """Adds the checksums of all files, in the form that `sha256sum -c` reads."""
    paths = sorted(release.output.iterdir())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths]
    (release.output / "SHA256SUMS").write_text("".join(lines))


def make_tag(release: Release) -> None:
    """Makes an annotated tag of the commit. If the tag exists, it is kept: check_repository has
    made sure that it names this commit."""
    tag = f"v{release.version}"
    if not git("tag", "--list", tag):
        git("tag", "--annotate", tag, "--message", f"warpld {release.version}")
    print(f"tagged {tag}; publish with: git push origin {tag}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rehearse", action="store_true")
    parser.add_argument("--check", action="store_true", help=f"run make {' '.join(TESTS)}")
    parser.add_argument("build", type=Path)
    given = parser.parse_args()
    if not given.rehearse:
        check_repository(version_of(REPOSITORY))
    release = prepare(given.build.absolute())
    changelog = (release.source / "CHANGELOG.md").read_text()
    notes = release_notes(changelog, release.version, needs_date=not given.rehearse)
    print(f"{release.name} of {git('rev-parse', '--short', 'HEAD')}", flush=True)
    for target in TESTS if given.check else ():
        release.make(target)
    (release.output / "RELEASE-NOTES.md").write_text(notes)
    add_source_archive(release)
    add_static_archive(release)
    add_debian_packages(release)
    for machine in WHEELS:
        add_wheel(release, machine)
    add_sums(release)
    print((release.output / "SHA256SUMS").read_text(), end="")
    if not given.rehearse:
        make_tag(release)
    return 0


if __name__ == "__main__":
    sys.exit(main())
