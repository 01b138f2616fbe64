"""Times a build that links many programs against one archive, with a cache folder and without: the
rows of the fourth table of docs/performance.md.

The folder is empty before the first program. Each program is linked in both ways in turn, so that
other load on the machine affects both equally. Both outputs must be the same.
"""

from __future__ import annotations

import filecmp
import shutil
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from host_archive import KERNELS, USED, host_archive, programs
from objects import ARCHITECTURE
from report import CACHE_HEAD, Run

PROGRAMS, MEMBERS = 100, 1000
TOOLS = ("nvcc", "fatbinary", "objcopy", "ar")
WAYS = {
    f"of which each keeps {USED} kernels": (),
    f"of which each keeps all {KERNELS * MEMBERS:,} kernels": ("--ignore-host-info",),
}
Measure = Callable[[list[str]], Run | None]


@dataclass
class CachedBuilds:
    folder: Path
    warpld: str
    measure: Measure

    def inputs(self) -> tuple[Path, list[Path]]:
        """Made when they are not there yet."""
        archive = self.folder / "libmembers.a"
        if not archive.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            made = host_archive(self.folder, MEMBERS)
            assert made == archive
        return archive, programs(self.folder, PROGRAMS, MEMBERS)

    def build(self, options: tuple[str, ...]) -> tuple[Run, Run]:
        """Links all programs; the sums with the cache and without."""
        archive, objects = self.inputs()
        cache = self.folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        outputs = (self.folder / "cached.cubin", self.folder / "plain.cubin")
        sums = [[0.0, 0.0, 0], [0.0, 0.0, 0]]
        for program in objects:
            for choice, total, output in zip(
                [f"--cache-dir={cache}", "--no-cache"], sums, outputs, strict=True
            ):
                words = [self.warpld, f"-arch={ARCHITECTURE}", choice, *options]
                run = self.measure([str(word) for word in (*words, program, archive, "-o", output)])
                if not run:
                    raise RuntimeError(f"{program} is not linked")
                for at, value in enumerate((run.wall, run.cpu)):
                    total[at] += value
                total[2] = max(total[2], run.peak)
            if not filecmp.cmp(outputs[0], outputs[1], shallow=False):
                raise RuntimeError(f"{program} is another one with the cache")
        with_cache, without = (Run(wall, cpu, int(peak)) for wall, cpu, peak in sums)
        return with_cache, without

    def row(self, about: str, options: tuple[str, ...], runs: int) -> str:
        builds = [self.build(options) for _ in range(runs)]
        cells = [f"{PROGRAMS} programs, {about}"]
        for what in ("cpu", "wall"):
            ours, plain = (
                statistics.median(getattr(build[way], what) for build in builds) for way in (0, 1)
            )
            cells += [f"{ours:.2f}", f"{plain:.2f}", f"**{ours / plain:.2f}**"]
        size = sum(path.stat().st_size for path in (self.folder / "cache").iterdir())
        return f"| {' | '.join([*cells, f'{size / 1e6:.0f}'])} |"

    def section(self, runs: int) -> str:
        if not all(map(shutil.which, TOOLS)):
            return ""
        archive, _ = self.inputs()
        rows = [self.row(about, options, runs) for about, options in WAYS.items()]
        head = CACHE_HEAD.format(
            programs=PROGRAMS,
            members=MEMBERS,
            megabytes=archive.stat().st_size / 1e6,
            runs=runs,
        )
        return head + "\n".join(rows)
