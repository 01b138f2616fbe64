#!/usr/bin/env python3
"""Compares warpld with nvlink over random programs in containers.

The programs are those of compare.py. Their cubins come to the linkers as they are, in fat binaries,
and in host objects that refer to some of the kernels, some of them in archives, that -l finds or
that stand on the command line; some objects are held in linked form by another one already. Besides
output and messages, the file of --register-link-binaries must be the same.

Exit status 0 if there is no difference but explained ones, else 1.
"""

from __future__ import annotations

import concurrent.futures
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "containers"))

from container_files import (
    HostObject,
    archive,
    cubin_entry,
    fat_binary,
)
from cubin import STB_LOCAL, read_cubin
from generate import DEFAULT_ARCHES, generate
from harness import argument_parser, find_tools
from toolchain import GOOD, Comparer, Comparison, CompileError, Compiler, Link, Verdict

STO_CUDA_ENTRY = 0x10
REGISTER_FILE = "register"
FORMS = ("host", "host", "host", "host", "fatbin", "cubin")


class RegisterComparer(Comparer):
    """Keeps each linker's register file, and compares them when the links are alike."""

    def link(self, linker: str, arguments: list[str], folder: Path, output: str) -> Link:
        link = super().link(linker, arguments, folder, output)
        written = folder / REGISTER_FILE
        if written.exists():
            written.rename(folder / f"{output}.{REGISTER_FILE}")
        return link

    def compare_files(self, arguments: list[str], folder: Path, cubins: list[Path]) -> Comparison:
        comparison = self.compare(arguments, folder, cubins)
        files = [folder / f"{name}.cubin.{REGISTER_FILE}" for name in ("theirs", "ours")]
        texts = [path.read_text() if path.exists() else None for path in files]
        alike = comparison.verdict in GOOD and comparison.verdict != Verdict.NVLINK_BROKE
        if alike and texts[0] != texts[1]:
            comparison.verdict = Verdict.MESSAGES_DIFFER
            comparison.first_difference = f"register files: {texts}"
        return comparison


def kernels(cubin: Path) -> tuple[list[str], list[str]]:
    """External and internal ones."""
    symbols = [s for s in read_cubin(cubin).symbols if s.other & STO_CUDA_ENTRY and s.section]
    internal = [s.name for s in symbols if s.binding == STB_LOCAL]
    return [s.name for s in symbols if s.binding != STB_LOCAL], internal


@dataclass
class Packing:
    """How the cubins of one program come to the linker."""

    rng: random.Random
    folder: Path
    all_tell: bool  # every input is a host object that has references
    words: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)  # to the end, because -l finds them

    def chance(self, fraction: float) -> bool:
        return self.rng.random() < fraction

    def put(self, name: str, content: bytes) -> str:
        (self.folder / name).write_bytes(content)
        return name

    def some(self, names: list[str]) -> tuple[str, ...]:
        """Patterns that fit some of the names."""
        fraction = self.rng.choice((0, 0.3, 0.6, 1))
        drawn = [name for name in names if self.chance(fraction)]
        return tuple(
            name[: self.rng.randint(1, len(name))] + "*" if self.chance(0.2) else name
            for name in drawn
        )

    def references(self, cubin: Path) -> dict[str, tuple[str, ...]]:
        if not self.all_tell and self.chance(0.5):
            return {}
        external, internal = kernels(cubin)
        if self.chance(0.1):
            external = internal = external + internal
        return {".nvHRKE": self.some(external), ".nvHRKI": self.some(internal)}

    def host_object(self, cubin: Path) -> HostObject:
        ids = (f"_id_{cubin.stem}",) if self.chance(0.8) else ()
        code = fat_binary(cubin_entry(cubin))
        return HostObject(code, module_ids=ids, references=self.references(cubin))

    def add(self, cubin: Path) -> None:
        form = "host" if self.all_tell else self.rng.choice(FORMS)
        if form == "cubin":
            self.words.append(cubin.name)
        elif form == "fatbin":
            self.words.append(self.put(f"{cubin.stem}.fatbin", fat_binary(cubin_entry(cubin))))
        else:
            self.words.append(self.put(f"{cubin.stem}.o", self.host_object(cubin).write()))

    def archive_some(self) -> None:
        """Joins neighbouring host objects in archives, some of which -l finds."""
        if not self.chance(0.6):
            return
        start = self.rng.randrange(len(self.words))
        count = self.rng.randint(1, len(self.words) - start)
        members = self.words[start : start + count]
        if not all(name.endswith(".o") for name in members):
            return
        contents = {name: (self.folder / name).read_bytes() for name in members}
        name = self.put("libmembers.a", archive(contents, thin=self.chance(0.3)))
        if self.chance(0.4):
            self.libraries = ["-L.", "-lmembers"]
            self.moved = members
            self.words[start : start + count] = [name] * self.chance(0.2)
        else:
            self.words[start : start + count] = [name] * self.rng.choice((1, 1, 2))

    def hold_some(self) -> None:
        """An object that holds others in linked form, which are then passed over."""
        if self.chance(0.15):
            ids = tuple(f"def _id_{Path(name).stem}" for name in self.words if self.chance(0.3))
            references = {".nvHRKE": (), ".nvHRKI": ()} if self.all_tell or self.chance(0.5) else {}
            held = HostObject(linked_code=b"x" * 8, module_ids=ids, references=references)
            place = self.rng.randint(0, len(self.words))
            self.words.insert(place, self.put("held.o", held.write()))


def pack(rng: random.Random, cubins: list[Path], folder: Path) -> tuple[list[str], list[Path]]:
    """The words of the command line, and the cubins in the order in which they are linked."""
    packing = Packing(rng, folder, all_tell=rng.random() < 0.75)
    for cubin in cubins:
        packing.add(cubin)
    packing.hold_some()
    packing.archive_some()
    options = []
    if rng.random() < 0.7:
        options.append(f"--register-link-binaries={REGISTER_FILE}")
    if rng.random() < 0.15:
        options.append(rng.choice(("-ignore-host-info", "-use-host-info")))
    options += [word for word in ("-cpu-arch=X86_64", "-extrawarn") if rng.random() < 0.2]
    late = [] if "libmembers.a" in packing.words else [Path(name).stem for name in packing.moved]
    order = sorted(cubins, key=lambda cubin: cubin.stem in late)
    return [*options, *packing.words, *packing.libraries], order


def compare_one(index: int, args, comparer: RegisterComparer, compiler: Compiler) -> Comparison:
    program = generate(args.seed, index, arches=tuple(args.arch.split(",")))
    rng = random.Random(f"containers-{args.seed}-{index}")
    with tempfile.TemporaryDirectory(prefix="containers-") as scratch:
        folder = Path(scratch)
        cubins = compiler.compile_program(program, folder)
        words, cubins = pack(rng, cubins, folder)
        arguments = [f"-arch={program.arch}", *program.link_options, *words]
        comparison = comparer.compare_files(arguments, folder, cubins)
        if comparison.verdict not in GOOD:
            kept = args.failures / f"containers-{args.seed}-{index}"
            kept.mkdir(parents=True, exist_ok=True)
            for path in folder.iterdir():
                if path.is_file():
                    (kept / path.name).write_bytes(path.read_bytes())
            (kept / "link").write_text(" ".join(arguments) + "\n")
        return comparison


def main() -> int:
    args = argument_parser(__doc__, DEFAULT_ARCHES).parse_args()
    tools = find_tools(args, "ptxas")
    if not tools:
        return 2
    comparer = RegisterComparer(tools.ours, args.differ)
    compiler = Compiler(args.cache)
    verdicts: Counter[str] = Counter()

    def work(index: int) -> tuple[str, str]:
        try:
            comparison = compare_one(index, args, comparer, compiler)
        except CompileError as error:
            return "not compiled", str(error)
        return comparison.verdict.value, comparison.first_difference

    good = [verdict.value for verdict in GOOD]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for index, (verdict, detail) in enumerate(
            pool.map(work, range(args.first, args.first + args.count)), args.first
        ):
            verdicts[verdict] += 1
            if verdict not in good:
                print(f"{args.seed}-{index} {verdict}: {detail}")
    for verdict, count in verdicts.most_common():
        print(f"{verdict:24} {count}")
    return 0 if set(verdicts) <= {*good, "not compiled"} else 1


if __name__ == "__main__":
    sys.exit(main())
