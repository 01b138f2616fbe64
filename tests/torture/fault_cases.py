"""Lets each system call of the command fail in turn, and checks the files that the command leaves.

A case has one link, one situation of its output, and one fault: the Nth call of a kind fails with
one error, either only once or from then on. After the link,
- each file of the folder is as the link without a fault makes it, or as it was before,
- the exit status is 0 only if all files are as the link without a fault makes them,
- the command has ended in time and not by a signal, and has written a message if it failed.
The library `faults.c` makes calls fail. Its table of calls is `calls.def`.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from container_files import PTX, Entry, HostObject, archive, cubin_entry, fat_binary
from container_link import FIRST, FIRST_90, SECOND
from optimiser_folder import IR, make

NOBODY = 65534
SECONDS = 20
OLDER = b"an older output\n"
TEXT = b".version 8.0\n.target sm_80\n.address_size 64\n"
STATUSES = (0, 1, 255)
# Effects that are tested only once and not "from then on", because the command repeats the call
# until it works.
ONCE = ("EINTR", "SHORT")
REMOVALS = ("unlink", "unlinkat", "rmdir")
OUTPUT = "output"
FOLDERS = ("out", "side", "tmp", "cache")


@dataclass(frozen=True)
class Case:
    link: str
    situation: str
    fault: str  # as faults.c reads it
    options: tuple[str, ...] = ()

    @property
    def call(self) -> str:
        return self.fault.split(":")[0]

    def __str__(self) -> str:
        return f"{self.link} {self.situation} {self.fault}"


@dataclass(frozen=True)
class Done:
    status: int | None  # None: the command did not end
    messages: bytes
    output: bytes
    files: dict[str, bytes]


# --------------------------------------------------------------------------------------------------
# Links


def module_object(cubins: tuple[Path, ...], name: str) -> bytes:
    both = fat_binary(*(cubin_entry(cubin) for cubin in cubins))
    return HostObject(both, module_ids=(name,)).write()


def write_inputs(folder: Path) -> None:
    shutil.copy(FIRST, folder / "a.cubin")
    shutil.copy(SECOND, folder / "b.cubin")
    padded = [path.read_bytes() + bytes(70000) for path in (FIRST, SECOND)]
    (folder / "libab.a").write_bytes(archive({f"{i}.o": text for i, text in enumerate(padded)}))
    (folder / "x.fatbin").write_bytes(fat_binary(Entry(PTX, 80, TEXT)))
    (folder / "a.o").write_bytes(module_object((FIRST, FIRST_90), "_11111111_4_a_cu_first"))
    (folder / "b.o").write_bytes(module_object((SECOND,), "_22222222_4_b_cu_second"))
    compiler = folder / "ptxas"
    compiler.write_text(f"#!/bin/sh\ncp {folder}/a.cubin elf.o\n")
    compiler.chmod(0o755)
    # A stand-in for the optimiser, and one for ptxas. The latter reads its whole input, as ptxas
    # does.
    make(folder / "libnvJitLink.so.13")
    (folder / "x.ltoir").write_bytes(IR + TEXT + b"// LTO-IR has more. It warns.\n")
    reader = folder / "reading-ptxas"
    reader.write_text(f"#!/bin/sh\ntext=$(cat *input)\ncp {folder}/a.cubin elf.o\n")
    reader.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(path.stat().st_mode | 0o444)


# The arguments of each link. Files that the link writes beside its output are in the folder `side`.
LINKS = {
    "plain": "-arch=sm_80 {in}/a.cubin {in}/b.cubin",
    "relocatable": "-arch=sm_80 -r {in}/a.o {in}/b.o --register-link-binaries={side}/modules",
    "archive": "-arch=sm_80 {in}/libab.a --map={side}/map --report={side}/report.json "
    "--dependency-file={side}/dependencies",
    "ptx": "-arch=sm_80 {in}/x.fatbin {in}/b.cubin --ptxas-path={in}/ptxas",
    "cached": "-arch=sm_80 {in}/x.fatbin --ptxas-path={in}/ptxas --cache-dir={cache}",
    "lto": "-arch=sm_80 -lto {in}/x.ltoir --ptxas-path={in}/reading-ptxas "
    "--nvjitlink-path={in}/libnvJitLink.so.13",
    "device-link": "--device-link --arch=sm_80,sm_90 {in}/a.o {in}/b.o",
}


# --------------------------------------------------------------------------------------------------
# Situations


def is_root() -> bool:
    return os.geteuid() == 0


def put_file(path: Path) -> None:
    path.write_bytes(OLDER)
    if is_root():
        os.chown(path, NOBODY, NOBODY)


def put_older(folder: Path) -> None:
    put_file(folder / OUTPUT)


def put_closed(folder: Path) -> None:
    put_older(folder)
    folder.chmod(0o555)


def put_longer_closed(folder: Path) -> None:
    put_closed(folder)
    folder.joinpath(OUTPUT).write_bytes(OLDER * 10000)


def put_link(folder: Path) -> None:
    put_file(folder / "target")
    (folder / OUTPUT).symlink_to("target")


@dataclass(frozen=True)
class Situation:
    prepare: Callable[[Path], None]
    variables: dict[str, str] = field(default_factory=dict)
    is_stream: bool = False


SITUATIONS = {
    "absent": Situation(lambda _: None),
    "older": Situation(put_older),
    # In these two situations the link cannot replace the older file, so it writes into that file.
    "closed-folder": Situation(put_closed),
    "closed-folder-longer": Situation(put_longer_closed),
    "link": Situation(put_link),
    "no-nameless": Situation(put_older, {"FAULT_NO_NAMELESS": "1"}),
    "stream": Situation(lambda _: None, is_stream=True),
}


# --------------------------------------------------------------------------------------------------
# Runs


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Workspace:
    """A folder for the inputs, and for each case a folder for the files that it writes."""

    def __init__(self, build: Path, root: Path) -> None:
        root.chmod(0o755)
        self.program, self.library = root / "warpld", root / "faults.so"
        self.inputs, self.root = root / "in", root
        for path in (self.program, self.library):
            shutil.copy(build / "tests" / "torture" / path.name, path)
        shutil.copy(build / "warpld-ptx-helper", root)
        self.inputs.mkdir()
        write_inputs(self.inputs)

    def run(self, case: Case, counts: Path | None = None) -> Done:
        with tempfile.TemporaryDirectory(dir=self.root) as name:
            folder = Path(name)
            folder.chmod(0o777)
            return self.run_in(folder, case, counts)

    def run_in(self, folder: Path, case: Case, counts: Path | None) -> Done:
        for part in FOLDERS:
            (folder / part).mkdir()
            (folder / part).chmod(0o777)
        situation = SITUATIONS[case.situation]
        situation.prepare(folder / "out")
        variables = {"PATH": "/bin:/usr/bin", "TMPDIR": str(folder / "tmp"), **situation.variables}
        variables |= {"LD_PRELOAD": str(self.library)}
        variables |= {"FAULT": case.fault} if case.fault else {}
        variables |= {"FAULT_COUNTS": str(counts)} if counts else {}
        output = "-" if situation.is_stream else str(folder / "out" / OUTPUT)
        places = {"in": self.inputs, **{part: folder / part for part in FOLDERS}}
        words = LINKS[case.link].format(**places).split()
        done = run_as_nobody([self.program, *words, *case.options, "-o", output], folder, variables)
        (folder / "out").chmod(stat.S_IRWXU)
        return done


def run_as_nobody(words: list[str | Path], folder: Path, variables: dict[str, str]) -> Done:
    nobody = NOBODY if is_root() else None
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        user=nobody,
        group=nobody,
        extra_groups=[] if is_root() else None,
    )
    status = None
    try:
        output, messages = process.communicate(timeout=SECONDS)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        output, messages = process.communicate()
    return Done(status, messages, output, files_of(folder))


def files_of(folder: Path) -> dict[str, bytes]:
    """The files that the link has left, by their paths. Any files are allowed in the cache."""
    found = contents(folder / "out")
    found |= {f"side/{name}": text for name, text in contents(folder / "side").items()}
    strays = [*(folder / "tmp").iterdir(), *folder.iterdir()]
    found |= {str(p.relative_to(folder)): b"" for p in strays if p.name not in FOLDERS}
    return place_free(found, folder)


def place_free(files: dict[str, bytes], folder: Path) -> dict[str, bytes]:
    """Replaces the name of the folder in the files by a fixed word. Files that list other files
    contain that name, which is different in each run."""
    return {name: text.replace(str(folder).encode(), b"FOLDER") for name, text in files.items()}


def before(case: Case) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        SITUATIONS[case.situation].prepare(folder)
        found = contents(folder)
        folder.chmod(stat.S_IRWXU)
        return found


# --------------------------------------------------------------------------------------------------
# Checks


def reports_itself(case: Case) -> bool:
    """Whether the call that fails may be the one that writes the command's error message."""
    return case.call == "writev"


def wrong_file(case: Case, name: str, done: Done, right: Done) -> bool:
    """Whether the file is neither as the link without a fault makes it nor as it was before."""
    return done.files.get(name) not in (right.files.get(name), before(case).get(name))


def problems(case: Case, done: Done, right: Done) -> Iterator[str]:
    is_whole = done.files == right.files and done.output == right.output
    may_remain = case.call in REMOVALS
    if done.status not in STATUSES:
        yield "does not end" if done.status is None else f"ends with status {done.status}"
    if done.status == 0 and not is_whole and not may_remain:
        yield "succeeds, but the output is not right"
    if done.status != 0 and not done.messages and not reports_itself(case):
        yield "fails without a message"
    for name in sorted(done.files.keys() | right.files.keys()):
        is_remaining = name not in right.files and may_remain
        if not is_remaining and wrong_file(case, name, done, right):
            yield f"leaves '{name}' with {len(done.files.get(name, b''))} bytes"


def count_calls(workspace: Workspace, case: Case) -> tuple[Done, list[tuple[str, int, list[str]]]]:
    """Runs the link without a fault. Returns its result, and for each call how often the link makes
    it and which effects a fault can have."""
    with tempfile.TemporaryDirectory(dir=workspace.root) as name:
        Path(name).chmod(0o777)
        counts = Path(name) / "counts"
        right = workspace.run(case, counts)
        lines = [line.split() for line in counts.read_text().splitlines()]
    if right.status != 0:
        raise RuntimeError(f"{case}: status {right.status}, {right.messages.decode()}")
    return right, [(name, int(count), effects) for name, count, *effects in lines]


def faults_of(calls: list[tuple[str, int, list[str]]]) -> Iterator[str]:
    for name, count, effects in calls:
        for number in range(1, count + 1):
            for effect in effects:
                yield f"{name}:{number}:{effect}"
                if effect not in ONCE:
                    yield f"{name}:{number}:{effect}:on"


@dataclass
class Campaign:
    cases: int = 0
    failed: int = 0  # links
    calls: set[str] = field(default_factory=set)
    found: list[str] = field(default_factory=list)

    def add(self, other: Campaign) -> None:
        self.cases += other.cases
        self.failed += other.failed
        self.calls |= other.calls
        self.found += other.found


def run_campaign(
    workspace: Workspace, link: str, situation: str, options: tuple[str, ...] = (), step: int = 1
) -> Campaign:
    """Runs a link with each of its faults in turn, or with each `step`-th of them."""
    right, calls = count_calls(workspace, Case(link, situation, "", options))
    result = Campaign(calls={name for name, _, _ in calls})
    for fault in list(faults_of(calls))[::step]:
        case = Case(link, situation, fault, options)
        done = workspace.run(case)
        result.cases += 1
        result.failed += done.status != 0
        result.found += [f"{case}: {problem}" for problem in problems(case, done, right)]
    return result
