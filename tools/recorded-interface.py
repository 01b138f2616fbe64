#!/usr/bin/python3
"""Compares the binary interface of the library with the recorded one. It uses libabigail.

    tools/recorded-interface.py check [HEADER]    fails if existing programs would break
    tools/recorded-interface.py record            records the interface that the header declares

The header is compiled with a dummy definition of each function, so that the record has the public
types and no others. docs/abi.md says which changes are allowed. packaging/abi/allowed-changes
contains the same rules for abidiff.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HEADER = REPOSITORY / "include" / "warpld.h"
FOLDER = REPOSITORY / "packaging" / "abi"
RECORD = FOLDER / "libwarpld.so.0.abi"
ALLOWED = FOLDER / "allowed-changes"
FLAGS = ["-g", "-O0", "-fPIC", "-shared", "-std=c17", "-Wl,-soname,libwarpld.so.0"]
HIDE = ["--no-show-locs", "--no-corpus-path", "--no-comp-dir-path"]


def definitions(header: str) -> str:
    """A source that defines each function of the header."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    declared = re.findall(r"(?m)^WARPLD_API ([^;{]+\))\s*;", text)
    bodies = [f"{one}\n{{\n    __builtin_trap();\n}}\n" for one in declared]
    return '#include "warpld.h"\n' + "\n".join(bodies)


def compiled(header: Path, folder: Path) -> Path:
    """A library with the interface of the header."""
    text = header.read_text(encoding="utf-8")
    (folder / "warpld.h").write_text(text, encoding="utf-8")
    (folder / "interface.c").write_text(definitions(text), encoding="utf-8")
    library = folder / "libwarpld.so.0"
    map_folder = f"-ffile-prefix-map={folder}=."
    command = ["gcc", *FLAGS, map_folder, f"-Wl,--version-script={version_script()}"]
    subprocess.run([*command, "interface.c", "-o", library], cwd=folder, check=True)
    return library


def version_script() -> Path:
    return REPOSITORY / "src" / "link" / "libwarpld.map"


def record(library: Path) -> None:
    subprocess.run(["abidw", *HIDE, "--out-file", RECORD, library], check=True)


def abidiff(library: Path, *words: object) -> tuple[int, str]:
    command = ["abidiff", "--no-added-syms", *map(str, words), str(RECORD), str(library)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def without_size(header: str) -> list[str]:
    """The structures that must not grow, because they do not begin with their size."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    bodies = re.findall(r"struct (\w+) \{(.*?)\n\};", text, flags=re.DOTALL)
    return [name for name, body in bodies if not body.strip().startswith("size_t size;")]


def check(library: Path, header: str) -> int:
    """Prints the changes that are not allowed. Returns 0 if there are none. The rule that allows a
    structure to grow makes abidiff hide other changes in that structure, too. A second report,
    without the rules, shows these changes."""
    status, report = abidiff(library, "--suppressions", ALLOWED)
    whole = abidiff(library)[1]
    fixed = "|".join(without_size(header))
    breaks = r"data member deletion|offset changed from|type name changed from"
    breaks += rf"|struct (?:{fixed})' at .*\n +type size changed"
    if not status and re.search(breaks, whole):
        status, report = 1, whole
    if status:
        print(report)
    return status


def main() -> int:
    action, *rest = sys.argv[1:] or ["check"]
    header = Path(rest[0]) if rest else HEADER
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(header, Path(folder))
        if action == "record":
            record(library)
            return 0
        return check(library, header.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
