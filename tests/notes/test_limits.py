"""If a kernel exceeds a limit, notes below the message show the functions or variables that are
responsible: how much each one needs, and by which calls the kernel reaches it."""

from __future__ import annotations

from pathlib import Path

from note_link import ERRORS, GOLDEN, data, link, link_golden

MANY = GOLDEN / "too-many-registers-for-kernel" / "b.cubin"


def copied(folder: Path, path: Path, name: str) -> str:
    (folder / name).write_bytes(path.read_bytes())
    return name


LAUNCH = (
    "before a launch, cudaDeviceSetLimit(cudaLimitStackSize, BYTES) must give each thread enough "
    "stack for the deepest recursion"
)
STACK_REMEDY = (
    "the limit of 4 bytes is recorded in 'a.cubin'; compile it with a larger limit, or use smaller "
    "local arrays or fewer nested calls; cudaLimitStackSize does not raise it"
)


def of_option(limit: int) -> str:
    return (
        f"the limit of {limit} registers comes from -maxrregcount or __maxnreg__ in 'a.cubin'; "
        f"raise it there, or compile 'b.cubin' with -maxrregcount={limit}"
    )


# Registers ----------------------------------------------------------------------------------------


def test_calls_that_lead_to_too_many_registers(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "too-many-registers-function-by-function")
    assert outcome.status == ERRORS
    assert outcome.find("'kernel3' with max regcount of 40 calls function 'weak_fn1'").notes == [
        "'kernel3' in 'a.cubin' uses 24 registers",
        "calls 'fn2' in 'b.cubin', which uses 86 registers",
        "calls 'weak_fn1' in 'b.cubin', which uses 83 registers",
        of_option(40),
    ]


def test_calls_through_a_pointer(tmp_path: Path) -> None:
    short = copied(tmp_path, data("short_way"), "a.cubin")
    outcome = link(tmp_path, short, copied(tmp_path, MANY, "b.cubin"))
    assert outcome.find("max regcount").notes == [
        "'kernel' in 'a.cubin' uses 24 registers",
        "calls, through a pointer, 'needs_many' in 'b.cubin', which uses 94 registers",
        of_option(24),
    ]


def test_a_limit_by_launch_bounds(tmp_path: Path) -> None:
    short = copied(tmp_path, data("launch_bounds"), "a.cubin")
    outcome = link(tmp_path, short, copied(tmp_path, MANY, "b.cubin"))
    assert outcome.find("max regcount").notes[-1] == (
        "the limit of 32 registers comes from __launch_bounds__ (1024 threads in a block) in "
        "'a.cubin'; allow fewer threads or blocks there, or compile 'b.cubin' with -maxrregcount=32"
    )


def test_the_middle_of_a_long_way_is_left_out(tmp_path: Path) -> None:
    notes = link(tmp_path, data("long_way"), MANY).find("max regcount").notes
    assert len(notes) == 14
    assert notes[0].startswith("'kernel' in")
    assert notes[5].startswith("calls 'step5' in")
    assert notes[6] == "... 6 more calls ..."
    assert notes[7].startswith("calls 'step12' in")
    assert notes[12].startswith("calls, through a pointer, 'needs_many' in")


# Shared memory ------------------------------------------------------------------------------------


def test_who_uses_shared_memory(tmp_path: Path) -> None:
    """A note shows how the kernel reaches the nearest function that uses a variable. There is no
    such note if the kernel uses the variable itself."""
    users = copied(tmp_path, data("shared_users"), "a.cubin")
    outcome = link(tmp_path, users)
    assert outcome.status == ERRORS
    assert outcome.find("uses too much shared data").notes == [
        "30000 bytes for 'far' in 'a.cubin'",
        "used by: 'kernel' -> 'near()' -> 'far()'",
        "20000 bytes for 'near' in 'a.cubin'",
        "used by: 'kernel' -> 'near()'",
        "10000 bytes for 'own' in 'a.cubin'",
        "60000 bytes are 10848 too many; use --enable-extended-smem=true, which allows 166912 "
        "bytes, or dynamic "
        "shared memory with cudaFuncAttributeMaxDynamicSharedMemorySize",
    ]


# Stack --------------------------------------------------------------------------------------------


def test_calls_that_need_too_much_stack(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "stack-limit-of-kernel")
    assert outcome.status == ERRORS
    assert outcome.find("Function 'k' uses 24 bytes stack but limited to 4").notes == [
        "'k' in 'a.cubin' uses 0 bytes of stack",
        "calls 'f' in 'a.cubin', which uses 8 bytes of stack",
        "calls 'g' in 'a.cubin', which uses 16 bytes of stack",
        STACK_REMEDY,
    ]


def test_recursion_that_makes_the_stack_unknown(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "stack-limit-and-recursion")
    notes = ["recursion: 'f' -> 'f2' -> 'f'", "reached by: 'k' -> 'f'"]
    assert [(m.severity, m.notes) for m in outcome.messages] == [
        ("warning", []),  # the object has two records of one kind
        ("warning", [*notes, LAUNCH]),
        ("error", [*notes, STACK_REMEDY]),
    ]


def test_repeated_warnings_are_summed_up_but_for_nvlink(tmp_path: Path) -> None:
    golden = "stack-warning-for-each-callee"
    direct = ["recursion: 'odd' -> 'even' -> 'odd'", "reached by: 'direct' -> 'odd'"]
    pointer = [direct[0], "reached by: 'through_pointers' -> 'odd' (through a pointer)"]
    unknown = (
        "the stack size of the callee is unknown for {} of the kernel's calls; a call through a "
        "pointer counts once for each function that it can reach"
    )
    outcome = link_golden(tmp_path, golden)
    assert outcome.status == 0
    assert [message.notes for message in outcome.messages] == [
        [unknown.format(2), *direct, LAUNCH],
        [unknown.format(4), *pointer],
    ]
    outcome = link_golden(tmp_path, golden, name="nvlink")
    assert [message.notes for message in outcome.messages] == [
        [],
        [*direct, LAUNCH],
        [],
        [],
        [],
        pointer,
    ]


def test_one_call_is_no_sum(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "recursion-unknown-stack")
    assert outcome.messages[0].notes == [
        "recursion: 'ping' -> 'pong' -> 'ping'",
        "reached by: 'kernel_a' -> 'ping'",
        LAUNCH,
    ]
