"""Times a build that links many programs with one archive, with a cache folder and without one.

The results are rows of docs/performance.md. The cache folder is empty before the first program.
Each program is linked in both ways, one after the other, so that other load on the machine affects
both equally. Both outputs must be the same.
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


def total(runs: list[Run]) -> Run:
    """Combines runs into one: the sums of their times, and their largest peak memory."""
    return Run(
        sum(run.wall for run in runs),
        sum(run.cpu for run in runs),
        max(run.peak for run in runs),
    )


@dataclass
class CachedBuilds:
    folder: Path
    warpld: str
    measure: Measure

    def inputs(self) -> tuple[Path, list[Path]]:
        """The archive, which is made if it does not exist yet, and the objects of the programs."""
        archive = self.folder / "libmembers.a"
        if not archive.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            made = host_archive(self.folder, MEMBERS)
            assert made == archive
        return archive, programs(self.folder, PROGRAMS, MEMBERS)

    def build(self, inputs: tuple[Path, list[Path]], options: tuple[str, ...]) -> tuple[Run, Run]:
        """Links each program with the cache and without it. Returns the totals of both."""
        archive, objects = inputs
        cache = self.folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        outputs = (self.folder / "cached.cubin", self.folder / "plain.cubin")
        runs: tuple[list[Run], list[Run]] = ([], [])
        for program in objects:
            for choice, made, output in zip(
                [f"--cache-dir={cache}", "--no-cache"], runs, outputs, strict=True
            ):
                words = [self.warpld, f"-arch={ARCHITECTURE}", choice, *options]
                run = self.measure([str(word) for word in (*words, program, archive, "-o", output)])
                if not run:
                    raise RuntimeError(f"{program} is not linked")
                made.append(run)
            if not filecmp.cmp(outputs[0], outputs[1], shallow=False):
                raise RuntimeError(f"{program} is another one with the cache")
        return total(runs[0]), total(runs[1])

    def row(
        self,
        inputs: tuple[Path, list[Path]],
        about: str,
        options: tuple[str, ...],
        runs: int,
    ) -> str:
        builds = [self.build(inputs, options) for _ in range(runs)]
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
        inputs = self.inputs()
        rows = [self.row(inputs, about, options, runs) for about, options in WAYS.items()]
        head = CACHE_HEAD.format(
            programs=PROGRAMS,
            members=MEMBERS,
            megabytes=inputs[0].stat().st_size / 1e6,
            runs=runs,
        )
        return head + "\n".join(rows)
