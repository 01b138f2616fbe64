"""Writes measurements in the form of docs/performance.md."""

from __future__ import annotations

from dataclasses import dataclass

from objects import ARCHITECTURE

HEAD = """# Performance

This page compares the time and memory that warpld and nvlink need for the same links. It is for
readers who want to know how fast warpld is, and how its time grows with the size of a link.
`make bench` writes the page: it generates the objects, lets the two linkers link them in turn, and
compares their outputs with `cubintool diff`.

This plot shows the time of links of 1,000 to 30,000 objects:

![Time over the number of objects](performance-time.svg)

This plot shows the peak memory of the same links:

![Peak memory over the number of objects](performance-memory.svg)

## Links by the two commands

Each row of the table is one link for {architecture}, made by the command `warpld` and by the
command `nvlink`. Each value is the median of {runs} runs. One run before them is not counted, so
that the files are cached. A run of the links of 3 objects is the mean of 200 or 20 links in a row.
The columns are:

- **MiB in and out**: the size of all inputs and of warpld's output.
- **wall s**: the seconds from the start of the command to its end.
- **CPU s**: the processor time of the command in seconds, summed over its threads.
- **peak MiB**: the most memory that the command had at one time.
- **ratio**: nvlink's value divided by warpld's. Above 1, warpld needs less than nvlink.
- **exponent**: from the smaller link in the row above to the link of this row, warpld's wall time
  grows as this power of the MiB in and out. If it is 1, twice the size takes twice the time. The
  first row of each kind of link has no smaller link to compare with, and shows a dash.
- **outputs**: the result of `cubintool diff`. Outputs are identical if all their bytes are equal,
  except for the note that names the tools.

A dash in the columns of nvlink means that only warpld was run, because nvlink would need more than
a minute.

warpld {warpld}, nvlink {nvlink}; {about}.

| link | MiB in and out | warpld wall s | nvlink wall s | wall ratio | warpld CPU s | nvlink CPU s \
| CPU ratio | warpld peak MiB | nvlink peak MiB | peak ratio | exponent | outputs |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
"""

TAIL = """
To start and end a C program that does nothing takes {empty:.4f} s on this machine. This is most of
warpld's wall time for the smallest link.

{sections}

## Other kinds of links

`bench/objects.py` and `bench/shapes.py` generate the inputs of the first table. To measure another
kind of link, add a row to `SHAPES` in `bench/shapes.py`.
"""


SECTION_END = "<!-- end -->"
MEMORY_HEAD = """
## In one process

This section times links and compilations within one process, as programs that use libwarpld or
libnvJitLink make them. Each row compares two ways to do the same work. The ratio is the time of the
second way divided by that of the first way: above 1, the first way needs less time.

Times are medians of {runs} runs, but those of PTX are medians of {ptx_runs}. In each run, the two
ways of a row take turns. The rows of warpld's libnvJitLink use the interface of
NVIDIA's library, and their times contain the creation and destruction of a handle for each link. In
the rows of two cubins and of two files of LTO-IR, the first four links of each turn are not timed,
because the other library has filled the processor's caches in the turn before. In the row of 64
threads, all outputs have equal bytes. A `warpld_library` holds an archive that was read and parsed
before the timed links. The row of nvPTXCompiler needs the plug-in that `make ptx-plugin` makes.

| first way | time of the first way | second way | time of the second way | ratio |
|---|---:|---|---:|---:|
"""
CACHE_HEAD = """
## Many programs and one archive

This section shows how much time a cache folder (`--cache-dir`) saves in a build of {programs}
programs. Each program is linked from its own host object and one archive, which all programs share.
The archive has {members:,} compressed host objects of nvcc ({megabytes:.1f} MB). The host object of
each program launches ten of the archive's kernels, and warpld keeps only these. With
`--ignore-host-info`, a program keeps all kernels of the archive.

A time is the sum over all programs in seconds, and the median of {runs} builds. Each build begins
with an empty cache folder. The ratio is the time with the cache folder divided by the time without
it: below 1, the cache folder saves time. The last column is the size of the folder after the build.

| programs | CPU s with cache | CPU s without | CPU ratio | wall s with cache | wall s without \
| wall ratio | folder MB |
|---|---:|---:|---:|---:|---:|---:|---:|
"""
PAGE_HEAD = """
## The page of a report

This section times the HTML page that `--report FILE.html` writes. The page describes a link of
{objects:,} objects with {functions:,} functions. Its size is {megabytes:.1f} MB, {ratio:.3f} times
that of the same report as JSON. The browser is headless Chromium {browser}.

Each row is one action of a reader. The rows that open the summary, the kernels and so on open one
tab of the page. The rows that sort, filter or scroll do so with the table of that tab. "Walk to a
function" follows a link from a kernel or a function to a function that it calls. The columns are:

- **CPU ms**: the processor time of the thread that runs the page.
- **wall ms**: the time until the browser draws the frame that shows the effect of the action. For
  opening the page, it is the time until the load event has been handled.

A run repeats most actions, and the longest time of each action counts. Each value in the table is
the least of these times in {runs} runs.

| action | CPU ms | wall ms |
|---|---:|---:|
"""


NONE = "–"  # in a cell without a value


@dataclass
class Run:
    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: int  # KiB


@dataclass
class Row:
    about: str
    bytes: int  # number of bytes that the link reads and writes
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
            cells += [NONE, NONE]
    cells += [f"{row.exponent:.2f}" if row.exponent is not None else NONE, row.same or NONE]
    return f"| {' | '.join(cells)} |"


@dataclass
class MemoryRow:
    about: str
    unit: str
    ours: float
    other: str  # description of what warpld is compared with
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
