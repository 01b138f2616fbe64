"""Lists the files of the repository, and extracts the prose of its pages."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
# Folders that are not part of the repository. tests/build is part of it, and does not match
# build/*.
LEFT_OUT = (".git", ".git/*", "build/*", "*__pycache__/*", "*.pytest_cache/*")
CODE_BLOCK = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)


def names_from_git(*patterns: str) -> list[str] | None:
    """The files that git lists and does not ignore; None without git, as in an unpacked release."""
    command = ["git", "-C", str(REPOSITORY), "ls-files", "-z", "-co", "--exclude-standard"]
    try:
        listing = subprocess.run([*command, *patterns], capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return listing.stdout.split("\0")[:-1]


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether git would list the name for one of the patterns. A * matches slashes, too."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def names_from_folders(*patterns: str) -> list[str]:
    names = [path.relative_to(REPOSITORY).as_posix() for path in REPOSITORY.rglob("*")]
    wanted = patterns or ("*",)
    return [name for name in names if matches(name, wanted) and not matches(name, LEFT_OUT)]


def listed_files(*patterns: str) -> list[Path]:
    """The files that git tracks, and the new ones that it does not ignore."""
    listed = names_from_git(*patterns)
    names = names_from_folders(*patterns) if listed is None else listed
    return sorted(path for path in {REPOSITORY / name for name in names} if path.is_file())


def blanked(match: re.Match[str]) -> str:
    """Replaces lines by empty lines, so that the lines after them keep their numbers."""
    return re.sub(r"[^\n]", "", match.group(0))


def without_code_blocks(page: str) -> str:
    """A Markdown page with empty lines in place of its code blocks."""
    return CODE_BLOCK.sub(blanked, page)
