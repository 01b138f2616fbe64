"""Runs ptxas, the two linkers and the comparer; compiled files are cached."""

from __future__ import annotations

import enum
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

from program import Program

REPOSITORY = Path(__file__).resolve().parents[2]
CACHE = REPOSITORY / "build" / "compare-cache"
TIMEOUT_SECONDS = 120


class PtxasError(Exception):
    """ptxas refused a generated file: a fault of the generator."""


class Verdict(enum.Enum):
    IDENTICAL = "identical"
    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    REFUSED_BY_BOTH = "refused by both"
    STATUS_DIFFERS = "status differs"
    MESSAGES_DIFFER = "messages differ"
    NVLINK_BROKE = "internal error of nvlink"


LINKED = (Verdict.IDENTICAL, Verdict.EQUIVALENT, Verdict.DIFFERENT)


@dataclass
class Link:
    """What one linker did."""

    status: int
    messages: list[str]
    output: Path


@dataclass
class Comparison:
    verdict: Verdict
    first_difference: str = ""
    inputs: list[Path] = field(default_factory=list)
    theirs: Link | None = None
    ours: Link | None = None


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
    """Appears at once under its final name: other threads and processes may want it, too."""
    partial = cached.with_suffix(f".{os.getpid()}-{threading.get_ident()}.partial")
    shutil.move(made, partial)
    partial.rename(cached)


def tool_version(tool: str) -> str:
    return run([tool, "--version"]).stdout.strip().splitlines()[-1]


class Compiler:
    """ptxas with a cache keyed by the text, the file's name, the options and the tool's version."""

    def __init__(self, cache: Path = CACHE):
        self.cache = cache
        self.version = tool_version("ptxas")
        cache.mkdir(parents=True, exist_ok=True)

    def compile(self, text: str, name: str, arch: str, options: tuple[str, ...]) -> Path:
        """The cached cubin made from PTX text; ptxas sees it as the file `name`."""
        command = ["ptxas", "-c", f"-arch={arch}", *options, name]
        key = hashlib.sha256("\0".join([self.version, *command, text]).encode()).hexdigest()
        cached = self.cache / key[:2] / f"{key}.cubin"
        if not cached.exists():
            cached.parent.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="ptxas-") as scratch:
                folder = Path(scratch)
                (folder / name).write_text(text)
                done = run([*command, "-o", "out.cubin"], folder)
                if done.returncode != 0:
                    raise PtxasError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
                move_into_cache(folder / "out.cubin", cached)
        return cached

    def compile_program(self, program: Program, folder: Path) -> list[Path]:
        """The program's cubins in link order, in `folder` under short names."""
        paths = []
        for module in program.ordered_modules():
            text = program.render(module)
            cached = self.compile(text, module.name, program.arch, module.options)
            path = folder / module.name.replace(".ptx", ".cubin")
            shutil.copyfile(cached, path)
            paths.append(path)
        return paths


def parse_messages(text: str, arguments: list[str]) -> list[str]:
    """The lines by which a linker explains itself; information only where -v asks for it."""
    wanted = ["nvlink warning", "nvlink error", "nvlink fatal"]
    if "-v" in arguments:
        wanted.append("nvlink info")
    return [line.rstrip() for line in text.splitlines() if line.startswith(tuple(wanted))]


class Comparer:
    """Links the same inputs with nvlink and with ours, and compares what comes out."""

    def __init__(self, ours: Path, differ: str):
        self.ours = ours
        self.differ = shlex.split(differ)

    def link(self, linker: str, arguments: list[str], folder: Path, output: str) -> Link:
        done = run([linker, *arguments, "-o", output], folder)
        return Link(done.returncode, parse_messages(done.stderr, arguments), folder / output)

    def difference(self, theirs: Path, ours: Path, *options: str) -> str | None:
        """None if the files are the same, else the first lines of the report."""
        done = run([*self.differ, *options, str(theirs), str(ours)])
        if done.returncode == 0:
            return None
        lines = (done.stdout + done.stderr).strip().splitlines()[:6]
        return f"differ status {done.returncode}: " + "\n".join(lines)

    def compare(self, arguments: list[str], folder: Path) -> Comparison:
        """Links in `folder`, where `arguments` name the inputs, and compares.

        Ours is called through a link named nvlink so that its messages begin alike."""
        called_as = folder / "ours" / "nvlink"
        if not called_as.exists():
            called_as.parent.mkdir(exist_ok=True)
            called_as.symlink_to(self.ours)
        theirs = self.link("nvlink", arguments, folder, "theirs.cubin")
        ours = self.link(str(called_as), arguments, folder, "ours.cubin")
        verdict, detail = self.judge(theirs, ours)
        return Comparison(verdict, detail, theirs=theirs, ours=ours)

    def judge(self, theirs: Link, ours: Link) -> tuple[Verdict, str]:
        if theirs.status < 0 or any("Internal error" in line for line in theirs.messages):
            return Verdict.NVLINK_BROKE, "\n".join(theirs.messages)
        if theirs.status != ours.status:
            messages = "\n".join([*theirs.messages[:2], "--- ours:", *ours.messages[:2]])
            return (
                Verdict.STATUS_DIFFERS,
                f"status {theirs.status}, ours {ours.status}\n{messages}",
            )
        if theirs.messages != ours.messages:
            detail = "\n".join([*theirs.messages[:3], "--- ours:", *ours.messages[:3]])
            return Verdict.MESSAGES_DIFFER, detail
        if theirs.status != 0:
            return Verdict.REFUSED_BY_BOTH, ""
        strict = self.difference(theirs.output, ours.output, "--strict")
        if strict is None:
            return Verdict.IDENTICAL, ""
        loose = self.difference(theirs.output, ours.output)
        if loose is None:
            return Verdict.EQUIVALENT, strict
        return Verdict.DIFFERENT, loose

    def compare_program(self, program: Program, compiler: Compiler, folder: Path) -> Comparison:
        """Compiles and links a program in `folder`, which must be empty."""
        inputs = compiler.compile_program(program, folder)
        arguments = link_arguments(program)
        result = self.compare(arguments, folder)
        result.inputs = inputs
        return result


def link_arguments(program: Program) -> list[str]:
    files = [m.name.replace(".ptx", ".cubin") for m in program.ordered_modules()]
    return [f"-arch={program.arch}", *program.link_options, *files]
