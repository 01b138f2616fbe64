"""Random call graphs whose functions get random attribute records. Kernels inherit some of these.

There are few different programs, so most objects need not be compiled again. The records that are
added to the objects differ from link to link. A graph has direct and indirect calls, recursion,
weak copies, aliases, static and dead functions, and system functions. Its functions are spread over
one to three files.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from cubin import STB_WEAK, STO_ENTRY, STT_FUNC, Cubin, Section
from patch_programs import CALL, DECLARED, FUNCTION, HEAD, KERNEL
from source import Source

GRAPHS = 24
DRIVER_FUNCTIONS = ("malloc", "vprintf", "free")
INDIRECT = """{{
    .reg .b64 %target; mov.u64 %target, {name};
    .param .b32 out; .param .b32 in;
    st.param.b32 [in], %r0;
    PROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (out), %target, (in), PROTOTYPE;
    ld.param.b32 %r0, [out];
    }}"""
TAKEN = (
    "{{ .reg .b64 %l; .reg .b32 %u; mov.u64 %l, {name}; cvt.u32.u64 %u, %l;"
    " add.u32 %r0, %r0, %u; }}"
)
FRAME = (
    "{{ .local .b32 buffer[{words}]; .reg .b64 %p; .reg .b64 %q; mov.u64 %p, buffer;"
    " rem.u32 %r1, %r0, {words}; mul.wide.u32 %q, %r1, 4; add.u64 %p, %p, %q;"
    " st.local.b32 [%p], %r0; ld.local.b32 %r0, [buffer+4]; }}"
)


class Graph:
    """A program: which file defines which function, and what the function's body does."""

    def __init__(self, rng: random.Random, kernels: int):
        self.rng = rng
        self.files = "abc"[: rng.randint(1, 3)]
        self.home: dict[str, str] = {}
        self.bodies: dict[str, list[str]] = {}
        self.uses: dict[str, set[str]] = {}
        self.aliases: dict[str, str] = {}
        self.names = [f"fn{i}" for i in range(rng.randint(2, 6))]
        self.weak = {n for n in self.names if rng.random() < 0.25}
        self.static = {n for n in self.names if n not in self.weak and rng.random() < 0.15}
        self.kernels = [f"kernel{i}" for i in range(kernels)]
        for name in [*self.names, *self.kernels]:
            self.home[name] = rng.choice(self.files)
            self.bodies[name], self.uses[name] = [], set()
        for i, name in enumerate(self.names):
            self.fill(name, self.names[i + 1 :])
        for name in self.kernels:
            self.fill(name, self.names)
        if rng.random() < 0.3:
            self.add(rng.choice(self.names), CALL, self.names[0])
        if rng.random() < 0.4:
            self.add_alias()

    def visible(self, user: str, name: str) -> bool:
        return name not in self.static or self.home[user] == self.home[name]

    def add(self, user: str, text: str, name: str) -> None:
        if user in self.weak and name in self.static:
            return  # its copies are in several files, the static function in one
        if self.visible(user, name):
            self.bodies[user].append(text.format(name=name))
            self.uses[user].add(name)

    def fill(self, name: str, callees: list[str]) -> None:
        rng = self.rng
        for callee in rng.sample(callees, min(len(callees), rng.randint(0, 2))):
            self.add(name, rng.choice((CALL, CALL, CALL, INDIRECT, TAKEN)), callee)
        if rng.random() < 0.25:
            self.add_driver_call(name)
        if rng.random() < 0.3:
            self.bodies[name].append(f"bar.sync {rng.randint(0, 9)};")
        if rng.random() < 0.2:
            self.bodies[name].append(FRAME.format(words=rng.randint(4, 20)))

    def add_driver_call(self, name: str) -> None:
        callee = self.rng.choice(DRIVER_FUNCTIONS)
        self.bodies[name].append(CALL.format(name=callee))
        self.uses[name].add(callee)

    def add_alias(self) -> None:
        found = [n for n in self.names if n not in self.weak and n not in self.static]
        if found:
            target = self.rng.choice(found)
            self.aliases["alias_of_" + target] = target
            self.home["alias_of_" + target] = self.home[target]
            self.add(self.rng.choice(self.kernels), CALL, "alias_of_" + target)

    def defined_in(self, file: str) -> list[str]:
        own = [n for n in [*self.names, *self.kernels] if self.home[n] == file]
        return own + [n for n in self.names if n in self.weak and self.home[n] != file]

    def source(self, file: str) -> Source:
        defined = self.defined_in(file)
        used = {u for n in defined for u in self.uses[n]}
        aliases = {a: t for a, t in self.aliases.items() if self.home[a] == file}
        text = HEAD
        for name in sorted(used - set(defined) - set(aliases)):
            text += DECLARED.format(name=name)
        for name in sorted((set(defined) | set(aliases)) - set(self.kernels)):
            text += self.linked(name, DECLARED.format(name=name).replace(".extern ", ".visible "))
        for name in sorted(defined):
            form = KERNEL if name in self.kernels else FUNCTION
            body = "\n    ".join(self.bodies[name]) or "add.u32 %r0, %r0, 1;"
            if name in self.weak and self.home[name] != file:
                body = "mad.lo.u32 %r0, %r0, %r0, 7;"
            made = form.format(name=name, body=body, linkage=".visible")
            text += self.linked(name, made)
        for name, target in aliases.items():
            text += f".alias {name}, {target};\n"
        return Source(f"{file}.ptx", text)

    def linked(self, name: str, text: str) -> str:
        if name in self.weak:
            return text.replace(".visible ", ".weak ", 1)
        return text.replace(".visible ", "", 1) if name in self.static else text

    def sources(self) -> list[Source]:
        return [self.source(file) for file in self.files if self.defined_in(file)]


def graph_sources(rng: random.Random, program: str) -> list[Source]:
    kernels = 1 if program == "one kernel" else 2 + rng.randrange(2)
    number = rng.randrange(GRAPHS)
    return Graph(random.Random(f"{number}-{kernels}"), kernels).sources()


# Records -----------------------------------------------------------------------------------------


def small(code: int, form: int, value: int) -> bytes:
    return struct.pack("<BBH", form, code, value)


def sized(code: int, words: list[int]) -> bytes:
    return struct.pack("<BBH", 4, code, 4 * len(words)) + struct.pack(f"<{len(words)}I", *words)


def functions(cubin: Cubin) -> list[int]:
    return [i for i, s in enumerate(cubin.symbols) if s.type == STT_FUNC and s.section]


# Makes a record for a cubin.
Make = Callable[[Cubin, random.Random], bytes]


def about_function(code: int, values: tuple[int, ...], with_weak: bool = True) -> Make:
    """Returns a function that makes a record of two words: the symbol of a random function, and one
    of `values`. Weak functions are chosen only if `with_weak` is true."""

    def make(cubin: Cubin, rng: random.Random) -> bytes:
        found = functions(cubin)
        if not with_weak:
            found = [i for i in found if cubin.symbols[i].binding != STB_WEAK] or [0]
        return sized(code, [rng.choice(found), rng.choice(values)])

    return make


def make_externs(cubin: Cubin, rng: random.Random) -> bytes:
    found = [i for i, s in enumerate(cubin.symbols) if s.type == STT_FUNC]
    return sized(15, [rng.choice(found) for _ in range(rng.randint(0, 3))])


def value_of(code: int, form: int, values: tuple[int, ...]) -> Make:
    return lambda cubin, rng: small(code, form, rng.choice(values))


def make_fragments(cubin: Cubin, rng: random.Random) -> bytes:
    words = (1, 2, 3, 8, 9, 4, 5) if rng.random() < 0.95 else (6, 7)
    return sized(79, [rng.choice(words) for _ in range(rng.randint(0, 3))])


# For each kind of record: its code, `once`, and the function that makes it. If `once` is true, the
# compiler writes one such record for each function, and nvlink ends with an internal error or
# counts wrong when there are several. So the new record replaces the function's records that have
# the same code.
MAKERS: dict[str, tuple[int, bool, Make]] = {
    "NUM_BARRIERS": (76, False, value_of(76, 2, (0, 1, 2, 7, 15, 16))),
    "NUM_MBARRIERS": (56, False, value_of(56, 3, (0, 1, 2, 5, 300, 0x7FFE, 0x8000, 0xFFFF))),
    "VRC_CTA_INIT_COUNT": (74, False, value_of(74, 2, (0, 1, 3, 200))),
    "SPARSE_MMA_MASK": (80, True, value_of(80, 3, (0, 1, 2, 0x40, 0x8000))),
    "CTAIDZ_USED": (4, False, value_of(4, 1, (0,))),
    "RESERVED_SMEM_USED": (65, False, value_of(65, 1, (0,))),
    "TCGEN05": (81, False, lambda cubin, rng: small(rng.choice((81, 81, 81, 82)), 1, 0)),
    "REG_RECONFIG": (84, False, value_of(84, 1, (0, 0, 1, 7, 0x305))),
    "EXTERNS": (15, False, make_externs),
    "AT_ENTRY_FRAGMENTS": (79, False, make_fragments),
    "LOAD_CACHE_REQUEST": (38, False, about_function(38, (0, 0, 1, 2))),
    "CRS_STACK_SIZE": (30, True, lambda cubin, rng: sized(30, [rng.choice((0, 1, 8, 500))])),
    "FRAME_SIZE": (17, False, about_function(17, (0, 8, 24, 1000))),
    "MAX_STACK_SIZE": (35, False, about_function(35, (0, 0, 500, 4000))),
    "SAM_REGION_STACK_SIZE": (59, False, about_function(59, (0, 1, 16, 100))),
    "REGCOUNT": (47, False, about_function(47, (4, 24, 40, 90), with_weak=False)),
    "MAXREG_COUNT": (27, True, value_of(27, 3, (255, 255, 64, 128))),
}
END_OF_CALLS = struct.pack("<Ii", 0, -2)  # in .nv.callgraph, follows the calls
ABOUT_FUNCTIONS = (17, 35, 38, 47, 59)


def split(data: bytes) -> list[bytes]:
    records, at = [], 0
    while at < len(data):
        form, _, value = struct.unpack_from("<BBH", data, at)
        size = 4 + (value if form == 4 else 0)
        records.append(bytes(data[at : at + size]))
        at += size
    return records


def home_of(cubin: Cubin, rng: random.Random, code: int) -> Section | None:
    """Chooses an attribute section for a record with that code. Compilers write into `.nv.info` the
    records that name a function, so most records of that kind are added there."""
    if code in ABOUT_FUNCTIONS and rng.random() < 0.7:
        return cubin.section(".nv.info")
    found = [s for s in cubin.sections if s.name.startswith(".nv.info.")]
    return rng.choice(found) if found else None


def call_kernel(cubin: Cubin, rng: random.Random) -> None:
    """Adds a call of a random kernel to a random function or kernel. No compiler makes such calls,
    but a kernel inherits attributes from a kernel that it reaches."""
    found = functions(cubin)
    kernels = [i for i in found if cubin.symbols[i].other & STO_ENTRY]
    if not kernels:
        return
    section = cubin.section(".nv.callgraph")
    at = bytes(section.data).index(END_OF_CALLS)
    section.data[at:at] = struct.pack("<II", rng.choice(found), rng.choice(kernels))


def sprinkle(cubin: Cubin, rng: random.Random, kinds: list[str]) -> bool:
    """Adds up to four records, each of a random kind out of `kinds`. Adds a call of a kernel to a
    quarter of the objects."""
    if rng.random() < 0.25:
        call_kernel(cubin, rng)
    for _ in range(rng.randint(0, 4)):
        code, once, make = MAKERS[rng.choice(kinds)]
        section = home_of(cubin, rng, code)
        if not section or not functions(cubin):
            continue
        records = split(section.data)
        if once:
            records = [r for r in records if r[1] != code]
        records.insert(rng.randint(0, len(records)), make(cubin, rng))
        section.data = bytearray(b"".join(records))
    return True
