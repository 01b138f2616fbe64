#!/usr/bin/python3
"""Writes packaging/completion, the completions of warpld and cubintool for bash, zsh and fish.

    tools/make-completions.py [OUTPUT_FOLDER]

Options, commands, targets and keywords come from the tables that the programs themselves use; a
test compares the completions with these tables. Options of warpld that --help=all lists in no group
have no effect, so they are not completed.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCES = REPOSITORY / "src"
FOLDER = REPOSITORY / "packaging" / "completion"
STRING = r'"((?:\\.|[^"\\])*)"'
SUFFIXES = {"PLAIN": "", "ACCELERATED": "a", "FAMILY": "f"}
HEAD = """\
# Completion of {name} for {shell}; made by tools/make-completions.py.
#
# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0
"""


@dataclass(frozen=True)
class Option:
    """An option with its spellings. `value` describes its value, and is empty if it takes none. If
    only certain values are valid, `choices` lists them. If `commands` is empty, all commands have
    the option."""

    spellings: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    about: str
    commands: tuple[str, ...] = ()
    is_value_optional: bool = False

    @property
    def takes_files(self) -> bool:
        return self.value.startswith(("FILE", "PROGRAM", "COMPILER"))

    @property
    def takes_folders(self) -> bool:
        return self.value.startswith("FOLDER")


@dataclass(frozen=True)
class Command:
    spelling: str
    about: str


def table(name: str) -> str:
    return (SOURCES / name).read_text(encoding="utf-8")


def unquoted(text: str) -> str:
    """The contents of adjacent string literals of C."""
    return "".join(re.findall(STRING, text)).replace('\\"', '"').replace("\\n", " ")


# --------------------------------------------------------------------------------------------------
# The tables


def architectures() -> tuple[str, ...]:
    rows = re.findall(r"(?m)^ARCHITECTURE\((\d+), (\w+)", table("format/architecture.def"))
    return tuple(f"sm_{number}{SUFFIXES[suffix]}" for number, suffix in rows)


def choices_of_warpld() -> dict[str, list[str]]:
    """Maps the name of an option in options.def to the keywords that are valid values of it."""
    found = {"ARCHITECTURE": list(architectures())}
    machines = re.findall(r'(?m)^HOST_MACHINE\(\d+, "(\w+)"', table("base/host_machine.def"))
    found["CPU_ARCH"] = machines
    modes = re.findall(r'(?m)^COMPRESSION_MODE\(\w+, "(\w+)"', table("base/compression_mode.def"))
    found["COMPRESS_MODE"] = modes
    keywords = table("cli/options/keywords.c")
    for option, word in re.findall(r'\{OPTION_(\w+), "([^"]+)"\}', keywords):
        found.setdefault(option, []).append(word)
    return found


def options_of_warpld() -> list[Option]:
    """The options of warpld in the order of the help."""
    choices = choices_of_warpld()
    row = rf"(?m)^OPTION\((\w+), {STRING}, {STRING}, (\w+), {STRING}, \w+, {STRING}\)"
    found = {}
    for key, long_name, short_name, kind, value, about in re.findall(
        row, table("cli/options/options.def")
    ):
        spellings = (f"--{long_name}", f"-{short_name}") if short_name else (f"--{long_name}",)
        words = ["true", "false"] if kind == "BOOLEAN" else choices.get(key, [])
        found[key] = Option(
            spellings, value, tuple(words), about, is_value_optional=kind == "OPTIONAL"
        )
    shown = re.findall(r"(?m)^HELP_ROW\((\w+)\)", table("cli/options/help.def"))
    return [found[key] for key in shown]


def commands_of_cubintool() -> dict[str, Command]:
    """The commands of cubintool, by their names in commands.def."""
    row = rf"(?m)^TOOL_COMMAND\((\w+), {STRING}, \w+, \w+, \w+, {STRING},\s*((?:{STRING}\s*)+),"
    found = re.findall(row, table("tool/commands.def"))
    return {name: Command(spelling, unquoted(about)) for name, spelling, _, about, *_ in found}


def options_of_cubintool() -> list[Option]:
    commands = commands_of_cubintool()
    strings = rf"((?:{STRING}\s*)+)"
    row = rf'(?m)^TOOL_OPTION\(\w+, \w+, {STRING}, (NULL|"[^"]*"), ([\w |]+),\s*{strings}\)'
    found = []
    for spelling, value, users, about, *_ in re.findall(row, table("tool/options.def")):
        name = "" if value == "NULL" else value.strip('"')
        words = architectures() if name == "ARCH" else ()
        known = tuple(commands[user.strip()].spelling for user in users.split("|"))
        found.append(Option((spelling,), name, words, unquoted(about), known))
    return found


# --------------------------------------------------------------------------------------------------
# bash

BASH = """
_{name}()
{{
    local current=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} prefix=
    # bash splits --option=value into several words, unless COMP_WORDBREAKS has no '='.
    if [[ $current == = ]]; then
        current=
    elif [[ $option == = ]]; then
        option=${{COMP_WORDS[COMP_CWORD - 2]}}
    elif [[ $current == -*=* ]]; then
        option=${{current%%=*}} prefix=${{current%%=*}}= current=${{current#*=}}
    fi
    COMPREPLY=()
    case $option in
{values}    esac
{words}    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2> /dev/null
    fi
}}
complete -F _{name} {name}
"""
BASH_COMMAND = """\
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "{commands}" -- "$current")
        return
    fi
"""


def bash_case(patterns: list[str], action: str) -> str:
    lines = f"    {' | '.join(patterns)})\n"
    if action:
        lines += f'        mapfile -t COMPREPLY < <(compgen {action} -- "$current")\n'
        lines += '        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")\n'
    if action in ("-f", "-d"):
        lines += "        compopt -o filenames 2> /dev/null\n"
    return lines + "        return\n        ;;\n"


def bash_values(options: list[Option]) -> str:
    """Branches of a `case`: one for each group of options whose values are completed alike."""
    actions: dict[str, list[str]] = {}
    for option in options:
        if not option.value or option.is_value_optional and not option.choices:
            continue
        words = f'-W "{" ".join(option.choices)}"' if option.choices else ""
        action = words or "-f" * option.takes_files or "-d" * option.takes_folders
        actions.setdefault(action, []).extend(option.spellings)
    return "".join(bash_case(spellings, action) for action, spellings in actions.items())


def bash_words(options: list[Option], commands: list[Command]) -> str:
    """Lines that set the shell variable `options` to the options that are offered. Those of
    cubintool depend on the command."""
    if not commands:
        spellings = " ".join(spelling for option in options for spelling in option.spellings)
        return f'    local options="{spellings}"\n'
    lines = BASH_COMMAND.format(commands=" ".join(command.spelling for command in commands))
    lines += "    local options=--help\n    case ${COMP_WORDS[1]} in\n"
    for command in commands:
        own = [o.spellings[0] for o in options if command.spelling in o.commands]
        lines += f'    {command.spelling}) options="{" ".join(own)}" ;;\n'
    return lines + "    esac\n"


def for_bash(name: str, options: list[Option], commands: list[Command]) -> str:
    text = BASH.format(name=name, values=bash_values(options), words=bash_words(options, commands))
    return HEAD.format(name=name, shell="bash") + text


# --------------------------------------------------------------------------------------------------
# zsh


def zsh_quoted(text: str) -> str:
    return text.replace("'", "'\\''")


def zsh_about(text: str) -> str:
    return zsh_quoted(re.sub(r"([\[\]:\\])", r"\\\1", text))


def zsh_action(option: Option) -> str:
    if option.choices:
        return f"({' '.join(option.choices)})"
    return "_files" if option.takes_files else "_files -/" if option.takes_folders else " "


def zsh_lines(option: Option) -> list[str]:
    """A specification of _arguments for each spelling."""
    lines = []
    for spelling in option.spellings:
        others = f"({' '.join(option.spellings)})" if len(option.spellings) > 1 else ""
        colon = "::" if option.is_value_optional else ":"
        value = f"{colon}{zsh_about(option.value)}:{zsh_action(option)}" if option.value else ""
        equals = "=" if option.value else ""
        lines.append(f"'{others}{spelling}{equals}[{zsh_about(option.about)}]{value}'")
    return lines


def for_zsh(name: str, options: list[Option], commands: list[Command]) -> str:
    head = f"#compdef {name}\n" + HEAD.format(name=name, shell="zsh") + "\n"
    if not commands:
        lines = [line for option in options for line in zsh_lines(option)]
        return head + "_arguments \\\n    " + " \\\n    ".join([*lines, "'*:input:_files'"]) + "\n"
    head += "if ((CURRENT == 2)); then\n    local -a commands=(\n"
    for command in commands:
        head += f"        '{command.spelling}:{zsh_quoted(command.about)}'\n"
    head += "    )\n    _describe command commands\n    return\nfi\n"
    head += "local command=$words[2]\nshift words\n((CURRENT--))\ncase $command in\n"
    for command in commands:
        own = [line for o in options if command.spelling in o.commands for line in zsh_lines(o)]
        body = " \\\n        ".join([*own, "'*:file:_files'"])
        head += f"{command.spelling})\n    _arguments \\\n        {body}\n    ;;\n"
    return head + "esac\n"


# --------------------------------------------------------------------------------------------------
# fish


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_line(name: str, option: Option) -> str:
    line = f"complete -c {name}"
    if option.commands:
        line += f" -n {fish_quoted('__fish_seen_subcommand_from ' + ' '.join(option.commands))}"
    for spelling in option.spellings:
        word = spelling.lstrip("-")
        letter = "-l" if spelling.startswith("--") else "-s" if len(word) == 1 else "-o"
        line += f" {letter} {word}"
    if option.takes_folders:
        line += " -x -a '(__fish_complete_directories)'"
    elif option.takes_files:
        line += " -r"
    elif option.value and not option.is_value_optional:
        line += f" -x -a {fish_quoted(' '.join(option.choices))}" if option.choices else " -x"
    return f"{line} -d {fish_quoted(option.about)}"


def for_fish(name: str, options: list[Option], commands: list[Command]) -> str:
    lines = [
        f"complete -c {name} -f -n __fish_use_subcommand -a {command.spelling}"
        f" -d {fish_quoted(command.about)}"
        for command in commands
    ]
    lines += [fish_line(name, option) for option in options]
    return HEAD.format(name=name, shell="fish") + "\n" + "\n".join(lines) + "\n"


SHELLS = {"{}.bash": for_bash, "_{}": for_zsh, "{}.fish": for_fish}


def main() -> int:
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    programs: dict[str, tuple[list[Option], list[Command]]] = {
        "warpld": (options_of_warpld(), []),
        "cubintool": (options_of_cubintool(), list(commands_of_cubintool().values())),
    }
    for name, (options, commands) in programs.items():
        for pattern, write in SHELLS.items():
            file = output / pattern.format(name)
            file.write_text(write(name, options, commands), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
