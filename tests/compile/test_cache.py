"""The cache folder keeps the results of compiling PTX."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from container_files import PTX, Entry, fat_binary
from container_link import BUILD, FIRST, FIRST_90, SECOND, Link, link, put

TEXT = b"// A comment may come first.\n.version 8.0\n.target sm_80\n.address_size 64\n"
SUFFIX = ".warpld-ptx"


class Cached:
    """Runs links that use a cache folder, and a stand-in for ptxas that counts its calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.compiler = folder / "ptxas"
        self.calls = folder / "calls"
        self.write_compiler()

    def write_compiler(self, more: str = "") -> None:
        self.compiler.write_text(
            f"#!/bin/sh\necho call >> {self.calls}\n"
            f'case "$2" in sm_90) cp {FIRST_90} elf.o;; *) cp {FIRST} elf.o;; esac\n{more}\n'
        )
        self.compiler.chmod(0o755)

    def count(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0

    def link(
        self,
        text: bytes = TEXT,
        *words: str,
        options: str = "",
        architecture: str = "sm_80",
        preexec: Callable[[], None] | None = None,
    ) -> Link:
        fat = fat_binary(Entry(PTX, 80, text, options=options))
        named = [f"--ptxas-path={self.compiler}", f"--cache-dir={self.cache}"]
        return link(
            self.folder,
            put(self.folder, "x.fatbin", fat),
            *(*named, *words),
            architecture=architecture,
            name="warpld",
            preexec=preexec,
        )

    def entries(self) -> list[Path]:
        return sorted(self.cache.glob(f"*{SUFFIX}"))


@pytest.fixture
def cached(tmp_path: Path) -> Cached:
    return Cached(tmp_path)


def is_right(result: Link, cached: Cached) -> bool:
    expected = link(cached.folder, FIRST, name="warpld")
    return (result.status, result.output) == (0, expected.output)


def test_the_second_link_compiles_nothing(cached: Cached) -> None:
    first, second = cached.link(), cached.link()
    assert cached.count() == 1
    assert first.file == second.file
    assert (first.messages, second.messages) == ("", "")
    assert is_right(second, cached)


def test_only_the_user_may_look_into_the_folder(cached: Cached) -> None:
    cached.link()
    assert cached.cache.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in cached.cache.iterdir())


def test_the_variable_names_the_folder(cached: Cached) -> None:
    """WARPLD_CACHE_DIR has an effect under both names: warpld and nvlink."""
    other = cached.folder / "other"
    variables = {**os.environ, "WARPLD_CACHE_DIR": str(other)}
    fat = put(cached.folder, "x.fatbin", fat_binary(Entry(PTX, 80, TEXT)))
    for name in ("warpld", "nvlink"):
        words = [fat, f"--ptxas-path={cached.compiler}"]
        link(cached.folder, *words, name=name, environment=variables)
    assert cached.count() == 1
    assert len(list(other.glob(f"*{SUFFIX}"))) == 1


def test_messages_are_repeated(cached: Cached) -> None:
    cached.write_compiler("echo 'ptxas info    : something' >&2")
    assert [cached.link().messages for _ in range(2)] == ["ptxas info    : something\n"] * 2
    assert cached.count() == 1


def test_failures_are_not_kept(cached: Cached) -> None:
    cached.write_compiler("echo 'ptxas error   : bad' >&2; exit 1")
    assert [cached.link().status for _ in range(2)] == [1, 1]
    assert cached.count() == 2
    assert cached.entries() == []


def rewrite_compiler(cached: Cached) -> None:
    """Replaces the compiler by another file with the same text."""
    cached.compiler.unlink()
    cached.write_compiler()


class Change(NamedTuple):
    """The inputs and options of a second link. The defaults are those of the first link."""

    words: tuple[str, ...] = ()
    text: bytes = TEXT
    options: str = ""
    architecture: str = "sm_80"


CHANGES = {
    "text": Change(text=TEXT + b"// more\n"),
    "target": Change(architecture="sm_90"),
    "recorded-options": Change(options="-O1"),
    "register-limit": Change(("-maxrregcount=24",)),
    "ptxas-options": Change(("-Xptxas=-v",)),
    "debug": Change(("--debug",)),
    "stack-protector": Change(("-device-stack-protector=true",)),
    "split-compile": Change(("-split-compile=2",)),
    "no-cache": Change(("--no-cache",)),
    "options-file": Change(("-Xptxas=-optf=some",)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_compiles_again(change: Change, cached: Cached) -> None:
    (cached.folder / "some").write_text("-v")
    cached.link()
    result = cached.link(
        change.text, *change.words, options=change.options, architecture=change.architecture
    )
    assert cached.count() == 2
    assert result.status == 0
    cached.link()
    assert cached.count() == 2, "the first result was lost"


def test_another_compiler_compiles_again(cached: Cached) -> None:
    cached.link()
    rewrite_compiler(cached)
    assert is_right(cached.link(), cached)
    assert cached.count() == 2


def test_what_an_options_file_says_is_not_kept(cached: Cached) -> None:
    """The key of a cache entry does not depend on the contents of an options file. A link that
    reads an options file therefore writes no entry."""
    for _ in range(2):
        cached.link(TEXT, "-Xptxas=-optf=some")
    assert cached.count() == 2


def positions(size: int) -> list[int]:
    return [0, 8, 20, 24, 32, 40, 48, size // 2, size - 1]


def test_damage_is_noticed(cached: Cached) -> None:
    cached.link()
    (entry,) = cached.entries()
    good = entry.read_bytes()
    damaged = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in positions(len(good))]
    for number, content in enumerate([*damaged, b"", good[:30], good[:-1], good + b"x"]):
        entry.write_bytes(content)
        result = cached.link()
        assert (is_right(result, cached), result.messages) == (True, ""), number
        assert cached.count() == number + 2
        assert entry.read_bytes() == good


def test_an_entry_of_another_key_is_not_taken(cached: Cached) -> None:
    """The second entry has the contents of the first, as if two keys had the same digest."""
    cached.link()
    (first,) = cached.entries()
    cached.link(TEXT + b"// more\n")
    (second,) = set(cached.entries()) - {first}
    second.write_bytes(first.read_bytes())
    assert is_right(cached.link(TEXT + b"// more\n"), cached)
    assert cached.count() == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_entries_of_others_are_ignored(cached: Cached) -> None:
    cached.link()
    (entry,) = cached.entries()
    os.chown(entry, 12345, -1)
    assert is_right(cached.link(), cached)
    assert cached.count() == 2


def test_a_link_is_not_followed(cached: Cached) -> None:
    cached.link()
    (entry,) = cached.entries()
    other = entry.rename(cached.folder / "elsewhere")
    entry.symlink_to(other)
    assert is_right(cached.link(), cached)
    assert cached.count() == 2


@pytest.mark.parametrize("kind", ["file", "no-parent", "size-is-a-folder"])
def test_a_folder_that_cannot_be_used_is_one_warning(kind: str, cached: Cached) -> None:
    if kind == "file":
        cached.cache.write_text("")
    elif kind == "no-parent":
        cached.cache = cached.folder / "no" / "cache"
    else:
        (cached.cache / "size").mkdir(parents=True)
    result = cached.link(TEXT, put(cached.folder, "y.fatbin", fat_binary(Entry(PTX, 80, TEXT))))
    texts = result.messages.splitlines()
    folder_lines = [text for text in texts if str(cached.cache) in text]
    assert len(folder_lines) == 1
    assert folder_lines[0].startswith("warpld warning : Cannot ")
    assert is_right(cached.link(), cached)
    assert str(cached.cache) not in cached.link(TEXT, "-w").messages


def test_a_warning_about_the_folder_has_its_own_code(cached: Cached) -> None:
    cached.cache = cached.folder / "no" / "cache"
    lines = cached.link(TEXT, "--diagnostics-format=json").messages.splitlines()
    found = [json.loads(line) for line in lines if str(cached.cache) in line]
    assert [message["code"] for message in found] == ["cache-unusable"]


def test_a_full_disk_is_one_warning(cached: Cached) -> None:
    """The limit on file sizes is below the size of the entry and above that of every other file."""
    text = TEXT + b"// long\n" * 20_000

    def limit_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(text) + 64, len(text) + 64))

    result = cached.link(text, preexec=limit_files)
    assert result.messages == (
        f"warpld warning : Cannot write to the cache folder '{cached.cache}': File too large\n"
    )
    assert is_right(result, cached)
    assert [path.name for path in cached.cache.iterdir()] == []


def texts(count: int) -> list[bytes]:
    """Different PTX texts. The cache entry of each has about 300 KB."""
    return [TEXT + b"// %d\n" % i + b"// long\n" * 37_500 for i in range(count)]


def test_the_least_recently_used_entry_is_removed_first(cached: Cached) -> None:
    first, second, third, fourth = texts(4)
    for text in (first, second, third):
        cached.link(text, "--cache-size=1")
    cached.link(first, "--cache-size=1")
    assert cached.count() == 3
    cached.link(fourth, "--cache-size=1")
    assert len(cached.entries()) == 3
    assert sum(path.stat().st_size for path in cached.entries()) <= 1 << 20
    cached.link(first, "--cache-size=1")
    assert cached.count() == 4, "the entry used last was removed"
    cached.link(second, "--cache-size=1")
    assert cached.count() == 5


def test_an_entry_above_the_limit_is_not_kept(cached: Cached) -> None:
    (small,) = texts(1)
    for text in (small * 4, TEXT):
        cached.link(text, "--cache-size=1")
    assert len(cached.entries()) == 1


@pytest.mark.parametrize("content", ["", "nonsense", "99999999999\n"])
def test_a_wrong_sum_is_corrected(content: str, cached: Cached) -> None:
    cached.link()
    (cached.cache / "size").write_text(content)
    cached.link(TEXT + b"// more\n")
    total = sum(path.stat().st_size for path in cached.entries())
    assert len(cached.entries()) == 2
    assert int((cached.cache / "size").read_text()) == total


def test_other_files_in_the_folder_are_left_alone(cached: Cached) -> None:
    cached.cache.mkdir()
    big = cached.cache / "big"
    big.write_bytes(bytes(2 << 20))
    for text in texts(5):
        cached.link(text, "--cache-size=1")
    assert big.exists()


def test_what_a_killed_process_left_is_removed(cached: Cached) -> None:
    cached.cache.mkdir()
    old, new = (cached.cache / f"{name}-0.warpld-unfinished" for name in ("1", "2"))
    for path in (old, new):
        path.write_text("half")
    os.utime(old, (0, 0))
    cached.link()
    assert (old.exists(), new.exists()) == (False, True)


def test_many_processes_share_the_folder(cached: Cached) -> None:
    """Several processes write the same entries, and remove entries that others have written."""
    names = []
    for number, text in enumerate(texts(6)):
        names.append(put(cached.folder, f"{number}.fatbin", fat_binary(Entry(PTX, 80, text))))
    words = ["-arch=sm_80", f"--ptxas-path={cached.compiler}", f"--cache-dir={cached.cache}"]
    running = [
        subprocess.Popen(
            [BUILD / "warpld", *words, "--cache-size=1", name, "-o", f"{turn}-{name}.cubin"],
            cwd=cached.folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        for turn in range(4)
        for name in names
    ]
    assert [(process.communicate(timeout=60)[1], process.returncode) for process in running] == [
        ("", 0)
    ] * len(running)
    outputs = {path.read_bytes() for path in cached.folder.glob("*.cubin")}
    assert len(outputs) == 1
    assert list(cached.cache.glob("*unfinished")) == []
    assert sum(path.stat().st_size for path in cached.entries()) <= 1 << 20


def test_statistics_show_what_was_taken(cached: Cached) -> None:
    for compiled, taken in ((1, 0), (0, 1)):
        lines = cached.link(TEXT, "--stats").messages.splitlines()
        counts = [line.split()[-1] for line in lines if line.startswith("PTX ")]
        assert counts == [str(compiled), str(taken)]


def test_what_is_taken_adds_no_time(cached: Cached) -> None:
    """The table of --time has a row for each compilation, but none for a result from the cache."""
    for _ in range(2):
        cached.link(TEXT, "--time=table")
    assert len((cached.folder / "table").read_text().splitlines()) == 2


def test_objects_without_text_make_no_folder(cached: Cached) -> None:
    link(cached.folder, FIRST, SECOND, f"--cache-dir={cached.cache}", name="warpld")
    assert not cached.cache.exists()
