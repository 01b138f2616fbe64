"""Tests cubintool disassemble with a stand-in for nvdisasm. If nvdisasm is installed, some tests
use it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tool import BUILD, LINKED

CODE = """\t.target\tsm_86

//--------------------- .text.twin --------------------------
\t.section\t.text.twin,"ax",@progbits
\t.sectioninfo\t@"SHI_REGISTERS=24"
.text.twin:
twin:
        /*0000*/                   UMOV UR5, 32@hi(counter) ;
        /*0010*/                   UMOV UR4, 32@lo(counter) ;
\t.section\t.text.twin__1,"ax",@progbits
        /*0000*/                   NOP ;
\t.section\t.text.helper,"ax",@progbits
\t//## File "a\x1b.cu", line 10
        /*0030*/                   UMOV UR4, 32@lo(operations) ;
.L_x_3:
        /*0110*/                   CALL.ABS.NOINC `(twin__0) ;
        /*zz*/  no offset
        /*
"""


def script(folder: Path, *lines: str) -> Path:
    """Writes a shell script called nvdisasm."""
    program = folder / "nvdisasm"
    program.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    program.chmod(0o755)
    return program


def stand_in(folder: Path, text: str = CODE, status: int = 0) -> Path:
    """Writes a stand-in for nvdisasm. It checks that its input equals LINKED, and prints `text`."""
    (folder / "text").write_text(text)
    check = f'test "$1 $2" = "-c -g" && cmp -s "$3" {LINKED} || exit 1'
    return script(folder, check, f"cat {folder}/text", f"exit {status}")


def disassemble(
    *words: object, path: str = "/bin", **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("CUDA_HOME", "CUDA_PATH")}
    return subprocess.run(
        [BUILD / "cubintool", "disassemble", *map(str, words)],
        env={**environment, "PATH": path, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_relocations_stand_beside_the_instructions(tmp_path: Path) -> None:
    done = disassemble("--nvdisasm", stand_in(tmp_path), LINKED, "helper")
    assert done.returncode == 0, done.stderr
    head, blank, *lines = done.stdout.splitlines()
    assert head == f"File {LINKED}, for sm_86" and blank == ""
    assert lines == [
        "Function helper: 512 bytes, 36 registers",
        '  // File "a\\x1b.cu", line 10',
        "      30  UMOV UR4, 32@lo(operations) ;                    "
        "// R_CUDA_ABS32_LO_32 operations, R_CUDA_ABS32_HI_32 operations, "
        "R_CUDA_ABS32_LO_32 helper+0xe0, R_CUDA_ABS32_HI_32 helper+0xe0, "
        "R_CUDA_ABS32_LO_32 helper+0x120, R_CUDA_ABS32_HI_32 helper+0x120",
        "  .L_x_3:",
        "     110  CALL.ABS.NOINC `(twin__0) ;                      // R_CUDA_ABS47_34 twin[14]",
    ]


def test_functions_of_one_name(tmp_path: Path) -> None:
    program = stand_in(tmp_path)
    done = disassemble("--nvdisasm", program, LINKED)
    headings = [line for line in done.stdout.splitlines() if line.startswith("Function ")]
    assert [line.split(":")[0] for line in headings] == [
        "Function twin[3]",
        "Function twin[14]",
        "Function helper",
    ]
    second = disassemble("--nvdisasm", program, LINKED, "twin[14]").stdout
    assert "NOP ;" in second and "UMOV" not in second


def test_json(tmp_path: Path) -> None:
    done = disassemble("--json", "--nvdisasm", stand_in(tmp_path), LINKED, "helper")
    (function,) = json.loads(done.stdout)
    assert function["name"] == "helper"
    assert [set(line) for line in function["lines"]] == [
        {"source"},
        {"offset", "instruction", "relocation"},
        {"label"},
        {"offset", "instruction", "relocation"},
    ]


def test_where_it_is_searched_for(tmp_path: Path) -> None:
    """cubintool searches for nvdisasm in CUDA_HOME first, then in PATH."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "other").mkdir()
    stand_in(tmp_path / "bin")
    stand_in(tmp_path / "other", "")
    found = disassemble(LINKED, CUDA_HOME=str(tmp_path), path=f"{tmp_path}/other:/bin")
    assert "Function helper" in found.stdout
    assert "Function" not in disassemble(LINKED, path=f"{tmp_path}/other:/bin").stdout


def test_it_is_not_installed() -> None:
    done = disassemble(LINKED, path="/nowhere")
    assert done.returncode == 2 and done.stdout == ""
    assert "nvdisasm is not in CUDA_HOME, CUDA_PATH or PATH" in done.stderr
    done = disassemble("--nvdisasm=/nowhere/x", LINKED)
    assert done.returncode == 2 and "/nowhere/x: no program that can be run" in done.stderr


def test_it_fails(tmp_path: Path) -> None:
    done = disassemble("--nvdisasm", stand_in(tmp_path, status=1), LINKED, TMPDIR=str(tmp_path))
    assert done.returncode == 2 and "cannot read this cubin; called with -c" in done.stderr
    assert not list(tmp_path.glob("cubintool.*"))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("kill -SEGV $$", "was ended by signal 11 (Segmentation fault)"),
        ("exec yes", "was ended because it printed more than 256 MiB"),
    ],
)
def test_it_crashes_or_never_ends(line: str, reason: str, tmp_path: Path) -> None:
    program = script(tmp_path, line)
    done = disassemble("--nvdisasm", program, LINKED, TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"cubintool: {program} {reason}\n"
    assert list(tmp_path.iterdir()) == [program]


def test_a_signal_ends_it_too(tmp_path: Path) -> None:
    """A signal to cubintool also ends the stand-in, which would run for a minute. The stand-in
    writes its process ID to a file."""
    number = tmp_path / "number"
    program = script(tmp_path, f"echo $$ > {number}.new; mv {number}.new {number}; sleep 60")
    words: list[str | Path] = [BUILD / "cubintool", "disassemble", "--nvdisasm", program, LINKED]
    with subprocess.Popen(words, env={**os.environ, "TMPDIR": str(tmp_path)}) as process:
        deadline = time.monotonic() + 60
        while not number.exists():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        process.terminate()
        assert process.wait(timeout=60) == -signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)
    assert sorted(tmp_path.iterdir()) == [number, program]


@pytest.mark.skipif(not shutil.which("nvdisasm"), reason="needs nvdisasm")
def test_with_nvidias() -> None:
    done = disassemble(LINKED, path=os.environ["PATH"])
    assert done.returncode == 0, done.stderr
    assert sum(line.startswith(("Kernel ", "Function ")) for line in done.stdout.splitlines()) == 7
    assert "R_CUDA_ABS47_34 twin[14]" in done.stdout
