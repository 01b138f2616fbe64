"""The files of the repository, and the prose of its pages."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
CODE_BLOCK = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)


def listed_files(*patterns: str) -> list[Path]:
    """The files that belong to the repository, or may soon: those that git lists and does not
    ignore. Without git, as in an unpacked release, all files that match."""
    listing = subprocess.run(
        ["git", "-C", str(REPOSITORY), "ls-files", "-z", "-co", "--exclude-standard", *patterns],
        capture_output=True,
        text=True,
    )
    if listing.returncode == 0:
        paths = [REPOSITORY / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [path for pattern in patterns or ("*",) for path in REPOSITORY.rglob(pattern)]
    return sorted(path for path in set(paths) if path.is_file())


def blanked(match: re.Match[str]) -> str:
    """As many lines, all empty, so that line numbers remain."""
    return re.sub(r"[^\n]", "", match.group(0))


def without_code_blocks(page: str) -> str:
    """A Markdown page with empty lines in place of its code blocks."""
    return CODE_BLOCK.sub(blanked, page)
