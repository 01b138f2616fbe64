"""Adds copies of the files outside docs/ that pages link to, and makes links lead to the copies. If
the text of a link is the file name of a page or the name of its folder, the site shows the title of
that page instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)#]*)(#[^)]*)?\)")
# A link whose text is the name of the file or folder. Readers of the sources see this name; the
# site shows the title of the page instead.
NAMED = re.compile(
    r"\[(?:[\w/-]*/)?(?P<name>[\w-]+(?:\.md)?)\]"
    r"\((?P<page>[^):#]*\b(?P=name)(?:/README\.md)?)(?P<heading>#[^)]*)?\)"
)
COPIES = "repository"


def inside(file: Path) -> bool:
    return file.is_relative_to(DOCS)


def outside(page: Path, link: str) -> Path | None:
    """The file that a link of a page names, or None if it is in docs/. For a folder, its README."""
    target = (page.parent / link).resolve()
    if inside(target):
        return None
    return target if target.is_file() else target / "README.md"


def copy_of(file: Path) -> str:
    """The path of the copy in the site. It ends in .txt, so that a browser shows the copy."""
    return f"{COPIES}/{file.relative_to(REPOSITORY)}.txt"


def linked_files() -> Iterator[Path]:
    found = set()
    for page in DOCS.rglob("*.md"):
        for match in LINK.finditer(page.read_text(encoding="utf-8")):
            file = outside(page, match[2])
            if file and file.exists():
                found.add(file)
    yield from sorted(found)


def on_files(files: Any, config: Any) -> Any:
    for file in linked_files():
        files.append(File.generated(config, copy_of(file), abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Any, files: Any, **_: Any) -> str:
    source = DOCS / page.file.src_path

    def titled(match: re.Match[str]) -> str:
        target = (source.parent / match["page"]).resolve()
        file = files.get_file_from_path(str(target.relative_to(DOCS))) if inside(target) else None
        heading = match["heading"] or ""
        return f"[{file.page.title}]({match['page']}{heading})" if file else match[0]

    def link(match: re.Match[str]) -> str:
        text, file = match[1], outside(source, match[2])
        if not file:
            return match[0]
        if not file.exists():  # a folder without a page: the site has no listing of it
            return text
        depth = len(source.parent.relative_to(DOCS).parts)
        return f"[{text}](<{'../' * depth}{copy_of(file)}>)"

    return LINK.sub(link, NAMED.sub(titled, markdown))
