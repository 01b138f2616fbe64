"""--save-inputs saves all files that a link reads, with a script that repeats the link from any
folder."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest
from container_files import EM_AARCH64, HostObject, archive, cubin_entry, fat_binary, host
from container_link import BUILD, DATA, FIRST, SECOND, put
from saved_link import Done, link, repeat, run

PTX_TEXT = """.version 9.0
.target sm_80
.address_size 64
.visible .entry from_text() { ret; }
"""


@pytest.fixture(autouse=True)
def no_folders_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsets LIBRARY_PATH, which container images with CUDA set. The libraries of its folders would
    be saved, too."""
    monkeypatch.delenv("LIBRARY_PATH", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose name has characters that a shell, an options file or printf treats
    specially."""
    made = tmp_path / 'it\'s a "folder" with $HOME, %s and \\'
    made.mkdir()
    return made


def assert_repeats(folder: Path, first: Done, *, status: int = 0) -> None:
    """Fails unless the repeated link has the same output and exit status. It must also have the
    same number of messages, without counting the note about the saved link."""
    assert first.status == status, first.messages
    again = repeat(folder / "saved")
    assert again.status == status, again.messages
    messages = first.messages.splitlines(keepends=True)
    assert sum("link.sh to repeat this link" in line for line in messages) == 1
    assert len(again.messages.splitlines()) == len(messages) - 1
    output = folder / "saved" / "output" / "out.cubin"
    assert output.exists() == (folder / "out.cubin").exists() == (status == 0)
    if status == 0:
        command = [BUILD / "cubintool", "diff", "--strict", folder / "out.cubin", output]
        assert run(command, folder).status == 0


def test_files_are_copied_as_they_were_read(folder: Path) -> None:
    (folder / "sub").mkdir()
    put(folder, "same name", FIRST.read_bytes())
    put(folder, "sub/same name", SECOND.read_bytes())
    done = link(folder, "same name", "sub/same name", "--debug")
    names = sorted(path.name for path in (folder / "saved" / "inputs").iterdir())
    assert names == ["1-same name", "2-same name"]
    assert (folder / "saved/inputs/1-same name").read_bytes() == FIRST.read_bytes()
    for name in ("same name", "sub/same name"):
        (folder / name).unlink()
    assert_repeats(folder, done)


def test_script_can_be_moved_and_run_by_another_linker(folder: Path) -> None:
    assert link(folder, FIRST, SECOND).status == 0
    moved = (folder / "saved").rename(folder / "moved")
    other = folder / "other linker"
    other.write_text('#!/bin/sh\necho "$0 $*" >&2\nexit 7\n')
    other.chmod(0o755)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    command = ["sh", moved / "link.sh", "-v"]
    done = run(command, elsewhere, LINKER="../other linker")
    assert (done.status, done.messages.split("linker ")[1]) == (7, "--options-file arguments -v\n")
    assert run(command, elsewhere).status == 0
    assert (moved / "output" / "out.cubin").exists()


def test_words_of_options_files(folder: Path) -> None:
    put(folder, "inner", b'"-kernels-used=\\"fir,st\\",first" -v')
    put(folder, "outer", f'"{FIRST}" -optf inner --register-link-binaries=a/b'.encode())
    (folder / "a").mkdir()
    done = link(folder, "@outer", "-o", "out.cubin", SECOND)
    assert_repeats(folder, done)
    saved = folder / "saved"
    assert (saved / "arguments").read_text().splitlines() == [
        '"--arch=sm_80"',
        '"--output-file=output/out.cubin"',
        '"inputs/1-first.sm_80.cubin"',
        '"--kernels-used=fir,st,first"',
        '"--verbose"',
        '"--register-link-binaries=output/register-link-binaries-b"',
        '"--output-file=output/out.cubin"',
        '"inputs/2-second.sm_80.cubin"',
    ]
    assert (saved / "options" / "1-outer").read_bytes() == (folder / "outer").read_bytes()
    assert (saved / "options" / "2-inner").read_bytes() == (folder / "inner").read_bytes()
    assert (saved / "output" / "register-link-binaries-b").exists()


def test_quotes_stand_in_the_script(folder: Path) -> None:
    """Arguments with quotes are in the script and not in its options file, because warpld and
    nvlink remove quotes from options files. Names of saved files have no quotes."""
    put(folder, 'it is "first"', FIRST.read_bytes())
    done = link(folder, 'it is "first"', SECOND, '-kernels-used="fir,st",second')
    assert_repeats(folder, done)
    saved = folder / "saved"
    assert "kernels-used" not in (saved / "arguments").read_text()
    last = (saved / "link.sh").read_text().splitlines()[-1]
    assert last.endswith(""" arguments '--kernels-used="fir,st",second' "$@\"""")
    assert (saved / "inputs" / "1-it is _first_").exists()


def test_thousands_of_quotes(folder: Path) -> None:
    """Time and memory for the script must not grow with the square of the number of quotes. If they
    did, this link would take 7 GB and half a minute."""
    value = '"' + "'" * 60000 + '"'
    done = link(folder, FIRST, SECOND, "--nvvmpath=" + value)
    assert done.status == 0, done.messages
    last = (folder / "saved" / "link.sh").read_text().splitlines()[-1]
    quoted = value.replace("'", "'\\''")
    assert last.endswith(f""" arguments '--nvvmpath={quoted}' "$@\"""")


def test_backslashes_of_arguments(folder: Path) -> None:
    put(folder, "back\\slash\\\\", FIRST.read_bytes())
    assert_repeats(folder, link(folder, "back\\slash\\\\", SECOND))


def test_libraries_of_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The repeated link uses LIBRARY_PATH as it was in the saved link, not as it is now."""
    for name, library in (("saved_then", "second"), ("found_later", "other")):
        (folder / name).mkdir()
        put(folder, f"{name}/lib{library}.a", archive({"second.o": host(SECOND)}))
    monkeypatch.setenv("LIBRARY_PATH", "saved_then")
    done = link(folder, FIRST, "-lsecond", "-lother")
    shutil.rmtree(folder / "saved_then")
    monkeypatch.setenv("LIBRARY_PATH", "../found_later")
    assert_repeats(folder, done)


def test_libraries_are_found_as_they_were(folder: Path) -> None:
    for name in ("text", "good"):
        (folder / name).mkdir()
    put(folder, "text/libsecond.a", archive({"second.o": b"no object at all" * 10}))
    put(folder, "good/libsecond.a", archive({"second.o": host(SECOND)}))
    put(folder, "good/libother.a", archive({"other.o": host(FIRST, machine=EM_AARCH64)}))
    put(folder, "good/libunused.a", archive({"other.o": host(FIRST)}))
    words = ["-Lmissing,text", "-L", "good", "-lsecond,nowhere", "-lother", "-cpu-arch=X86_64"]
    done = link(folder, FIRST, *words)
    for name in ("text", "good"):
        shutil.rmtree(folder / name)
    assert_repeats(folder, done)
    assert done.messages.count("Skipping incompatible") == 2
    saved = folder / "saved" / "libraries"
    found = sorted(path.relative_to(saved).as_posix() for path in saved.rglob("*.a"))
    assert found == ["2/libsecond.a", "3/libother.a", "3/libsecond.a"]


def test_archive_by_two_paths_is_saved_once(folder: Path) -> None:
    put(folder, "libsecond.a", archive({"second.o": host(SECOND)}))
    (folder / "libagain.a").symlink_to("libsecond.a")
    done = link(folder, FIRST, "libsecond.a", "./libsecond.a", "-L.", "-lsecond", "-lagain")
    assert_repeats(folder, done)
    saved = folder / "saved"
    assert not (saved / "inputs" / "2-libsecond.a").is_symlink()
    for name in ("inputs/3-libsecond.a", "libraries/1/libsecond.a", "libraries/1/libagain.a"):
        assert (saved / name).resolve() == saved / "inputs" / "2-libsecond.a"


@pytest.mark.parametrize("place", [".", "sub"])
def test_thin_archive_becomes_a_whole_one(folder: Path, place: str) -> None:
    (folder / "objects").mkdir()
    (folder / "sub").mkdir()
    up = "" if place == "." else "../"
    members = {f"{up}objects/first.o": host(FIRST), f"{up}objects/second object.o": host(SECOND)}
    for name, content in members.items():
        put(folder, name.removeprefix("../"), content)
    put(folder, f"{place}/libthin.a", archive(members, thin=True))
    done = link(folder, f"{place}/libthin.a", FIRST)
    shutil.rmtree(folder / "objects")
    assert_repeats(folder, done, status=1)
    assert f"libthin.a:{up}objects/first.o'" in done.messages
    assert f"libthin.a:{up}objects/first.o'" in repeat(folder / "saved").messages


def test_thin_archives_beside_each_other(folder: Path) -> None:
    """Each saved archive has its own members. One archive is found by -l, one is named twice, and
    one has no members."""
    put(folder, "first.o", host(FIRST))
    put(folder, "second.o", host(SECOND))
    put(folder, "no code", b"nothing here")
    put(folder, "one.a", archive({"first.o": host(FIRST)}, thin=True))
    put(folder, "none.a", archive({}, thin=True))
    put(folder, "text.a", archive({"no code": b"nothing here"}, thin=True))
    put(folder, "libtwo.a", archive({"second.o": host(SECOND)}, thin=True))
    done = link(folder, "none.a", "one.a", "text.a", "./one.a", "-L.", "-ltwo")
    assert_repeats(folder, done)
    saved = folder / "saved"
    assert host(FIRST) in (saved / "inputs/2-one.a").read_bytes()
    assert b"nothing here" in (saved / "inputs/3-text.a").read_bytes()
    assert (saved / "inputs/4-one.a").readlink() == Path("../inputs/2-one.a")
    assert host(SECOND) in (saved / "libraries/1/libtwo.a").read_bytes()


def test_a_file_that_is_several_members(folder: Path) -> None:
    """If a thin archive names the same file twice, the saved archive contains it twice. A file that
    two archives name is in both saved archives."""
    put(folder, "first.o", host(FIRST))
    put(folder, "text", b"nothing here")
    archive_file = archive({"text": b"nothing here", "./text": b"nothing here"}, thin=True)
    put(folder, "twice.a", archive_file)
    put(folder, "one.a", archive({"first.o": host(FIRST)}, thin=True))
    put(folder, "two.a", archive({"first.o": host(FIRST)}, thin=True))
    done = link(folder, "twice.a", "one.a", "two.a", SECOND)
    assert_repeats(folder, done, status=1)
    assert "Multiple definition" in done.messages
    saved = folder / "saved/inputs"
    assert (saved / "1-twice.a").read_bytes().count(b"nothing here") == 2
    for name in ("2-one.a", "3-two.a"):
        assert host(FIRST) in (saved / name).read_bytes()


def test_many_thin_archives(folder: Path) -> None:
    """Saving 500 thin archives must be fast. It would be slow if the search for an archive, or for
    its members, visited all archives."""
    names = [f"{number}.a" for number in range(500)]
    for name in names:
        put(folder, f"{name}.text", b"nothing here")
        put(folder, name, archive({f"{name}.text": b"nothing here"}, thin=True))
    put(folder, "names", "\n".join(names).encode())
    done = link(folder, FIRST, SECOND, "-optf", "names")
    assert done.status == 0, done.messages[-1000:]
    for number, name in enumerate(names):
        saved = folder / f"saved/inputs/{number + 3}-{name}"
        assert saved.read_bytes().count(b"nothing here") == 1


def test_a_missing_member_stays_missing(folder: Path) -> None:
    put(folder, "libthin.a", archive({"gone.o": host(FIRST)}, thin=True))
    assert_repeats(folder, link(folder, "libthin.a", SECOND), status=1)


@pytest.mark.parametrize("last", ["first.o", "damaged.o", "missing.o"])
def test_a_failed_link_is_saved(folder: Path, last: str) -> None:
    """The last input makes the link fail: the first object again, an object with half a fat binary,
    or a file that does not exist."""
    put(folder, "first.o", host(FIRST))
    put(folder, "damaged.o", HostObject(fat_binary(cubin_entry(FIRST))[:1000]).write())
    done = link(folder, "first.o", SECOND, last)
    assert_repeats(folder, done, status=1)


def test_the_device_runtime_stays_that(folder: Path) -> None:
    (folder / "libcudadevrt").mkdir()
    runtime = put(folder, "libcudadevrt/all.cubin", (DATA / "runtime.sm_80.cubin").read_bytes())
    assert_repeats(folder, link(folder, FIRST, SECOND, runtime))
    assert (folder / "saved/inputs/3-libcudadevrt-all.cubin").exists()


def test_host_file(folder: Path) -> None:
    put(folder, "host", b"what the host says" * 4)
    done = link(folder, FIRST, SECOND, "--nv-host", "host")
    (folder / "host").unlink()
    assert_repeats(folder, done)


def test_index_file_of_unified_tables(folder: Path) -> None:
    header = struct.pack("<8sIIQQQQ", b"\x7fUFTINDX", 1, 0, 0, 0, 0, 0)
    put(folder, "index", header)
    done = link(folder, FIRST, SECOND, "--uidx-file", "index")
    (folder / "index").unlink()
    assert (folder / "saved/inputs/uidx-file-index").read_bytes() == header
    assert_repeats(folder, done)


def test_text_is_an_input_like_others(folder: Path) -> None:
    put(folder, "text.ptx", PTX_TEXT.encode())
    done = link(folder, FIRST, SECOND, "text.ptx")
    assert (folder / "saved/inputs/3-text.ptx").read_text() == PTX_TEXT
    if shutil.which("ptxas"):
        assert_repeats(folder, done)


@pytest.mark.parametrize("choice", ["process", "./compiler"])
def test_compiler_and_cache(choice: str, folder: Path) -> None:
    """The repeated link finds the compiler by its path, and does not use the cache of the saved
    link."""
    put(folder, "text.ptx", PTX_TEXT.encode())
    for name in ("compiler", "ptxas"):
        put(folder, name, f"#!/bin/sh\ncp {FIRST} elf.o\n".encode())
        (folder / name).chmod(0o755)
    words = [f"--ptx-compiler={choice}", "--cache-dir=cache", "--cache-size=3"]
    done = link(folder, "text.ptx", SECOND, *words, "--ptxas-path=ptxas")
    shutil.rmtree(folder / "cache")
    assert_repeats(folder, done)
    assert not (folder / "elsewhere" / "cache").exists()
    assert not (folder / "cache").exists()


def test_each_link_has_a_folder_of_its_own(folder: Path) -> None:
    """If the folder exists, a link saves its inputs in a new folder with a number, because nvcc
    passes the same folder name to its links for all targets."""
    (folder / "saved").mkdir()
    assert "run saved/link.sh to repeat" in link(folder, FIRST, SECOND).messages
    assert "run saved.2/link.sh to repeat" in link(folder, SECOND).messages
    assert "run saved.3/link.sh to repeat" in link(folder, FIRST, "-w").messages
    assert [path.name for path in (folder / "saved.2" / "inputs").iterdir()] == [
        "1-second.sm_80.cubin"
    ]


def test_called_nvlink(folder: Path) -> None:
    """The repeated link runs warpld under the same name, warpld or nvlink, because the name decides
    which messages are errors."""
    put(folder, "x.fatbin", fat_binary(cubin_entry(DATA / "first.sm_90.cubin")))
    assert_repeats(folder, link(folder, "x.fatbin", name="nvlink"))
    assert "nvlink warning" in repeat(folder / "saved").messages


def test_what_cannot_be_saved_is_an_error(folder: Path) -> None:
    put(folder, "saved", b"a file")
    done = link(folder, FIRST, SECOND)
    assert (done.status, done.messages) == (
        1,
        "warpld fatal   : Could not open output file 'saved'\n",
    )
    assert not (folder / "out.cubin").exists()


def test_no_notes(folder: Path) -> None:
    assert link(folder, FIRST, SECOND, "--no-notes").messages == ""
    assert (folder / "saved" / "link.sh").exists()


CALLERS = Path(__file__).resolve().parents[1] / "golden" / "alias-keeps-its-symbol"
KERNEL = b"kernel_b"
MANY = 300  # so many that threads read the files, and keep only what the link needs


def many_objects(folder: Path) -> list[Path]:
    """Writes MANY objects with one kernel each, whose names differ, and an object with the function
    that all of them call."""
    cubin = (CALLERS / "b.cubin").read_bytes()
    assert KERNEL in cubin
    paths = [folder / f"{number:03}.cubin" for number in range(MANY)]
    for number, path in enumerate(paths):
        path.write_bytes(cubin.replace(KERNEL, b"kern_%03d" % number))
    callee = folder / "callee.cubin"
    callee.write_bytes((CALLERS / "a.cubin").read_bytes())
    return [*paths, callee]


def test_objects_that_were_read_on_threads(folder: Path) -> None:
    paths = many_objects(folder)
    done = link(folder, *paths, "--threads=2")
    assert done.status == 0, done.messages
    saved = [path for path in (folder / "saved" / "inputs").rglob("*") if path.is_file()]
    assert sorted(path.read_bytes() for path in saved) == sorted(
        path.read_bytes() for path in paths
    )


def test_threads_do_not_change_the_output(folder: Path) -> None:
    paths = many_objects(folder)
    outputs = []
    for threads in (1, 2, 5):
        program = [BUILD / "warpld", "-arch=sm_80", f"--threads={threads}", "-o", "out.cubin"]
        assert run([*program, *paths], folder).status == 0
        outputs.append((folder / "out.cubin").read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]
