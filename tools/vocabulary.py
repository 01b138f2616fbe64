#!/usr/bin/python3
"""Finds words in comments, messages and documents for which linkers have better terms.

    tools/vocabulary.py [FILE...]

CONTRIBUTING.md says how we write. Each row of PHRASES is a pattern and the words to use instead. A
pattern depends on the surrounding words, so that a word is not reported where it is right ("in
place", "to tell apart"). tools/vocabulary-allowed.txt lists single lines in which a word is right,
with the reason. Messages of nvlink, which are rows of diagnostics.def and trace.def, are skipped,
because they must not change.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

from repository import REPOSITORY, listed_files, without_code_blocks

ALLOWED = Path(__file__).with_name("vocabulary-allowed.txt")
MOST_ALLOWED = 40
NOT_OURS = ("tests/golden/", "fuzz/corpus/", "LICENSE", "packaging/third-party/")

NOUN_BEFORE = (
    r"(?:the|a|its|their|this|that|these|those|same|each|no|which|one|every|own|final|first|other"
    r"|has|have|had|gets?|of|some|any|all|such)"
)
PHRASES: list[tuple[str, str]] = [
    (r"\bbehind\b(?! (?:its|the|his|their) \w+'s back)", "after, following"),
    (rf"\b{NOUN_BEFORE} places?\b(?! (?:of|holder))", "address, offset, slot, position"),
    (r"\bplaces (?:of|in|are|where|that)\b", "addresses, offsets, slots, positions"),
    (r"\bcomes? to (?:be|stand)\b", "is assigned, is placed"),
    (r"\bgo(?:es)? away\b", "is removed, is discarded"),
    (r"\b(?:what|that|which|it) goes\b(?! (?:to|into|in|from|on|over|beyond))", "is removed"),
    (r"\bstays?\b(?! (?:within|below|under|small|true|readable|fast))", "is kept, remains"),
    (r"\banew\b", "regenerates, again"),
    (r"\b(?:tells?|told|telling)\b(?! (?:\w+ ){0,6}apart)", "reports, says, distinguishes"),
    (r"\bwords? of (?:an|the|that|each) option\b|\bin a word of -", "argument, value"),
    (r"\bbeginnings? counts?\b", "matched by prefix"),
    (r"\b(?:nobody|nothing) defines\b", "undefined symbol"),
    (r"\bha(?:s|ve) no say\b", "is ignored"),
    (r"\ball the same\b(?! (?:size|kind|type|name|length|value)s?\b)", "anyway"),
    (r"\b(?:rejected|lost|losing|replaced) cop(?:y|ies)\b", "discarded, superseded"),
    (r"\bcop(?:y|ies) (?:that|which) (?:lost|loses?|w\w+ rejected)\b", "discarded, superseded"),
    (r"\broom\b", "space, capacity, padding"),
    (r"\btwins?\b", "counterpart"),
    (r"\bc[oa]mes? across\b", "is first seen"),
    (r"\b(?:they|it) (?:are|is) none\b", "there are none; not used for"),
    (r"\bof (?:its|their|our|your|one's) own\b", "its own"),
    (r"\bsake\b", "for compatibility"),
    (r"\bsecond names?\b", "alias"),
    (r"\b(?:gone|goes|go|going) through (?:all|the|each|every|them|its)\b", "visited, scanned"),
    (r"\b(?:has|have) not(?=[.,;)])", "does not have"),
    (r"\bmemory of malloc\b", "memory from malloc"),
    (r"\bunless (?:it|they) (?:is|are)(?=[.;)])", "if that is not done yet"),
    (r"\bbelongs? into\b", "belongs in"),
    (r"\bc[oa]mes? of (?:it|them|that|this)\b", "the result"),
    (r"\bmakes? of (?:it|them)\b", "its output for it"),
    (r"\bgiv(?:e|es|en|ing) (?:it|them|the \w+) up\b", "releases"),
    (r"\bwhat [\w ]{1,30} (?:says?|said) of\b", "says about; the name of the fact"),
    (r"\bstands? (?:in (?:a|the|its)|at the|where|there|before its|after its)\b", "is"),
    (r"\bso (?:it is|are they|is it) with\b", "does the same"),
]
COMPILED = [(re.compile(pattern, re.IGNORECASE), words) for pattern, words in PHRASES]


def prose_of_c(text: str) -> str:
    """The text with only comments and strings of several words. All else is replaced with
    spaces."""
    kept = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
    result, at = [], 0
    for match in kept.finditer(text):
        result.append(re.sub(r"[^\n]", " ", text[at : match.start()]))
        found = match.group(0)
        is_prose = found.startswith("/*") or " " in found
        result.append(found if is_prose else re.sub(r"[^\n]", " ", found))
        at = match.end()
    return "".join(result) + re.sub(r"[^\n]", " ", text[at:])


def prose_of_python(text: str) -> str:
    """Comments and docstrings."""
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = token.string
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node):
            first = node.body[0]
            for number in range(first.lineno - 1, first.end_lineno or first.lineno):
                lines[number] = text.split("\n")[number]
    return "\n".join(lines)


def prose_of_text(text: str) -> str:
    """The prose of a document, without code blocks and code spans."""
    return re.sub(r"`[^`\n]*`", lambda span: " " * len(span[0]), without_code_blocks(text))


READERS = {
    **dict.fromkeys((".c", ".h", ".def"), prose_of_c),
    ".py": prose_of_python,
    **dict.fromkeys((".md", ".1", ".3"), prose_of_text),
}


def allowed() -> list[tuple[str, str]]:
    """The rows of vocabulary-allowed.txt, without their reasons: file, and part of the line."""
    rows = []
    for line in ALLOWED.read_text().splitlines() if ALLOWED.exists() else []:
        if line and not line.startswith("#"):
            allowed_text, _, reason = line.partition(" -- ")
            file, _, part = allowed_text.partition(": ")
            assert part and reason, line
            rows.append((file, part))
    assert len(rows) <= MOST_ALLOWED, f"{ALLOWED.name} has more than {MOST_ALLOWED} rows"
    return rows


def problems(path: Path) -> list[str]:
    name = path.relative_to(REPOSITORY).as_posix()
    lines = path.read_text(encoding="utf-8").split("\n")
    exceptions = [part for file, part in allowed() if file == name]
    prose = READERS[path.suffix]("\n".join(lines)).split("\n")
    found = []
    for number, line in enumerate(prose, 1):
        for pattern, words in COMPILED:
            match = pattern.search(line)
            if match and not any(part in lines[number - 1] for part in exceptions):
                found.append(f'{name}:{number}: "{match.group(0)}": {words}')
    return found


def files() -> list[Path]:
    return [
        path
        for path in listed_files()
        if path.suffix in READERS
        and not path.relative_to(REPOSITORY).as_posix().startswith(NOT_OURS)
    ]


def readable(paths: list[Path]) -> list[Path]:
    """The files that this program can read. Each of the others is reported."""
    for path in paths:
        if path.suffix not in READERS:
            print(f"{path.name}: skipped, files of this kind are not checked", file=sys.stderr)
    return [path for path in paths if path.suffix in READERS]


def main() -> int:
    chosen = readable([Path(name).resolve() for name in sys.argv[1:]]) if sys.argv[1:] else files()
    found = [problem for path in chosen for problem in problems(path)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
