"""No structure of the header has the name of a function. To show this, the test compiles a C++
program that names each structure without `struct`, and takes the address of each function."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HEADER = Path(__file__).resolve().parents[2] / "include" / "warpld.h"
FLAGS = ["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
CLASHES = ["warpld_link", "warpld_options", "warpld_trace", "warpld_status"]


def without_comments(header: str) -> str:
    return re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)


def tags(header: str, keyword: str) -> list[str]:
    """Each name that follows the keyword (struct or enum) in the header, including the names of
    opaque types."""
    return sorted(set(re.findall(rf"\b{keyword} (warpld_\w+)", header)))


def functions(header: str) -> list[str]:
    """The functions that the header declares, and those that it defines."""
    declared = re.findall(r"WARPLD_API\s[^;]*?\b(warpld_\w+)\(", header)
    inline = re.findall(r"static inline\s[^;{]*?\b(warpld_\w+)\(", header)
    return sorted({*declared, *inline})


def callbacks(header: str) -> list[str]:
    return sorted(set(re.findall(r"typedef\s[^;]*?\b(warpld_\w+)\(", header)))


def program(header: str) -> str:
    lines = ['#include "warpld.h"', "", "int main()", "{"]
    for name in tags(header, "struct"):
        is_defined = re.search(rf"\bstruct {name} {{", header)
        lines.append(f"    {name} *of_{name} = nullptr; (void)of_{name};")
        if is_defined:
            lines.append(f"    {name} one_{name} = {name}(); (void)one_{name};")
    for name in tags(header, "enum"):
        lines.append(f"    {name} one_{name} = {name}(); (void)one_{name};")
    for name in callbacks(header):
        lines.append(f"    {name} *of_{name} = nullptr; (void)of_{name};")
    for name in functions(header):
        lines.append(f"    auto at_{name} = &{name}; (void)at_{name};")
    return "\n".join([*lines, "}", ""])


def compile_program(compiler: str, folder: Path, header: str) -> subprocess.CompletedProcess[str]:
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    (folder / "warpld.h").write_text(header)
    (folder / "names.cc").write_text(program(without_comments(header)))
    words = [compiler, *FLAGS, "names.cc"]
    return subprocess.run(words, capture_output=True, text=True, cwd=folder)


def test_all_names_are_found() -> None:
    """Each name in the header that begins with warpld_ is the name of a structure, an enumeration,
    a function or a callback. So the C++ program uses all of them."""
    header = without_comments(HEADER.read_text())
    found = {*tags(header, "struct"), *tags(header, "enum"), *functions(header)}
    assert set(re.findall(r"\bwarpld_\w+", header)) == found | set(callbacks(header))
    assert {"warpld_link", "warpld_options", "warpld_read_file"} <= set(tags(header, "struct"))
    assert {"warpld_create", "warpld_get_read_file"} <= set(functions(header))


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_names_are_usable_in_cpp(tmp_path: Path, compiler: str) -> None:
    done = compile_program(compiler, tmp_path, HEADER.read_text())
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("name", CLASHES)
def test_a_clash_is_noticed(tmp_path: Path, compiler: str, name: str) -> None:
    clash = f"WARPLD_API void {name}(int);\n\n#ifdef __cplusplus\n}}"
    header = HEADER.read_text()
    assert header.count("#ifdef __cplusplus\n}") == 1
    done = compile_program(compiler, tmp_path, header.replace("#ifdef __cplusplus\n}", clash))
    assert done.returncode != 0
    assert name in done.stderr
