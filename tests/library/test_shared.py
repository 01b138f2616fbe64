"""Inputs that a link takes from a warpld_library cause the same output and messages as inputs that
are added to the link itself."""

from __future__ import annotations

import ctypes
import random
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import warpld_ctypes as warpld
from container_files import PTX, Entry, HostObject, archive, cubin_entry, fat_binary, host
from container_link import DATA, FIRST, FIRST_90, SECOND
from golden_folder import GoldenFolder, golden_folders
from library_link import GOOD_INPUT, LIBRARY, Link

RUNTIME = DATA / "runtime.sm_80.cubin"
INCOMPLETE = DATA / "incomplete.sm_80.cubin"


@dataclass(frozen=True)
class Input:
    """An input: a file, or bytes in memory to which the link gives a name. `content` is None for a
    file."""

    name: str
    content: bytes | None = None

    @property
    def words(self) -> list[object]:
        name = self.name.encode()
        return [name] if self.content is None else [name, self.content, len(self.content)]

    @property
    def suffix(self) -> str:
        return "file" if self.content is None else "memory"

    def add_to(self, kind: str, handle: object) -> int:
        return int(getattr(LIBRARY, f"warpld_{kind}add_{self.suffix}")(handle, *self.words))


@contextmanager
def shared(*inputs: Input) -> Iterator[object]:
    handle = ctypes.POINTER(warpld.Library)()
    assert LIBRARY.warpld_library_create(ctypes.byref(handle)) == warpld.OK
    for one in inputs:
        assert one.add_to("library_", handle) == warpld.OK
    yield handle
    LIBRARY.warpld_library_destroy(handle)


class FullLink(Link):
    """A link that keeps the messages, not only their codes."""

    def __init__(self, **fields: object) -> None:
        self.messages: list[tuple[object, ...]] = []
        super().__init__(**fields)

    def _take(self, _: int, diagnostic: ctypes._Pointer[warpld.Diagnostic]) -> None:
        d = diagnostic.contents
        self.codes.append(d.code.decode())
        self.messages.append((d.severity, d.code, d.text, d.input, d.symbol, d.section))


@dataclass(frozen=True)
class Result:
    status: int
    output: bytes
    messages: list[tuple[object, ...]]
    objects: list[tuple[bytes, bytes | None]]
    files: list[tuple[object, ...]]


def linked_objects(link: Link) -> list[tuple[bytes, bytes | None]]:
    found = link._all(LIBRARY.warpld_get_linked_object, warpld.LinkedObject)
    return [(one.name, one.module_id) for one in found]


def read_files(link: Link) -> list[tuple[object, ...]]:
    found = link._all(LIBRARY.warpld_get_read_file, warpld.ReadFile)
    return [
        (
            one.kind,
            one.path,
            one.archive,
            one.same_as,
            one.missing,
            one.data and ctypes.string_at(one.data, one.data_size),
        )
        for one in found
    ]


def run(parts: list[Input | object], options: dict[str, str | None], **fields: object) -> Result:
    """Runs a link of parts. Each part is an input or the handle of a warpld_library."""
    with FullLink(**fields) as link:
        for name, value in options.items():
            assert link.set(name, value) == warpld.OK
        for part in parts:
            if isinstance(part, Input):
                assert part.add_to("", link.handle) == warpld.OK
            else:
                assert LIBRARY.warpld_add_shared(link.handle, part) == warpld.OK
        status = link.run()
        output = link.output() if status == warpld.OK else b""
        return Result(status, output, link.messages, linked_objects(link), read_files(link))


def check(inputs: list[Input], **options: str | None) -> Result:
    """Compares a link of the inputs with links that take some inputs from a warpld_library: first
    all of them, then each one alone. Each link runs twice, because the second run uses results that
    the first has stored in the library."""
    expected = run(list(inputs), options)
    with shared(*inputs) as library:
        for _ in range(2):
            assert run([library], options) == expected
    for index, one in enumerate(inputs):
        with shared(one) as library:
            parts = [*inputs[:index], library, *inputs[index + 1 :]]
            for _ in range(2):
                assert run(parts, options) == expected
    return expected


def check_target(*inputs: Input, arch: str = "sm_80", **options: str | None) -> Result:
    return check(list(inputs), arch=arch, **options)


def check_options(inputs: list[Input], options: dict[str, str | None]) -> Result:
    """Calls check() for sm_80. `options` is a dictionary, because names of options contain dashes,
    and names of Python's parameters cannot."""
    return check(inputs, arch="sm_80", **options)


def memory(name: str, content: bytes) -> Input:
    return Input(name, content)


def files(*paths: Path) -> list[Input]:
    return [Input(str(path)) for path in paths]


# The options of a golden link. None if one of them is known only to the command, or names a file
# that the library does not read.
def options_of(folder: GoldenFolder) -> dict[str, str | None] | None:
    found: dict[str, str | None] = {}
    for word in folder.arguments:
        if word.endswith(".cubin"):
            continue
        name, _, value = word.lstrip("-").partition("=")
        if name not in ("arch", "v", "g", "r", "allow-newer-toolkit", "force-rela"):
            return None
        long_name = {"v": "verbose", "g": "debug", "r": "relocatable-link"}.get(name, name)
        found[long_name] = value or None
    return found


GOLDEN = [folder for folder in golden_folders() if options_of(folder) is not None]


@pytest.mark.parametrize("folder", GOLDEN, ids=str)
def test_golden_links(folder: GoldenFolder) -> None:
    names = [word for word in folder.arguments if word.endswith(".cubin")]
    options = options_of(folder)
    assert options
    result = check(files(*(folder.path / name for name in names)), **options)
    assert (result.status == warpld.OK) == (folder.expected_status == 0)
    packed = [host(folder.path / name) for name in names]
    members = {f"{index}.o": content for index, content in enumerate(packed)}
    check([memory("lib.a", archive(members))], **options)


def test_library_of_all_kinds() -> None:
    both = fat_binary(cubin_entry(FIRST), cubin_entry(FIRST_90))
    second = HostObject(fat_binary(cubin_entry(SECOND)), module_ids=("second_id",)).write()
    inputs = [memory("first.fatbin", both), memory("lib.a", archive({"second.o": second}))]
    assert check_target(*inputs).status == warpld.OK
    check_target(*inputs, arch="sm_90")
    check_target(*inputs, arch="sm_100")
    check_target(*inputs, arch="compute_80")
    check_options(inputs, {"as": "nvlink"})


PACKED = sorted(DATA.glob("*.fatbin"))


@pytest.mark.parametrize("path", PACKED, ids=[path.stem for path in PACKED])
def test_packed_images(path: Path) -> None:
    content = path.read_bytes()
    assert check_target(*files(path, FIRST)).status == warpld.OK
    members = {"a.o": HostObject(content, ("a_id",)).write(), "b.o": host(FIRST)}
    assert check_target(memory("lib.a", archive(members))).status == warpld.OK
    broken = bytearray(content)
    broken[len(broken) // 2 :] = bytes(len(broken) - len(broken) // 2)
    check_target(memory("broken.fatbin", bytes(broken)), *files(FIRST))


def test_host_references() -> None:
    references = {".nvHRKE": ("first",), ".nvHRDE": (), ".nvHRCE": ()}
    one = HostObject(fat_binary(cubin_entry(FIRST)), ("an_id",), references).write()
    silent = HostObject(has_segment=False).write()
    for host_object in (one, silent):
        check_target(memory("lib.a", archive({"one.o": host_object})), *files(SECOND))


class Compiler:
    """A compile callback that returns the same object for all PTX, but none for PTX that contains
    the word "wrong"."""

    def __init__(self) -> None:
        self.calls: list[object] = []
        self.cubin = FIRST.read_bytes()
        self.compile = warpld.CompileCallback(self._compile)
        self.report = warpld.ReportCompiledCallback(lambda _, index: self.calls.append(index))
        self.fields = {"compile": self.compile, "report_compiled": self.report}

    def _compile(
        self,
        _: int,
        requests: ctypes._Pointer[warpld.CompileRequest],
        results: ctypes._Pointer[warpld.CompileResult],
        count: int,
    ) -> None:
        for index in range(count):
            request = requests[index]
            text = ctypes.string_at(request.ptx, request.ptx_size)
            self.calls.append((request.name, text, request.options, request.is_input))
            if b"wrong" not in text:
                cubin = ctypes.cast(ctypes.c_char_p(self.cubin), ctypes.c_void_p)
                results[index].cubin, results[index].cubin_size = cubin, len(self.cubin)


@pytest.mark.parametrize("text", [b"// good\n", b"// wrong\n"])
def test_compiled_text_and_held_messages(text: bytes) -> None:
    """Messages about inputs that follow PTX are reported after the compiler's messages. If the PTX
    does not compile, they are not reported."""
    ptx = text * 2 + b".version 8.0\n.target sm_80\n.address_size 64\n"
    entry = fat_binary(Entry(PTX, 75, ptx, options="-O1"), cubin_entry(FIRST_90))
    for content in (ptx, entry, archive({"text.o": HostObject(entry).write()})):
        inputs = [
            memory("text", content),
            memory("other.fatbin", UNUSABLE["other.fatbin"]),
            memory("text.o", UNUSABLE["text.o"]),
            *files(SECOND),
        ]
        expected, calls = compiled(list(inputs))
        assert len(calls) == 2
        with shared(*inputs) as library:
            for _ in range(2):
                assert compiled([library]) == (expected, calls)


def compiled(parts: list[Input | object]) -> tuple[Result, list[object]]:
    compiler = Compiler()
    return run(parts, {"arch": "sm_80"}, **compiler.fields), compiler.calls


def test_unused_and_used_runtime() -> None:
    runtime = memory("libcudadevrt.a", archive({"runtime.o": host(RUNTIME)}))
    unused = check_target(*files(FIRST, SECOND), runtime)
    assert unused.output == run(list(files(FIRST, SECOND)), {"arch": "sm_80"}).output
    check_target(runtime, *files(FIRST, SECOND))
    check_options([*files(FIRST, SECOND), runtime], {"keep-system-libraries": None})
    used = check_target(*files(INCOMPLETE), runtime)
    assert used.output != run(list(files(INCOMPLETE)), {"arch": "sm_80"}).output
    check_target(runtime, *files(INCOMPLETE))
    check_target(runtime, *files(INCOMPLETE), runtime)


def test_same_library_twice() -> None:
    """Adjacent fat binaries in one input count as one object. If the input is added twice, they
    count as two objects."""
    ids = ("first_id", "second_id")
    joined = HostObject(fat_binary(cubin_entry(FIRST)) + fat_binary(cubin_entry(SECOND)), ids)
    for content in (joined.write(), host(FIRST), archive({"first.o": host(FIRST)})):
        one = memory("joined.o", content)
        expected = run([one, one], {"arch": "sm_80"})
        with shared(one) as library:
            assert run([library, library], {"arch": "sm_80"}) == expected
        check_target(one, one)


def test_objects_linked_before() -> None:
    done = HostObject(linked_code=b"\0", module_ids=("def first_id",)).write()
    first = HostObject(fat_binary(cubin_entry(FIRST)), ("first_id",)).write()
    inputs = [memory("done.o", done), memory("first.o", first), *files(SECOND)]
    skipped = check_options(inputs, {"skip-linked-before": None})
    assert skipped.output != check_target(*inputs).output


UNUSABLE = {
    "empty.o": b"",
    "short.o": b"short",
    "text.o": b"no device code at all, " * 9,
    "text.cubin": b"no device code at all, " * 9,
    "head.ptx": b".version 9.0\n.target sm_80\n.address_size 64\n",
    "wrapped.o": HostObject(b"").write(),
    "whole.o": HostObject(linked_code=b"\0" * 80).write(),
    "other.fatbin": fat_binary(cubin_entry(FIRST_90)),
    "ir.fatbin": fat_binary(Entry(8, 80, b"BC" * 40)),
    "cut.a": archive({"first.o": host(FIRST)})[:-100],
    "text.a": archive({"text": b"no device code at all, " * 9, "first.o": host(FIRST)}),
    "thin.a": archive({"first.o": host(FIRST)}, thin=True),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_unusable_input(name: str) -> None:
    choices: list[dict[str, str | None]] = [{}, {"as": "nvlink"}, {"warning-as-error": None}]
    for options in choices:
        check_options([memory(name, UNUSABLE[name]), *files(SECOND)], options)
        check_options([*files(SECOND), memory(name, UNUSABLE[name])], options)


def test_missing_and_thin_files(tmp_path: Path) -> None:
    (tmp_path / "first.o").write_bytes(host(FIRST))
    (tmp_path / "thin.a").write_bytes(archive({"first.o": host(FIRST)}, thin=True))
    (tmp_path / "lib.a").write_bytes(archive({"first.o": host(FIRST)}))
    check_target(*files(tmp_path / "missing.o", SECOND))
    check_target(*files(tmp_path / "thin.a", SECOND))
    check_target(*files(tmp_path / "lib.a", tmp_path / "lib.a", SECOND))


def test_damaged_inputs() -> None:
    rng = random.Random(32)
    sources = [FIRST.read_bytes(), host(FIRST), archive({"a.o": host(FIRST), "b.o": host(SECOND)})]
    for _ in range(150):
        content = bytearray(rng.choice(sources))
        for _ in range(rng.randint(1, 8)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        damaged = memory("damaged.o", bytes(content[: rng.choice([len(content), -9, -500])]))
        check_target(damaged, *files(GOOD_INPUT))


def test_errors_of_calls() -> None:
    null = ctypes.POINTER(warpld.Library)()
    assert LIBRARY.warpld_library_create(None) == warpld.ERROR_ARGUMENT
    assert LIBRARY.warpld_library_add_file(null, b"a") == warpld.ERROR_ARGUMENT
    assert LIBRARY.warpld_library_add_memory(null, b"a", b"", 0) == warpld.ERROR_ARGUMENT
    LIBRARY.warpld_library_destroy(null)
    with shared(*files(FIRST)) as library, FullLink() as link:
        assert LIBRARY.warpld_library_add_file(library, None) == warpld.ERROR_ARGUMENT
        assert LIBRARY.warpld_library_add_memory(library, None, b"", 0) == warpld.ERROR_ARGUMENT
        assert LIBRARY.warpld_library_add_memory(library, b"a", None, 1) == warpld.ERROR_ARGUMENT
        assert LIBRARY.warpld_library_add_memory(library, b"a", None, 0) == warpld.OK
        assert LIBRARY.warpld_add_shared(None, library) == warpld.ERROR_ARGUMENT
        assert LIBRARY.warpld_add_shared(link.handle, library) == warpld.OK
        assert LIBRARY.warpld_library_add_file(library, b"a") == warpld.ERROR_ARGUMENT
        assert LIBRARY.warpld_add_shared(link.handle, None) == warpld.ERROR_ARGUMENT
        assert link.codes == ["null-argument"]
        assert link.run() == warpld.ERROR_ARGUMENT


def test_link_outlives_library() -> None:
    expected = run(list(files(FIRST, SECOND)), {"arch": "sm_80"}).output
    with FullLink() as link:
        link.set("arch", "sm_80")
        with shared(*files(FIRST, SECOND)) as library:
            assert LIBRARY.warpld_add_shared(link.handle, library) == warpld.OK
        assert link.run() == warpld.OK
        assert link.output() == expected
        assert len(link.symbols()) > 1


def test_memory_limit() -> None:
    """A link that runs out of memory harms neither the library nor other links."""
    contents = archive({"first.o": host(FIRST), "second.o": host(SECOND)})
    with shared(memory("lib.a", contents)) as library:
        for limit in range(1, 1 << 18, 9973):
            with FullLink() as link:
                link.set("arch", "sm_80")
                link.set("memory-limit", str(limit))
                LIBRARY.warpld_add_shared(link.handle, library)
                assert link.run() in (warpld.OK, warpld.ERROR_MEMORY)
        expected = run([memory("lib.a", contents)], {"arch": "sm_80"})
        assert run([library], {"arch": "sm_80"}) == expected


def test_threads() -> None:
    """Links in several threads can use one library at the same time. More such tests are in
    tests/unit/test_shared_threads.c, for ThreadSanitizer."""
    entries = fat_binary(cubin_entry(FIRST), cubin_entry(FIRST_90))
    parts = [memory("lib.a", archive({"first.o": HostObject(entries).write()}))]
    expected = {arch: run(list(parts), {"arch": arch}) for arch in ("sm_80", "sm_90")}
    failed: list[str] = []

    def work(library: object) -> None:
        for arch in list(expected) * 5:
            if run([library], {"arch": arch}) != expected[arch]:
                failed.append(arch)

    with shared(*parts) as library:
        threads = [threading.Thread(target=work, args=(library,)) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failed


def test_library_without_memory() -> None:
    """If memory runs out while an input is added to a library, the library lacks that input. So no
    link accepts the library from then on."""
    with shared(*files(FIRST)) as library, FullLink() as link:
        huge = 1 << 62
        assert LIBRARY.warpld_library_add_memory(library, b"a", b"a", huge) == warpld.ERROR_MEMORY
        assert LIBRARY.warpld_library_add_file(library, b"a") == warpld.ERROR_MEMORY
        assert LIBRARY.warpld_add_shared(link.handle, library) == warpld.ERROR_MEMORY
        assert link.codes == ["out-of-memory"]
        assert link.run() == warpld.ERROR_MEMORY


@pytest.mark.parametrize("threads", [0, 1, 2, 8, 1000])
def test_links_for_several_targets_run_together(threads: int) -> None:
    inputs = [memory("both.o", fat_binary(cubin_entry(FIRST, 80), cubin_entry(FIRST_90, 90)))]
    targets = ["sm_80", "sm_90", "sm_80", "sm_75"]
    expected = [run(list(inputs), {"arch": target}) for target in targets]
    with shared(*inputs) as library, ExitStack() as stack:
        links = [stack.enter_context(FullLink()) for _ in targets]
        for link, target in zip(links, targets, strict=True):
            link.set("arch", target)
            assert LIBRARY.warpld_add_shared(link.handle, library) == warpld.OK
        handles = (ctypes.POINTER(warpld.Link) * len(links))(*(link.handle for link in links))
        statuses = (ctypes.c_int * len(links))()
        worst = LIBRARY.warpld_run_all(handles, statuses, len(links), threads)
        assert list(statuses) == [one.status for one in expected]
        assert worst == expected[-1].status != warpld.OK
        for link, one in zip(links, expected, strict=True):
            assert link.messages == one.messages
            if one.status == warpld.OK:
                assert link.output() == one.output


def test_errors_of_running_together() -> None:
    statuses = (ctypes.c_int * 1)(7)
    assert LIBRARY.warpld_run_all(None, None, 0, 4) == warpld.OK
    assert LIBRARY.warpld_run_all(None, statuses, 1, 4) == warpld.ERROR_ARGUMENT
    assert list(statuses) == [7]
    none = (ctypes.POINTER(warpld.Link) * 1)()
    assert LIBRARY.warpld_run_all(none, None, 1, 4) == warpld.ERROR_ARGUMENT
    assert LIBRARY.warpld_run_all(none, statuses, 1, 4) == warpld.ERROR_ARGUMENT
    assert list(statuses) == [warpld.ERROR_ARGUMENT]
