"""tools/make-release.py refuses a tree that is not ready for a release, and makes the same files
whatever folder the tree is in. `make release` itself takes minutes and needs the network, so it
does not run here."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
IDENTITY = ["-c", "user.name=N", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]
HEADER = """#define WARPLD_VERSION "1.2.3"
#define WARPLD_VERSION_MAJOR 1
#define WARPLD_VERSION_MINOR 2
#define WARPLD_VERSION_PATCH 3
"""


@pytest.fixture
def script() -> ModuleType:
    path = REPOSITORY / "tools" / "make-release.py"
    spec = importlib.util.spec_from_file_location("make_release", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_release"] = module  # dataclasses look up their module here
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def repository(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new repository with one commit. The script uses it instead of warpld's own repository."""
    folder = tmp_path / "repository"
    (folder / "include").mkdir(parents=True)
    (folder / "include" / "warpld.h").write_text(HEADER)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    monkeypatch.setattr(script, "REPOSITORY", folder)
    monkeypatch.setattr(script.git, "__defaults__", None)
    monkeypatch.setattr(script.git, "__kwdefaults__", {"folder": folder})
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *IDENTITY, "-C", str(folder), *words], check=True)


def test_the_notes_are_the_newest_section(script: ModuleType) -> None:
    changelog = "# Changelog\n\n## 1.2.3 (2026-11-27)\n\n- new\n\n## 1.2.2 (2026-01-01)\n\n- old\n"
    assert script.release_notes(changelog, "1.2.3", True) == "# warpld 1.2.3\n\n- new\n"


@pytest.mark.parametrize(
    ("title", "body", "message"),
    [
        ("1.2.3 (unreleased)", "- new", "gives 1.2.3 no date"),
        ("1.2.2 (2026-11-27)", "- new", "begins with '1.2.2 (2026-11-27)', and the version is"),
        ("1.2.3", "- new", "begins with '1.2.3', and"),
        ("1.2.3 (2026-11-27)", "", "says nothing of 1.2.3"),
    ],
)
def test_an_unfinished_changelog_is_refused(
    script: ModuleType, title: str, body: str, message: str
) -> None:
    with pytest.raises(SystemExit, match=message.replace("(", r"\(").replace(")", r"\)")):
        script.release_notes(f"# Changelog\n\n## {title}\n\n{body}\n", "1.2.3", True)


def test_a_rehearsal_needs_no_date(script: ModuleType) -> None:
    changelog = "# Changelog\n\n## 1.2.3 (unreleased)\n\n- new\n"
    assert script.release_notes(changelog, "1.2.3", False).endswith("- new\n")


def test_the_parts_of_the_version_agree(script: ModuleType, repository: Path) -> None:
    assert script.version_of(repository) == "1.2.3"
    (repository / "include" / "warpld.h").write_text(HEADER.replace("PATCH 3", "PATCH 4"))
    with pytest.raises(SystemExit, match="its parts differ"):
        script.version_of(repository)


def test_changes_and_foreign_tags_are_refused(script: ModuleType, repository: Path) -> None:
    script.check_repository("1.2.3")
    git(repository, "tag", "v1.2.3")
    script.check_repository("1.2.3")
    (repository / "new").touch()
    with pytest.raises(SystemExit, match="not committed:\n.. new"):
        script.check_repository("1.2.3")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "second")
    with pytest.raises(SystemExit, match="v1.2.3 is the tag of"):
        script.check_repository("1.2.3")


def release(script: ModuleType, source: Path, output: Path) -> object:
    output.mkdir()
    return script.Release(source, output, "1.2.3", 1_700_000_000)


def test_archives_are_the_same_in_each_folder(script: ModuleType, repository: Path) -> None:
    """The folder of the sources does not change the archives. sha256sum can read the file of
    checksums."""
    other = repository.parent / "other"
    git(repository, "clone", "-q", str(repository), str(other))
    outputs = [repository.parent / name for name in ("a", "b")]
    for source, output in zip((repository, other), outputs, strict=True):
        made = release(script, source, output)
        script.add_source_archive(made)
        script.add_sums(made)
    assert [path.read_bytes() for path in sorted(outputs[0].iterdir())] == [
        path.read_bytes() for path in sorted(outputs[1].iterdir())
    ]
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=outputs[0], check=True)
    with tarfile.open(outputs[0] / "warpld-1.2.3.tar.gz") as archive:
        assert "warpld-1.2.3/include/warpld.h" in archive.getnames()
