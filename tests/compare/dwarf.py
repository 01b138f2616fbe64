"""Writes a little DWARF 2 debug information as PTX text, in the form that nvcc -G uses."""

from __future__ import annotations

MOST_BYTES_IN_LINE = 20


def begin_label(function: str) -> str:
    return f"$L__begin_{function}"


def end_label(function: str) -> str:
    return f"$L__end_{function}"


def dwarf_string(text: str) -> list[str]:
    values = [str(byte) for byte in text.encode()] + ["0"]
    runs = range(0, len(values), MOST_BYTES_IN_LINE)
    return [f".b8 {','.join(values[i : i + MOST_BYTES_IN_LINE])}" for i in runs]


# The abbreviations of a compile unit and of a subprogram, which has low and high address, name,
# file and line. For each abbreviation: its code, its tag, whether its entries have children, and
# pairs of attribute and form.
ABBREVIATIONS = (
    (1, 17, 1, ((37, 8), (19, 5), (3, 8), (16, 6), (27, 8), (17, 1))),
    (2, 46, 0, ((17, 1), (18, 1), (3, 8), (58, 11), (59, 11), (63, 12))),
)


def abbreviation_section() -> list[str]:
    lines = [".section .debug_abbrev", "{"]
    for code, tag, children, attributes in ABBREVIATIONS:
        lines.append(f".b8 {code},{tag},{children}")
        lines += [f".b8 {attribute},{form}" for attribute, form in attributes]
        lines.append(".b8 0,0")
    return [*lines, ".b8 0", "}"]


def information_section(file: str, functions: list[str]) -> list[str]:
    unit = dwarf_string("lgenfe: EDG 6.6") + [".b8 4,0"]
    unit += dwarf_string(file)
    unit += [".b32 .debug_line", *dwarf_string("/source"), ".b64 0"]
    lines = [".b8 2,0", ".b32 .debug_abbrev", ".b8 8", ".b8 1", *unit]
    for number, name in enumerate(functions):
        lines += [".b8 2", f".b64 {begin_label(name)}", f".b64 {end_label(name)}"]
        lines += [*dwarf_string(name), f".b8 1,{number % 200 + 1},1"]
    lines.append(".b8 0")
    return [".section .debug_info", "{", f".b32 {size_of(lines)}", *lines, "}"]


def size_of(lines: list[str]) -> int:
    sizes = {".b8": 1, ".b32": 4, ".b64": 8}
    return sum(sizes[line.split()[0]] * (line.count(",") + 1) for line in lines)


def sections(file: str, functions: list[str]) -> list[str]:
    """Lines of PTX that describe the functions of a source file."""
    return [*abbreviation_section(), *information_section(file, functions)]
