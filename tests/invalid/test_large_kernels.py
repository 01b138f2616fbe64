"""Files whose kernels may make a linker use much time or memory, because there are many of them or
they inherit many records from the functions that they call. Each link must end within seconds and
use at most 2 GB of memory, whether or not it succeeds."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from limited_link import ERRORS, assert_links, assert_refused, link, link_files
from object_file import (
    ADDRESS_TAKEN,
    AT_ENTRY_FRAGMENTS,
    EXTERNS,
    FRAME_SIZE,
    FUNCTION,
    INDIRECT_CALLERS,
    LOAD_CACHE_REQUEST,
    MAXREG_COUNT,
    NUM_MBARRIERS,
    REG_RECONFIG,
    REGCOUNT,
    ObjectFile,
    functions,
    record,
    words,
)


def small_record(code: int, value: int) -> bytes:
    """An attribute record whose value has 16 bits."""
    return struct.pack("<BBH", 3, code, value)


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
