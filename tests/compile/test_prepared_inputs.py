"""A link writes snapshots of large inputs to the cache folder, and later links use them."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from container_files import (
    PTX,
    Entry,
    HostObject,
    HostSection,
    archive,
    cubin_entry,
    fat_binary,
    write_elf,
)
from container_link import BUILD, FIRST, FIRST_90, REPOSITORY, SECOND, Link, link, put

SUFFIX = ".warpld-ptx"
NOTED = REPOSITORY / "tests/golden/target-note-of-another-owner-sm80/a.cubin"
EM_X86_64 = 62
# A member that makes an archive larger than 64 KB. Links write no snapshots of smaller inputs.
FILLER = write_elf([HostSection(".text", bytes(70_000))], EM_X86_64)


def member(cubin: Path, number: int = 1) -> bytes:
    return HostObject(fat_binary(cubin_entry(cubin)), module_ids=(f"_{number}",)).write()


def large_archive() -> dict[str, bytes]:
    return {"first.o": member(FIRST), "second.o": member(SECOND, 2), "filler.o": FILLER}


class Kept:
    """An archive, which is linked with or without a cache folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.archive = folder / "libx.a"
        self.archive.write_bytes(archive(large_archive()))

    def plain(
        self,
        *words: str,
        name: str = "warpld",
        architecture: str = "sm_80",
        preexec: Callable[[], None] | None = None,
    ) -> Link:
        words = words or ("libx.a",)
        return link(self.folder, *words, name=name, architecture=architecture, preexec=preexec)

    def cached(
        self,
        *words: str,
        name: str = "warpld",
        architecture: str = "sm_80",
        preexec: Callable[[], None] | None = None,
    ) -> Link:
        words = (*(words or ("libx.a",)), f"--cache-dir={self.cache}")
        return self.plain(*words, name=name, architecture=architecture, preexec=preexec)

    def taken(self, *words: str, name: str = "warpld", architecture: str = "sm_80") -> int:
        """The number of images that a link takes from the cache."""
        words = (*(words or ("libx.a",)), "--stats")
        messages = self.cached(*words, name=name, architecture=architecture).messages
        numbers = re.findall(r"(?m)^images from the cache +(\d+)$", messages)
        return sum(int(number) for number in numbers)

    def entries(self) -> list[Path]:
        return sorted(self.cache.glob(f"*{SUFFIX}"))

    def is_right(self, *words: str, name: str = "warpld", architecture: str = "sm_80") -> bool:
        cached = self.cached(*words, name=name, architecture=architecture)
        return cached == self.plain(*words, name=name, architecture=architecture)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    yield Kept(tmp_path)


def test_the_second_link_takes_the_images(kept: Kept) -> None:
    assert [kept.is_right() for _ in range(3)] == [True] * 3
    assert kept.taken() == 2
    assert kept.cached().status == 0


def test_only_the_user_may_look_into_the_folder(kept: Kept) -> None:
    kept.cached()
    assert kept.cache.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in kept.cache.iterdir())


def test_another_target_has_its_own_snapshot(kept: Kept) -> None:
    both = fat_binary(cubin_entry(FIRST), cubin_entry(FIRST_90))
    kept.archive.write_bytes(archive({"f.o": HostObject(both).write(), "filler.o": FILLER}))
    kept.cached()
    assert kept.is_right(architecture="sm_90")
    assert kept.taken(architecture="sm_90") == kept.taken() == 1
    assert kept.is_right()


def test_contents_are_found_wherever_they_are(kept: Kept) -> None:
    kept.cached()
    put(kept.folder, "liby.a", kept.archive.read_bytes())
    assert kept.taken("liby.a") == 2
    assert kept.is_right("liby.a")


def change_a_name(kept: Kept) -> None:
    """Writes other contents of the same size, and restores the modification time."""
    status = kept.archive.stat()
    changed = kept.archive.read_bytes().replace(b"second", b"sekond")
    assert changed != kept.archive.read_bytes()
    kept.archive.write_bytes(changed)
    os.utime(kept.archive, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_changed_contents_are_noticed(kept: Kept) -> None:
    kept.cached()
    change_a_name(kept)
    assert kept.is_right()


def test_a_file_that_is_not_new_is_known_without_a_look_at_it(kept: Kept) -> None:
    """The cache also keeps the digest of each file, so that an unchanged file need not be read. A
    change is recognised by the time of the last status change (ctime), even if the modification
    time was set back."""
    kept.cached()
    assert len(kept.entries()) == 1
    time.sleep(2.1)
    assert kept.is_right()
    assert len(kept.entries()) == 2
    assert kept.taken() == 2
    change_a_name(kept)
    assert kept.taken() == 0
    assert kept.is_right()


def test_an_archive_replaced_by_a_rename_is_noticed(kept: Kept) -> None:
    kept.cached()
    time.sleep(2.1)
    kept.cached()
    other = kept.folder / "other.a"
    shutil.copy2(kept.archive, other)
    change_a_name(kept)
    kept.archive.rename(other)
    assert kept.is_right("other.a")


def positions(size: int) -> list[int]:
    return [0, 8, 20, 24, 32, 40, 48, 100, *range(200, size, size // 20), size - 1]


def test_damage_is_noticed(kept: Kept) -> None:
    expected = kept.cached()
    (entry,) = kept.entries()
    good = entry.read_bytes()
    damaged = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in positions(len(good))]
    taken = []
    for number, content in enumerate([*damaged, b"", good[:30], good[:-1], good + b"x"]):
        entry.write_bytes(content)
        taken.append(kept.taken())
        assert not entry.exists() or entry.read_bytes() == good, number
        assert kept.cached() == expected, number
        assert entry.read_bytes() == good
    assert set(taken) <= {0, 2}  # 2: only code was damaged


def test_damaged_code_is_unpacked_again(kept: Kept) -> None:
    """The test damages the last byte of an entry, which is code. A link checks code in blocks of
    4 KB when it needs the code, and checks the other parts of a snapshot earlier. If the last block
    also contains other parts, the link finds the damage early and takes no image from the cache.
    The loop produces both cases."""
    taken = set()
    for length in range(1, 4097, 512):
        first = HostObject(fat_binary(cubin_entry(FIRST)), module_ids=("x" * length,))
        kept.archive.write_bytes(archive({**large_archive(), "first.o": first.write()}))
        expected = kept.cached()
        (entry,) = kept.entries()
        good = entry.read_bytes()
        entry.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        taken.add(kept.taken())
        assert kept.cached() == expected
        assert entry.read_bytes() == good
        shutil.rmtree(kept.cache)
    assert taken == {0, 2}


def test_another_build_keeps_its_own_snapshots(kept: Kept) -> None:
    """Another build of warpld may find other code in the same input."""
    kept.cached()
    (kept.folder / "warpld").unlink()
    shutil.copy(BUILD / "warpld", kept.folder / "warpld")
    assert kept.taken() == 0
    assert kept.taken() == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_entries_of_others_are_ignored(kept: Kept) -> None:
    kept.cached()
    (entry,) = kept.entries()
    os.chown(entry, 12345, -1)
    assert kept.taken() == 0
    assert kept.is_right()


def test_no_cache(kept: Kept) -> None:
    kept.cached("libx.a", "--no-cache")
    assert not kept.cache.exists()
    kept.cached()
    assert kept.taken("libx.a", "--no-cache") == 0


def test_cubins_make_no_folder(kept: Kept) -> None:
    put(kept.folder, "large.cubin", FIRST.read_bytes() + bytes(70_000))
    kept.cached("large.cubin")
    assert not kept.cache.exists()


def test_nvlink_keeps_its_own_snapshots(kept: Kept) -> None:
    """A link reports less about its inputs if the program has the name nvlink. Links with the name
    warpld therefore do not use the snapshots of these links."""
    members = {"unknown.txt": b"what is this? " * 10, **large_archive()}
    kept.archive.write_bytes(archive(members))
    kept.cached(name="nvlink")
    assert kept.is_right(name="warpld")
    assert "unknown.txt" in kept.cached(name="warpld").messages
    assert (kept.taken(name="nvlink"), kept.taken(name="warpld")) == (2, 2)


def test_what_is_reported_about_an_input_is_reported_again(kept: Kept) -> None:
    """The archive contains a whole program, and a member for another target."""
    members = {"other.o": member(FIRST_90, 3), "whole.o": HostObject(linked_code=b"x").write()}
    kept.archive.write_bytes(archive({**large_archive(), **members}))
    for _ in range(2):
        assert kept.is_right()
    assert "without -rdc=true" in kept.cached().messages
    assert "other.o" in kept.cached().messages


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
def test_an_object_that_may_be_damaged_is_opened_each_time(name: str, kept: Kept) -> None:
    """The object noted.o contains a note of another owner, about which warpld warns and nvlink does
    not. Links take only the other two objects from the cache."""
    members = {"noted.o": member(NOTED, 3), **large_archive()}
    kept.archive.write_bytes(archive(members))
    expected = kept.plain("libx.a", "-Werror", name=name)
    assert expected.status == (1 if name == "warpld" else 0)
    assert ("may be damaged" in expected.messages) == (name == "warpld")
    for words in [("libx.a",), ("libx.a", "-Werror"), ("libx.a", "-Werror")]:
        assert kept.is_right(*words, name=name)
    assert kept.cached("libx.a", "-Werror", name=name) == expected
    assert kept.taken(name=name) == 2


def test_host_references_are_kept(kept: Kept) -> None:
    """Host references decide which kernels are linked. The references here remove the kernels of
    FIRST. A link that takes the inputs from the cache removes the same kernels."""
    first, second = (
        HostObject(
            fat_binary(cubin_entry(cubin)),
            module_ids=(f"_{number}" + "x" * 70_000,),
            references={".nvHRKE": names},
        ).write()
        for number, cubin, names in ((1, FIRST, ()), (2, SECOND, ("second",)))
    )
    kept.archive.write_bytes(archive({"f.o": first, "s.o": second}))
    plain = kept.plain("libx.a", "-v")
    for _ in range(2):
        assert kept.cached("libx.a", "-v") == plain
    assert kept.taken() == 2
    assert "are removed" in plain.messages


def test_objects_that_were_linked_before_are_left_out(kept: Kept) -> None:
    linked = HostObject(linked_code=b"x", module_ids=("def _1",)).write()
    kept.archive.write_bytes(archive({**large_archive(), "l.o": linked}))
    words = ("libx.a", "--register-link-binaries=registered")
    plain = kept.plain(*words)
    registered = (kept.folder / "registered").read_bytes()
    for _ in range(2):
        assert kept.cached(*words) == plain
        assert (kept.folder / "registered").read_bytes() == registered


def test_what_was_compiled_is_not_kept_as_code(kept: Kept) -> None:
    """Code that is compiled from PTX depends on the compiler and its options. A snapshot records
    neither, so it must not contain this code."""
    compiler = kept.folder / "ptxas"
    compiler.write_text(f"#!/bin/sh\ncp {FIRST} elf.o\n")
    compiler.chmod(0o755)
    text = b".version 8.0\n.target sm_80\n.address_size 64\n" + b"//\n" * 30_000
    put(kept.folder, "x.fatbin", fat_binary(Entry(PTX, 80, text)))
    for _ in range(2):
        assert kept.is_right("x.fatbin", f"--ptxas-path={compiler}")
    assert kept.taken("x.fatbin", f"--ptxas-path={compiler}") == 0


def test_a_thin_archive_is_read_each_time(kept: Kept) -> None:
    """The members of a thin archive are other files, which may change while the archive does
    not."""
    put(kept.folder, "first.o", member(FIRST) + bytes(70_000))
    kept.archive.write_bytes(archive({"first.o": b""}, thin=True) + bytes(70_000 & ~1))
    kept.cached()
    put(kept.folder, "first.o", member(SECOND) + bytes(70_000))
    assert kept.is_right()


def test_the_same_code_twice_is_explained(kept: Kept) -> None:
    """The note appears only if all bytes of the two images are equal. A snapshot has only some of
    these bytes, so the link reads the others from the input."""
    put(kept.folder, "c.o", member(FIRST, 3))
    kept.cached()
    for words in (("libx.a", "c.o"), ("c.o", "libx.a")):
        assert kept.is_right(*words)
        assert "contain the same device code" in kept.cached(*words).messages


def test_a_failed_link_keeps_what_it_found(kept: Kept) -> None:
    """The link fails because of undefined symbols, which it finds after opening all inputs."""
    kept.archive.write_bytes(archive({"second.o": member(SECOND), "filler.o": FILLER}))
    for _ in range(2):
        assert kept.is_right()


def test_libraries_are_kept(kept: Kept) -> None:
    put(kept.folder, "plain.o", HostObject(has_segment=False).write())
    words = ("plain.o", "-L.", "-lx")
    kept.cached(*words)
    assert kept.taken(*words) == 2
    assert kept.is_right(*words)


def test_an_archive_without_device_code_is_not_opened_again(kept: Kept) -> None:
    put(kept.folder, "libhost.a", archive({"filler.o": FILLER, "more.o": FILLER}))
    words = ("libx.a", "libhost.a")
    for _ in range(3):
        assert kept.is_right(*words)
    assert len(kept.entries()) == 2


@pytest.mark.parametrize("kind", ["file", "size-is-a-folder"])
def test_a_folder_that_cannot_be_used_is_one_warning(kind: str, kept: Kept) -> None:
    """There is one warning, even if the link also tries to keep compiled PTX in the folder."""
    if kind == "file":
        kept.cache.write_text("")
    else:
        (kept.cache / "size").mkdir(parents=True)
    text = b".version 8.0\n.target sm_80\n.address_size 64\n"
    put(kept.folder, "x.fatbin", fat_binary(Entry(PTX, 80, text)))
    compiler = kept.folder / "ptxas"
    compiler.write_text(f"#!/bin/sh\ncp {FIRST} elf.o\n")
    compiler.chmod(0o755)
    kept.archive.write_bytes(archive({"second.o": member(SECOND), "filler.o": FILLER}))
    for words in (("libx.a",), ("libx.a", "x.fatbin", f"--ptxas-path={compiler}")):
        found = [one for one in kept.cached(*words).messages.splitlines() if str(kept.cache) in one]
        assert len(found) == 1
        assert found[0].startswith("warpld warning : Cannot ")
        assert kept.cached(*words).file == kept.plain(*words).file


def test_a_full_disk_is_one_warning(kept: Kept) -> None:
    ids = ("_" + "x" * 300_000,)  # snapshots contain these
    long = HostObject(fat_binary(cubin_entry(FIRST)), module_ids=ids).write()
    kept.archive.write_bytes(archive({"first.o": long}))
    expected = kept.plain()
    assert len(expected.file) < 200_000

    def limit_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    result = kept.cached(preexec=limit_files)
    assert result.file == expected.file
    assert result.messages == (
        f"warpld warning : Cannot write to the cache folder '{kept.cache}': File too large\n"
    )
    assert [path.name for path in kept.cache.iterdir()] == []


def test_many_processes_share_the_folder(kept: Kept) -> None:
    expected = kept.plain().file
    words = ["-arch=sm_80", "libx.a", f"--cache-dir={kept.cache}"]
    running = [
        subprocess.Popen(
            [kept.folder / "warpld", *words, "-o", f"{number}.cubin"],
            cwd=kept.folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(16)
    ]
    assert {process.communicate(timeout=60)[1] for process in running} == {""}
    outputs = {(kept.folder / f"{number}.cubin").read_bytes() for number in range(16)}
    assert outputs == {expected}
    assert list(kept.cache.glob("*unfinished")) == []


def test_device_links_share_snapshots_with_single_links(kept: Kept) -> None:
    both = fat_binary(cubin_entry(FIRST), cubin_entry(FIRST_90))
    kept.archive.write_bytes(archive({"f.o": HostObject(both).write(), "filler.o": FILLER}))
    words = ["--device-link", "--arch=sm_80,sm_90", "--fatbin", "libx.a", "-o", "made.fatbin"]

    def device_link(*more: str) -> tuple[str, bytes]:
        command = [str(kept.folder / "warpld"), *words, *more]
        done = subprocess.run(command, cwd=kept.folder, capture_output=True, text=True, check=True)
        return done.stderr, (kept.folder / "made.fatbin").read_bytes()

    plain = kept.plain() and device_link()
    cache = f"--cache-dir={kept.cache}"
    assert [device_link(cache) for _ in range(2)] == [plain] * 2
    taken = re.findall(r"images from the cache +(\d+)", device_link(cache, "--stats")[0])
    assert taken == ["1", "1"]
    assert kept.taken() == kept.taken(architecture="sm_90") == 1
