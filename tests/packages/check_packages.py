#!/usr/bin/python3
"""Checks the packages that `make deb` and `make wheel` have built: installs them in clean systems,
runs the checkers of their formats, and compares them with a second build.

    check_packages.py --build FOLDER [CHECK...]     checks: lintian debian static wheel portable
                                                aarch64 reuse bill reproducible

The script needs the network, and root for clean systems (mmdebstrap). Therefore `make
check-packages` runs it, and `make check` does not. Clean systems and tools are kept in
FOLDER/packages.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
RELEASES = ("bookworm", "trixie")
OLD_RELEASE = "bullseye"  # whose C library is 2.31 and whose Python is 3.9
TOOLS = ("auditwheel==6.8.2", "reuse==6.2.0", "cyclonedx-python-lib[json-validation]==11.12.0")
PACKAGES = ("warpld", "libwarpld0", "libwarpld-dev", "libnvjitlink-warpld")
# Files whose bytes must not depend on the folder, the user and the time of the build.
ARTEFACTS = ("warpld", "cubintool", "warpld-ptx-helper", "libwarpld.a", "libwarpld.so",
             "libnvJitLink.so.12", "libnvJitLink.so.13", "wheel/*.whl")  # fmt: skip
SOURCES = ("Makefile", "CHANGELOG.md", "LICENSE", "README.md", "docs", "examples", "include",
           "packaging", "python", "src", "tools")  # fmt: skip
# Files that apt and dpkg themselves leave in a clean system.
TRACES = re.compile(r"/(var/(lib/(dpkg|apt|systemd)|log|cache)|etc/ld\.so\.cache|run|tmp)\b")


class Failure(Exception):
    """A check failed. The text of the exception says why."""


def run(*command: object, folder: Path = REPOSITORY, **environment: str) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise Failure(f"{' '.join(words)}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


# --------------------------------------------------------------------------------------------------
# Debian


def check_lintian(build: Path) -> str:
    (changes,) = (build / "deb").glob("*.changes")
    remarks = run("lintian", "--allow-root", "--fail-on=error,warning", "--display-info", changes)
    lines = [line for line in remarks.splitlines() if re.match(r"[EWI]: ", line)]
    if lines:
        raise Failure("\n".join(lines))
    return "no remark"


def clean_system(build: Path, release: str, folder: Path, *more: str, machine: str = "") -> None:
    """Unpacks a minimal system of a Debian release, with the packages `more`, into the folder. The
    system is downloaded only the first time. If `machine` is another architecture, the packages are
    only unpacked, and none of their programs is run."""
    archive = build / "packages" / f"{'-'.join([release, *filter(None, [machine]), *more])}.tar"
    if not archive.exists():
        archive.parent.mkdir(parents=True, exist_ok=True)
        partial = archive.with_suffix(".partial.tar")
        include = [f"--include={','.join(more)}"] if more else []
        kind = ["--variant=extract", f"--architectures={machine}"] if machine else []
        # When a release has ended, packages disappear from the pool of its security updates. So the
        # old release is installed from its main archive only.
        mirror = [f"deb http://deb.debian.org/debian {release} main"]
        words = [*(kind or ["--variant=minbase"]), *include, release, partial]
        run("mmdebstrap", *words, *(mirror if release == OLD_RELEASE else []))
        partial.rename(archive)
    run("tar", "-C", folder, "-xf", archive)


def files_of(system: Path) -> set[str]:
    """All files of a system except those of apt and dpkg themselves."""
    listing = run("find", system, "-xdev", "-printf", "/%P\n").splitlines()
    return {name for name in listing if not TRACES.match(name)}


def install_and_remove(system: Path, packages: list[Path]) -> None:
    """Installs the packages with the commands that a user would type, links the example, and
    removes the packages."""
    inside: list[object] = ["chroot", system, "env", "DEBIAN_FRONTEND=noninteractive"]
    run(*inside, "apt-get", "-q", "update")
    before = files_of(system)
    (system / "tmp/packages").mkdir()
    for package in packages:
        shutil.copy(package, system / "tmp/packages")
    names = [f"/tmp/packages/{package.name}" for package in packages]
    run(*inside, "apt-get", "-q", "-y", "install", "--no-install-recommends", *names)
    data = "/usr/share/doc/warpld/examples/two-files/data"
    objects = [f"{data}/{name}.cubin" for name in ("kernel", "scale")]
    run(*inside, "warpld", "-arch=sm_90", "-o", "/tmp/out.cubin", *objects)
    run(*inside, "cubintool", "verify", "/tmp/out.cubin")
    run(*inside, "apt-get", "-q", "-y", "purge", *PACKAGES)
    run(*inside, "apt-get", "-q", "-y", "--purge", "autoremove")
    left = sorted(files_of(system) - before)
    if left:
        raise Failure("left after removal:\n" + "\n".join(left))


def check_debian(build: Path) -> str:
    """Installs, uses, tests and removes the packages in clean systems of each release."""
    folder = build / "deb"
    packages = [next(folder.glob(f"{name}_*.deb")) for name in PACKAGES]
    (source,) = (path for path in folder.iterdir() if path.is_dir())
    passed = 0
    for release in RELEASES:
        with tempfile.TemporaryDirectory() as name:
            system = Path(name) / release
            system.mkdir()
            clean_system(build, release, system)
            install_and_remove(system, packages)
            log = run("autopkgtest", "-B", *packages, source, "--", "chroot", system)
            passed += len(re.findall(r"^\S+ +PASS$", log.split("summary")[-1], re.MULTILINE))
    return f"{passed} tests in {', '.join(RELEASES)}"


# --------------------------------------------------------------------------------------------------
# Single files


def make_single_files(build: Path, system: Path) -> None:
    """Builds the single-file programs, which need no other file, and puts them into an empty
    folder, `system`."""
    run("make", "static-musl", f"BUILD={build}", "WERROR=1")
    for program in ("warpld", "cubintool"):
        path = build / "static-musl" / program
        headers = run("readelf", "-lW", path)
        if "DYNAMIC" in headers or "INTERP" in headers:
            raise Failure(f"{program} is linked dynamically")
        shutil.copy(path, system)


def compare_demo(build: Path, system: Path, architecture: str) -> None:
    """Fails unless the single-file warpld, run inside `system`, links the example to the same bytes
    as the warpld of the build."""
    inputs = sorted((REPOSITORY / "examples/demo/data").glob(f"*.{architecture}.cubin"))
    for path in inputs:
        shutil.copy(path, system)
    options = [f"-arch={architecture}", "-o"]
    run("chroot", system, "/warpld", *options, "/out", *(f"/{path.name}" for path in inputs))
    run("chroot", system, "/cubintool", "verify", "/out")
    run(build / "warpld", *options, system / "expected", *inputs)
    if (system / "out").read_bytes() != (system / "expected").read_bytes():
        raise Failure(f"the demo for {architecture} has other bytes")


def refuse_optimisation(system: Path) -> None:
    """The single-file warpld refuses link-time optimisation, because it cannot load NVIDIA's
    libraries."""
    shutil.copy(REPOSITORY / "tests/nvjitlink/data/defines.ltoir", system)
    words = ["/warpld", "-arch=sm_90", "-lto", "-o", "/lto.cubin", "/defines.ltoir"]
    done = subprocess.run(["chroot", system, *words], capture_output=True, text=True)
    if done.returncode != 1 or "needs the program warpld-ptx-helper" not in done.stderr:
        raise Failure(f"link-time optimisation: status {done.returncode}\n{done.stderr}")


def check_static(build: Path) -> str:
    """The single-file programs run without any other file, make the same outputs as the programs of
    the build, and report what they cannot do."""
    architectures = ("sm_80", "sm_90")
    with tempfile.TemporaryDirectory() as name:
        make_single_files(build, Path(name))
        for architecture in architectures:
            compare_demo(build, Path(name), architecture)
        refuse_optimisation(Path(name))
    return f"{len(architectures)} links in an empty system"


# --------------------------------------------------------------------------------------------------
# Python and licences


def tools(build: Path) -> Path:
    """Installs TOOLS into a Python environment, unless it has them. Returns its folder of
    programs."""
    folder = build / "packages" / "tools"
    installed = folder / "installed"
    if not installed.exists() or installed.read_text() != " ".join(TOOLS):
        venv.create(folder, with_pip=True, clear=True)
        run(folder / "bin" / "pip", "install", "-q", *TOOLS)
        installed.write_text(" ".join(TOOLS))
    return folder / "bin"


def check_tag(build: Path, wheel: Path) -> str:
    """auditwheel agrees with the platform that the name of the wheel claims."""
    shown = " ".join(run(tools(build) / "auditwheel", "show", wheel).split())
    claimed = wheel.stem.split("-")[-1]
    if f'consistent with the following platform tag: "{claimed}"' not in shown:
        raise Failure(shown)
    return claimed


def check_wheel(build: Path) -> str:
    (wheel,) = (build / "wheel").glob("*.whl")
    return check_tag(build, wheel)


def check_portable(build: Path) -> str:
    """Builds the wheel for older C libraries; installs, uses and removes it in an old system."""
    run("make", "portable-wheel", f"BUILD={build}")
    (wheel,) = (build / f"glibc-2.28-{platform.machine()}" / "wheel").glob("*.whl")
    tag = check_tag(build, wheel)
    page = (REPOSITORY / "docs" / "python.md").read_text()
    example, *_ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    with tempfile.TemporaryDirectory() as name:
        system = Path(name)
        clean_system(build, OLD_RELEASE, system, "python3-pip")
        before = {one for one in files_of(system) if "__pycache__" not in one}
        for file in (wheel, *(REPOSITORY / "examples/two-files/data").glob("*.cubin")):
            shutil.copy(file, system / "tmp")
        run("chroot", system, "pip3", "install", "--no-index", f"/tmp/{wheel.name}")
        run("chroot", system, "env", "-C", "/tmp", "python3", "-c", example)
        run("chroot", system, "warpld", "--version")
        run("chroot", system, "pip3", "uninstall", "-y", "warpld")
        left = {one for one in files_of(system) if "__pycache__" not in one} - before
    if left:
        raise Failure("left after removal:\n" + "\n".join(sorted(left)))
    return f"{tag} in {OLD_RELEASE}"


# A script for the Python that runs under qemu. It links with the wheel's module. It cannot start
# the wheel's programs, so link_emulated starts them.
LINK = """
import sys
import warpld
with open(sys.argv[1], "wb") as file:
    file.write(warpld.link(sys.argv[2:], arch="sm_90"))
"""


def link_emulated(build: Path, wheel: Path, system: Path) -> None:
    """Fails unless the module and the command for AArch64, which run under qemu, make the same
    output as the warpld of the build."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(system / "wheel")
    inputs = sorted((REPOSITORY / "examples/two-files/data").glob("*.cubin"))
    emulate = ["qemu-aarch64", "-L", system]
    python = system / "usr/bin/python3"
    (scripts,) = (system / "wheel").glob("*.data/scripts")
    for program in scripts.iterdir():
        program.chmod(0o755)
    outputs = {name: system / f"{name}.cubin" for name in ("module", "command", "expected")}
    options = ["-arch=sm_90", "-o"]
    module = ["-E", f"PYTHONPATH={system / 'wheel'}", python, "-c", LINK]
    run(*emulate, *module, outputs["module"], *inputs)
    run(*emulate, scripts / "warpld", *options, outputs["command"], *inputs)
    run(*emulate, scripts / "cubintool", "verify", outputs["command"])
    run(build / "warpld", *options, outputs["expected"], *inputs)
    for name in ("module", "command"):
        if outputs[name].read_bytes() != outputs["expected"].read_bytes():
            raise Failure(f"the {name} writes other bytes")


def check_aarch64(build: Path) -> str:
    """Builds the wheel for AArch64; imports it and runs its programs under qemu."""
    run("make", "portable-wheel", f"BUILD={build}", "MACHINE=aarch64")
    (wheel,) = (build / "glibc-2.28-aarch64" / "wheel").glob("*.whl")
    with tempfile.TemporaryDirectory() as name:
        clean_system(build, OLD_RELEASE, Path(name), "python3", machine="arm64")
        link_emulated(build, wheel, Path(name))
    return check_tag(build, wheel)


def check_reuse(build: Path) -> str:
    log = run(tools(build) / "reuse", "lint")
    counted = re.search(r"Files with license information: (\d+) / \1\b", log)
    if not counted:
        raise Failure(log)
    return f"{counted[1]} files"


# Validates a bill of materials with the schema in the library cyclonedx. Prints nothing if the bill
# is valid.
VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
print(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()) or "")
"""


def check_bill(build: Path) -> str:
    """The bills of materials are valid: those of this build and of the wheel, and one for each kind
    of build."""
    folder = build / "packages"
    bills = [build / "warpld.cdx.json", build / "portable" / "warpld.cdx.json"]
    for kinds in ("all", "all bundled glibc", "all bundled musl", "all bundled zig"):
        path = folder / f"{kinds.replace(' ', '-')}.cdx.json"
        script = REPOSITORY / "tools" / "make-sbom.sh"
        path.write_text(
            run(script, "gcc", *kinds.split(), "musl=1", "libiberty=1", SOURCE_DATE_EPOCH="0")
        )
        bills.append(path)
    for path in bills:
        problem = run(tools(build) / "python", "-c", VALIDATE, path).strip()
        if problem:
            raise Failure(f"{path}: {problem}")
    return f"{len(bills)} bills of CycloneDX 1.6"


# --------------------------------------------------------------------------------------------------
# A second build


def build_copy(folder: Path, user: str, **environment: str) -> dict[str, str]:
    """Builds a copy of the sources in `folder` with default flags. Returns the hashes of all
    artefacts."""
    folder.mkdir(parents=True)
    for name in SOURCES:
        run("cp", "-r", REPOSITORY / name, folder)
    run("chown", "-R", user, folder)
    jobs = f"-j{len(os.sched_getaffinity(0))}"
    make = ("make", jobs, "all", "wheel")
    run("runuser", "-u", user, "--", *make, folder=folder, **environment)
    found = [path for name in ARTEFACTS for path in (folder / "build").glob(name)]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def check_reproducible(build: Path) -> str:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        first = build_copy(Path(name) / "a", "root", TZ="UTC")
        other = Path(name) / "deeper" / "b"
        second = build_copy(other, "nobody", TZ="Asia/Tokyo", LC_ALL="C", HOME="/")
    different = [name for name in first if first[name] != second.get(name)]
    if different or len(first) < len(ARTEFACTS):
        raise Failure(f"different: {different}, built: {sorted(first)}")
    return f"{len(first)} files"


CHECKS: dict[str, Callable[[Path], str]] = {
    "lintian": check_lintian,
    "debian": check_debian,
    "static": check_static,
    "wheel": check_wheel,
    "portable": check_portable,
    "aarch64": check_aarch64,
    "reuse": check_reuse,
    "bill": check_bill,
    "reproducible": check_reproducible,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("checks", nargs="*", metavar="CHECK")
    given = parser.parse_args()
    failed = 0
    names = given.checks or list(CHECKS)
    for name in names:
        start = time.monotonic()
        try:
            answer = f"ok    {name:14} {CHECKS[name](given.build.absolute())}"
        except Failure as failure:
            failed += 1
            answer = f"FAIL  {name:14} {failure}"
        print(f"{answer}  ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
