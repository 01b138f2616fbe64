"""Files that may make a linker use much time or memory. Only the file with a name of 100 MB is
larger than 13 MB. Each link must end within seconds and use at most 2 GB of memory, whether or not
it succeeds.

For some of these files nvlink 13.0.88 needs time that grows with the square of the number of items,
or crashes."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from limited_link import ERRORS, FATAL, link, link_files
from linking import BUILD
from object_file import (
    ADDRESS_TAKEN,
    ALLOC,
    AT_ENTRY_FRAGMENTS,
    COMMON,
    CONSTANT0,
    EXECUTE,
    EXTERNS,
    FRAME_SIZE,
    FUNCTION,
    GLOBAL,
    GLOBAL_BINDING,
    GLOBAL_INIT,
    IN_GLOBAL,
    IN_SHARED,
    INDIRECT_CALLERS,
    INFO_LINK,
    KERNEL,
    LOAD_CACHE_REQUEST,
    MAXREG_COUNT,
    NUM_MBARRIERS,
    PROGBITS,
    REG_RECONFIG,
    REGCOUNT,
    REL,
    REL_TYPE,
    SHARED,
    VARIABLE,
    WEAK,
    WRITE,
    ObjectFile,
    Section,
    record,
    words,
)

ABS32_LO_32 = 56
E_SHOFF, E_SHNUM, SH_SIZE = 40, 60, 32
LONGEST_NAME = 1 << 16


def assert_links(folder: Path, *objects: ObjectFile) -> None:
    assert link(folder, *objects) == (0, "", True)


def assert_refused(folder: Path, status: int, message: str, *objects: ObjectFile) -> None:
    found, messages, has_output = link(folder, *objects)
    assert found == status, messages[:1000]
    assert message in messages
    assert not has_output


def functions(kernels: int, others: int) -> tuple[ObjectFile, list[int], list[int]]:
    """Returns an object and its symbols: those of the kernels, and those of the other functions.
    Each kernel calls the first function, and each function calls the next one."""
    made = ObjectFile()
    first = [made.add_function(f"k{i}", kernel=True) for i in range(kernels)]
    second = [made.add_function(f"f{i}") for i in range(others)]
    calls = [(kernel, second[0]) for kernel in first if second]
    made.add_calls(*calls, *zip(second, second[1:], strict=False))
    return made, first, second


def small_record(code: int, value: int) -> bytes:
    """An attribute record whose value has 16 bits."""
    return struct.pack("<BBH", 3, code, value)


# --------------------------------------------------------------------------------------------------
# Deep and wide


def test_a_chain_of_200_000_calls(tmp_path: Path) -> None:
    """The chain goes through seven objects: the last function of each calls the first function of
    the next."""
    count, length = 7, 30000
    objects = []
    for number in range(count):
        made = ObjectFile()
        chain = [made.add_function("k", kernel=True)] if number == 0 else []
        chain += [made.add_function(f"f{number}_{i}") for i in range(length)]
        if number + 1 < count:
            chain.append(made.add_symbol(f"f{number + 1}_0", FUNCTION, 0))
        made.add_calls(*zip(chain, chain[1:], strict=False))
        objects.append(made)
    assert_links(tmp_path, *objects)


def test_more_sections_than_16_bits_can_number(tmp_path: Path) -> None:
    """The number of sections is stored as the size of the null section. The section numbers of
    symbols are stored in .symtab_shndx."""
    count = 70000
    assert_links(tmp_path, functions(1, count)[0])
    output = tmp_path / "output.cubin"
    content = output.read_bytes()
    assert struct.unpack_from("<H", content, E_SHNUM) == (0,)
    (sections,) = struct.unpack_from("<Q", content, E_SHOFF)
    assert struct.unpack_from("<Q", content, sections + SH_SIZE)[0] > count
    verify = subprocess.run(
        [BUILD / "cubintool", "verify", output], capture_output=True, text=True, check=False
    )
    assert not verify.stdout


def test_a_circle_of_60_000_calls(tmp_path: Path) -> None:
    made, _, others = functions(1, 60000)
    made.add_calls((others[-1], others[0]))
    status, messages, _ = link(tmp_path, made)
    assert status == 0
    assert messages.count("cannot be statically determined") == 1


def test_thousands_of_aliases(tmp_path: Path) -> None:
    made, kernels, others = functions(1, 1)
    for i in range(50000):
        alias = made.add_symbol(f"alias{i}", FUNCTION, 0, made.code_of(others[0]))
        made.add_calls((kernels[0], alias), (alias, others[0]))
    assert_links(tmp_path, made)


def weak_pair(owner: str, alias: str) -> ObjectFile:
    """An object with a weak function `owner` and a global alias of this function. The function
    calls its alias."""
    made = ObjectFile()
    function = made.add_function(owner, binding=WEAK)
    made.add_symbol(alias, FUNCTION, 0, made.code_of(function))
    made.add_calls((function, function + 1))
    return made


def test_aliases_in_a_circle(tmp_path: Path) -> None:
    made = ObjectFile()
    kernel = made.add_function("k", kernel=True)
    made.add_calls((kernel, made.add_symbol("a", FUNCTION, 0)))
    circle = [weak_pair("a", "b"), weak_pair("b", "c"), weak_pair("c", "a")]
    assert_refused(tmp_path, ERRORS, "is an alias of itself", made, *circle)


def test_a_chain_of_aliases(tmp_path: Path) -> None:
    made = ObjectFile()
    kernel = made.add_function("k", kernel=True)
    made.add_calls((kernel, made.add_symbol("b", FUNCTION, 0)))
    assert_links(tmp_path, made, weak_pair("a", "b"), weak_pair("c", "a"))


# --------------------------------------------------------------------------------------------------
# What kernels inherit


def test_many_functions_with_long_lists_of_externs(tmp_path: Path) -> None:
    made, _, others = functions(30, 150)
    externs = [made.add_symbol(f"__cuda_syscall_{i}", FUNCTION, 0) for i in range(16000)]
    made.add_calls(*((others[0], extern) for extern in externs))
    for function in others:
        made.add_attributes(function, record(EXTERNS, words(*externs)))
    assert_links(tmp_path, made)


def test_one_extern_again_and_again_for_many_kernels(tmp_path: Path) -> None:
    made, _, others = functions(6000, 1)
    extern = made.add_symbol("__cuda_syscall_0", FUNCTION, 0)
    made.add_calls((others[0], extern))
    repeated = record(EXTERNS, words(*[extern] * 16000)) * 150
    made.add_attributes(others[0], record(EXTERNS, words(extern)) + repeated)
    assert_links(tmp_path, made)


def test_one_fragment_again_and_again_for_many_kernels(tmp_path: Path) -> None:
    made, _, others = functions(6000, 1)
    repeated = record(AT_ENTRY_FRAGMENTS, words(*[4] * 16000)) * 150
    made.add_attributes(others[0], record(AT_ENTRY_FRAGMENTS, words(4)) + repeated)
    assert_links(tmp_path, made)


def test_more_externs_than_an_attribute_can_name(tmp_path: Path) -> None:
    made, _, others = functions(2, 2)
    for part, function in enumerate(others):
        externs = [made.add_symbol(f"__cuda_syscall_{part}_{i}", FUNCTION, 0) for i in range(8192)]
        made.add_calls(*((function, extern) for extern in externs))
        made.add_attributes(function, record(EXTERNS, words(*externs)))
    assert_refused(tmp_path, ERRORS, "reaches more than 16383 undefined functions", made)


def test_more_entry_fragments_than_an_attribute_can_name(tmp_path: Path) -> None:
    made, _, others = functions(2, 2)
    for part, function in enumerate(others):
        fragments = range(1000 + 8192 * part, 1000 + 8192 * (part + 1))
        made.add_attributes(function, record(AT_ENTRY_FRAGMENTS, words(*fragments)))
    assert_refused(tmp_path, ERRORS, "reaches more than 16383 entry fragments", made)


def test_many_requests_for_caching(tmp_path: Path) -> None:
    made, _, others = functions(300, 3000)
    for function in others:
        made.add_attributes(function, record(LOAD_CACHE_REQUEST, words(function, 1)))
    assert_links(tmp_path, made)


def test_one_request_for_caching_again_and_again_for_many_kernels(tmp_path: Path) -> None:
    made, _, others = functions(6000, 1)
    repeated = record(LOAD_CACHE_REQUEST, words(others[0], 1)) * 900_000
    made.add_attributes(others[0], repeated)
    assert_links(tmp_path, made)


@pytest.mark.parametrize("other_kernel_calls", (False, True))
def test_millions_of_counts_of_barriers_for_many_kernels(
    other_kernel_calls: bool, tmp_path: Path
) -> None:
    """The link adds the counts of all records that a kernel reaches. If one kernel calls another,
    the sum depends on the order of the records: docs/format/attributes.md."""
    made, kernels, others = functions(6000, 1)
    if other_kernel_calls:
        made.add_calls((kernels[1], kernels[0]))
    made.add_attributes(kernels[0], small_record(NUM_MBARRIERS, 2))
    counts = small_record(NUM_MBARRIERS, 0) * 2_800_000 + small_record(NUM_MBARRIERS, 3)
    made.add_attributes(others[0], counts)
    assert_links(tmp_path, made)
    content = (tmp_path / "output.cubin").read_bytes()
    assert content.count(small_record(NUM_MBARRIERS, 3)) == len(kernels[1:] + others)
    assert content.count(small_record(NUM_MBARRIERS, 5)) == 1


def test_millions_of_reconfigurations_for_many_kernels(tmp_path: Path) -> None:
    made, _, others = functions(6000, 1)
    repeated = struct.pack("<BBH", 2, REG_RECONFIG, 1) * 2_900_000
    made.add_attributes(others[0], repeated)
    assert_links(tmp_path, made)


def test_many_kernels_over_a_register_limit(tmp_path: Path) -> None:
    made, kernels, others = functions(1000, 1000)
    for i, function in enumerate(others):
        made.info += record(REGCOUNT, words(function, 100 + i))
    for kernel in kernels:
        made.add_attributes(kernel, small_record(MAXREG_COUNT, 24))
    assert_refused(tmp_path, ERRORS, "with max regcount of 24 calls function", made)


def test_a_report_of_many_kernels(tmp_path: Path) -> None:
    made = ObjectFile()
    for i in range(100):
        made.add_function(f"kernel{i}", kernel=True)
    report = tmp_path / "report.json"
    words = "--report", str(report), made.write(tmp_path / "a.cubin")
    assert link_files(tmp_path, *words) == (0, "", True)
    kernels = json.loads(report.read_text())["kernels"]
    assert [kernel["function"] for kernel in kernels] == list(range(100))


def test_thousands_of_limits_for_many_kernels(tmp_path: Path) -> None:
    """The link compares each kernel with each limit. It must make the kernel's readable name only
    once, not for each limit."""
    made = ObjectFile()
    for i in range(800):
        made.add_function(f"_Z{len(str(i)) + 1}k{i}iii", kernel=True)
    limits = tmp_path / "limits"
    limits.write_text("".join(f"x{i}*:registers<=1\n" for i in range(100_000)))
    path = made.write(tmp_path / "a.cubin")
    status, messages, _ = link_files(tmp_path, f"--limit=@{limits}", path)
    assert status == 0 and "No kernel matches 'x0*'" in messages


def test_many_kernels_with_raised_register_counts(tmp_path: Path) -> None:
    """For each kernel, --dump-callgraph names the function from which it inherits its count. The
    name has 1 MB."""
    made = ObjectFile()
    kernels = [made.add_function(f"k{i}", kernel=True) for i in range(3000)]
    function = made.add_function("f" * 1_000_000)
    made.add_calls(*((kernel, function) for kernel in kernels))
    made.info = bytearray()
    for symbol in (*kernels, function):
        made.info += record(REGCOUNT, words(symbol, 99 if symbol == function else 8))
        made.info += record(FRAME_SIZE, words(symbol, 0))
    path = made.write(tmp_path / "a.cubin")
    status, messages, _ = link_files(tmp_path, "--dump-callgraph", path)
    assert status == 0
    assert len(messages) < 270 << 20


def test_preferences_of_a_kernel(tmp_path: Path) -> None:
    """A kernel and a function that it calls request different cache preferences. The link reports
    the conflict."""
    made = ObjectFile()
    kernel, called = made.add_function("kernel", kernel=True), made.add_function("called")
    made.add_calls((kernel, called))
    for symbol, wanted in ((kernel, 1), (called, 0)):
        made.info += record(LOAD_CACHE_REQUEST, words(symbol, wanted))
    status, messages, is_written = link(tmp_path, made)
    assert (status, is_written) == (0, True), messages
    assert "kernel" in messages and "called" in messages


def test_many_warnings_of_one_kind(tmp_path: Path) -> None:
    """Each of 50 kernels calls through a pointer, and so reaches all 3,000 functions. Each function
    calls itself."""
    made, kernels, others = functions(50, 3000)
    prototype = made.strings.offset("#vv")
    made.add_calls(*[(function, function) for function in others])
    made.add_calls(*((function, prototype) for function in others), heading=ADDRESS_TAKEN)
    callers = ((kernel, prototype) for kernel in kernels for _ in range(300))
    made.add_calls(*callers, heading=INDIRECT_CALLERS)
    status, messages, _ = link(tmp_path, made)
    assert status == 0
    assert len(messages) < 100 << 20


# --------------------------------------------------------------------------------------------------
# Memory


def shared_variables(size: int, count: int = 60000) -> ObjectFile:
    """An object with `count` shared variables of one function, which two kernels call."""
    made, _, others = functions(2, 1)
    section = made.add_section(Section(".nv_debug.shared", SHARED, ALLOC | WRITE, size=1 << 20))
    variables = [
        made.add_symbol(f"v{i:x}", VARIABLE, IN_SHARED, section, 4, size) for i in range(count)
    ]
    entries = b"".join(REL.pack(0, ABS32_LO_32, variable) for variable in variables)
    code = made.code_of(others[0])
    made.add_section(
        Section(".rel.text.f0", REL_TYPE, INFO_LINK, entries, 3, code, align=8, entry_size=16)
    )
    return made


def test_many_shared_variables(tmp_path: Path) -> None:
    """nvlink needs minutes for this number of variables."""
    assert_refused(tmp_path, ERRORS, "uses too much shared data (0x3a980", shared_variables(4))


def test_more_shared_variables_than_any_memory_has_bytes(tmp_path: Path) -> None:
    made = shared_variables(1, (1 << 18) + 1)
    assert_refused(tmp_path, ERRORS, "Too many shared variables need separate addresses", made)


def test_shared_variables_of_many_pairs_of_kernels(tmp_path: Path) -> None:
    """The functions have one shared variable each. A function is called by a kernel that calls no
    other function and, alternately, by one of two common kernels. For each variable the linker
    searches for a free address. It must not compare the variable with all earlier variables."""
    made, kernels, others = functions(10002, 0)
    others = [made.add_function(f"f{i}") for i in range(10000)]
    calls = [(kernels[i % 2], function) for i, function in enumerate(others)]
    made.add_calls(*calls, *zip(kernels[2:], others, strict=True))
    section = made.add_section(Section(".nv_debug.shared", SHARED, ALLOC | WRITE, size=1 << 20))
    for i, function in enumerate(others):
        variable = made.add_symbol(f"v{i}", VARIABLE, IN_SHARED, section, 1, 1)
        entry, code = REL.pack(0, ABS32_LO_32, variable), made.code_of(function)
        made.add_section(
            Section(f".rel.text.f{i}", REL_TYPE, INFO_LINK, entry, 3, code, align=8, entry_size=16)
        )
    assert_links(tmp_path, made)


def test_many_shared_variables_without_a_size(tmp_path: Path) -> None:
    """Variables without a size are extern shared memory and have one address."""
    assert_links(tmp_path, shared_variables(0))


def test_sums_of_sizes_do_not_wrap_around(tmp_path: Path) -> None:
    """The sum of 65,537 variables or 65,530 sections of the largest size does not fit in 64
    bits."""
    made, _, _ = functions(1, 0)
    for i in range(65537):
        made.add_symbol(f"c{i}", VARIABLE, IN_GLOBAL, COMMON, 1, (1 << 48) - 1)
    assert_refused(tmp_path, ERRORS, "is too large (", made)
    made, _, _ = functions(1, 0)
    for _ in range(65530):
        made.add_section(Section(".nv.global", GLOBAL, ALLOC | WRITE, size=(1 << 48) - 1))
    section = made.OWN_SECTIONS + 1
    for i in range(65530):
        made.add_symbol(f"g{i}", VARIABLE, IN_GLOBAL, section + i, 0, 4)
    assert_refused(tmp_path, ERRORS, "is too large (", made)
    status, messages, has_output = link_files(tmp_path, tmp_path / "input0.cubin", "-r")
    assert (status, has_output) == (ERRORS, False)
    assert "Section '.nv.global' is too large (" in messages


def test_shared_memory_does_not_wrap_around(tmp_path: Path) -> None:
    made = ObjectFile()
    kernel = made.add_function("k", kernel=True)
    shape = Section(".nv.shared.k", SHARED, ALLOC | WRITE | INFO_LINK, size=16)
    shape.info = made.code_of(kernel)
    section = made.add_section(shape)
    for i in range(65537):
        made.add_symbol(f"v{i}", VARIABLE, IN_SHARED, section, 1, (1 << 48) - 1, WEAK)
    assert_refused(tmp_path, ERRORS, "uses too much shared data (0xffffffffffffffff bytes", made)


def test_padding_is_in_proportion(tmp_path: Path) -> None:
    """The object alternates sections of one byte with empty sections that have a large
    alignment."""
    made, _, _ = functions(1, 0)
    for _ in range(20000):
        made.add_section(Section(".nv.global.init", GLOBAL_INIT, ALLOC | WRITE, b"x", align=1))
        made.add_section(Section(".nv.global.init", GLOBAL_INIT, ALLOC | WRITE, align=1 << 19))
    assert_refused(tmp_path, FATAL, "of padding for", made)


def test_constants_of_many_functions_in_many_kernels(tmp_path: Path) -> None:
    made, _, others = functions(3000, 3000)
    for function in others:
        shape = Section(".nv.constant2.f", CONSTANT0 + 2, ALLOC | INFO_LINK)
        shape.info = made.code_of(function)
        made.add_section(shape)
    assert_links(tmp_path, made)


# --------------------------------------------------------------------------------------------------
# Names


def test_a_name_of_megabytes(tmp_path: Path) -> None:
    made = ObjectFile()
    made.add_function("k" * (3 << 20), kernel=True)
    assert_links(tmp_path, made)
    (tmp_path / "output.cubin").unlink()
    made.add_symbol("u" * (3 << 20), VARIABLE, IN_GLOBAL)
    assert_refused(tmp_path, ERRORS, "Undefined reference to 'uuuu", made)


def test_a_name_of_100_megabytes(tmp_path: Path) -> None:
    """The message leaves out the middle of the name."""
    made, (kernel,), _ = functions(1, 0)
    name = made.add_symbol("'\x01_Z" + "u" * 100_000_000, VARIABLE, IN_GLOBAL)
    entries = struct.pack("<QQ", 0, name << 32 | ABS32_LO_32)
    code = made.code_of(kernel)
    made.add_section(
        Section(".rel.x", REL_TYPE, INFO_LINK, entries, 3, code, align=8, entry_size=16)
    )
    path = made.write(tmp_path / "a.cubin")
    for form in ("text", "json", "sarif"):
        found, messages, _ = link_files(tmp_path, path, f"--diagnostics-format={form}")
        assert found == ERRORS and len(messages) < 10000
        assert "Undefined reference to ''?_Zuuu" in messages and "uuu [...] uuu" in messages
        assert "referenced by" in messages


def with_long_names(offsets: Sequence[int]) -> ObjectFile:
    """An object with kernels whose names are suffixes of one string of 64 KB. The names start
    at `offsets` in the string table."""
    made = ObjectFile()
    made.strings.data = bytearray(b"\0" + b"n" * LONGEST_NAME + b"\0")
    for offset in offsets:
        symbol = len(made.symbols) + 1
        section = made.add_section(
            Section(".text.n", PROGBITS, ALLOC | EXECUTE, bytes(16), 3, symbol, align=16)
        )
        made.symbols.append((offset, GLOBAL_BINDING << 4 | FUNCTION, KERNEL, section, 0, 16))
    return made


def test_names_that_are_parts_of_one_another(tmp_path: Path) -> None:
    """The sum of the names' lengths is 650 MB."""
    made = with_long_names(range(1, 60001, 3))
    assert_refused(tmp_path, FATAL, "(names-total)", made)


def test_names_that_use_up_what_is_allowed(tmp_path: Path) -> None:
    """The lengths of all names may add up to four times the size of the file. Here the lengths of
    the first names add up to exactly this limit, and those of all names to 4 GB."""
    count = 65000
    left = 4 * len(with_long_names([1] * count).bytes())
    offsets: list[int] = []
    while len(offsets) < count:
        size = min(LONGEST_NAME + 1, left) or LONGEST_NAME + 1
        offsets.append(LONGEST_NAME + 2 - size)
        left -= min(size, left)
    assert_refused(tmp_path, FATAL, "(names-total)", with_long_names(offsets))


def test_long_names_in_many_messages(tmp_path: Path) -> None:
    """The input has 20,000 faults. The message about each shows a name of 100 KB."""
    made = ObjectFile()
    variable = made.add_symbol("n" * 100000, VARIABLE, IN_SHARED)
    function = made.add_function("k", kernel=True)
    entries = REL.pack(0, 40, variable) * 20000
    code = made.code_of(function)
    made.add_section(
        Section(".rel.text.k", REL_TYPE, INFO_LINK, entries, 3, code, align=8, entry_size=16)
    )
    status, messages, has_output = link(tmp_path, made)
    assert status == FATAL
    assert not has_output
    assert len(messages) < 70 << 20
    assert "further messages are not shown" in messages


def test_many_undefined_names(tmp_path: Path) -> None:
    """Each message about an undefined name has notes that list the references. The linker visits
    all references once, not once for each name."""
    count = 30000
    made, (kernel,), _ = functions(1, 0)
    texts = [f"_Z{len(str(i)) + 1}v{i}i" for i in range(count)]
    names = [made.add_symbol(text, VARIABLE, IN_GLOBAL) for text in texts]
    data = Section(".nv.global.init", GLOBAL_INIT, ALLOC | WRITE, bytes(8 * count))
    table = made.add_section(data)
    for i in range(count):
        made.add_symbol(f"table{i}", VARIABLE, IN_GLOBAL, table, 8 * i, 8)
    for place, size in ((table, 8 * count), (made.code_of(kernel), 16)):
        entries = b"".join(
            struct.pack("<QQ", 8 * i % size, name << 32 | ABS32_LO_32)
            for i, name in enumerate(names)
        )
        made.add_section(
            Section(".rel.x", REL_TYPE, INFO_LINK, entries, 3, place, align=8, entry_size=16)
        )
    path = made.write(tmp_path / "input0.cubin")
    found, messages, _ = link_files(tmp_path, path, "--error-limit=0", "--no-demangle")
    assert found == ERRORS, messages[:1000]
    assert messages.count(" error ") == messages.count("' is 'v") == count
    assert messages.count(" note    : referenced by") == 2 * count


# --------------------------------------------------------------------------------------------------
# Archives


def archive_of_empty_members(folder: Path, long_names: bytes, count: int) -> Path:
    """An archive with `count` empty members. All have the same name: the first one in the table of
    long names."""

    def header(name: str, size: int) -> bytes:
        return f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{size:<10}`\n".encode()

    table = header("//", len(long_names)) + long_names
    path = folder / "libmany.a"
    path.write_bytes(b"!<arch>\n" + table + header("/0", 0) * count)
    return path


def test_a_table_of_long_names_without_an_end(tmp_path: Path) -> None:
    """All 70,000 members have the same name, which does not end within the 4 MB of the table. A
    linker that searched the 4 MB again for each member would take too long."""
    found = link_files(tmp_path, archive_of_empty_members(tmp_path, b"n" * (4 << 20), 70000))
    assert found[0] == FATAL
    assert "the name of a member is damaged" in found[1]


def test_many_members_of_one_long_name(tmp_path: Path) -> None:
    """The link causes 100,000 warnings, each with a name of 4 KB. The command shows 64 MB of them,
    and keeps none in memory."""
    made, _, _ = functions(1, 0)
    kernel = made.write(tmp_path / "k.cubin")
    members = archive_of_empty_members(tmp_path, b"n" * 4096 + b"/\n", 100000)
    status, messages, has_output = link_files(tmp_path, "--stats", kernel, members)
    assert (status, has_output) == (0, True)
    assert len(messages) < 70 << 20
    assert int(messages.rsplit("bytes of memory", 1)[1].split()[0]) < 1 << 20


def test_a_member_whose_name_consists_of_colons(tmp_path: Path) -> None:
    """In JSON, the name of an input is split into the file and the member. The command must not
    look for a file at each of the 4,000 colons in the name, for each of the messages."""
    made, _, _ = functions(1, 0)
    kernel = made.write(tmp_path / "k.cubin")
    members = archive_of_empty_members(tmp_path, b":" * 4000 + b"/\n", 5000)
    status, messages, has_output = link_files(
        tmp_path, "--diagnostics-format=json", kernel, members
    )
    assert (status, has_output) == (0, True)
    assert json.loads(messages.splitlines()[0])["input"] == str(members)
