"""Shrinks a failing program: drops files, definitions and pieces while the failure remains."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from toolchain import (
    Comparer,
    Comparison,
    CompileError,
    Compiler,
    Generated,
    Verdict,
)

Made = TypeVar("Made", bound=Generated)


class Language(Protocol[Made]):
    """A module that knows the parts of one kind of program, such as shrink_ptx or cpp_program. The
    shrinker itself knows nothing about a part."""

    def steps(self, program: Made) -> Sequence[Any]:
        """The parts that can be dropped, large ones first."""

    def without(self, program: Made, dropped: Sequence[Any]) -> Made:
        """The program without these parts."""


def shrink(
    program: Made,
    language: Language[Made],
    still_fails: Callable[[Made], bool],
    most_tries: int = 600,
) -> Made:
    """The smallest program found for which `still_fails` holds.

    The shrinker tries to drop half of all parts at a time, then a quarter and so on. It ends when
    no single part can be dropped any more, or after `most_tries` tries."""
    tries = 0
    shrunk = True
    while shrunk:
        shrunk = False
        size = max(1, len(language.steps(program)) // 2)
        while size >= 1:
            for smaller in reductions(program, language, size):
                tries += 1
                if tries > most_tries:
                    return program
                if still_fails(smaller):
                    program, shrunk = smaller, True
                    break
            else:
                size //= 2
    return program


def reductions(program: Made, language: Language[Made], size: int) -> Iterator[Made]:
    found = language.steps(program)
    for start in range(0, len(found), size):
        smaller = language.without(program, found[start : start + size])
        if smaller.sources():
            yield smaller


def compare_in_scratch(program: Made, comparer: Comparer[Made], compiler: Compiler) -> Comparison:
    with tempfile.TemporaryDirectory(prefix="shrink-") as scratch:
        return comparer.compare_program(program, compiler, Path(scratch))


def kind_of_failure(comparison: Comparison) -> tuple[Verdict, str]:
    """The verdict, and the text of the first difference without its names and numbers.

    Failures with the same result are counted as one kind. While a program is shrunk, the result
    must not change, so that the smaller program shows the same fault."""
    first = comparison.first_difference.partition("\n")[0].removeprefix("differ status 1: ")
    first = first.replace("n't", "not")
    plain = re.sub(r"'[^']*'", "'...'", first.partition(": A ")[0].partition(": at ")[0])
    plain = re.sub(r"(constant\d|shared|text|nv\.info)\.[\w$]+", r"\1.NAME", plain)
    return comparison.verdict, re.sub(r"0x[0-9a-f]+|\d+", "#", plain)


def keep_failure(
    program: Made,
    language: Language[Made],
    failure: Comparison,
    comparer: Comparer[Made],
    compiler: Compiler,
    folder: Path,
) -> None:
    """Shrinks a program. Writes its sources, its cubins, both outputs, the arguments of the link
    and a report to `folder`."""
    wanted = kind_of_failure(failure)

    def still_fails(candidate: Made) -> bool:
        try:
            found = compare_in_scratch(candidate, comparer, compiler)
        except CompileError:
            return False
        return kind_of_failure(found) == wanted

    small = shrink(program, language, still_fails)
    folder.mkdir(parents=True)
    result = comparer.compare_program(small, compiler, folder)
    for source in small.sources():
        lines = source.kept_text().splitlines()
        (folder / source.name).write_text("".join(line.rstrip() + "\n" for line in lines))
    shutil.rmtree(folder / "ours")
    (folder / "link").write_text(" ".join(result.arguments) + "\n")
    lines = [result.verdict.value, result.first_difference, "--- nvlink:"]
    lines += [*result.theirs.messages, "--- ours:", *result.ours.messages]
    (folder / "report").write_text("\n".join(lines) + "\n")
