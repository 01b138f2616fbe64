"""Golden links have the same results whether the linker opens the inputs or uses snapshots."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from container_files import HostObject, archive, cubin_entry, fat_binary
from container_link import link
from golden_folder import GoldenFolder, golden_folders
from test_prepared_inputs import FILLER

# One in STEP golden links is tested. Among these are links of Mercury code, of debug information
# and of several objects, links with relocatable outputs, and links that fail.
STEP = 5
THREADS = ("--threads=1", "--threads=4")


# The smallest accepted share of links that take images from snapshots. It is not 1: some inputs
# have unusual resource records, and each link must warn about them. A snapshot leaves these inputs
# out, so that each link reads them.
FEWEST_FROM_SNAPSHOTS = 0.5


def write_archive(folder: GoldenFolder, path: Path) -> None:
    """Writes the inputs as members of an archive that is large enough for a snapshot."""
    cubins = sorted({word for word in folder.arguments if word.endswith(".cubin")})
    members = {
        f"{name}.o": HostObject(fat_binary(cubin_entry(folder.path / name))).write()
        for name in cubins
    }
    path.write_bytes(archive(members | {"filler.o": FILLER}))


def linker_options(folder: GoldenFolder) -> list[str]:
    return [w for w in folder.arguments if not w.endswith(".cubin") and not w.startswith("-arch=")]


@pytest.mark.parametrize("folder", golden_folders()[::STEP], ids=str)
def test_a_golden_link_from_the_cache(folder: GoldenFolder, tmp_path: Path) -> None:
    write_archive(folder, tmp_path / "libx.a")
    line = ["libx.a", *linker_options(folder)]
    plain = link(tmp_path, *line, architecture=folder.arch, name="warpld")
    for threads in THREADS:
        cached = [*line, threads, f"--cache-dir={tmp_path / 'cache'}"]
        assert link(tmp_path, *cached, architecture=folder.arch, name="warpld") == plain


def takes_images(folder: GoldenFolder, path: Path) -> bool:
    path.mkdir()
    write_archive(folder, path / "libx.a")
    words = [
        "libx.a",
        *linker_options(folder),
        f"--cache-dir={path / 'cache'}",
        "--stats",
    ]
    link(path, *words, architecture=folder.arch, name="warpld")
    messages = link(path, *words, architecture=folder.arch, name="warpld").messages
    return re.search(r"(?m)^images from the cache +[1-9]", messages) is not None


def test_most_of_these_links_take_images_from_snapshots(tmp_path: Path) -> None:
    folders = golden_folders()[:: 4 * STEP]
    taken = [takes_images(folder, tmp_path / str(folder)) for folder in folders]
    assert sum(taken) >= FEWEST_FROM_SNAPSHOTS * len(taken)
