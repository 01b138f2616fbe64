"""The documents are readable as text: short pages and rows, links that lead somewhere. Each quirk
of nvlink has a severity, a verdict and a test."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from repository import REPOSITORY, without_code_blocks
from source_tree import lines, relative, text, text_files

LONGEST_PAGE = 400
LONGEST_ROW = 200
SEVERITIES = {"crash", "wrong program", "lost information", "message"}
MARKERS = ("**nvlink.**", "**warpld.**", "**Test.**")

DOCUMENTS = [path for path in text_files() if path.suffix == ".md"]
PAGES = [path for path in DOCUMENTS if relative(path).startswith("docs/")]
QUIRKS = REPOSITORY / "docs" / "quirks"
INDEX = QUIRKS / "README.md"
DIFFERENCES = QUIRKS / "known-differences.md"
PAGES_OF_QUIRKS = sorted(set(QUIRKS.glob("*.md")) - {INDEX, DIFFERENCES})
FAULTS = REPOSITORY / "tests" / "compare" / "explained.py"


def report(problems: list[str]) -> None:
    """Fails with all problems of a kind, one on each line."""
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def prose(path: Path) -> list[tuple[int, str]]:
    """The lines of a page that are outside of code blocks, with their numbers."""
    return list(enumerate(without_code_blocks(text(path)).split("\n"), 1))


def anchor_of(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it: lower case, dashes for blanks, no
    punctuation."""
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")


def headings(path: Path) -> list[str]:
    found = [re.match(r"#+ (.*)", line) for _, line in prose(path)]
    return [match.group(1).strip() for match in found if match]


def links(path: Path) -> list[tuple[int, str]]:
    return [
        (number, target)
        for number, line in prose(path)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line))
        if "://" not in target and not target.startswith("mailto:")
    ]


def problem_of_link(path: Path, target: str) -> str | None:
    name, _, anchor = target.partition("#")
    file = (path.parent / name).resolve() if name else path
    if not file.exists():
        return f"there is no {name}"
    if anchor and anchor not in map(anchor_of, headings(file)):
        return f"{relative(file)} has no heading #{anchor}"
    return None


def sections(path: Path) -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.*)$", text(path), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


QUIRK_SECTIONS = [
    (page, heading, body) for page in PAGES_OF_QUIRKS for heading, body in sections(page).items()
]


def test_the_pages_were_found() -> None:
    assert len(PAGES) > 30
    assert len(QUIRK_SECTIONS) > 40


def test_pages_are_short() -> None:
    report(
        [
            f"{relative(path)}: {text(path).count(chr(10))} lines, more than {LONGEST_PAGE}"
            for path in PAGES
            if text(path).count("\n") > LONGEST_PAGE
        ]
    )


def test_rows_are_short() -> None:
    report(
        [
            f"{relative(path)}:{number}: a row of {len(line)} columns, more than {LONGEST_ROW}"
            for path in PAGES
            for number, line in prose(path)
            if line.lstrip().startswith("|") and len(line) > LONGEST_ROW
        ]
    )


def test_links_lead_to_pages_and_headings() -> None:
    report(
        [
            f"{relative(path)}:{number}: {problem}"
            for path in DOCUMENTS
            for number, target in links(path)
            if (problem := problem_of_link(path, target))
        ]
    )


@pytest.mark.parametrize("target", ["none.md", "test_tidy.py/none.md", "#no-such-heading"])
def test_a_link_to_nothing_is_noticed(target: str) -> None:
    assert problem_of_link(INDEX, target)


def test_every_quirk_has_a_verdict_and_a_test() -> None:
    problems = []
    for page, heading, body in QUIRK_SECTIONS:
        missing = [marker for marker in MARKERS if marker not in body]
        if missing or not re.search(r"`tests/|tests/\w+|`[a-z0-9-]+`", body.split("**Test.**")[-1]):
            problems.append(f"{relative(page)}: {heading}: lacks {', '.join(missing) or 'a test'}")
    report(problems)


def test_the_index_lists_every_quirk_with_its_severity() -> None:
    rows = re.findall(r"^\| \[(.+)\]\((\S+)\) \| ([\w ]+) \| (.+) \|$", text(INDEX), re.MULTILINE)
    assert {severity for _, _, severity, _ in rows} <= SEVERITIES
    listed = [(title, target) for title, target, _, _ in rows]
    there = [(heading, f"{page.name}#{anchor_of(heading)}") for page, heading, _ in QUIRK_SECTIONS]
    assert sorted(listed) == sorted(there)


def test_faults_that_comparisons_accept_are_quirks() -> None:
    """The second argument of each Fault is the heading of a quirk, which describes the fault."""
    named = re.findall(r"Fault\(\s*(?:\"[^\"]+\"|\w+),\s*\"([^\"]+)\"", text(FAULTS))
    assert len(named) > 10
    report(sorted(set(named) - {heading for _, heading, _ in QUIRK_SECTIONS}))


def test_the_site_has_every_page() -> None:
    """packaging/site/mkdocs.yml lists each page once, including those that are made from the public
    header. `make site` checks the links."""
    lines = (REPOSITORY / "packaging" / "site" / "mkdocs.yml").read_text().splitlines()
    listed = [line.rpartition(": ")[2] for line in lines if line.endswith(".md")]
    docs = REPOSITORY / "docs"
    reference = runpy.run_path(str(REPOSITORY / "packaging" / "site" / "api_reference.py"))
    made = [f"{reference['FOLDER']}/{name}" for name in reference["pages"]()]
    expected = [str(path.relative_to(docs)) for path in docs.rglob("*.md")]
    assert sorted(listed) == sorted([*expected, *made])


def test_the_reference_of_the_library_has_every_declaration() -> None:
    """Each function, structure, enumeration, enumerator and macro of the header has a heading or is
    declared under one."""
    reference = runpy.run_path(str(REPOSITORY / "packaging" / "site" / "api_reference.py"))
    header = text(REPOSITORY / "include" / "warpld.h")
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    names = set(re.findall(r"\b(?:warpld|WARPLD)_\w+", code))
    shown = set(reference["targets"](reference["sections"](header)))
    assert len(shown) > 150
    of_the_header_itself = {"WARPLD_API", "WARPLD_H", "warpld_options_init"}
    assert names - shown == of_the_header_itself


def test_the_plots_show_the_measurements_of_the_page(tmp_path: Path) -> None:
    """`bench/plot.py` draws the plots. A plot that is older than the page would mislead."""
    script = REPOSITORY / "bench" / "plot.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    drawn = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert len(drawn) == 2
    assert drawn == {path.name: path.read_text() for path in (REPOSITORY / "docs").glob("*.svg")}


def test_the_performance_page_has_the_texts_that_the_bench_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`make bench` rewrites the page from the texts in bench/report.py, so a correction belongs
    there. The page has the same texts, except for measured values."""
    bench = REPOSITORY / "bench"
    monkeypatch.syspath_prepend(bench)
    page = text(REPOSITORY / "docs" / "performance.md")
    templates = runpy.run_path(str(bench / "report.py"))
    runs = runpy.run_path(str(bench / "in_memory.py"))["PTX_RUNS"]
    for name in ("HEAD", "MEMORY_HEAD", "CACHE_HEAD", "PAGE_HEAD", "TAIL"):
        template = templates[name].replace("{ptx_runs}", str(runs))
        # The bench adds a line about the machine before the table of each section.
        for part in re.split(r"\{[^{}]*\}|\n\n(?=\| )", template):
            assert part.strip("\n") in page, f"{name} of bench/report.py"


def test_the_readme_names_every_folder_of_the_sources() -> None:
    rows = [line for _, line in prose(REPOSITORY / "README.md") if line.startswith("| `")]
    named = {name.split("/")[-1] for row in rows for name in re.findall(r"`([\w/]+)`", row)}
    folders = {
        folder.name
        for parent in ("src", "src/link")
        for folder in (REPOSITORY / parent).iterdir()
        if folder.is_dir()
    }
    report([f"README.md does not say what {name} is" for name in sorted(folders - named)])
