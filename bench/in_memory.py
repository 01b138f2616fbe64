"""Times links and compilations within one process, for the table in docs/performance.md about links
in memory.

Each row compares two ways to do the same work, which run in turn. A row is left out if it needs
NVIDIA's library or the toolkit's device runtime, and that library is missing.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from objects import ARCHITECTURE
from report import MemoryRow

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "compare"))

from nvjitlink import library_path
from toolkit_folder import toolkit_folder

LIBRARY_LINKS = 10_000
NVJITLINK_LINKS, OPTIMISED_LINKS = 100, 3  # of each batch
SHARED_LINKS = 1_000
THREADS, THREAD_LINKS = 64, 10_000
PTX_RUNS = 51
SAME_BY_NVIDIA = "the same by NVIDIA's libnvJitLink"
SMALL_PTX = REPOSITORY / "tests" / "containers" / "data" / "first.ptx"
NVJITLINK_DATA = REPOSITORY / "tests" / "nvjitlink" / "data"
SMALL_CUBINS = [NVJITLINK_DATA / f"{name}.cubin" for name in ("calls", "defines")]
SMALL_LTO_IR = [path.with_suffix(".ltoir") for path in SMALL_CUBINS]


@dataclass
class InMemory:
    build: Path
    runs: int
    objects: list[Path]  # the objects of the first row of the page

    def run(self, program: str, *words: object, **environment: str) -> list[float]:
        """The numbers that a program of the bench prints. If it fails, prints its message and
        returns an empty list."""
        command = [str(word) for word in (self.build / "bench" / program, *words)]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
        if done.returncode:
            print(f"bench: {program} failed: {done.stdout}{done.stderr[-500:]}")
            return []
        return [float(word) for word in done.stdout.split()]

    def medians(self, program: str, *words: object, **environment: str) -> list[float]:
        found = [self.run(program, *words, **environment) for _ in range(self.runs)]
        return [statistics.median(column) for column in zip(*filter(None, found), strict=True)]

    def link_rows(self, library: Path) -> list[MemoryRow]:
        times = self.medians(
            "library_links",
            LIBRARY_LINKS,
            ARCHITECTURE,
            *self.objects,
            LIBNVJITLINK=str(library),
        )
        about = "3 objects of 6 KB, linked by libwarpld"
        return (
            [MemoryRow(about, "µs", times[0], "the same, linked by libnvJitLink", times[1])]
            if times
            else []
        )

    def nvjitlink_rows(self, library: Path) -> list[MemoryRow]:
        libraries = f"{self.build / 'libnvJitLink.so.13'},{library}"
        times = self.medians("nvjitlink_links", NVJITLINK_LINKS, libraries, *SMALL_CUBINS)
        about = "two small cubins, linked by warpld's libnvJitLink"
        return [MemoryRow(about, "µs", times[0], SAME_BY_NVIDIA, times[1])] if times else []

    def optimised_rows(self, library: Path) -> list[MemoryRow]:
        """Links of LTO-IR with warpld's library, which calls NVIDIA's library to optimise."""
        libraries = f"{self.build / 'libnvJitLink.so.13'},{library}"
        words = (OPTIMISED_LINKS, libraries, *SMALL_LTO_IR)
        times = self.medians("nvjitlink_links", *words, WARPLD_NVJITLINK=str(library))
        about = "two small files of LTO-IR, optimised (`-lto`) by warpld's libnvJitLink"
        return (
            [MemoryRow(about, "ms", times[0] / 1000, SAME_BY_NVIDIA, times[1] / 1000)]
            if times
            else []
        )

    def thread_rows(self, library: Path) -> list[MemoryRow]:
        """Times links on several threads. The program fails if two links give different bytes."""
        times: dict[Path, list[float]] = {self.build / "libnvJitLink.so.13": [], library: []}
        for _ in range(self.runs):
            for path, found in times.items():
                start = time.monotonic()
                words = (path, "threads", THREADS, THREAD_LINKS, *SMALL_CUBINS)
                program = self.build / "tests" / "nvjitlink" / "stress"
                done = subprocess.run(
                    [str(word) for word in (program, *words)], capture_output=True, text=True
                )
                if done.returncode:
                    print(f"bench: stress failed: {done.stderr[-500:]}")
                    return []
                found.append((time.monotonic() - start) * 1000)
        ours, theirs = (statistics.median(found) for found in times.values())
        about = (
            f"{THREAD_LINKS:,} links of two cubins on {THREADS} threads by warpld's libnvJitLink"
        )
        return [MemoryRow(about, "ms", ours, SAME_BY_NVIDIA, theirs)]

    def shared_rows(self) -> list[MemoryRow]:
        """Links with the libcudadevrt.a of the toolkit whose nvcc is on the PATH."""
        toolkit = toolkit_folder()
        runtime = next(toolkit.glob("lib*/libcudadevrt.a"), None) if toolkit else None
        words = (SHARED_LINKS, ARCHITECTURE, *self.objects, "--shared", runtime)
        times = self.medians("library_links", *words) if runtime else []
        if not times:
            return []
        without, shared, added = times
        parsed_before = "3 objects of 6 KB, and an unused libcudadevrt.a in a `warpld_library`"
        return [
            MemoryRow(parsed_before, "µs", shared, "the 3 objects without libcudadevrt.a", without),
            MemoryRow(
                parsed_before, "µs", shared, "the 3 objects, with libcudadevrt.a as an input", added
            ),
        ]

    def ptx_rows(self, library: Path | None) -> list[MemoryRow]:
        """Compilations of a small PTX text in each way that is possible on this machine."""
        plug_in = self.build / "libwarpld-nvptxcompiler.so"
        libraries = {
            "compiled in process by nvPTXCompiler": plug_in,
            "compiled in process by nvJitLink": library,
        }
        found = {name: path for name, path in libraries.items() if path and path.exists()}
        with tempfile.TemporaryDirectory() as folder:
            words = (PTX_RUNS, ARCHITECTURE, SMALL_PTX, f"{folder}/cache", *found.values())
            times = self.run("ptx_compile", *words)
        ways = ["taken from the cache in memory", "taken from a cache folder", *found]
        return [
            MemoryRow(
                f"a small PTX text, {way}",
                "ms",
                time,
                "the same, compiled by a ptxas process",
                times[0],
            )
            for way, time in zip(ways, times[1:], strict=False)
        ]

    def rows(self) -> list[MemoryRow]:
        library = library_path()
        rows = []
        if library:
            rows += self.link_rows(library)
            rows += self.nvjitlink_rows(library)
            rows += self.optimised_rows(library)
            rows += self.thread_rows(library)
        rows += self.shared_rows()
        return rows + self.ptx_rows(library)
