#!/usr/bin/python3
"""Repeats links, each time with a fault of another system call, for `make torture`.

    tests/torture_links.py [--build FOLDER] [LINK...]

tests/torture/fault_cases.py describes the checks.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import sys
import tempfile
from pathlib import Path

import conftest  # noqa: F401  (adds the folders of modules)
from container_link import BUILD
from fault_cases import LINKS, SITUATIONS, Campaign, Workspace, run_campaign


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=BUILD)
    parser.add_argument("links", nargs="*", metavar="LINK", help=", ".join(LINKS))
    given = parser.parse_args()
    total = Campaign()
    pairs = [(link, name) for link in given.links or LINKS for name in SITUATIONS]
    pairs = [(link, name) for link, name in pairs if (link, name) != ("device-link", "stream")]
    with tempfile.TemporaryDirectory() as root:
        workspace = Workspace(given.build, Path(root))
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for result in pool.map(lambda pair: run_campaign(workspace, *pair), pairs):
                total.add(result)
                print(*result.found, sep="\n", end="\n" if result.found else "", flush=True)
    print(
        f"{total.cases} faults of {len(total.calls)} kinds of calls: {total.failed} links failed, "
        f"{len(total.found)} problems"
    )
    return 1 if total.found else 0


if __name__ == "__main__":
    sys.exit(main())
