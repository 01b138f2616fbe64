#!/usr/bin/python3
"""Checks that each file of src/ includes the headers whose names it uses, and no others.

    tools/includes.py          lists what is missing and what is not needed
    tools/includes.py --fix    rewrites the include lines at the top of the files

A header offers the macros, types, enumerators and functions that it declares. For each name that a
file uses, it must include the header that offers the name; a source file need not include what the
header with the same name includes. A header that only has pointers to a structure must declare that
structure instead. An include is needed if the file uses a name, or a member of a structure, from
it. The script reads the sources as text, and relies on the layout that `make lint` enforces.
"""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
ROOTS = (REPOSITORY / "src", REPOSITORY / "include")
SYSTEM = {
    "assert.h": {"assert", "static_assert"},
    "errno.h": {"errno", "EINTR", "ENOENT", "EINVAL", "ENOMEM"},
    "inttypes.h": {"PRIu64", "PRIx64", "PRId64"},
    "limits.h": {"INT_MAX", "CHAR_BIT", "UINT_MAX", "PATH_MAX"},
    "setjmp.h": {"setjmp", "longjmp", "jmp_buf"},
    "stdatomic.h": {"atomic_bool", "atomic_size_t", "atomic_load_explicit", "atomic_uint"},
    "stdio.h": {"snprintf", "vsnprintf", "fprintf", "printf", "fputs", "stderr", "stdout", "FILE"},
    "stdlib.h": {"qsort", "malloc", "calloc", "realloc", "free", "strtoul", "abort", "getenv"},
    "string.h": {
        *("memchr", "memcmp", "memcpy", "memmem", "memmove", "memrchr", "memset", "strchr"),
        *("strcmp", "strlen", "strncmp", "strrchr", "strstr", "strcspn", "strspn", "strerror"),
    },
}
# Each folder of src/, and the folders whose headers its files may include besides their own. The
# headers of include/ are the folder "". There are no cycles, so that the format can be understood,
# tested and fuzzed without the linker. The command includes no headers of the linker, which proves
# that the public interface is enough.
FORMAT = ("base", "format", "format/container", "format/recognise")
LINK_PHASES = (
    *("model", "prepared", "input", "image", "notes", "resolve", "lto"),
    *("relocate", "merge", "layout", "resources", "write", "inspect"),
)
CLI_PARTS = ("options", "compile", "save", "explain", "report", "inspect", "device_link")
TOOL_PARTS = (
    *("command", "decode", "images", "print", "program", "link_report", "debug"),
    *("explain", "size", "disassemble", "graph", "changes", "diff", "verify"),
)
INSPECT = ("tool/command", "tool/decode", "tool/images", "tool/print", "tool/program")
LAYERS: dict[str, set[str]] = {
    "": set(),
    "base": set(),
    "format": {"base"},
    "format/container": {"base", "format"},
    "format/recognise": {"base", "format", "format/container"},
    "readable_name": {"base"},
    "cli/options": {"", "base"},
    "hostobject": {"base", "format", "format/container"},
    "hostobject/stub": set(),
    "compile": {"", "base"},
    "compile/plugin": {"", "base", "compile"},
    "ptx_helper": {"", "base", "compile", "compile/plugin"},
    "cli/compile": {"", "base", "compile", "cli/options"},
    "nvjitlink": {"", "base", "compile", "compile/plugin"},
    "report": {"", "base", "readable_name"},
    "cli/inspect": {"", "base", "compile", "report", "cli/options"},
    "cli/device_link": {
        *("", "base", "format", "format/recognise", "hostobject", "compile", "readable_name"),
        *("report", "cli/options", "cli/compile", "cli/save", "cli/inspect"),
    },
    "cli/save": {"", "base", "cli/options"},
    "cli/explain": {"base"},
    "cli/report": {"", "base", "cli/explain"},
    "cli": {
        *("", "base", "format/recognise", "readable_name", "compile", "report"),
        *(f"cli/{part}" for part in CLI_PARTS),
    },
    "tool/command": set(),
    "tool/decode": {"", "base", "format", "readable_name"},
    "tool/images": {"", *FORMAT, "tool/command", "tool/decode"},
    "tool/print": {"base", "format", "tool/command", "tool/decode"},
    "tool/program": {"base", "format", "readable_name", "tool/decode"},
    "tool/debug": {"base", "format", "tool/decode"},
    "tool/link_report": {"base", "tool/decode"},
    "tool/explain": {"base", "format", "readable_name", "tool/debug", "tool/link_report", *INSPECT},
    "tool/graph": {"base", *INSPECT},
    "tool/disassemble": {"base", "format", "compile", *INSPECT},
    "tool/size": {"base", "format", "readable_name", "tool/link_report", *INSPECT},
    "tool/changes": {"base", "format", "readable_name", *INSPECT},
    "tool/diff": {"base", "format", "tool/changes", *INSPECT},
    "tool/verify": {"base", "format", "tool/command", "tool/decode", "tool/images", "tool/print"},
    "tool": {"", "base", "format", *(f"tool/{part}" for part in TOOL_PARTS)},
}
for number, phase in enumerate(LINK_PHASES):
    before = {f"link/{earlier}" for earlier in LINK_PHASES[:number]}
    LAYERS[f"link/{phase}"] = {"", *FORMAT} | before
LAYERS["link"] = {"", *FORMAT} | {f"link/{phase}" for phase in LINK_PHASES}
CHECKED_SYSTEM = {"assert.h", "stdlib.h", "string.h"}
NAME = re.compile(r"[A-Za-z_]\w*")


def without_comments(text: str) -> str:
    """The text with spaces in place of comments and strings. Lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        found = match.group(0)
        return found if found.startswith("#") else re.sub(r"[^\n]", " ", found)

    pattern = r'#\s*include[^\n]*|/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, blank, text, flags=re.DOTALL)


@dataclass
class Source:
    path: Path
    name: str  # as include lines have it
    text: str
    plain: str
    includes: list[str] = field(default_factory=list)

    @functools.cached_property
    def words(self) -> set[str]:
        return set(NAME.findall(self.plain))


@dataclass
class Header:
    """What a header offers: names for which other files must include it, and names of members."""

    names: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)  # of enumerators made from a table


@functools.cache
def read(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    root = next(root for root in ROOTS if root in path.parents)
    source = Source(path, path.relative_to(root).as_posix(), text, without_comments(text))
    source.includes = re.findall(r'^\s*#\s*include\s+(["<][^">]+)[">]', text, re.MULTILINE)
    return source


def sources() -> list[Source]:
    return [
        read(path)
        for root in ROOTS
        for path in sorted(root.rglob("*"))
        if path.suffix in (".c", ".h")
    ]


def offered(source: Source) -> Header:
    plain = source.plain
    header = Header(macros_of(plain) | enumerators_of(plain) | declared_in(plain))
    header.prefixes = set(TABLE_ROW.findall(plain))
    header.tags = set(re.findall(r"\b(?:struct|union|enum) (\w+) \{", plain))
    for body in re.findall(r"\b(?:struct|union)(?: \w+)? \{(.*?)\n\}", plain, re.DOTALL):
        header.members |= set(re.findall(r"\b(\w+)(?:\[[^\]]*\])*(?:\)|;|,| : )", body))
    return header


# The prefix of the enumerators that are made from a table's rows: #define ROW(name) PREFIX_##name,
TABLE_ROW = re.compile(r"^#\s*define \w+\([^)]*\)[ \\\n]*(\w+_)##", re.MULTILINE)


def macros_of(plain: str) -> set[str]:
    """The macros that a file offers. Leaves out its include guard, and macros for the rows of a
    table, which are defined only while the table is included."""
    defined = set(re.findall(r"^#\s*define (\w+)", plain, re.MULTILINE))
    rows = re.findall(r"^#\s*define (\w+)\([^)]*\)[ \\\n]*\w+_##", plain, re.MULTILINE)
    undefined = re.findall(r"^#\s*undef (\w+)", plain, re.MULTILINE)
    guard = re.findall(r"^#ifndef (\w+)", plain, re.MULTILINE)[:1]
    return defined - {*rows, *undefined, *guard}


def enumerators_of(plain: str) -> set[str]:
    found: set[str] = set()
    for body in re.findall(r"\benum(?: \w+)? \{([^}]*)\}", plain):
        values = re.sub(r"=[^,}]*", "", re.sub(r"^#.*$", "", body, flags=re.MULTILINE))
        found |= {word for word in NAME.findall(values) if word.isupper()}
    return found


def declared_in(plain: str) -> set[str]:
    """The types, functions and constants that a header declares."""
    patterns = (
        r"^typedef [^;]*?\b(\w+)(?:\([^;]*\))?;",
        r"^(?!typedef|#|return)[a-z_][^\n;={}()]*?\b(\w+)\([^;{]*\)\s*[;{]",
        r"^__attribute__\(\(.*?\)\)[^;(]*?\b(\w+)\(",
        r"^static const [^;=]*?\b(\w+)(?:\[\w*\])* =",
    )
    return {word for pattern in patterns for word in re.findall(pattern, plain, re.MULTILINE)}


@functools.cache
def headers() -> dict[str, Header]:
    return {source.name: offered(source) for source in sources() if source.path.suffix == ".h"}


def folder_of(name: str) -> str:
    return name.rpartition("/")[0]


@functools.cache
def visible(folder: str) -> dict[str, Header]:
    """The headers that files of a folder may include."""
    allowed = LAYERS[folder] | {folder}
    return {name: header for name, header in headers().items() if folder_of(name) in allowed}


@functools.cache
def homes(folder: str) -> dict[str, str]:
    """Maps a name to its header, if only one of the headers visible in `folder` offers it."""
    found: dict[str, set[str]] = {}
    for name, header in visible(folder).items():
        for word in header.names | header.tags:
            found.setdefault(word, set()).add(name)
    return {word: next(iter(places)) for word, places in found.items() if len(places) == 1}


def home_of(word: str, folder: str) -> str | None:
    if word in homes(folder):
        return homes(folder)[word]
    for name, header in visible(folder).items():
        if word.isupper() and any(word.startswith(prefix) for prefix in header.prefixes):
            return name
    return None


def is_only_pointed_to(source: Source, tag: str) -> bool:
    """Whether a header has only pointers to the structure: it declares the structure, and each use
    is a pointer."""
    uses = re.findall(rf"\b(?:struct|union) {tag}\b(.?.?)", source.plain)
    is_declared = re.search(rf"^(?:struct|union) {tag};", source.plain, re.MULTILINE)
    points = (" *", ";", "\n")
    return bool(is_declared) and all(use.startswith(points) or use == " " for use in uses)


def state_headers(source: Source) -> set[str]:
    """The headers link/FOLDER/FOLDER_state.h that the source needs. Code reaches the state of a
    folder as a member of the link, without naming the structure. So the members of the link that
    the source uses determine these headers."""
    folders = set(re.findall(r"\blink(?:->|\.)(\w+)(?:->|,)", source.plain))
    places = {f"link/{folder}/{folder}_state.h" for folder in folders}
    return places & set(headers())


def required(source: Source) -> set[str]:
    needed = state_headers(source)
    is_header = source.path.suffix == ".h"
    own = headers().get(source.name, Header())
    for word in source.words:
        home = home_of(word, folder_of(source.name))
        if not home or home == source.name or word in own.names | own.tags:
            continue
        if re.search(rf"^static [^;{{]*?\b{word}\(", source.plain, re.MULTILINE):
            continue
        if word in headers()[home].tags:
            if not re.search(rf"\b(?:struct|union|enum) {word}\b", source.plain):
                continue
            if is_header and is_only_pointed_to(source, word):
                continue
        elif not is_used_as_name(source, word):
            continue
        needed.add(home)
    return needed - {source.name}


def is_used_as_name(source: Source, word: str) -> bool:
    """Whether the word is used as a name that a header offers. False if it is the name of a member
    or of a local variable, which can equal the name of a function."""
    if word.isupper() or word.startswith("warpld_"):
        return True
    called = re.search(rf"(?<![.>\w] )(?<![.>\w]){word}\(", source.plain)
    passed = re.search(rf"[(,] ?&?{word}[,)]", source.plain)
    local = re.search(rf"[\w*] \*?{word}(?:\[[^\]]*\])?(?: =|[,;)])", source.plain)
    typed = re.search(rf"\b{word} \*?\w|\b{word} \*\)|\({word}\)|sizeof {word}", source.plain)
    if word == "link_context" or word.endswith(("_sink", "_callback")):
        return bool(typed or called)
    return bool(called or (passed and not local))


def required_system(source: Source) -> set[str]:
    known = set().union(*(SYSTEM[name] for name in CHECKED_SYSTEM))
    called = {
        word
        for word in known.intersection(source.words)
        if re.search(rf"(?<![.>\w]){word}\b(?! =)", source.plain)
    }
    return {name for name in CHECKED_SYSTEM if SYSTEM[name] & called}


def is_useful(source: Source, name: str) -> bool:
    header = headers()[name]
    used = source.words.union(*(table_words(table) for table in source.includes))
    if (header.names | header.tags | header.members) & used:
        return True
    return any(word.startswith(prefix) for prefix in header.prefixes for word in used)


@functools.cache
def table_words(include: str) -> set[str]:
    """The words in a .def file. Its rows become code in each file that includes it."""
    path = REPOSITORY / "src" / include[1:]
    return set(NAME.findall(path.read_text())) if include.endswith(".def") else set()


def own_header(source: Source) -> str | None:
    name = re.sub(r"\.c$", ".h", source.name)
    return name if source.path.suffix == ".c" and name in headers() else None


def problems(source: Source) -> tuple[list[str], list[str]]:
    """The headers that are missing, and those that are not needed."""
    own = own_header(source)
    present = {name[1:] for name in source.includes}
    inherited = {name[1:] for name in read_named(own).includes} if own else set()
    needed = required(source) | required_system(source)
    missing = sorted(needed - present - inherited)
    extra = sorted(
        name
        for name in present & set(headers())
        if name not in visible(folder_of(source.name))
        or (name != own and name not in needed and not is_useful(source, name))
    )
    return missing, extra


def read_named(name: str) -> Source:
    return read(next(root / name for root in ROOTS if (root / name).exists()))


def include_line(name: str) -> str:
    is_ours = name in headers() or name.endswith(".def")
    return f'#include "{name}"' if is_ours else f"#include <{name}>"


def rewritten(source: Source, missing: list[str], extra: list[str]) -> str:
    lines = source.text.split("\n")
    at = [i for i, line in enumerate(lines) if re.match(r'#include ["<]', line)]
    if at:
        first = last = at[0]
        while last + 1 < len(lines) and re.match(r"#include .*\.h|$", lines[last + 1]):
            last += 1
        while not lines[last]:
            last -= 1
    else:
        guard = next((i for i, s in enumerate(lines) if s.startswith("#define WARPLD")), None)
        first = guard + 2 if guard is not None else source.text.split("*/")[0].count("\n") + 1
        last = first - 1
    block = [re.sub(r'#include ["<](.*)[">].*', r"\1", s) for s in lines[first : last + 1] if s]
    own = own_header(source)
    wanted = (set(block) | set(missing) | ({own} if own else set())) - set(extra)
    parts = [
        [own] if own else [],
        sorted(name for name in wanted if name not in headers()),
        sorted(name for name in wanted if name in headers() and name != own),
    ]
    text = "\n\n".join("\n".join(map(include_line, part)) for part in parts if part)
    if not at:
        text += "\n"
    return "\n".join(lines[:first] + [text] + lines[last + 1 :])


def main() -> int:
    fix, count = "--fix" in sys.argv[1:], 0
    for source in sources():
        missing, extra = problems(source)
        count += len(missing) + len(extra)
        if fix and (missing or extra):
            source.path.write_text(rewritten(source, missing, extra), encoding="utf-8")
        elif not fix:
            for name in missing:
                print(f"{source.path.relative_to(REPOSITORY)}: include {name}")
            for name in extra:
                print(f"{source.path.relative_to(REPOSITORY)}: {name}: not needed, or not allowed")
    return 1 if count and not fix else 0


if __name__ == "__main__":
    sys.exit(main())
