"""Times the page of a report in a headless Chromium: opening it, and each action of a reader. The
results are the rows of a table of docs/performance.md.

If a run repeats an action, only the longest time of that run counts. The table shows the shortest
time of all runs. The processor time is that of the thread that runs the page, without other threads
and programs.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from browser import Browser, is_there
from objects import ARCHITECTURE
from report import PAGE_HEAD

SCRIPT = (Path(__file__).resolve().parent / "page.js").read_text()
LOADED = "return performance.getEntriesByType('navigation')[0].loadEventEnd;"
OPENING = "open the page"


@dataclass
class Time:
    cpu: float  # milliseconds
    wall: float

    def longest(self, other: Time) -> Time:
        return Time(max(self.cpu, other.cpu), max(self.wall, other.wall))


def processor_time(browser: Browser) -> float:
    """The processor time of the thread that runs the page, in milliseconds."""
    words = {"cmd": "Performance.getMetrics", "params": {}}
    metrics = browser.send("/goog/cdp/execute", words)["metrics"]
    return next(1000 * float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def use(browser: Browser, page: Path) -> dict[str, Time]:
    """Opens the page and does all actions. Returns the longest time of each action."""
    browser.open(page)  # in a new thread, so its CPU time is that of opening the page
    found = {OPENING: Time(processor_time(browser), browser.run(LOADED))}
    browser.run(SCRIPT)
    while True:
        before = processor_time(browser)
        done = browser.run("return window.step();")
        if not done:
            return found
        name, wall = done
        time = Time(processor_time(browser) - before, wall)
        found[name] = time.longest(found.get(name, time))


def times(browser: Browser, page: Path, runs: int) -> dict[str, Time]:
    words = {"cmd": "Performance.enable", "params": {"timeDomain": "threadTicks"}}
    browser.send("/goog/cdp/execute", words)
    found: dict[str, list[Time]] = {}
    for _ in range(runs):
        for name, time in use(browser, page).items():
            found.setdefault(name, []).append(time)
    return {
        name: Time(min(time.cpu for time in all), min(time.wall for time in all))
        for name, all in found.items()
    }


def page_section(warpld: str, objects: list[Path], runs: int) -> str:
    if not is_there():
        print("bench: the page needs chromium and chromedriver on the PATH")
        return ""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        page, report = folder / "report.html", folder / "report.json"
        words = [warpld, f"-arch={ARCHITECTURE}", "-o", folder / "output.cubin", *objects]
        words += ["--report", page, "--report", report]
        subprocess.run([str(word) for word in words], check=True)
        with Browser(folder / "profile") as browser:
            rows = times(browser, page, runs)
            version = browser.version
        head = PAGE_HEAD.format(
            objects=len(objects),
            functions=len(json.loads(report.read_text())["functions"]),
            browser=version,
            megabytes=page.stat().st_size / 1e6,
            ratio=page.stat().st_size / report.stat().st_size,
            runs=runs,
        )
    return head + "\n".join(
        f"| {name} | {time.cpu:.0f} | {time.wall:.0f} |" for name, time in rows.items()
    )
