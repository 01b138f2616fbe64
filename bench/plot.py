#!/usr/bin/python3
"""Draws the measurements of docs/performance.md over the number of objects, as SVG.

    bench/plot.py [OUTPUT_FOLDER]

`make bench` calls this program after it has written the page. Both axes are logarithmic: a straight
line means a power of the number of objects, and parallel lines differ by a factor. The colours
follow the reader's preference for light or dark. The picture has its own background, so that it
fits any page.
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs"
NONE = "–"  # in a cell without a value, as bench/report.py writes it
ROW = re.compile(r"\| ([\d,]+) objects of 15 KB \|")
WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 88, 94, 64, 56

STYLE = """
  svg { color-scheme: light dark; }
  .paper { fill: #ffffff; }
  text { font: 14px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 16px; font-weight: 600; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .line { fill: none; stroke-width: 2.5; }
  .warpld { stroke: #00796b; fill: #00796b; }
  .nvlink { stroke: #b35900; fill: #b35900; }
  .line.warpld, .line.nvlink { fill: none; }
  text.warpld, text.nvlink { stroke: none; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; }
    text { fill: #e6edf3; }
    .grid { stroke: #30363d; }
    .warpld { stroke: #4db6ac; fill: #4db6ac; }
    .nvlink { stroke: #ffa657; fill: #ffa657; }
    .line.warpld, .line.nvlink { fill: none; }
  }
"""


@dataclass(frozen=True)
class Plot:
    """One picture. `ours` and `theirs` are the columns of the page that it shows. `units` are the
    units of the labels, the largest first, each with its size in the unit of the page."""

    file: str
    title: str
    ours: int
    theirs: int
    units: tuple[tuple[str, float], ...]

    def label(self, value: float) -> str:
        """The value in the largest unit that does not exceed it."""
        name, size = next((u for u in self.units if value >= u[1] * 0.999), self.units[-1])
        return f"{value / size:,.0f} {name}"


PLOTS = (
    Plot("performance-time.svg", "Time of a link", 2, 3, (("s", 1.0), ("ms", 1e-3))),
    Plot("performance-memory.svg", "Peak memory of a link", 8, 9, (("GiB", 1024.0), ("MiB", 1.0))),
)


@dataclass(frozen=True)
class Axis:
    """Maps a range of values to a range of pixels, logarithmically."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.start + part * (self.end - self.start), 1)

    def decades(self) -> list[float]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.log10(self.high) + 1e-9
        return [10.0**power for power in range(first, math.floor(last) + 1)]


Points = list[tuple[float, float]]


def read_points(page: str, column: int) -> Points:
    """For each row of the page that has a value in the column, the number of objects and that
    value."""
    points = []
    for line in page.splitlines():
        match = ROW.match(line)
        cell = line.split("|")[column + 1].strip() if match else ""
        if match and cell != NONE:
            points.append((float(match[1].replace(",", "")), float(cell)))
    return points


def axes_of(points: Points) -> tuple[Axis, Axis]:
    """The horizontal and the vertical axis for all points. The vertical one has whole decades."""
    counts, values = [x for x, _ in points], [y for _, y in points]
    floor = 10.0 ** math.floor(math.log10(min(values)))
    ceiling = 10.0 ** math.ceil(math.log10(max(values)))
    across = Axis(min(counts), max(counts), LEFT, WIDTH - RIGHT)
    return across, Axis(floor, ceiling, HEIGHT - BOTTOM, TOP)


def grid(across: Axis, up: Axis, counts: list[float], plot: Plot) -> list[str]:
    """Grid lines with labels, at each measured number of objects and at each decade of the
    values."""
    output = []
    for count in counts:
        x = across.at(count)
        output.append(f'<path class="grid" d="M{x} {TOP}V{HEIGHT - BOTTOM}"/>')
        output.append(
            f'<text x="{x}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{count:,.0f}</text>'
        )
    for value in up.decades():
        y = up.at(value)
        output.append(f'<path class="grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>')
        output.append(
            f'<text x="{LEFT - 8}" y="{y + 5}" text-anchor="end">{plot.label(value)}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    label = "objects of 15 KB"
    output.append(f'<text x="{middle}" y="{HEIGHT - 12}" text-anchor="middle">{label}</text>')
    return output


def series(name: str, points: Points, across: Axis, up: Axis) -> list[str]:
    """A line with a dot at each measurement and the name at its end."""
    places = [(across.at(x), up.at(y)) for x, y in points]
    path = "L".join(f"{x} {y}" for x, y in places)
    output = [f'<path class="line {name}" d="M{path}"/>']
    output += [f'<circle class="{name}" cx="{x}" cy="{y}" r="4"/>' for x, y in places]
    x, y = places[-1]
    output.append(f'<text class="{name}" x="{x + 12}" y="{y + 5}">{name}</text>')
    return output


def comparison(ours: Points, theirs: Points) -> str:
    """A sentence about the largest link. It also helps readers who do not see the picture."""
    count, value = theirs[-1]
    ratio = value / dict(ours)[count]
    return f"With {count:,.0f} objects nvlink needs {ratio:.1f} times as much as warpld."


def draw(page: str, plot: Plot) -> str:
    ours, theirs = read_points(page, plot.ours), read_points(page, plot.theirs)
    across, up = axes_of(ours + theirs)
    about = comparison(ours, theirs)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{plot.title}: {about}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
        f'<text class="title" x="{LEFT}" y="28">{plot.title}</text>',
        f'<text x="{LEFT}" y="47">{about}</text>',
        *grid(across, up, [x for x, _ in ours], plot),
        *series("nvlink", theirs, across, up),
        *series("warpld", ours, across, up),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    page = (FOLDER / "performance.md").read_text(encoding="utf-8")
    for plot in PLOTS:
        (output / plot.file).write_text(draw(page, plot), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
