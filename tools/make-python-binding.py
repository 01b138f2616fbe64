#!/usr/bin/env python3
"""Writes examples/warpld_ctypes.py, the declarations of warpld.h in the form of Python's ctypes.

    tools/make-python-binding.py           writes the file
    tools/make-python-binding.py --check   fails if the file does not agree with the header

The header uses a small part of C, which this program reads without a compiler: enumerations,
structures, function types for callbacks, functions, and versions as numbers."""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HEADER = REPOSITORY / "include" / "warpld.h"
BINDING = REPOSITORY / "examples" / "warpld_ctypes.py"
LONGEST_LINE = 100

SCALARS = {
    "bool": "c_bool",
    "int": "c_int",
    "unsigned": "c_uint",
    "unsigned long": "c_ulong",
    "size_t": "c_size_t",
    "uint8_t": "c_uint8",
    "uint16_t": "c_uint16",
    "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
    "int64_t": "c_int64",
    "char *": "c_char_p",
    "void *": "c_void_p",
}

HEAD = '''"""The declarations of warpld.h for ctypes. tools/make-python-binding.py writes this file.

The names are those of the header without "warpld_". A program loads the library and calls declare:

    library = ctypes.CDLL("libwarpld.so")
    warpld_ctypes.declare(library)

Texts that the library returns are bytes. A program must keep a reference to each callback as long
as the link exists; warpld.h says what else must be kept."""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure
from ctypes import c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_ulong
from ctypes import c_void_p
'''


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def without_prefix(name: str) -> str:
    return name.removeprefix("warpld_").removeprefix("WARPLD_")


def class_of(name: str) -> str:
    """The class name of a structure, for example LinkedObject for struct warpld_linked_object."""
    return "".join(word.capitalize() for word in without_prefix(name).split("_"))


def ctypes_of(declared: str) -> str:
    """The ctypes type of a field or parameter. ctypes does not distinguish constant types."""
    kind = re.sub(r"\s+", " ", declared.replace("const", " ")).strip()
    kind = re.sub(r" ?\* ?", "*", kind)
    stars = len(kind) - len(kind.rstrip("*"))
    base = kind.rstrip("*")
    if base in ("char", "void") and stars:
        inner, stars = SCALARS[f"{base} *"], stars - 1
    elif base.endswith("_callback"):
        inner, stars = class_of(base), stars - 1
    elif base.startswith("struct "):
        inner = class_of(base.removeprefix("struct "))
    elif base.startswith("enum "):
        inner = "c_int"
    elif base == "void":
        inner = "None"
    else:
        inner = SCALARS[base]
    for _ in range(stars):
        inner = f"POINTER({inner})"
    return inner


def parameters(text: str) -> list[str]:
    """The types of the parameters, without their names."""
    if text.strip() == "void":
        return []
    return [ctypes_of(re.sub(r"\w+\s*$", "", one)) for one in text.split(",")]


def enumerations(text: str) -> list[str]:
    lines = []
    for name, body in re.findall(r"enum (\w+) \{(.*?)\n\};", text, flags=re.S):
        lines += ["", f"# enum {name}"]
        lines += [f"{without_prefix(a)} = {b}" for a, b in re.findall(r"(\w+) = (\d+)", body)]
    return lines


def structures(text: str) -> list[tuple[int, list[str]]]:
    found = []
    for match in re.finditer(r"struct (\w+) \{(.*?)\n\};", text, flags=re.S):
        name, body = match.groups()
        lines = ["", "", f"class {class_of(name)}(Structure):", "    _fields_ = ["]
        fields = re.findall(r"([\w *]+?)(\w+);", body)
        sized = {field.removesuffix("_size") for _, field in fields if field.endswith("_size")}
        for kind, field in fields:
            is_data = field in sized  # not a text that ends with a NUL
            lines.append(f'        ("{field}", {"c_void_p" if is_data else ctypes_of(kind)}),')
        found.append((match.start(), [*lines, "    ]"]))
    opaque = re.findall(r"(?m)^struct (\w+);", text)
    for name in opaque:
        lines = ["", "", f"class {class_of(name)}(Structure):", '    """Opaque."""']
        found.append((0, lines))
    return found


def callbacks(text: str) -> list[tuple[int, list[str]]]:
    found = []
    for match in re.finditer(r"typedef ([\w *]+?)(\w+_callback)\((.*?)\);", text, flags=re.S):
        result, name, arguments = match.groups()
        types = ", ".join([ctypes_of(result), *parameters(arguments)])
        lines = [f"{class_of(name)} = CFUNCTYPE({types})"]
        if len(lines[0]) > LONGEST_LINE:
            lines = [f"{class_of(name)} = CFUNCTYPE(", f"    {types}", ")"]
        found.append((match.start(), ["", "", *lines]))
    return found


def functions(text: str) -> list[str]:
    lines = ["", "", "def declare(library: ctypes.CDLL) -> None:"]
    lines += ['    """Gives the functions of the library their types."""']
    pattern = r"WARPLD_API ([\w *]+?)(warpld_\w+)\((.*?)\);"
    for result, name, arguments in re.findall(pattern, text, flags=re.S):
        types = ", ".join(parameters(arguments))
        lines.append(f"    library.{name}.restype = {ctypes_of(result)}")
        lines.append(f"    library.{name}.argtypes = [{types}]")
    return lines


def binding() -> str:
    header = HEADER.read_text()
    text = without_comments(header)
    (version,) = re.findall(r"WARPLD_VERSION +.(.*?).$", header, flags=re.M)
    lines = ["", f'VERSION = "{version}"']
    lines += enumerations(text)
    for _, part in sorted([*structures(text), *callbacks(text)], key=lambda item: item[0]):
        lines += part
    return HEAD + "\n".join([*lines, *functions(text)]) + "\n"


def main() -> int:
    made = binding()
    if sys.argv[1:] == ["--check"]:
        return int(BINDING.read_text() != made)
    BINDING.parent.mkdir(exist_ok=True)
    BINDING.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
