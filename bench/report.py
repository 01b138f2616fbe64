"""Writes measurements in the form of docs/performance.md."""

from __future__ import annotations

from dataclasses import dataclass

from objects import ARCHITECTURE

HEAD = """# Performance

`make bench` writes this page. It generates the objects, links them with both linkers in turn and
compares the outputs with `cubintool diff`.

![Time over the number of objects](performance-time.svg)

![Peak memory over the number of objects](performance-memory.svg)

- All links are for {architecture}. Values are medians of {runs} runs, which follow one run that is
  not counted, so that files are cached.
- A ratio above 1 means that warpld needs less than nvlink.
- The exponent says how warpld's time grows with the bytes read and written, from the row above to
  this one: 1 is linear.

warpld {warpld}, nvlink {nvlink}; {about}.

| link | MiB in and out | wall s: warpld | nvlink | ratio | CPU s: warpld | nvlink | ratio \
| peak MiB: warpld | nvlink | ratio | exponent | outputs |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
"""

TAIL = """
An empty C program takes {empty:.4f} s on this machine.

{sections}

`bench/objects.py` and `bench/shapes.py` generate the inputs. To measure another kind of link, add a
row to `SHAPES`.
"""


SECTION_END = "<!-- end -->"
MEMORY_HEAD = """
## In one process

Times are medians of {runs} runs, those of PTX of {ptx_runs}. In each run the two ways that a row
compares take turns. A ratio above 1 means that the work in the first column needs less time. In the
row of two small cubins, the first four links of each turn are not timed, because the other library
has filled the processor's caches in the turn before. The row of nvPTXCompiler needs its plug-in
(`make ptx-plugin`).

| work | time | compared with | time | ratio |
|---|---:|---|---:|---:|
"""
CACHE_HEAD = """
## Many programs and one archive

A build of {programs} programs. Each links its own host object with one archive; the host object
launches ten of the archive's kernels, a different set in each program. With
`--ignore-host-info` a program keeps all kernels. The archive has
{members:,} compressed host objects of nvcc ({megabytes:.1f} MB). The cache folder is empty before
the first program. A time is the sum over all programs, in seconds; each is the median of {runs}
builds.

| programs | CPU: with `--cache-dir` | without | ratio | wall: with | without | ratio | folder MB |
|---|---:|---:|---:|---:|---:|---:|---:|
"""
PAGE_HEAD = """
## The page of a report

`--report FILE.html` of a link of {objects:,} objects with {functions:,} functions, in headless
Chromium {browser}. The page has {megabytes:.1f} MB, {ratio:.3f} times the JSON. Wall time ends with
the frame that shows the effect of the action; for opening the page, with its load event. CPU time
is that of the page's thread. If a run repeats an action, the longest time of that run counts. Each
value is the least of {runs} runs.

| action | CPU ms | wall ms |
|---|---:|---:|
"""


@dataclass
class Run:
    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: int  # KiB


@dataclass
class Row:
    about: str
    bytes: int  # read and written
    ours: Run
    theirs: Run | None
    same: str
    exponent: float | None = None


def table_row(row: Row) -> str:
    ours, theirs = row.ours, row.theirs
    cells = [row.about, f"{row.bytes / 2**20:.1f}"]
    for unit, digits, bold in (("wall", 4, "**"), ("cpu", 4, ""), ("peak", 1, "")):
        scale = 1024 if unit == "peak" else 1
        mine = getattr(ours, unit) / scale
        cells.append(f"{mine:.{digits}f}")
        if theirs:
            other = getattr(theirs, unit) / scale
            cells += [f"{other:.{digits}f}", f"{bold}{other / max(mine, 1e-6):.1f}{bold}"]
        else:
            cells += ["", ""]
    cells += [f"{row.exponent:.2f}" if row.exponent is not None else "", row.same]
    return f"| {' | '.join(cells)} |"


@dataclass
class MemoryRow:
    about: str
    unit: str
    ours: float
    other: str  # what it is compared with
    theirs: float


def shown(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def memory_row(row: MemoryRow) -> str:
    ours, theirs = (f"{shown(time)} {row.unit}" for time in (row.ours, row.theirs))
    return f"| {row.about} | {ours} | {row.other} | {theirs} | {shown(row.theirs / row.ours)} |"


def memory_section(rows: list[MemoryRow], runs: int, ptx_runs: int) -> str:
    head = MEMORY_HEAD.format(runs=runs, ptx_runs=ptx_runs)
    return head + "\n".join(memory_row(row) for row in rows)


def section_begin(name: str) -> str:
    return f"<!-- make bench SHAPES={name} writes this -->"


def framed(name: str, section: str) -> str:
    """The section between the comments that mark it in the page."""
    return "\n".join([section_begin(name), section.strip(), SECTION_END])


def section_of(page: str, name: str) -> str:
    """The section of the page with that name; empty if the page does not have it."""
    return page.partition(section_begin(name))[2].partition(SECTION_END)[0].strip()


def with_section(page: str, name: str, section: str) -> str:
    """The page with one of its sections replaced."""
    before, rest = page.split(section_begin(name))
    return before + framed(name, section) + rest.split(SECTION_END, 1)[1]


def document(
    rows: list[Row],
    sections: dict[str, str],
    empty: Run | None,
    versions: dict[str, str],
    about: str,
    runs: int,
) -> str:
    head = HEAD.format(runs=runs, architecture=ARCHITECTURE, about=about, **versions)
    texts = "\n\n".join(framed(name, section) for name, section in sections.items())
    tail = TAIL.format(empty=empty.wall if empty else 0, sections=texts)
    return head + "\n".join(table_row(row) for row in rows) + "\n" + tail
