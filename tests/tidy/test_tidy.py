"""Rules of the source tree that a compiler does not check; CONTRIBUTING.md gives the reasons."""

from __future__ import annotations

import ast
import collections
import fnmatch
import functools
import re
import runpy
import statistics
import subprocess
import sys
import warnings
from pathlib import Path

import includes
import pytest
from repository import REPOSITORY
from source_tree import (
    files,
    functions,
    lines,
    relative,
    text,
    text_files,
    under,
)

LONGEST_FILE = 800
LONGEST_FUNCTION = 100
LONG_FUNCTION = 50
LONG_FUNCTION_PERCENT = 5
LARGEST_MEDIAN = 15
LONGEST_LINE = 100
MOST_FILES = 35  # in a folder
MOST_SHARED_FIELDS = 30  # of struct warpld_link

ALL_C = under("src", "include", "tests", "examples", "fuzz", "gpu", "bench")
SOURCES = under("src", "include")
FUNCTIONS = [function for path in under("src") for function in functions(path)]


def report(problems: list[str]) -> None:
    """Fails with all problems of a kind, one on each line."""
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def located(path: Path, number: int, problem: str) -> str:
    return f"{relative(path)}:{number}: {problem}"


def included(line: str) -> str | None:
    match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
    return match.group(1) if match else None


def test_the_tree_was_found() -> None:
    assert len(SOURCES) > 20
    assert len(FUNCTIONS) > 100


def test_includes_point_one_way() -> None:
    """A file in src/ includes only files of the same folder, and of the folders that
    tools/includes.py lists for that folder."""
    problems = []
    for path in under("src", suffixes=(".c", ".h", ".def")):
        folder = relative(path.parent).removeprefix("src/")
        allowed = includes.LAYERS[folder] | {folder}
        for number, line in enumerate(lines(path), 1):
            name = included(line)
            if name and includes.folder_of(name) not in allowed:
                problems.append(located(path, number, f"must not include {name}"))
    report(problems)


def test_includes_point_one_way_as_the_drawing_in_the_design_shows() -> None:
    script = REPOSITORY / "tools/draw-folders.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_layers_have_no_cycle() -> None:
    """No chain of folders, each of which may include the next one, leads back to its first
    folder."""
    done: set[str] = set()
    layers = {folder: set(allowed) for folder, allowed in includes.LAYERS.items()}
    while ready := {f for f, allowed in layers.items() if f not in done and allowed <= done}:
        done |= ready
    assert done == set(layers)


def test_layers_are_the_folders() -> None:
    folders = {relative(path.parent) for path in under("src", "include")}
    assert {f"src/{folder}" if folder else "include" for folder in includes.LAYERS} == folders


def test_files_include_what_they_use() -> None:
    problems = []
    for source in includes.sources():
        missing, extra = includes.problems(source)
        problems += [f"{relative(source.path)}: include {name}" for name in missing]
        problems += [f"{relative(source.path)}: does not need {name}" for name in extra]
    report(problems)


def test_folders_are_small() -> None:
    """No folder of the linker, the command or the tool has more than MOST_FILES files."""
    counts = collections.Counter(relative(path.parent) for path in files())
    report(
        [
            f"{folder}: {count} files, more than {MOST_FILES}"
            for folder, count in sorted(counts.items())
            if folder.startswith(("src/link", "src/cli", "src/tool")) and count > MOST_FILES
        ]
    )


def test_the_state_of_a_link_is_what_passes_share() -> None:
    """struct warpld_link has the fields that several folders use. The state that only one folder
    uses is in a structure of that folder."""
    header = text(REPOSITORY / "src/link/model/link_context.h")
    body = header.split("struct warpld_link {")[1].split("\n};")[0]
    field = r"^    (?:GROWING_ARRAY\([^,]*, )?[\w *]*?(\w+)\)?(?:\[\w+\])?;"
    fields = re.findall(field, body, re.MULTILINE)
    owned = [name for name in fields if re.search(rf"struct \w+_state \*{name};", body)]
    # These phases have no state.
    stateless = {"model", "prepared", "image", "notes", "lto", "inspect"}
    phases = set(includes.LINK_PHASES) - stateless
    assert {name.removeprefix("*") for name in owned} == phases, owned
    assert 10 < len(fields) - len(owned) <= MOST_SHARED_FIELDS, fields


def test_includes_name_the_folder_of_the_file() -> None:
    problems = []
    for path in SOURCES:
        for number, line in enumerate(lines(path), 1):
            name = included(line)
            if name and not any((REPOSITORY / root / name).exists() for root in ("src", "include")):
                problems.append(located(path, number, f"no src/{name} and no include/{name}"))
    report(problems)


def counted_lines(path: Path) -> int:
    """The number of lines that count for the limit. In the public header, comments and blank lines
    do not count: the comments are the library's manual, and the header cannot be split, because
    programs can contain a copy of it."""
    if path.parent != REPOSITORY / "include":
        return len(lines(path))
    code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    return sum(1 for line in code.splitlines() if line.strip())


def test_files_are_short() -> None:
    report(
        [
            f"{relative(path)}: {counted_lines(path)} lines, more than {LONGEST_FILE}"
            for path in text_files()
            if counted_lines(path) > LONGEST_FILE
        ]
    )


def test_functions_are_short() -> None:
    report([str(function) for function in FUNCTIONS if function.length > LONGEST_FUNCTION])


def test_nearly_all_functions_are_very_short() -> None:
    long = sorted((f for f in FUNCTIONS if f.length > LONG_FUNCTION), key=lambda f: -f.length)
    median = statistics.median(function.length for function in FUNCTIONS)
    listing = "\n".join(str(function) for function in long)
    summary = f"{len(FUNCTIONS)} functions, median {median} lines, {len(long)} over {LONG_FUNCTION}"
    if long:
        warnings.warn(f"{summary}\n{listing}", stacklevel=1)
    assert median <= LARGEST_MEDIAN, summary
    assert 100 * len(long) <= LONG_FUNCTION_PERCENT * len(FUNCTIONS), summary + "\n" + listing


def test_python_functions_are_short() -> None:
    problems = []
    for path in (path for path in files() if path.suffix == ".py"):
        for node in ast.walk(ast.parse(text(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > LONGEST_FUNCTION:
                    problems.append(located(path, node.lineno, f"{node.name}: {length} lines"))
    report(problems)


def test_only_conftest_changes_the_module_path() -> None:
    """Only tests/conftest.py changes sys.path. It lists the folders that share modules."""
    shared = REPOSITORY / "tests" / "conftest.py"
    found = [p for p in under("tests", suffixes=(".py",)) if re.search(r"sys\.path\b", text(p))]
    report([relative(path) for path in found if path not in (shared, Path(__file__).resolve())])


def test_modules_of_the_tests_have_different_names() -> None:
    """Python finds an imported module by its name alone. Programs and tests are not imported."""
    not_imported = re.compile(r"test_.*|conftest|regenerate")
    places: dict[str, list[str]] = {}
    for path in under("tests", suffixes=(".py",)):
        if not not_imported.fullmatch(path.stem):
            places.setdefault(path.stem, []).append(relative(path))
    report([" and ".join(same) for same in places.values() if len(same) > 1])


def test_lines_are_short() -> None:
    problems = []
    for path in (path for path in text_files() if path.suffix in {".c", ".h", ".py", ".sh"}):
        for number, line in enumerate(lines(path), 1):
            if len(line) > LONGEST_LINE:
                problems.append(located(path, number, f"{len(line)} columns"))
    report(problems)


def test_file_names_say_what_is_inside() -> None:
    empty = re.compile(r"(^|_)(util|utils|common|misc|helper|helpers|stuff)$")
    report([relative(path) for path in files() if empty.search(path.stem)])


def test_white_space() -> None:
    problems = []
    for path in text_files():
        tabs_allowed = path.name == "Makefile" or path.suffix == ".mk"
        for number, line in enumerate(lines(path), 1):
            if "\t" in line and not tabs_allowed:
                problems.append(located(path, number, "tab"))
            if line != line.rstrip():
                problems.append(located(path, number, "white space at the end"))
        if text(path) and not text(path).endswith("\n"):
            problems.append(f"{relative(path)}: no newline at the end")
    report(problems)


def guard_of(path: Path) -> str:
    """The include guard of a header: WARPLD_H for include/warpld.h, and WARPLD_BASE_ARENA_H for
    src/base/arena.h."""
    parts = [part for part in Path(relative(path)).parts if part not in ("src", "include")]
    name = re.sub(r"\W", "_", "_".join(parts)).upper()
    return name if name.startswith("WARPLD") else f"WARPLD_{name}"


def test_header_guards_match_paths() -> None:
    problems = []
    for path in (path for path in ALL_C if path.suffix == ".h"):
        guard = guard_of(path)
        directives = [line for line in lines(path) if line.startswith("#")]
        if directives[:2] != [f"#ifndef {guard}", f"#define {guard}"]:
            problems.append(f"{relative(path)}: the guard should be {guard}")
    report(problems)


def first_comment(path: Path) -> str:
    match = re.match(r"/\*.*?\*/", text(path), re.DOTALL)
    return match.group(0) if match else ""


def test_every_source_file_begins_with_a_comment() -> None:
    every = under("src", "include", "examples", "fuzz", "gpu", suffixes=(".c", ".h", ".def"))
    report([relative(path) for path in every if len(first_comment(path)) < 20])


def described_macros(path: Path) -> set[str]:
    """The row macros that the first comment of a table describes. If that comment names another
    table, the row macros that the first comment of the other table describes are included."""
    comment = first_comment(path)
    described = set(re.findall(r"\b([A-Z][A-Z_]+)\(", comment))
    for name in re.findall(r"\b(\w+\.def)\b", comment):
        other = path.with_name(name)
        if other.exists() and other != path:
            described |= set(re.findall(r"\b([A-Z][A-Z_]+)\(", first_comment(other)))
    return described


def test_tables_describe_their_columns_and_their_source() -> None:
    problems = []
    for path in under("src", suffixes=(".def",)):
        comment = first_comment(path)
        rows = set(re.findall(r"^([A-Z][A-Z_]+)\(", text(path), re.MULTILINE))
        for macro in sorted(rows - described_macros(path)):
            problems.append(f"{relative(path)}: the first comment does not describe {macro}")
        if not re.search(r"nvlink|ptxas|CUDA|\.def\b", comment) and "format" in path.parts:
            problems.append(f"{relative(path)}: the first comment does not say how it is known")
    report(problems)


def test_no_path_of_a_developers_machine() -> None:
    place = re.compile(r"(?<![\w.$}])/(?:home|root|work|Users)/")
    problems = []
    for path in text_files():
        for number, line in enumerate(lines(path), 1):
            if place.search(line) and path != Path(__file__).resolve():
                problems.append(located(path, number, line.strip()))
    report(problems)


def exists(name: str, beside: Path) -> bool:
    """Whether a path that a text mentions is a file or folder here. * stands for anything, and so
    does a word in capitals, as in tests/unit/test_SUBJECT.c."""
    return is_there(name, beside) or is_there(re.sub(r"[A-Z]{3,}", "*", name), beside)


@functools.cache
def names_of_files() -> frozenset[str]:
    return frozenset(path.name for path in files())


@functools.cache
def top_folders() -> frozenset[str]:
    """The names of the folders at the top of the repository, and of those at the top of src/."""
    top = {relative(path).split("/")[0] for path in files()}
    return frozenset(top | {folder.split("/")[0] for folder in includes.LAYERS} - {""})


def is_there(name: str, beside: Path) -> bool:
    roots = [REPOSITORY, REPOSITORY / "src", REPOSITORY / "tests", beside.parent]
    if "/" not in name:
        return bool(fnmatch.filter(names_of_files(), name))
    return any(root.exists() and any(root.glob(name.rstrip("/"))) for root in roots)


def mentioned_files(line: str) -> list[str]:
    """The names of files in a line of prose, if their suffix is that of a document, a header, a
    table or a Python script."""
    prose = re.sub(r"<[^>]*>\S*|https?://\S+|build/\S+", " ", line)
    return re.findall(r"(?<![\w./*$}{-])[\w*][\w./*-]*\.(?:md|def|h|py)\b(?![/(]|\.\w)", prose)


def test_documents_mention_only_existing_files() -> None:
    problems = []
    for path in (path for path in text_files() if path.suffix in {".md", ".1"}):
        for number, line in enumerate(lines(path), 1):
            quoted = re.findall(r"`([\w./*-]+)`", re.sub(r"\]\(([\w./-]+)\)", r" `\1` ", line))
            names = [name for name in quoted if is_repository_path(name)] + mentioned_files(line)
            for name in dict.fromkeys(names):
                if not exists(name, path):
                    problems.append(located(path, number, f"there is no {name}"))
    report(problems)


def is_repository_path(name: str) -> bool:
    if name.startswith((".", "/")) and not name.startswith(".ci"):
        return False
    if "/" in name:
        return name.split("/")[0] in top_folders()
    return name.endswith((".c", ".sh", ".map"))


def test_comments_mention_only_existing_files() -> None:
    problems = []
    for path in under("src", "include", "tests", "fuzz", "gpu", suffixes=(".c", ".h", ".def")):
        for number, line in enumerate(lines(path), 1):
            if re.match(r"\s*(/?\*|.*/\*)", line) and "#include" not in line:
                for name in mentioned_files(line):
                    if not exists(name, path) and not (REPOSITORY / "include" / name).exists():
                        problems.append(located(path, number, f"there is no {name}"))
    report(problems)


def test_every_message_is_explained() -> None:
    """The explanations are in the order of the table of messages. Notes need none."""
    page = runpy.run_path(str(REPOSITORY / "tools/make-diagnostics-page.py"))
    explained = [code for _, rows in page["explanations"]() for code, _, _ in rows]
    wanted = [code for code, (severity, _) in page["messages"]().items() if severity != "NOTE"]
    assert explained == wanted
    assert page["page"]() == text(REPOSITORY / "docs/diagnostics.md"), "make the page again"
    assert page["page_of_notes"]() == text(REPOSITORY / "docs/notes.md"), "make the page again"
