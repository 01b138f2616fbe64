"""Links in this process."""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType

from . import binding
from .command import OptionValue, elements, link_with_command
from .diagnostics import Collector, Diagnostic, LinkError, deliver
from .native import Buffer, Input, NamedInput, library, memory_of, named_inputs


class Library:
    """Inputs that many links have in common, such as an archive of device functions. They are read
    and checked once; any number of links on any threads may use them at the same time.

        with warpld.Library(["libdevice.a"]) as shared:
            cubin = warpld.link(["a.cubin"], arch="sm_90", libraries=[shared])
    """

    def __init__(self, inputs: Iterable[Input] = ()) -> None:
        """Creates a library that contains `inputs`. They are of the same kinds as the inputs of
        link(). Raises MemoryError if memory runs out."""
        self.handle = ctypes.POINTER(binding.Library)()
        self.inputs: list[NamedInput] = []
        check(library().warpld_library_create(ctypes.byref(self.handle)))
        for name, data in named_inputs(inputs):
            self.add(name if data is None else (name, data))

    def add(self, one: Input) -> None:
        """Adds an input. A buffer is copied; a file must not change until close(). Damage is
        reported by the links that use the input. Raises ValueError if a link has used the library
        already."""
        for name, data in named_inputs([one]):
            if data is None:
                check(library().warpld_library_add_file(self.handle, name.encode()))
            else:
                with memory_of(data) as (address, size):
                    add = library().warpld_library_add_memory
                    check(add(self.handle, name.encode(), address, size))
            self.inputs.append((name, data))

    def close(self) -> None:
        """Releases the library. Links that use it are not affected."""
        library().warpld_library_destroy(self.handle)
        self.handle = ctypes.POINTER(binding.Library)()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.close()


def check(status: int) -> None:
    """Raises an exception if the status is not OK: MemoryError if no memory was left, otherwise
    ValueError, because the call was wrong."""
    if status == binding.ERROR_MEMORY:
        raise MemoryError("libwarpld has no memory left")
    if status != binding.OK:
        name: bytes = library().warpld_status_name(status)
        raise ValueError(f"libwarpld refuses the call: {name.decode()}")


@functools.lru_cache(maxsize=None)
def library_options() -> frozenset[str]:
    """The names of the options that links in this process accept. The command accepts more."""
    names: list[str] = []
    while name := library().warpld_option_name(len(names)):
        names.append(name.decode())
    return frozenset(names)


class Link:
    """One link in this process. It is a context manager: leaving the context destroys the link."""

    def __init__(self, arch: str) -> None:
        self.collector = Collector()
        self.needs_compiler = False
        self.callbacks = [self.collector.callback(), binding.CompileCallback(self.refuse)]
        self.buffers = contextlib.ExitStack()
        self.handle = ctypes.POINTER(binding.Link)()
        options = binding.Options(
            size=ctypes.sizeof(binding.Options),
            architecture=arch.encode(),
            diagnostic=self.callbacks[0],
            compile=self.callbacks[1],
        )
        check(library().warpld_create(ctypes.byref(options), ctypes.byref(self.handle)))

    def refuse(self, *_: object) -> None:
        """The compile callback. The library calls it for PTX, so the command must link instead."""
        self.needs_compiler = True

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_: object) -> None:
        library().warpld_destroy(self.handle)
        self.buffers.close()

    def set_options(self, options: Mapping[str, OptionValue]) -> None:
        for name, value in options.items():
            for one in elements(value):
                text = str(one).lower() if isinstance(one, bool) else str(one)
                library().warpld_set_option(self.handle, name.encode(), text.encode())

    def add(self, name: str, data: Buffer | None) -> None:
        """Adds an input. An error is not reported here, but makes the link fail when it runs."""
        if data is None:
            library().warpld_add_file(self.handle, name.encode())
            return
        address, size = self.buffers.enter_context(memory_of(data))
        library().warpld_add_memory(self.handle, name.encode(), address, size)

    def run(self) -> bytes | None:
        """Runs the link. Returns the output; None if the link failed."""
        status: int = library().warpld_run(self.handle)
        if status == binding.ERROR_MEMORY:
            raise MemoryError("libwarpld has no memory left")
        if status != binding.OK:
            return None
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        status = library().warpld_output(self.handle, ctypes.byref(data), ctypes.byref(size))
        return ctypes.string_at(data.value or 0, size.value) if status == binding.OK else None


def link(
    inputs: Iterable[Input] | Input,
    *,
    arch: str,
    lto: bool = False,
    libraries: Iterable[Library] = (),
    options: Mapping[str, OptionValue] | None = None,
    on_diagnostic: Callable[[Diagnostic], None] | None = None,
) -> bytes:
    """Links device code into one executable cubin and returns its bytes.

    inputs         one input or a list of inputs. An input is the path of a file, a buffer with the
                   contents of one, or a pair of a name and a buffer. It is a cubin, fat binary,
                   host object, archive, PTX or, with lto, LTO-IR. Buffers are not copied and must
                   not change during the call. The output depends on the order of the inputs.
    arch           the target, such as "sm_90" or "sm_90a"
    lto            whether LTO-IR is optimised; needs NVIDIA's libnvJitLink
    libraries      Library objects, with inputs that links have in common. They are linked before
                   `inputs`.
    options        more options, with the long names of the command's options without dashes:
                   {"warning-as-error": True, "kernels-used": ["saxpy"]}
    on_diagnostic  called with each message of a link that succeeds; without it, warnings become
                   Python warnings of class LinkWarning

    The command warpld does the link if PTX must be compiled, if lto is set, or if an option is one
    that only the command knows. The command finds compilers as docs/ptx-compilers.md and
    docs/lto.md say. All other links run in this process, without the GIL. Any number of threads may
    link at the same time.

    Raises LinkError if the inputs do not form a program, an input is unusable or an option is
    unknown; TypeError for an input of any other type; MemoryError if memory runs out."""
    pairs, shared = named_inputs(inputs), list(libraries)
    chosen = dict(options or {})
    output: bytes | None = None
    collector = Collector()
    needs_command = lto or not library_options().issuperset(chosen)
    if not needs_command:
        with Link(arch) as linking:
            linking.set_options(chosen)
            for one in shared:
                library().warpld_add_shared(linking.handle, one.handle)
            for name, data in pairs:
                linking.add(name, data)
            output = linking.run()
            collector = linking.collector
            needs_command = linking.needs_compiler
    if needs_command:
        every = [pair for one in shared for pair in one.inputs] + pairs
        output, collector = link_with_command(every, arch, lto, chosen)
    if output is None:
        raise LinkError(collector.messages)
    deliver(collector.messages, on_diagnostic)
    return output
