"""An input that becomes shorter during a link does no harm to the program that links. Each link
runs in a child process, because a SIGBUS would end the process.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import warpld_ctypes as warpld
from container_files import archive
from library_link import GOOD_INPUT, Link

# `make check` runs few races; docs/reliability.md has the result of 1,000.
RACES = int(os.environ.get("WARPLD_RACES", "60"))
MEMBERS, PADDING = 40, 70_000
KEPT = 4096
TARGET = "sm_80"


def write_archive(path: Path) -> int:
    """Writes an archive, and returns its size. Only the last member is code. The other members are
    so large that the kernel does not map the pages of the last one in advance."""
    members = {f"{i}.txt": bytes(PADDING) for i in range(MEMBERS)}
    content = archive(members | {"code.o": GOOD_INPUT.read_bytes()})
    path.write_bytes(content)
    return len(content)


def link(path: Path, maps: bool, at_pass: str = "") -> tuple[int, list[str]]:
    """Runs a link, and truncates its input when the pass `at_pass` begins. Returns the status and
    the names of the passes."""
    passes: list[str] = []

    def begin(_: int, name: bytes) -> None:
        passes.append(name.decode())
        if passes[-1] == at_pass:
            os.truncate(path, KEPT)

    callback = warpld.PassCallback(begin)
    with Link(pass_begins=callback) as made:
        made.set("arch", TARGET)
        made.set("map-inputs", "true" if maps else "false")
        made.add_file(path)
        status = made.run()
    return status, passes


def in_child(work: Callable[..., None], *arguments: object) -> int:
    """Runs `work` in a child process. Returns its exit status, or -N if signal N ended it."""
    faulthandler.disable()
    child = multiprocessing.get_context("fork").Process(target=work, args=arguments)
    child.start()
    child.join()
    assert child.exitcode is not None
    return child.exitcode


def link_and_leave(path: Path, maps: bool, at_pass: str) -> None:
    os._exit(link(path, maps, at_pass)[0])


def passes_of(path: Path) -> list[str]:
    write_archive(path)
    return link(path, maps=False)[1]


def statuses_of_cuts(path: Path, maps: bool) -> set[int]:
    found = set()
    for name in passes_of(path):
        write_archive(path)
        found.add(in_child(link_and_leave, path, maps, name))
    return found


def test_an_input_that_is_cut_at_any_pass_is_no_harm(tmp_path: Path) -> None:
    assert all(status >= 0 for status in statuses_of_cuts(tmp_path / "x.a", maps=False))


def test_a_mapped_one_ends_the_program(tmp_path: Path) -> None:
    """With the option map-inputs the program gets SIGBUS, as warpld.h says. This shows that the
    tests above would notice a mapped input."""
    assert -signal.SIGBUS in statuses_of_cuts(tmp_path / "x.a", maps=True)


def race(path: Path, count: int) -> None:
    """Truncates the input in another thread, at a random time during the link. The thread can run,
    because ctypes releases Python's global lock during the link."""
    results: Counter[int] = Counter()
    for seed in range(count):
        chance = random.Random(seed)
        size = write_archive(path)
        left, delay = chance.randrange(size), chance.uniform(0, 0.004)

        def cut(left: int = left, delay: float = delay) -> None:
            time.sleep(delay)
            os.truncate(path, left)

        thread = threading.Thread(target=cut)
        thread.start()
        results[link(path, maps=False)[0]] += 1
        thread.join()
    print(f"statuses of {count} links whose input was cut: {dict(results)}", flush=True)
    os._exit(0)


def test_no_race_ends_the_program(tmp_path: Path) -> None:
    assert in_child(race, tmp_path / "x.a", RACES) == 0
