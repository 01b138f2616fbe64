#!/usr/bin/env python3
"""cases.py LIBRARY: prints one line for each case, with what that libnvJitLink answers.

Each case runs in its own process, because NVIDIA's libraries crash in some cases. The answer of a
crashed process is "CRASH". A line begins with the name of the case, which the table of differences
in docs/nvjitlink.md uses. Anything that a library prints itself is part of the answer.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from library import (
    ANY,
    ARCH,
    CUBIN,
    DATA,
    FATBIN,
    INDEX,
    LIBRARY,
    LTOIR,
    OBJECT,
    PTX,
    Library,
    Link,
    masked,
)

Case = tuple[str, Callable[[], str]]
CASE_SECONDS = 20
ALL_TYPES = (0, CUBIN, PTX, LTOIR, FATBIN, OBJECT, LIBRARY, INDEX, 8, 9, ANY, 11, -1)
OPTIONS = """
    -foo -lto -ltoX -dlto -ptx -ptxX -r -report-arch -g -gX -g=1 -lineinfo -lineinfoX -time
    -timeX -verbose -verb -no-cache -no-cacheX -O0 -O1 -O3 -O4 -O -O= -Ox -O00 -O3X -Ofc=0
    -Ofc=min -Ofc=max -Ofc=1 -Ofc= -Ofc -Ofast-compile=max -maxrregcount=32 -maxrregcount=x
    -maxrregcount= -maxrregcount -ftz=true -ftz= -ftz -prec-div= -prec-div -prec-sqrt=false
    -prec-sqrt -fma=true -fma -kernels-used=a -kernels-used= -kernels-used -variables-used=v
    -variables-used= -variables-used -optimize-unused-variables -optimize-unused -Xptxas=-v
    -Xptxas= -Xptxas -Xnvvm=-x -Xnvvm= -Xnvvm -split-compile=0 -split-compile=-1
    -split-compile=x -split-compile= -split-compile -split-compile-extended=0
    -split-compile-extended=-1 -split-compile-extended= -jump-table-density=200
    -jump-table-density= -jump-table-density -nvvm-latest -device-stack-protector
    -device-stack-protector=true -v -G -Werror - -- --lto
""".split()
TARGETS = """
    -arch -arch= arch=sm_90 --arch=sm_90 -arch=90 -arch=sm90 -arch=sm_ -arch=sm_XX -arch=sm_0
    -arch=SM_90 -arch=sm_9x -arch=sm_90x -arch=sm_90,80 -arch=sm_-1 -arch=sm_1000
    -arch=compute_90 -arch=compute_ -arch=compute_53 -arch=compute_99 -arch=lto_90 -arch=lto_90a
    -arch=lto_53 -arch=sm_75 -arch=sm_75a -arch=sm_75f -arch=sm_80 -arch=sm_86 -arch=sm_87
    -arch=sm_88 -arch=sm_89 -arch=sm_90 -arch=sm_90a -arch=sm_90f -arch=sm_100 -arch=sm_100a
    -arch=sm_100f -arch=sm_103f -arch=sm_110 -arch=sm_120 -arch=sm_121a -arch=sm_20 -arch=sm_35
    -arch=sm_53 -arch=sm_70 -arch=sm_72 -arch=sm_82 -arch=sm_99 -arch=sm_101 -arch=sm_115
    -arch=sm_130
""".split()
COMBINATIONS = (
    "", "-lto", f"{ARCH} {ARCH}", f"{ARCH} -arch=sm_80", f"{ARCH} -arch=sm_XX", f"-foo -bar {ARCH}",
    f"{ARCH} -lto -ptx", f"{ARCH} -ptx -lto", f"{ARCH} -lto -r", f"{ARCH} -r -ptx",
    f"{ARCH} -lto -G", "-arch=compute_90 -lto -ptx", "-arch=compute_90 -lto",
    "-arch=compute_90 -ptx", "-arch=lto_90 -lto -ptx", "-arch=lto_90 -lto",
    "-arch=sm_53 -foo", "-foo -arch=sm_53", f"{ARCH} -g -O3", f"{ARCH} -g -O0", f"{ARCH} -O0 -O3",
)  # fmt: skip


class Cases:
    def __init__(self, library: Library) -> None:
        self.library = library
        # Release 12 of the library links the files in data/older, which toolkit 12 compiled.
        # Release 13 links the files of the same names in data/.
        self.older = "older/" if library.version()[0] == 12 else ""

    def new(self, *options: str) -> Link:
        return Link(self.library, *(options or (ARCH,)))

    def calls(self) -> tuple[int, str]:
        return CUBIN, f"{self.older}calls.cubin"

    def defines(self) -> tuple[int, str]:
        return CUBIN, f"{self.older}defines.cubin"

    def text(self, name: str = "defines") -> bytes:
        return (DATA / f"{self.older}{name}.ptx").read_bytes()

    # ------------------------------------------------------------------------------------------

    def create(self, *options: str) -> str:
        link = self.new(*options) if options else Link(self.library)
        handle = "set" if link.handle.value else "null"
        return f"{link.created} handle {handle} {link.size('ErrorLog')} {link.errors!r}"

    def add_as(self, content: str, kind: int) -> str:
        data = {"ptx": self.text() + b"\0", "cubin": None}.get(content)
        name = {"cubin": self.defines()[1]}.get(content, f"defines.{content}")
        if content == "a":
            name = "libdefines.a"
        data = data or (DATA / name).read_bytes()
        link = self.new()
        return f"{link.add(kind, data)} {link.errors!r}"

    def add_and_complete(
        self, kind: int, data: bytes | str | None, name: str | None = "n", size: int | None = None
    ) -> str:
        link = self.new()
        return f"{link.add(kind, data, name, size)} {self.finish(link)}"

    def finish(self, link: Link) -> str:
        result = link.complete()
        found, size = link.size("LinkedCubin")
        cubin = f"cubin of {size}" if not found else f"no cubin {found} {size}"
        return f"{result} {cubin} {link.errors!r} {link.infos!r}"

    def linked(self, *inputs: tuple[int, str], options: tuple[str, ...] = (ARCH,)) -> str:
        link = self.new(*options)
        added = [link.add(kind, name) for kind, name in inputs]
        return f"{added} {self.finish(link)}"

    def with_calls(self, kind: int, name: str) -> str:
        return self.linked(self.calls(), (kind, name))

    def twice(self) -> str:
        link = self.new()
        link.add(*self.defines())
        first = link.complete()
        again = link.complete()
        added = link.add(*self.calls())
        return f"{first} {again} {added} {self.finish(link)}"

    def added_after(self, kind: int, name: str) -> str:
        link = self.new()
        link.complete()
        return f"{link.add(kind, name)} {link.errors!r}"

    def null_handles(self) -> str:
        lib, none = self.library, ctypes.c_void_p()
        data = (b"x", ctypes.c_size_t(1), b"n")
        out = ctypes.create_string_buffer(64)
        getters = [name for name in lib.functions if name.startswith("Get") and "LTOIR" not in name]
        results = [lib["Create"](None, 1, (ctypes.c_char_p * 1)(ARCH.encode()))]
        results += [lib["AddData"](None, CUBIN, *data), lib["AddFile"](None, CUBIN, b"/x")]
        results += [lib["Complete"](None), lib["Destroy"](None), lib["Destroy"](ctypes.byref(none))]
        return f"{results} {[lib[name](None, out) for name in getters]}"

    def null_arguments(self) -> str:
        lib, link = self.library, self.new()
        getters = [name for name in lib.functions if name.startswith("Get") and "LTOIR" not in name]
        one = ctypes.c_uint()
        results = [link.add_file(CUBIN, None), link.add_file(0, None)]
        results += [lib["Version"](None, None), lib["Version"](ctypes.byref(one), None)]
        results += [lib["Create"](ctypes.byref(ctypes.c_void_p()), count, None) for count in (0, 1)]
        return f"{results} {[lib[name](link.handle, None) for name in getters]}"

    def null_option(self) -> str:
        array = (ctypes.c_char_p * 1)(None)
        handle = ctypes.c_void_p()
        return str(self.library["Create"](ctypes.byref(handle), ctypes.c_uint32(1), array))

    def sizes(self, *options: str) -> str:
        link = self.new(*options)
        kinds = ("LinkedCubin", "LinkedPtx", "ErrorLog", "InfoLog")
        return " ".join(f"{kind} {link.size(kind)}" for kind in kinds)

    def files(self) -> str:
        link = self.new()
        with tempfile.TemporaryDirectory() as folder:
            empty = Path(folder) / "empty"
            empty.touch()
            results = [link.add_file(CUBIN, path) for path in ("/nonexistent", "", str(empty))]
            results.append(link.add_file(CUBIN, "/"))
            return f"{results} {link.errors.replace(folder, 'FOLDER')!r}"

    def file_as(self, kind: int) -> str:
        link = self.new()
        path = str(DATA / self.defines()[1])
        result = link.add_file(kind, path)
        return f"{result} {link.errors.replace(path, 'PATH')!r}"

    def destroyed(self) -> str:
        link = self.new()
        return f"{link.destroy()} {link.handle.value is None} {link.destroy()}"

    def refused(self, option: str) -> str:
        link = self.new(ARCH, option) if option != "-arch=compute_90" else self.new(option)
        return f"{link.add(*self.defines())} {link.complete()} {link.size('LinkedCubin')}"

    def other_target(self, kind: int, name: str) -> str:
        link = self.new("-arch=sm_80")
        return f"{link.add(kind, name)} {self.finish(link)}"

    # ------------------------------------------------------------------------------------------

    def creations(self) -> Iterator[Case]:
        for option in OPTIONS:
            yield f"create {ARCH} {option}", partial(self.create, ARCH, option)
        for target in TARGETS:
            yield f"create {target}", partial(self.create, target)
        for line in COMBINATIONS:
            yield f"create [{line}]", partial(self.create, *line.split())
        yield "create null handle and option", self.null_option

    def additions(self) -> Iterator[Case]:
        for content in ("cubin", "ptx", "ltoir", "o", "fatbin", "a"):
            for kind in ALL_TYPES:
                yield f"add {content} as {kind}", partial(self.add_as, content, kind)
        for kind in (CUBIN, PTX, LTOIR, FATBIN, OBJECT, LIBRARY, INDEX, ANY, 0):
            yield f"file cubin as {kind}", partial(self.file_as, kind)
        yield "files", self.files

    def bad_inputs(self) -> Iterator[Case]:
        cubin = (DATA / self.defines()[1]).read_bytes()
        text, other = self.text(), self.text().replace(b"sm_90", b"sm_100")
        for name, arguments in (
            ("empty cubin", (CUBIN, b"")),
            ("NULL data", (CUBIN, None, "n", 10)),
            ("NULL data of size 0", (CUBIN, None, "n", 0)),
            ("garbage", (CUBIN, b"x" * 100)),
            ("garbage as any", (ANY, b"x" * 100)),
            ("short ELF", (CUBIN, cubin[:40])),
            ("half a cubin", (CUBIN, cubin[: len(cubin) // 2])),
            ("NULL name", (*self.calls(), None)),
            ("broken PTX", (PTX, "broken.ptx", "p.ptx")),
            ("PTX with more after its NUL", (PTX, text + b"\0garbage", "p")),
            ("PTX of the size of its text", (PTX, text + b"\0", "p", len(text))),
            ("PTX of 20 bytes", (PTX, text + b"\0", "p", 20)),
            ("PTX of a newer version", (PTX, text.replace(b".version ", b".version 9"), "p")),
            ("PTX for a later target", (PTX, other + b"\0", "p")),
            ("empty PTX", (PTX, b"\0", "p")),
        ):
            yield name, partial(self.add_and_complete, *arguments)

    def containers(self) -> Iterator[Case]:
        for kind, name in (
            (FATBIN, "defines.fatbin"), (FATBIN, "defines.only80.fatbin"),
            (FATBIN, "defines.text80.fatbin"), (FATBIN, "defines.text100.fatbin"),
            (FATBIN, "wrong.fatbin"), (OBJECT, "defines.o"), (OBJECT, "defines.only80.o"),
            (OBJECT, "defines.text80.o"), (OBJECT, "defines.lto.o"), (OBJECT, "defines.both.o"),
            (OBJECT, "defines.whole.o"), (OBJECT, "defines.linked.cubin"),
            (LIBRARY, "libdefines.a"), (LIBRARY, "libdefines.only80.a"),
            (LIBRARY, "libdefines.text80.a"), (LIBRARY, "libdefines.lto.a"), (ANY, "libdefines.a"),
        ):  # fmt: skip
            yield f"link {name} as {kind}", partial(self.with_calls, kind, name)
        for name in ("defines.o", "libdefines.a"):
            kind = LIBRARY if name.endswith(".a") else OBJECT
            half = (DATA / name).read_bytes()[:3000]
            yield f"half of {name}", partial(self.add_and_complete, kind, half)

    def links(self) -> Iterator[Case]:
        calls, defines = self.calls(), self.defines()
        recursive = (CUBIN, f"{self.older}recursive.cubin")
        text = (PTX, f"{self.older}calls.ptx")
        yield "no input", self.linked
        yield "two cubins", partial(self.linked, calls, defines)
        yield "undefined", partial(self.linked, calls)
        yield "duplicate", partial(self.linked, defines, defines)
        yield "stack size", partial(self.linked, recursive)
        yield "twice", self.twice
        yield "PTX after completion", partial(self.added_after, PTX, f"{self.older}defines.ptx")
        yield "wrong type after completion", partial(self.added_after, OBJECT, "defines.ptx")
        yield "cubin for another target", partial(self.other_target, *defines)
        yield "object for another target", partial(self.other_target, OBJECT, "defines.o")
        for line in (
            "-verbose", "-time", "-g", "-lineinfo", "-Ofc=max", "-maxrregcount=x", "-Xptxas=-bogus",
            "-kernels-used=nosuch", "-kernels-used=kernel", "-variables-used=v", "-lto",
        ):  # fmt: skip
            yield f"link {line}", partial(self.linked, text, defines, options=(ARCH, line))

    def others(self) -> Iterator[Case]:
        yield "null handles", self.null_handles
        yield "null arguments", self.null_arguments
        yield "destroyed", self.destroyed
        yield "version", lambda: str(self.library.version())
        for option in ("-foo", "-ptx", "-arch=compute_90"):
            yield f"refused {option}", partial(self.refused, option)
        for options in ("", "-lto", "-lto -ptx"):
            yield f"sizes [{options}]", partial(self.sizes, ARCH, *options.split())

    def all(self) -> Iterator[Case]:
        for group in ("creations", "additions", "bad_inputs", "containers", "links", "others"):
            yield from getattr(self, group)()


def answer(name: str, case: Callable[[], str], noise: Path) -> str:
    """Runs the case in another process, whose output is part of the answer."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        signal.alarm(CASE_SECONDS)
        for descriptor in (1, 2):
            os.dup2(os.open(noise, os.O_WRONLY | os.O_APPEND | os.O_CREAT), descriptor)
        os.write(writing, case().encode())
        ctypes.CDLL(None).exit(0)  # runs exit handlers, such as the one that writes coverage counts
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        text = stream.read().decode()
    status = os.waitpid(process, 0)[1]
    printed = noise.read_text() if noise.exists() else ""
    noise.unlink(missing_ok=True)
    result = text if not status else "CRASH"
    return f"{name} | {result}" + (f" printed {printed!r}" if printed else "")


def main() -> None:
    library = Library(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, case in Cases(library).all():
            print(masked(answer(name, case, Path(folder) / "noise")), flush=True)


if __name__ == "__main__":
    main()
