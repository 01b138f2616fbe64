"""Tests the script tools/warpld-overlay without a real toolkit: the folder that it makes, its
choice of toolkit and linker, and its messages."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from toolkit import BUILD, REPOSITORY

SCRIPT = REPOSITORY / "tools" / "warpld-overlay"
TOOLS = ("nvcc", "nvlink", "ptxas", "nvcc.profile")
# A stand-in for nvcc. Like `nvcc -dryrun`, it prints the folder of the path by which it was called,
# even if that path is a symbolic link.
NVCC = '#!/bin/sh\necho "#$ _HERE_=$(dirname "$0")" >&2\n'


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    """A folder that looks like a toolkit, with a blank in its name. Its nvcc prints the folder of
    the path by which it was called."""
    root = tmp_path / "made up"
    for name in ("bin", "include", "lib64"):
        (root / name).mkdir(parents=True)
    for name in TOOLS:
        (root / "bin" / name).write_text(NVCC if name == "nvcc" else "#!/bin/sh\n")
        (root / "bin" / name).chmod(0o755)
    return root


def run(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "WARPLD": str(BUILD / "warpld")} | variables
    command = ["sh", str(SCRIPT), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_all_but_the_linker_are_the_toolkits(made_up: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "overlay"
    done = run(folder, made_up)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in folder.iterdir()} == {"bin", "include", "lib64"}
    programs = {path.name for path in (folder / "bin").iterdir()}
    assert programs == {*TOOLS, "nvcc-of-toolkit"}
    owners = {"nvlink": BUILD / "warpld", "nvcc-of-toolkit": made_up / "bin" / "nvcc"}
    for name in programs - {"nvcc"}:
        owner = owners.get(name, made_up / "bin" / name)
        assert (folder / "bin" / name).resolve() == owner.resolve()
    version = subprocess.run([folder / "bin" / "nvlink", "--version"], capture_output=True)
    assert b"warpld" in version.stdout


@pytest.mark.parametrize("kind", ["link", "script"])
def test_toolkit_of_the_nvcc_in_path(made_up: Path, tmp_path: Path, kind: str) -> None:
    """The nvcc in PATH may be a script outside of the toolkit, as on Debian. The overlay is made of
    the toolkit whose nvcc the script runs."""
    nvcc = tmp_path / "path" / "nvcc"
    nvcc.parent.mkdir()
    if kind == "link":
        nvcc.symlink_to(made_up / "bin" / "nvcc")
    else:
        nvcc.write_text(f'#!/bin/sh\nexec "{made_up}/bin/nvcc" "$@"\n')
        nvcc.chmod(0o755)
    path = f"{nvcc.parent}:{os.environ['PATH']}"
    assert run(tmp_path / "overlay", PATH=path).returncode == 0
    assert (tmp_path / "overlay" / "bin" / "ptxas").resolve() == made_up / "bin" / "ptxas"


def test_nvcc_that_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "nvcc").symlink_to("/bin/true")
    done = run(tmp_path / "overlay", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nvcc does not say where its toolkit is; name the toolkit" in done.stderr


def test_what_is_wrong_is_said(made_up: Path, tmp_path: Path) -> None:
    for words, message in (
        ((), "usage: warpld-overlay [--as-warpld] FOLDER [TOOLKIT]"),
        ((tmp_path / "x",), "there is no nvcc in PATH; name the toolkit"),
        ((tmp_path / "x", tmp_path), "is no CUDA toolkit: it has no bin/nvcc"),
        ((tmp_path, made_up), f"'{tmp_path}' exists"),
    ):
        done = run(*words)
        assert done.returncode == 1 and message in done.stderr
    assert not (tmp_path / "x").exists()


def set_release(toolkit: Path, release: str) -> None:
    version = f"Cuda compilation tools, release {release}, V{release}.1"
    (toolkit / "bin" / "nvcc").write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}"\n')


@pytest.mark.parametrize(
    ("release", "is_newer"),
    [("13.0", False), ("12.9", False), ("13.1", True), ("13.10", True), ("14.0", True)],
)
@pytest.mark.parametrize("option", [[], ["--as-warpld"]], ids=["nvlink", "warpld"])
@pytest.mark.parametrize(
    "program", [["nvlink"], ["nvcc", "-dlink", "-cubin", "-cudadevrt=none"]], ids=" ".join
)
def test_a_newer_toolkit(
    made_up: Path,
    tmp_path: Path,
    release: str,
    is_newer: bool,
    option: list[str],
    program: list[str],
) -> None:
    """The linker and `nvcc -dlink` of an overlay accept objects of the toolkit's own compiler.
    Objects of later releases are refused: nvlink 13.0 refuses those of 13.5, and so does an overlay
    of 13.0."""
    set_release(made_up, release)
    assert run(*option, tmp_path / "overlay", made_up).returncode == 0
    golden = REPOSITORY / "tests" / "golden" / "newer-objects-135-sm90"
    words = (golden / "link").read_text().replace("--allow-newer-toolkit", "").split()
    command: list[str | Path] = [
        tmp_path / "overlay" / "bin" / program[0],
        *program[1:],
        *words,
        "-o",
        tmp_path / "out.cubin",
    ]
    environment = {"PATH": "/usr/bin:/bin"}
    linked = subprocess.run(
        command, cwd=golden, capture_output=True, text=True, check=False, env=environment
    )
    assert (linked.returncode == 0) == is_newer, linked.stderr
    assert is_newer or "newer than toolkit" in linked.stderr
    if is_newer:
        diff: list[str | Path] = [
            BUILD / "cubintool",
            "diff",
            golden / "expected.cubin",
            tmp_path / "out.cubin",
        ]
        assert subprocess.run(diff, check=False).returncode == 0


@pytest.mark.parametrize("release", ["13.0", "13.1"])
@pytest.mark.parametrize("program", ["nvlink", "nvcc"])
def test_the_environment_does_not_allow_newer_objects(
    made_up: Path, tmp_path: Path, release: str, program: str
) -> None:
    """Only the toolkit's release decides whether an overlay passes --allow-newer-toolkit to warpld.
    Variables of the environment have no effect."""
    set_release(made_up, release)
    warpld = tmp_path / "warpld"
    warpld.write_text('#!/bin/sh\necho "$*"\n')
    warpld.chmod(0o755)
    assert run(tmp_path / "overlay", made_up, WARPLD=str(warpld)).returncode == 0
    environment = {"PATH": "/usr/bin:/bin", "NEWER_OPTION": "--allow-newer-toolkit"}
    command: list[str | Path] = [tmp_path / "overlay/bin" / program, "-dlink", "-arch=sm_90", "a.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split().count("--allow-newer-toolkit") == (release == "13.1")


def test_as_warpld(made_up: Path, tmp_path: Path) -> None:
    """In an overlay made with --as-warpld, the linker behaves as warpld unless WARPLD_AS is nvlink.
    The overlay's folder can have any name."""
    folder = tmp_path / "it's an overlay"
    done = run("--as-warpld", folder, made_up)
    assert (done.returncode, done.stderr) == (0, "")
    for variable, tool in ((None, "warpld"), ("nvlink", "nvlink"), ("warpld", "warpld")):
        environment = {"PATH": "/usr/bin:/bin"} | ({"WARPLD_AS": variable} if variable else {})
        command: list[str | Path] = [folder / "bin" / "nvlink", "-arch=sm_80", "a b.o", "-o", "x"]
        linked = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
        )
        assert linked.returncode == 1
        told = f"{tool} fatal   : Could not open input file 'a b.o'"
        assert linked.stderr.startswith(told)
