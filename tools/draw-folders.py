#!/usr/bin/python3
"""Draws which folder of src/ includes which. The drawing is in docs/design.md, between two markers.

    tools/draw-folders.py            writes the drawing
    tools/draw-folders.py --check    fails if the drawing is not up to date

Each folder is above all folders that it includes. An arrow is left out if other arrows form a path
to the same folder. The program fails if the includes form a cycle, or if tools/includes.py does not
allow one of them.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from includes import LAYERS, REPOSITORY, folder_of, sources  # noqa: E402

PAGE = REPOSITORY / "docs" / "design.md"
BEGIN = "<!-- folders: written by tools/draw-folders.py -->"
END = "<!-- end of folders -->"
Graph = dict[str, set[str]]


def shown(folder: str) -> str:
    """The name of a folder in the drawing. `folder` is empty for include/, because its headers are
    included without a folder."""
    return f"src/{folder}" if folder else "include"


def read_graph() -> Graph:
    graph: Graph = {}
    for source in sources():
        folder = folder_of(source.name)
        uses = graph.setdefault(folder, set())
        for name in source.includes:
            if name.startswith('"'):
                uses.add(folder_of(name[1:]))
        uses.discard(folder)
    return graph


def find_cycle(graph: Graph) -> list[str]:
    """The folders of cycles and all folders that lead to them; empty if there is no cycle. Removes
    folders that include no other remaining folder until there are none. The rest is the result."""
    rest = {folder: set(uses) for folder, uses in graph.items()}
    while leaves := {folder for folder, uses in rest.items() if not uses & set(rest)}:
        rest = {folder: uses for folder, uses in rest.items() if folder not in leaves}
    return sorted(rest)


def problems(graph: Graph) -> list[str]:
    found = [
        f"{shown(folder)} must not include {shown(used)}"
        for folder, uses in graph.items()
        for used in sorted(uses - LAYERS[folder])
    ]
    cycle = find_cycle(graph)
    return found + ([f"cycle among {', '.join(map(shown, cycle))}"] if cycle else [])


def without_what_follows(graph: Graph) -> Graph:
    @functools.cache
    def reached(folder: str) -> frozenset[str]:
        uses = graph.get(folder, set())
        return frozenset(uses).union(*(reached(used) for used in uses))

    return {
        folder: {used for used in uses if not any(used in reached(other) for other in uses)}
        for folder, uses in graph.items()
    }


def heights(graph: Graph) -> dict[str, int]:
    @functools.cache
    def height(folder: str) -> int:
        return max((height(used) + 1 for used in graph.get(folder, ())), default=0)

    return {folder: height(folder) for folder in graph}


def draw(graph: Graph) -> str:
    """A line for each folder, the highest first: its name, and the folders to which it has an
    arrow."""
    height, direct = heights(graph), without_what_follows(graph)
    order = sorted(graph, key=lambda folder: (-height[folder], folder))
    width = max(len(shown(folder)) for folder in graph)
    lines = []
    for folder in order:
        uses = sorted(direct[folder], key=order.index)
        arrow = f" --> {', '.join(map(shown, uses))}" if uses else ""
        lines.append(f"{shown(folder):{width}}{arrow}".rstrip())
    return "\n".join(lines)


def rewritten(page: str, drawing: str) -> str:
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n\n```\n{drawing}\n```\n\n{END}{after}"


def main() -> int:
    graph = read_graph()
    if found := problems(graph):
        print("\n".join(found))
        return 1
    page = PAGE.read_text(encoding="utf-8")
    wanted = rewritten(page, draw(graph))
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(wanted, encoding="utf-8")
    elif page != wanted:
        print("docs/design.md: run tools/draw-folders.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
