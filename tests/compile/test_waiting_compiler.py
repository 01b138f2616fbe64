"""ptxas is started before the optimiser has made the PTX, and waits for it."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from container_files import Entry, HostObject, archive, cubin_entry, fat_binary
from container_link import DATA, FIRST, SECOND, Link, link, put
from ended_processes import ENDING, expect_signals, has_line, is_gone
from optimiser_folder import HEAD, IR, WORDS, put_ptxas, run, set_up, variables_of

SUCCEED = '/bin/cp "$STAND_IN_CUBIN" elf.o'
READ = '/bin/cat "application ptx input" > /dev/null'
# A file that the stand-in for ptxas creates when it starts. The stand-in for the optimiser waits
# for this file before it ends.
OPTIMISED = "touch_optimised"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return set_up(tmp_path)


def put_script(folder: Path, *lines: str) -> None:
    """Writes a script that stands in for ptxas. The script records its process ID, and whether it
    must wait for the PTX. If it must wait, it creates the file OPTIMISED. Then it runs `lines`."""
    note = f"""if test -L "application ptx input"
then echo "$$ waits" >> {folder}/runs; > {folder}/{OPTIMISED}
else echo "$$ does not wait" >> {folder}/runs
fi"""
    put_ptxas(folder, "\n".join(["#!/bin/sh", note, *lines, ""]))


def run_waiting(folder: Path, *words: str | Path) -> Link:
    return run(folder, "-lto", "x.ltoir", *words, STAND_IN_WAIT=str(folder / OPTIMISED))


def runs(folder: Path) -> list[str]:
    return [line.split(maxsplit=1)[1] for line in (folder / "runs").read_text().splitlines()]


def processes(folder: Path) -> list[int]:
    return [int(line.split()[0]) for line in (folder / "runs").read_text().splitlines()]


def test_the_compiler_starts_while_the_optimiser_runs(folder: Path) -> None:
    """The compiler of this test reads the text twice, as ptxas 13.0.88 does."""
    first, second = folder / "first", folder / "second"
    reads = [f'/bin/cat "application ptx input" > {path}' for path in (first, second)]
    put_script(folder, *reads, "echo ptxas info >&2", SUCCEED)
    done = run_waiting(folder)
    assert (done.status, done.messages, done.file) == (0, "ptxas info\n", FIRST.read_bytes())
    assert runs(folder) == ["waits"]
    assert HEAD in first.read_bytes() and first.read_bytes() == second.read_bytes()


RECORDED = "-maxreg 32 -split-compile 2 -generate-line-info -ftz=0 -prec_div=1 -prec_sqrt=1 "


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("", "-arch sm_80 -m 64"),
        ("-arch=sm_100f", "-arch sm_100 -m 64"),
        ("-arch=sm_100a", "-arch sm_100a -m 64"),
        ("-maxrregcount=24", "-arch sm_80 -m 64 -maxrregcount=24"),
        ("-Ofc=min", "-arch sm_80 -m 64 -Ofc=min"),
        ("-split-compile=2", "-arch sm_80 -m 64 -split-compile=2"),
        ("-device-stack-protector=true", "-arch sm_80 -m 64 -device-stack-protector=true"),
        ("-Xptxas=-O1 -Xptxas=-lineinfo,-v", "-arch sm_80 -m 64 -O1 -lineinfo -v"),
        ("--force-whole-lto", "-arch sm_80 -m 64"),
        ("second.cubin", "-arch sm_80 -m 64 -c"),
        ("second.cubin -maxrregcount=24", "-arch sm_80 -m 64 -c -maxrregcount=24"),
        ("a.fatbin", "-arch sm_80 -m 64 -maxrregcount=32 -split-compile=2"),
        ("a.fatbin second.cubin", "-arch sm_80 -m 64 -c -maxrregcount=32 -split-compile=2"),
        ("a.fatbin -maxrregcount=50 -split-compile=4",
         "-arch sm_80 -m 64 -split-compile=2 -maxrregcount=50"),
    ],
)  # fmt: skip
def test_the_compiler_runs_once(words: str, arguments: str, folder: Path) -> None:
    """The waiting compiler is started with all options that the PTX is compiled with, including
    those that an input (a.fatbin) records. So no second run of ptxas is needed."""
    put(folder, "a.fatbin", fat_binary(Entry(8, 80, b"scrambled", options=RECORDED)))
    put(folder, "second.cubin", SECOND.read_bytes())
    put_script(folder, READ, 'echo "$@" >&2', SUCCEED)
    done = run_waiting(folder, "-disable-infos", *words.split())
    assert done.status == 0
    assert done.messages.splitlines()[-1] == f"{arguments} application ptx input"
    assert runs(folder) == ["waits"]


def test_calls_of_the_device_runtime_need_another_run(folder: Path) -> None:
    """PTX that calls the device runtime is not a whole program, so ptxas needs other options. The
    link then sends an empty text to the waiting compiler, and starts another compiler for the PTX.
    PTX that calls only system functions is compiled by the waiting compiler."""
    (folder / "x.ltoir").write_bytes(IR + HEAD + b".extern .func runtime_function\n")
    runtime = fat_binary(cubin_entry(DATA / "runtime.sm_80.cubin"))
    put(folder, "libcudadevrt.a", archive({"runtime.o": HostObject(runtime).write()}))
    put_script(folder, READ, f"echo >> {folder}/read", SUCCEED)
    assert run_waiting(folder, "-disable-infos", "-L.", "-lcudadevrt").status == 0
    assert runs(folder) == ["waits", "does not wait"]
    assert (folder / "read").read_text() == "\n"
    for name in ("runs", OPTIMISED):  # so that the optimiser waits for this compiler, too
        (folder / name).unlink()
    (folder / "x.ltoir").write_bytes(IR + HEAD + b".extern .func vprintf\n")
    assert run_waiting(folder, "-disable-infos", "-L.", "-lcudadevrt").status == 0
    assert runs(folder) == ["waits"]


def test_a_text_that_is_larger_than_a_pipe_is_compiled_in_another_run(folder: Path) -> None:
    (folder / "x.ltoir").write_bytes(IR + HEAD + b"// more\n" * (1 << 18))
    put_script(folder, READ, SUCCEED)
    done = run_waiting(folder)
    assert (done.status, done.messages, done.file) == (0, "", FIRST.read_bytes())
    assert runs(folder) == ["waits", "does not wait"]


@pytest.mark.parametrize("ending", ["exit 1", "kill -SEGV $$"])
def test_a_compiler_that_fails_is_run_again(ending: str, folder: Path) -> None:
    """A compiler can fail for the sole reason that it reads a pipe. So it is run again with a file,
    and only the messages of the second run are shown."""
    put_script(folder, READ, "echo ptxas fatal >&2", ending)
    done = run_waiting(folder)
    assert done.status == 1
    assert done.messages.count("ptxas fatal\n") == 1
    assert ("was ended by signal 11" in done.messages) == ending.startswith("kill")
    assert runs(folder) == ["waits", "does not wait"]


def test_one_that_only_fails_when_it_waits_does_no_harm(folder: Path) -> None:
    put_script(folder, f"test -e {folder}/failed || {{ > {folder}/failed; exit 1; }}", SUCCEED)
    done = run_waiting(folder)
    assert (done.status, done.messages, done.file) == (0, "", FIRST.read_bytes())
    assert runs(folder) == ["waits", "does not wait"]


def test_a_compiler_that_hangs_is_run_once(folder: Path) -> None:
    put_script(folder, "echo ptxas info >&2", "exec /bin/sleep 300")
    done = run_waiting(folder, "--ptxas-timeout=1")
    assert done.status == 1
    assert done.messages.count("ptxas info\n") == 1
    assert "ptxas' did not end within 1 seconds, compiling the PTX of 'lto.cubin'" in done.messages
    assert runs(folder) == ["waits"]
    assert is_gone(processes(folder)[0])


def test_it_ends_if_the_optimiser_fails(folder: Path) -> None:
    (folder / "x.ltoir").write_bytes(IR + HEAD + b"// bad\n")
    put_script(folder, "exec /bin/sleep 300")
    done = run_waiting(folder)
    assert done.status == 1
    assert done.messages.startswith("error   : it is bad\n")
    assert runs(folder) == ["waits"]
    assert is_gone(processes(folder)[0])


@pytest.mark.parametrize(
    "words", [["-g"], ["--cache-dir=cache"]], ids=["the text as an argument", "the cache"]
)
def test_it_does_not_wait_for_these(words: list[str], folder: Path) -> None:
    (folder / OPTIMISED).touch()
    put_script(folder, SUCCEED)
    done = run_waiting(folder, *words)
    assert (done.status, done.messages, done.file) == (0, "", FIRST.read_bytes())
    assert runs(folder) == ["does not wait"]


def test_ptx_as_the_output_needs_no_compiler(folder: Path) -> None:
    (folder / OPTIMISED).touch()
    put_script(folder, SUCCEED)
    assert run_waiting(folder, "-emit-ptx").status == 0
    assert not (folder / "runs").exists()


def test_closed_streams_do_no_harm(folder: Path) -> None:
    """If the command starts with closed standard streams, the files and pipes that it opens get the
    numbers of these streams."""
    put_script(folder, READ, SUCCEED)
    (folder / OPTIMISED).touch()
    done = subprocess.run(
        [folder / "warpld", *WORDS],
        cwd=folder,
        env=variables_of(folder),
        preexec_fn=lambda: os.closerange(0, 3),
        check=False,
    )
    assert done.returncode == 0
    assert (folder / "output.cubin").read_bytes() == FIRST.read_bytes()


@pytest.mark.parametrize("number", ENDING)
@pytest.mark.parametrize(
    ("optimiser_needs", "sign"),
    [("never", "runs"), (OPTIMISED, "read")],
    ids=["optimiser", "compiler"],
)
def test_a_signal_ends_both_and_leaves_nothing(
    optimiser_needs: str, sign: str, number: int, folder: Path
) -> None:
    """When the signal comes, the command is waiting for the optimiser or for the compiler. In the
    second case the compiler has read all PTX."""
    put_script(folder, READ, f"echo > {folder}/read", "exec /bin/sleep 300")
    process = subprocess.Popen(
        [folder / "warpld", *WORDS],
        cwd=folder,
        env=variables_of(folder) | {"STAND_IN_WAIT": str(folder / optimiser_needs)},
        stderr=subprocess.PIPE,
        preexec_fn=expect_signals,
    )
    while not has_line(folder / sign) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == -number
    assert (folder / "read").exists() == (sign == "read")
    assert runs(folder) == ["waits"]
    assert is_gone(processes(folder)[0])
    assert not list((folder / "temporary").iterdir())
    assert not (folder / "output.cubin").exists()
