"""tools/make-completions.py makes the completion files for bash, fish and zsh from the tables of
options. The files are up to date, and the shells complete command lines with them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "packaging" / "completion"

# Reads the file $1, completes the command line in the other arguments, and prints the completions.
ASK_BASH = """
source "$1"
function=$2
shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"$function"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def test_the_files_are_those_of_the_tables(tmp_path: Path) -> None:
    script = REPOSITORY / "tools" / "make-completions.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_text() for path in FOLDER.iterdir()}


def bash(*words: str) -> list[str]:
    """Returns bash's completions of the last word, which may be incomplete."""
    file, name = FOLDER / f"{words[0]}.bash", f"_{words[0]}"
    command = ["bash", "--norc", "-c", ASK_BASH, "bash", str(file), name, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--diag"], ["--diagnostics-format", "--diagnostics-file"]),
        (["-arch", "=", "sm_9"], ["sm_90", "sm_90a"]),
        (["-arch=sm_9"], ["-arch=sm_90", "-arch=sm_90a"]),
        (["-arch", "sm_12"], ["sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"]),
        (["--color", "=", ""], ["auto", "always", "never"]),
        (["--color", "="], ["auto", "always", "never"]),
        (["--disable-smem-reservation", ""], ["true", "false"]),
        (["--threads", ""], []),
        (["-L", "exam"], ["examples"]),
        (["-o", "README"], ["README.md"]),
        (["-v", "README"], ["README.md"]),
    ],
)
def test_bash_completes_the_linker(words: list[str], expected: list[str]) -> None:
    assert bash("warpld", *words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["di"], ["diff", "disassemble"]),
        (["diff", "--fail"], ["--fail-if"]),
        (["dump", "--fail"], []),
        (["list", "--arch", "sm_90"], ["sm_90", "sm_90a"]),
        (["size", "README"], ["README.md"]),
    ],
)
def test_bash_completes_the_tool(words: list[str], expected: list[str]) -> None:
    assert bash("cubintool", *words) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("warpld --diag", ["--diagnostics-file", "--diagnostics-format"]),
        ("warpld --color ", ["always", "auto", "never"]),
        ("warpld -arch sm_9", ["sm_90", "sm_90a"]),
        ("cubintool di", ["diff", "disassemble"]),
        ("cubintool diff --fail", ["--fail-if"]),
    ],
)
def test_fish_completes(line: str, expected: list[str]) -> None:
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    file = FOLDER / f"{line.split()[0]}.fish"
    command = ["fish", "--no-config", "-c", f"source {file}; complete -C '{line}'"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert sorted(answer.split("\t")[0] for answer in done.stdout.splitlines()) == expected


# Types a line ($3) and a tab into a zsh in a pseudo-terminal. Succeeds if zsh then shows $4, the
# only completion that the line has.
ASK_ZSH = """
zmodload zsh/zpty
zpty -b shell zsh -f
zpty -w shell "PS1= fpath=($1 \\$fpath); autoload -U compinit; compinit -u -d $2/dump; print ready"
zpty -r shell answer '*ready*ready*'
zpty -n -w shell "$3"$'\\t'
for ((i = 0; i < 50; i++)); do
    zpty -r -t shell part && answer+=$part
    [[ $answer == *$4* ]] && exit 0
    sleep 0.1
done
print -r -- "$answer"
exit 1
"""


@pytest.mark.parametrize(
    ("typed", "shown"),
    [("warpld --diagnostics-fo", "--diagnostics-format"), ("cubintool resour", "resources")],
)
def test_zsh_completes(tmp_path: Path, typed: str, shown: str) -> None:
    if not shutil.which("zsh"):
        pytest.skip("zsh is not installed")
    command = ["zsh", "-f", "-c", ASK_ZSH, "zsh", str(FOLDER), str(tmp_path), typed, shown]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
