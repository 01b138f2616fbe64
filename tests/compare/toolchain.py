"""Runs compilers, the two linkers and `cubintool diff`. Compiled files are cached."""

from __future__ import annotations

import difflib
import enum
import functools
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from explained import explain
from faults_constants import explain_merged_usage, explain_overflow
from faults_kernels import explain_forgotten_limit, explain_removed_users, explain_usage
from faults_names import explain_banks_in_use
from source import Source

REPOSITORY = Path(__file__).resolve().parents[2]
CACHE = REPOSITORY / "build" / "compare-cache"
TIMEOUT_SECONDS = 120


class CompileError(Exception):
    """The compiler refused a generated file. That is a fault of the generator."""


class Generated(Protocol):
    """A generated program, whatever its language."""

    @property
    def arch(self) -> str:
        """The target."""

    @property
    def link_options(self) -> list[str]:
        """The options of the link, without the target."""

    def sources(self) -> list[Source]:
        """The files in link order."""

    def features(self) -> set[str]:
        """Names of the program's features, for the tables of a run."""


# The kind of program that a comparer takes. Some comparers take only one kind.
Compared = TypeVar("Compared", bound=Generated, contravariant=True)


class Verdict(enum.Enum):
    IDENTICAL = "identical"
    EQUIVALENT = "equivalent"
    EXPLAINED = "explained"
    DIFFERENT = "different"
    REFUSED_BY_BOTH = "refused by both"
    STATUS_DIFFERS = "status differs"
    MESSAGES_DIFFER = "messages differ"
    NVLINK_BROKE = "internal error of nvlink"


LINKED = (Verdict.IDENTICAL, Verdict.EQUIVALENT, Verdict.EXPLAINED, Verdict.DIFFERENT)
# Verdicts that are never failures. EQUIVALENT, the same content in another order, is a failure only
# if equal bytes are asked for.
GOOD = (Verdict.IDENTICAL, Verdict.EXPLAINED, Verdict.REFUSED_BY_BOTH, Verdict.NVLINK_BROKE)


@dataclass
class Link:
    """The result of one linker."""

    status: int
    messages: list[str]
    output: Path


@dataclass
class Comparison:
    verdict: Verdict
    first_difference: str
    arguments: list[str]
    inputs: list[Path]
    theirs: Link
    ours: Link


def run(command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


def move_into_cache(made: Path, cached: Path) -> None:
    """Moves a file into the cache. A rename gives the complete file its final name, because other
    threads and processes may read the cache at the same time."""
    partial = cached.with_suffix(f".{os.getpid()}-{threading.get_ident()}.partial")
    shutil.move(made, partial)
    partial.rename(cached)


@functools.cache
def tool_version(tool: str) -> str:
    return run([tool, "--version"]).stdout.strip().splitlines()[-1]


class Compiler:
    """Runs ptxas or nvcc, with a cache. The key of an entry is a digest of the text, the command
    and the version of the compiler."""

    def __init__(self, cache: Path = CACHE):
        self.cache = cache
        cache.mkdir(parents=True, exist_ok=True)

    def command(self, source: Source, arch: str) -> list[str]:
        return source.command(arch)

    def compile(self, source: Source, arch: str) -> Path:
        """The compiled source in the cache. The compiler reads it from a file with the source's
        name, because outputs may contain that name."""
        command = self.command(source, arch)
        parts = [tool_version(command[0]), *command, source.text]
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        cached = self.cache / key[:2] / f"{key}.cubin"
        if not cached.exists():
            cached.parent.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="compile-") as scratch:
                folder = Path(scratch)
                (folder / source.name).write_text(source.text)
                done = run([*command, "-o", "out.cubin"], folder)
                if done.returncode != 0:
                    raise CompileError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
                move_into_cache(folder / "out.cubin", cached)
        return cached

    def compile_program(self, program: Generated, folder: Path) -> list[Path]:
        """Compiles the program's files into `folder`. Returns the cubins in link order."""
        paths = []
        for source in program.sources():
            path = folder / source.cubin_name
            shutil.copyfile(self.compile(source, program.arch), path)
            paths.append(path)
        return paths


CALL_GRAPH_LINE = re.compile(r"callgraph for |# |\d+: |regcount ")


def parse_messages(text: str, arguments: list[str]) -> list[str]:
    """The messages of a linker. Those of severity info, and the lines of the call graph, are
    included only if an option asks for them."""
    wanted = ["nvlink warning", "nvlink error", "nvlink fatal"]
    if "-v" in arguments:
        wanted.append("nvlink info")
    has_graph = "-dump-callgraph" in arguments
    return [
        line.rstrip()
        for line in text.splitlines()
        if line.startswith(tuple(wanted)) or (has_graph and CALL_GRAPH_LINE.match(line))
    ]


def differing_lines(theirs: list[str], ours: list[str]) -> str:
    """The first lines that only one of the two texts has, as `diff` shows them."""
    lines = list(difflib.unified_diff(theirs, ours, lineterm="", n=0))
    changed = [line for line in lines[2:] if not line.startswith("@@")]
    return "\n".join(changed[:6])


class Comparer(Generic[Compared]):
    """Links the same inputs with nvlink and with warpld, and compares the results."""

    def __init__(self, ours: Path, differ: str, patched: bool = False):
        self.patched = patched
        self.ours = ours
        self.differ = shlex.split(differ)

    def link(self, linker: str, arguments: list[str], folder: Path, output: str) -> Link:
        try:
            done = run([linker, *arguments, "-o", output], folder)
        except subprocess.TimeoutExpired:
            if linker != "nvlink":
                raise
            return Link(-signal.SIGKILL, [], folder / output)
        return Link(done.returncode, parse_messages(done.stderr, arguments), folder / output)

    def difference(self, theirs: Path, ours: Path, *options: str) -> str | None:
        """The first lines that `cubintool diff` prints; None if the files do not differ."""
        done = run([*self.differ, "--bytes", *options, str(theirs), str(ours)])
        if done.returncode == 0:
            return None
        lines = (done.stdout + done.stderr).strip().splitlines()[:6]
        return f"differ status {done.returncode}: " + "\n".join(lines)

    def compare(
        self, arguments: list[str], folder: Path, cubins: list[Path] | None = None
    ) -> Comparison:
        """Links with both linkers in `folder`, and compares the results.

        `arguments` name the inputs. If these are not cubins, `cubins` are the cubins inside them.
        warpld is called through a symbolic link named nvlink, so that its messages begin alike."""
        called_as = folder / "ours" / "nvlink"
        if not called_as.exists():
            called_as.parent.mkdir(exist_ok=True)
            called_as.symlink_to(self.ours)
        theirs = self.link("nvlink", arguments, folder, "theirs.cubin")
        ours = self.link(str(called_as), arguments, folder, "ours.cubin")
        named = [folder / argument for argument in arguments if not argument.startswith("-")]
        inputs = named if cubins is None else cubins
        verdict, detail = self.judge(theirs, ours, inputs, arguments)
        return Comparison(verdict, detail, arguments, inputs, theirs, ours)

    def judge(
        self, theirs: Link, ours: Link, inputs: list[Path], arguments: list[str]
    ) -> tuple[Verdict, str]:
        """Returns the verdict. nvlink can break, that is, crash or report an internal error. If it
        breaks on a patched object, the link of warpld must fail, too. If a compiler made all
        objects, warpld may fail or succeed."""
        broke = theirs.status < 0 or any("Internal error" in line for line in theirs.messages)
        if broke and (ours.status != 0 or not self.patched):
            return Verdict.NVLINK_BROKE, "\n".join(theirs.messages)
        their_end, our_end = (theirs.status, theirs.messages), (ours.status, ours.messages)
        overflow = None
        if theirs.messages != ours.messages:
            overflow = explain_overflow(arguments, their_end, our_end, inputs)
        if overflow and ours.status != 0:
            return Verdict.EXPLAINED, overflow
        errors = explain_removed_users(their_end, our_end)
        errors = errors or explain_forgotten_limit(their_end, our_end, inputs)
        if errors:
            return Verdict.EXPLAINED, errors
        if theirs.status != ours.status:
            messages = "\n".join([*theirs.messages[:2], "--- ours:", *ours.messages[:2]])
            return (
                Verdict.STATUS_DIFFERS,
                f"status {theirs.status}, ours {ours.status}\n{messages}",
            )
        if theirs.messages != ours.messages:
            lines = theirs.messages, ours.messages, inputs
            fault = overflow or explain_usage(*lines)
            fault = fault or explain_banks_in_use(*lines) or explain_merged_usage(*lines)
            detail = differing_lines(theirs.messages, ours.messages)
            if theirs.status != 0 or not fault:
                return (Verdict.EXPLAINED, fault) if fault else (Verdict.MESSAGES_DIFFER, detail)
        if theirs.status != 0:
            return Verdict.REFUSED_BY_BOTH, ""
        strict = self.difference(theirs.output, ours.output, "--strict")
        if strict is None:
            return Verdict.IDENTICAL, ""
        loose = self.difference(theirs.output, ours.output)
        if loose is None:
            return Verdict.EQUIVALENT, strict
        fault = explain(self.differ, theirs.output, ours.output, inputs)
        return (Verdict.EXPLAINED, fault) if fault else (Verdict.DIFFERENT, loose)

    def compare_program(self, program: Compared, compiler: Compiler, folder: Path) -> Comparison:
        """Compiles and links a program in `folder`, which must be empty."""
        compiler.compile_program(program, folder)
        return self.compare(link_arguments(program), folder)


def link_arguments(program: Generated) -> list[str]:
    files = [source.cubin_name for source in program.sources()]
    return [f"-arch={program.arch}", *program.link_options, *files]
