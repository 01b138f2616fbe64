"""Puts the cubins of a generated program into files that carry device code.

Each choice has its own random generator, whose seed is the program's packing seed and a name, for
example that of a file. So when the shrinker drops files or definitions, the other choices do not
change. Some forms are not used, because warpld differs from nvlink on purpose for them
(docs/quirks/inputs.md): code in archives outside host objects, several fat binaries in one file,
and PTX files below sm_90.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from container_files import HostObject, archive
from program import Function, Module, Program
from source import Source
from toolchain import CompileError, Compiler

OTHER_ARCHES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100")
COMPRESSIONS = (
    ("-compress=false",),
    (),
    ("-compress-all",),
    *(("-compress-all", f"-compress-mode={mode}") for mode in ("size", "speed", "balance")),
    ("-compress-mode=speed",),
    ("-compress-mode=none",),
)
RECORDED_OPTIONS = (
    "",
    "--compile-only  ",
    "-O3",
    "-O1 -c",
    "-maxrregcount=64",
    "-lineinfo",
    "-dlcm cg",
)
# How often each form of a file is used, relative to the other forms.
FORMS = {"cubin": 3, "fat-binary": 4, "host-object": 4, "archive": 2, "library": 2, "ptx": 1}
OPTIONS_FILE = "words"
PTX_FILES_FROM = 90
NO_ARCHITECTURE = 0.03  # fraction of the files without an image for the target
DEVICE_LINKED = 0.03  # fraction of the host objects that are marked as device-linked


@dataclass
class Packer:
    """Writes the inputs of one program and collects the arguments of the command line."""

    program: Program
    compiler: Compiler
    folder: Path
    words: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    members: dict[str, dict[str, bytes]] = field(default_factory=dict)  # by name of the archive
    forms: set[str] = field(default_factory=set)
    inside: dict[str, list[Source]] = field(default_factory=dict)  # argument -> its sources

    def rng(self, purpose: str) -> random.Random:
        return random.Random(f"{self.program.packing}-{purpose}")

    @property
    def arch_number(self) -> int:
        return int(re.sub(r"\D", "", self.program.arch))

    def refers_to_kernels(self) -> bool:
        """Whether all files of the program are host objects, alone or in archives, that list the
        kernels to which the host refers."""
        return self.rng("references").random() < 0.3

    def form(self, source: Source) -> str:
        allowed = dict(FORMS)
        if self.refers_to_kernels():
            allowed = {f: n for f, n in FORMS.items() if f not in ("cubin", "fat-binary", "ptx")}
        elif self.arch_number < PTX_FILES_FROM or source.options:
            del allowed["ptx"]
        rng = self.rng(f"{source.name} form")
        return rng.choices(list(allowed), list(allowed.values()))[0]

    # Images ---------------------------------------------------------------------------------------

    def compiled(self, source: Source, arch: str) -> Path | None:
        try:
            return self.compiler.compile(source, arch)
        except CompileError:
            return None

    def image_arches(self, rng: random.Random) -> list[str]:
        """The architectures for which a fat binary has machine code. The target can be missing."""
        others = rng.sample(OTHER_ARCHES, rng.choice((0, 0, 1, 1, 2, 3)))
        if rng.random() < NO_ARCHITECTURE:
            return [arch for arch in others if arch != self.program.arch]
        arches = list(dict.fromkeys([*others, self.program.arch]))
        rng.shuffle(arches)
        return arches

    def images(self, source: Source, target: str) -> list[str]:
        """The arguments of fatbinary for the images of one file."""
        rng = self.rng(f"{source.name} images")
        found = []
        for arch in self.image_arches(rng):
            cubin = self.compiled(source, arch)
            if cubin:
                found.append(f"--image3=kind=elf,sm={arch[3:]},file={cubin}")
        if not source.options and (not found or rng.random() < 0.3):
            text = self.folder / f"{source.name}.text.ptx"
            text.write_text(source.text)
            found.insert(
                rng.randrange(len(found) + 1), f"--image3=kind=ptx,sm={target},file={text}"
            )
        return found or [f"--image3=kind=elf,sm={self.program.arch[3:]},file={self.plain(source)}"]

    def plain(self, source: Source) -> Path:
        return self.compiler.compile(source, self.program.arch)

    def cubin(self, source: Source, _: Module) -> bytes:
        return self.plain(source).read_bytes()

    def fat_binary(self, source: Source, module: Module) -> bytes:
        rng = self.rng(f"{source.name} fat binary")
        path = self.folder / f"{source.name}.made.fatbin"
        target = re.sub(r"^sm_|,.*", "", module.target)
        command = ["fatbinary", "-64", f"--create={path}", *rng.choice(COMPRESSIONS)]
        if rng.random() < 0.3:
            command.append(f"--ident={source.name}")
        if rng.random() < 0.3:
            command.append(f"--cmdline={rng.choice(RECORDED_OPTIONS)}")
        command += self.images(source, target)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CompileError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
        content = path.read_bytes()
        path.unlink()
        return content

    def host_object(self, source: Source, module: Module) -> bytes:
        rng = self.rng(f"{source.name} host object")
        host = HostObject(self.fat_binary(source, module))
        name = re.sub(r"\W", "_", source.name)
        ids = [f"_{rng.getrandbits(32):08x}_{len(source.name)}_{name}"]
        if rng.random() < 0.1:
            ids += [f"_{rng.getrandbits(32):08x}_second"]
        host.module_ids = tuple(ids)
        if rng.random() < DEVICE_LINKED:
            linked = HostObject(linked_code=b"x", module_ids=(f"def {ids[0]}",))
            self.add_file(f"{source.name}.linked.o", linked.write())
        if self.refers_to_kernels():
            host.references = references(module, rng)
        return host.write()

    # Files ----------------------------------------------------------------------------------------

    def add_file(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)
        self.words.append(name)

    def add_member(self, archive_name: str, source: Source, module: Module) -> None:
        rng = self.rng(f"{source.name} member")
        members = self.members.setdefault(archive_name, {})
        if rng.random() < 0.2:
            members[f"filler_{source.name}.o"] = HostObject(has_segment=False).write()
        long_name = f"a_member_with_a_long_name_{source.name}.o"
        members[rng.choice((f"{source.name}.o", long_name))] = self.host_object(source, module)

    def write_archives(self) -> None:
        for name, members in self.members.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            # nvlink looks for the members of a thin archive in the current folder
            # (docs/quirks/inputs.md).
            thin = path.parent == self.folder and self.rng(f"{name} thin").random() < 0.2
            if thin:
                for member, content in members.items():
                    (path.parent / member).write_bytes(content)
            path.write_bytes(archive(members, thin))

    def place(self, source: Source, module: Module) -> None:
        """Chooses the form of a compiled file at random. Writes the file in that form, or remembers
        it as a member of an archive, and adds its argument to the command line."""
        form = self.form(source)
        self.forms.add(form)
        if form in ("archive", "library"):
            name = self.rng(f"{source.name} archive").choice(("one", "two"))
            path = f"lib{name}.a" if form == "archive" else f"folder_{name}/lib{name}.a"
            listed = self.words if form == "archive" else self.libraries
            word = path if form == "archive" else name
            if word not in listed:
                listed.append(word)
            self.add_member(path, source, module)
        elif form == "ptx":
            word = source.name
            self.add_file(word, source.text.encode())
        else:
            suffix, write = self.WRITERS[form]
            word = f"{Path(source.name).stem}{suffix}"
            self.add_file(word, write(self, source, module))
        self.inside.setdefault(word, []).append(source)

    def in_order(self) -> list[Source]:
        """The sources in the order in which they are linked. Those in libraries come last."""
        words = [*self.words, *self.libraries]
        return [source for word in words for source in self.inside.get(word, [])]

    WRITERS: ClassVar[dict[str, tuple[str, Callable[..., bytes]]]] = {
        "cubin": (".cubin", cubin),
        "fat-binary": (".fatbin", fat_binary),
        "host-object": (".o", host_object),
    }

    def add_bystander(self) -> None:
        """Adds, in a fifth of the programs, a file without device code. nvlink ignores it
        silently."""
        rng = self.rng("bystander")
        if rng.random() < 0.2:
            name, content = rng.choice(
                (
                    ("plain.o", HostObject(has_segment=False).write()),
                    ("nothing.o", b""),
                    ("libplain.a", archive({"plain.o": HostObject(has_segment=False).write()})),
                )
            )
            self.add_file(name, content)

    def command_line(self, options: list[str]) -> list[str]:
        """The arguments of the link, or the option for an options file that contains them."""
        paths = ["-L", "folder_one,folder_two"] if self.libraries else []
        glued = self.rng("libraries").random() < 0.5
        libraries = [f"-l{n}" if glued else f"--library={n}" for n in self.libraries]
        words = [*options, *paths, *libraries, *self.words]
        if self.rng("options file").random() < 0.15:
            (self.folder / OPTIONS_FILE).write_text(" ".join(words) + "\n")
            self.forms.add("options-file")
            return [f"-arch={self.program.arch}", "--options-file", OPTIONS_FILE]
        return [f"-arch={self.program.arch}", *words]


def some_patterns(names: list[str], rng: random.Random) -> tuple[str, ...]:
    """Patterns for some of the names. A pattern is the whole name, or the beginning of the name
    followed by a star."""
    fraction = rng.choice((0, 0.3, 0.7, 1))
    return tuple(
        f"{name[: rng.randint(1, len(name))]}*" if rng.random() < 0.3 else name
        for name in names
        if rng.random() < fraction
    )


def references(module: Module, rng: random.Random) -> dict[str, tuple[str, ...]]:
    """The references of the host code, by section: some external and some internal kernels."""
    kernels = [f for f in module.of_type(Function) if f.is_kernel]
    external = [f.name for f in kernels if f.linkage != "static"]
    internal = [f.name for f in kernels if f.linkage == "static"]
    if rng.random() < 0.1:
        external = internal = [*external, *internal]
    return {".nvHRKE": some_patterns(external, rng), ".nvHRKI": some_patterns(internal, rng)}


def pack(program: Program, compiler: Compiler, folder: Path) -> tuple[list[str], list[Source]]:
    """Writes the program's inputs to `folder`. Returns the arguments that link them, and the
    sources in the order in which they are linked."""
    packer = Packer(program, compiler, folder)
    modules = {module.name: module for module in program.modules}
    for source in program.sources():
        packer.place(source, modules[source.name])
    packer.add_bystander()
    packer.write_archives()
    options = list(program.link_options)
    if "ptx" in packer.forms or any(folder.glob("*.text.ptx")):
        # nvlink forgets this option once it has compiled PTX, see docs/quirks/options.md.
        options = [option for option in options if option != "-Werror"]
    options += packer.rng("options").choice(OPTIONS)
    program.module_features |= packer.forms
    return packer.command_line(options), packer.in_order()


OPTIONS: tuple[list[str], ...] = (
    [],
    [],
    [],
    ["-suppress-arch-warning"],
    ["-ignore-host-info"],
    ["-use-host-info"],
    ["-report-arch"],
    ["-keep-system-libraries"],
    ["--register-link-binaries=registered"],
    ["--register-link-binaries=registered"],
)
