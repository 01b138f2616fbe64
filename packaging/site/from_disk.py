"""Replaces a script that the theme would load from the network, so that the search of the site
works if the site is read from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

SCRIPT = Path(__file__).resolve().parent / "worker.js"
COPY = f"assets/{SCRIPT.name}"
THEIRS = "https://unpkg.com/iframe-worker/shim"


def on_files(files: Any, config: Any) -> Any:
    files.append(File.generated(config, COPY, abs_src_path=str(SCRIPT)))
    return files


def on_post_page(output: str, page: Any, **_: Any) -> str:
    if THEIRS not in output:
        raise ValueError(f"{page.file.src_path}: the theme does not name {THEIRS}")
    return output.replace(THEIRS, get_relative_url(COPY, page.url))


def on_post_template(output: str, **_: Any) -> str:
    """Removes the script from templates such as 404.html. Only a server shows these pages, so their
    search need not work from disk."""
    return output.replace(f'<script src="{THEIRS}"></script>', "")
