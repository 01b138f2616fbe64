"""Tests cubintool's command line: the help, which comes from tables, errors and the exit status."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tool import BUILD, DATA, REPOSITORY, cubintool, run

COMMANDS = [
    *("list", "dump", "diff", "verify", "resources", "uidx", "explain", "size"),
    *("symbols", "disassemble", "graph"),
]
FILES = [DATA / "linked-86.cubin", DATA / "linked-90.cubin"]
ARGUMENTS: dict[str, list[str | Path]] = {"diff": [*FILES], "explain": [FILES[0], "first"]}


def table(name: str) -> str:
    return (REPOSITORY / "src" / "tool" / name).read_text()


def test_help_of_a_command() -> None:
    """Three command lines show the help of a command."""
    text = cubintool("diff", "--help")
    assert cubintool("help", "diff") == cubintool("--help", "diff") == text
    assert cubintool("help") == cubintool("--help")


def test_help_lists_all_commands() -> None:
    text = cubintool("--help")
    assert re.findall(r'^TOOL_COMMAND\(\w+, "(\w+)"', table("commands.def"), re.M) == COMMANDS
    assert all(f"\n  {command} " in text for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_lists_all_options(command: str) -> None:
    text = cubintool(command, "--help")
    rows = re.findall(
        r'^TOOL_OPTION\(\w+, [A-Z]+, "(--[\w-]+)", (?:NULL|"\w+"),\s+([\w|\s]+),\s',
        table("options.def"),
        re.M,
    )
    assert len(rows) == 21
    for option, commands in rows:
        assert (f"  {option} " in text) == (command.upper() in re.findall(r"\w+", commands))


@pytest.mark.parametrize("command", COMMANDS)
def test_option_of_another_command_is_refused(command: str) -> None:
    for option in ("--json", "--demangle", "--section=x", "--raw", "--strict", "--limit=3"):
        name = option.split("=")[0]
        known = f"  {name} " in cubintool(command, "--help")
        done = run(command, option, *ARGUMENTS.get(command, [FILES[0]]))
        assert ("unknown option" in done.stderr) == (not known)


def test_version() -> None:
    header = (REPOSITORY / "include" / "warpld.h").read_text()
    (version,) = re.findall(r'WARPLD_VERSION\s+"([\d.]+)"', header)
    assert cubintool("--version") == f"cubintool {version}\n"


@pytest.mark.parametrize(
    "words, message",
    [
        ([], "Usage:"),
        (["nonsense"], "unknown command: nonsense"),
        (["--nonsense"], "unknown command: --nonsense"),
        (["dump"], "too few files"),
        (["diff", "a"], "too few files; expected: A B"),
        (["diff", "a", "b", "c"], "too many files"),
        (["dump", "--jsonx", "a"], "unknown option: --jsonx"),
        (["dump", "--json=1", "a"], "unknown option: --json=1"),
        (["dump", "a", "--section"], "option needs a value: --section"),
        (["diff", "--limit", "-1", "a", "b"], "bad value of option: --limit"),
        (["diff", "--limit=", "a", "b"], "bad value of option: --limit="),
        (["diff", "--limit=99999999999999999999999", "a", "b"], "bad value"),
        (["dump", "no-such-file"], "no-such-file: No such file or directory"),
        (["dump", "."], ".: Is a directory"),
        (["verify", "regenerate.sh"], "regenerate.sh: neither device code"),
    ],
)
def test_errors(words: list[str], message: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert message in done.stderr and done.stdout == ""


def test_files_after_two_dashes() -> None:
    assert "--json: No such file" in run("dump", "--", "--json").stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_output_that_cannot_be_written_is_an_error(command: str) -> None:
    if command == "disassemble":
        pytest.skip("needs nvdisasm; prints as the others do")
    words = [command, "--json", *ARGUMENTS.get(command, [*FILES])]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [BUILD / "cubintool", *words], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2 and "cannot write" in done.stderr
