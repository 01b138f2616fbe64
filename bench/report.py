"""What was measured, as docs/performance.md shows it."""

from __future__ import annotations

from dataclasses import dataclass

from objects import ARCHITECTURE

HEAD = """# Performance

`make bench` writes this page. It generates the objects, links them with both linkers in turn and
compares the outputs with `cubintool diff`.

![Time over the number of objects](performance-time.svg)

![Peak memory over the number of objects](performance-memory.svg)

- Values are medians of {runs} runs for {architecture}. The first run is not counted, so files are
  cached.
- A ratio above 1 means that warpld needs less than nvlink.
- The exponent compares warpld's time with the bytes read and written, against the row above: 1 is
  linear.

warpld {warpld}, nvlink {nvlink}; {about}.

| link | MiB in and out | wall s: warpld | nvlink | ratio | CPU s: warpld | nvlink | ratio \
| peak MiB: warpld | nvlink | ratio | exponent | outputs |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
"""

TAIL = """
An empty C program takes {empty:.4f} s on this machine.{library}{ptx}

`bench/objects.py` and `bench/shapes.py` generate the inputs. To measure another kind of link, add a
row to `SHAPES`.
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


def library_row(ours: float, theirs: float) -> str:
    """Microseconds of one link in memory."""
    text = f" One link of the first row's objects in memory takes {ours:.1f} µs with libwarpld"
    return text + (f" and {theirs:.1f} µs with libnvJitLink." if theirs else ".")


def nvjitlink_row(ours: float, theirs: float) -> str:
    """Microseconds of one link through the interface, in one process."""
    return (
        f" Through libnvJitLink's interface, from creating a handle to destroying it, it takes"
        f" {ours:.1f} µs with warpld's library and {theirs:.1f} µs with NVIDIA's:"
        f" {theirs / ours:.1f} times faster."
    )


def shared_row(without: float, shared: float, added: float) -> str:
    """Microseconds of one link in memory, by how it gets the device runtime. It uses none."""
    return (
        f" With the unused libcudadevrt.a in a `warpld_library` such a link takes {shared:.1f} µs,"
        f" without it {without:.1f} µs ({shared / without:.2f} times as long), and with it among"
        f" the inputs {added:.1f} µs."
    )


def ptx_row(process: float, memory: float, cache: float, others: dict[str, float]) -> str:
    """Milliseconds of one small text."""
    more = "".join(f", {name} {time:.2f} ms" for name, time in others.items())
    return (
        f"\nA small PTX text is compiled by a ptxas process in {process:.2f} ms{more}; it is taken"
        f" from the cache in memory in {memory:.3f} ms, from a cache folder in {cache:.3f} ms."
    )


def document(
    rows: list[Row],
    library: str | None,
    ptx: str | None,
    empty: Run | None,
    versions: dict[str, str],
    about: str,
    runs: int,
) -> str:
    head = HEAD.format(runs=runs, architecture=ARCHITECTURE, about=about, **versions)
    tail = TAIL.format(empty=empty.wall if empty else 0, library=library or "", ptx=ptx or "")
    return head + "\n".join(table_row(row) for row in rows) + "\n" + tail
