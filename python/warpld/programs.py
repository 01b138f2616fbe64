"""Where the programs of this package are installed."""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import os
import site
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent


def folders() -> Iterator[Path]:
    """The folders in which installers such as pip put scripts: for this environment, for the user,
    or with --target or --prefix. The folder next to this package comes first, because the others
    may contain programs of other versions."""
    yield PACKAGE.parent / "bin"
    if len(PACKAGE.parents) > 3:
        yield PACKAGE.parents[3] / "bin"  # lib/python3.x/site-packages/warpld
    yield Path(sysconfig.get_path("scripts"))
    yield Path(site.getuserbase()) / "bin"
    yield Path(sys.executable).parent


@functools.lru_cache(maxsize=None)
def program_path(name: str = "warpld") -> str:
    """The path of a program of this package: "warpld", "cubintool" or "warpld-ptx-helper". Raises
    FileNotFoundError if it is not where installers put scripts."""
    for folder in folders():
        path = folder / name
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    raise FileNotFoundError(f"{name} is not installed beside the package {PACKAGE}")
