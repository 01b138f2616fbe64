"""Makes the pages of the library's interface from include/warpld.h, one for each section: what the
comments say, with a link at each name, and the declarations as they are."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
HEADER = REPOSITORY / "include" / "warpld.h"
FOLDER = "api"
LONGEST_DECLARATION = 72
# The text of a comment without the stars that begin its lines.
lines_of = runpy.run_path(str(REPOSITORY / "tools" / "make-comment-manuals.py"))["lines_of"]
# A comment, the title of a section, or a declaration that begins a line.
PIECE = re.compile(
    r"^/\* -{20,} \*/\n/\* (?P<section>.*?) +\*/"
    r"|^/\*(?P<comment>(?:(?!\*/).)*)\*/(?P<gap>\n\n)?"
    r"|^(?P<macros>(?:#define WARPLD_(?!API|H\b)(?:[^\n]|(?<=\\)\n)*\n)+)"
    r"|^(?P<declaration>(?:WARPLD_API|typedef|struct|enum) [^{};]*(?:\{.*?^\})?[^{};]*;)",
    re.MULTILINE | re.DOTALL,
)
# Parts of prose that need marks of Markdown: code, names with an underline or an arrow, and
# characters that Markdown would otherwise read as marks.
NAME = re.compile(
    r"`[^`]*`|\b(?:struct |enum )?[A-Za-z]\w*(?:_\w*|->\w+)(?:->\w+|\.\w+|\[\w+\])*\*?|[*_\[\]<>]"
)


@dataclass
class Item:
    """A comment, and the declaration that it documents. Without a declaration, the comment is about
    the whole section."""

    text: str
    declaration: str = ""

    @property
    def name(self) -> str:
        found = re.findall(r"\b(\w+)\(", self.declaration.split("{")[0])
        if self.declaration.startswith("#"):
            found = re.findall(r"#define (\w+)", self.declaration)[-1:]
        elif self.declaration.startswith(("struct", "enum")):
            found = re.findall(r"^\w+ (\w+)", self.declaration)
        return str(found[0]) if found else ""

    @property
    def defined(self) -> list[str]:
        """All names that a reader may look for here."""
        body = re.sub(r"/\*.*?\*/", "", self.declaration, flags=re.DOTALL)
        if self.declaration.startswith("enum"):
            return [self.name, *re.findall(r"\b(WARPLD_\w+)", body)]
        return re.findall(r"#define (\w+)", body) or [self.name]


@dataclass
class Section:
    title: str
    items: list[Item] = field(default_factory=list)

    @property
    def page(self) -> str:
        return re.sub(r"\W+", "-", self.title.lower()).strip("-") + ".md"


def add(part: Section, item: Item) -> None:
    """Adds an item. If it is a second definition of the last macro, for another language, it is
    shown with the first one."""
    last = part.items[-1] if part.items else None
    if last and last.declaration and last.name == item.name:
        last.declaration += f"\n\n{item.declaration}"
    else:
        part.items.append(item)


def sections(header: str) -> list[Section]:
    """The sections in the order of the header. Declarations before the header's first title are the
    section Version."""
    found = [Section("Version")]
    pending = ""
    for piece in PIECE.finditer(header[header.index('extern "C" {') :]):
        declaration = piece["macros"] or piece["declaration"]
        if declaration:
            add(found[-1], Item(pending, declaration.strip()))
            pending = ""
            continue
        if pending:
            found[-1].items.append(Item(pending))
        pending = piece["comment"] or ""
        if piece["section"]:
            found.append(Section(piece["section"]))
        elif piece["gap"]:
            found[-1].items.append(Item(pending))
            pending = ""
    return found


def targets(parts: list[Section]) -> dict[str, str]:
    """The page and the heading where each name is declared."""
    return {
        name: f"{part.page}#{item.name}"
        for part in parts
        for item in part.items
        if item.declaration
        for name in item.defined
    }


def marked(text: str, known: dict[str, str]) -> str:
    """Markdown of prose, in which each known name is code and a link to its declaration."""

    def show(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) == 1:
            return "\\" + word if word not in "<>" else {"<": "&lt;", ">": "&gt;"}[word]
        code = word if word.startswith("`") else f"`{word}`"
        target = known.get(re.sub(r"^(struct|enum) |\W.*$", "", code.strip("`")))
        return f"[{code}]({target})" if target else code

    return NAME.sub(show, text)


def kind_of(line: str, last: str) -> str:
    if line.startswith("- "):
        return "item"
    if line.startswith("    ") and last != "item":
        return "code"
    return last if last == "item" and line.startswith("  ") else "text"


def blocks(comment: str) -> Iterator[tuple[str, list[str]]]:
    """Runs of lines of one kind; each item of a list is a run."""
    kind = ""
    run: list[str] = []
    for line in lines_of(comment):
        next_kind = kind_of(line, kind) if line.strip() else ""
        if run and (next_kind != kind or line.startswith("- ")):
            yield kind, run
            run = []
        kind = next_kind
        run += [line] if kind else []
    if run:
        yield kind, run


def markdown(comment: str, known: dict[str, str]) -> str:
    output = []
    for kind, lines in blocks(comment):
        if kind == "code":
            language = "c" if lines[-1].endswith(";") else "text"
            text = "\n".join(line[4:] for line in lines)
            output.append(f"```{language}\n{text}\n```")
        else:
            output.append(marked(" ".join(line.strip() for line in lines), known))
    return "\n\n".join(output)


def code(declaration: str) -> str:
    """A declaration as Markdown. Functions have no WARPLD_API, and long ones have a line for each
    parameter. Macros have one blank before each backslash that continues a line."""
    text = re.sub(r" +\\\n", r" \\\n", declaration)
    if text.startswith(("WARPLD_API", "typedef")) and "{" not in text:
        text = re.sub(r"\s+", " ", text.removeprefix("WARPLD_API "))
        head, _, parameters = text.partition("(")
        if len(text) > LONGEST_DECLARATION:
            text = f"{head}(\n    " + parameters.replace(", ", ",\n    ")
    return f"```c\n{text}\n```"


def page_of(part: Section, known: dict[str, str]) -> str:
    output = [f"# {part.title}"]
    for item in part.items:
        output += [f"## {item.name} {{#{item.name}}}"] if item.declaration else []
        output += [markdown(item.text, known)] if item.text else []
        output += [code(item.declaration)] if item.declaration else []
    return "\n\n".join(output) + "\n"


def index_of(header: str, parts: list[Section], known: dict[str, str]) -> str:
    """The page with the header's first comment, and all names by section."""
    match = re.match(r"/\*((?:(?!\*/).)*)\*/", header, re.DOTALL)
    assert match
    about = match[1].split("\n", 2)[2]
    output = ["# The library's interface", markdown(about, known), "## All names"]
    for part in parts:
        names = [item.name for item in part.items if item.declaration]
        links = ", ".join(f"[`{name}`]({known[name]})" for name in names)
        output.append(f"**[{part.title}]({part.page})**: {links}")
    return "\n\n".join(output) + "\n"


def pages() -> dict[str, str]:
    """The text of each page by its name."""
    header = HEADER.read_text(encoding="utf-8")
    parts = sections(header)
    known = targets(parts)
    return {"README.md": index_of(header, parts, known)} | {
        part.page: page_of(part, known) for part in parts
    }


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, f"{FOLDER}/{name}", content=text))
    return files
