"""Queries of a finished link say what its output contains, and why. All golden links are
queried."""

from __future__ import annotations

import ctypes

import pytest
import warpld_ctypes as warpld
from golden_folder import GoldenFolder
from library_link import GOOD_INPUT, LIBRARY, Link
from test_results import FOLDERS, run
from warpld_ctypes import END, ERROR_ARGUMENT, OK

TABLES = {warpld.PIECE_PADDING, warpld.PIECE_SECTION_HEADERS, warpld.PIECE_PROGRAM_HEADERS}
WHOLE = TABLES | {warpld.PIECE_FILE_HEADER, warpld.PIECE_SECTION}
INDEXED = {
    "warpld_get_piece": warpld.Piece,
    "warpld_get_removed": warpld.Removed,
    "warpld_get_mention": warpld.Mention,
    "warpld_get_function": warpld.Function,
}


@pytest.fixture(params=FOLDERS, ids=str)
def folder(request: pytest.FixtureRequest) -> GoldenFolder:
    chosen: GoldenFolder = request.param
    return chosen


def test_everything_adds_up(folder: GoldenFolder) -> None:
    with Link() as link:
        run(folder, link)
        pieces = link.pieces()
        wholes = [piece for piece in pieces if piece.kind in WHOLE]
        assert sum(piece.file_bytes for piece in wholes) == len(link.output())
        check_kernels(link, not any("kernels-used" in word for word in folder.arguments))
        check_removed(link)
        again = warpld.Piece(size=ctypes.sizeof(warpld.Piece))
        for index in (len(pieces) - 1, 3, 0):  # in another order
            assert LIBRARY.warpld_get_piece(link.handle, index, again) == OK
            assert bytes(again) == bytes(pieces[index])


def check_kernels(link: Link, all_are_named: bool) -> None:
    """Checks that the answers about each kernel agree with one another. The stack size of a kernel
    is unknown if the kernel reaches a recursion. With --kernels-used it is also unknown if the
    kernel is kept only because another kernel calls it."""
    functions = link.functions()
    for number, kernel in enumerate(link.kernels()):
        assert functions[kernel.function_number].name == kernel.name
        calls = link.needs(number, warpld.RESOURCE_REGISTERS)
        assert calls[0].name == kernel.name
        if kernel.registers_by:
            assert max(step.amount for step in calls) == calls[-1].amount == kernel.registers
        depth = link.needs(number, warpld.RESOURCE_STACK)
        assert depth[0].name == kernel.name
        if not kernel.is_stack_known and all_are_named:
            assert any(step.is_recursive for step in depth)
        shared = link.needs(number, warpld.RESOURCE_SHARED)
        assert [one.address for one in shared] == sorted(one.address for one in shared)


def check_removed(link: Link) -> None:
    """Each function has a reason for being kept or removed."""
    removed = {thing.name for thing in link.removed()}
    for function in link.functions():
        steps = link.steps(function.name.decode("latin-1"))
        assert bool(steps) or not function.is_kept, function.name
        assert function.is_kept or not function.is_defined or function.name in removed
        if steps:
            assert steps[-1].name == function.name
            assert steps[0].why < warpld.WHY_CALLED
            assert all(step.why >= warpld.WHY_CALLED for step in steps[1:])


def test_the_call_graph_of_a_query() -> None:
    with Link() as link:
        link.set("arch", "sm_80")
        link.add_file(GOOD_INPUT)
        assert link.run() == OK
        graph = warpld.CallGraph(size=ctypes.sizeof(warpld.CallGraph))
        assert LIBRARY.warpld_get_call_graph(link.handle, graph) == OK
        assert graph.functions_count == len(link.functions())
        names = [graph.functions[i].name for i in range(graph.functions_count)]
        assert names == [function.name for function in link.functions()]


@pytest.mark.parametrize("name", INDEXED)
def test_wrong_calls(name: str) -> None:
    query, kind = getattr(LIBRARY, name), INDEXED[name]
    good, small = kind(size=ctypes.sizeof(kind)), kind(size=8)
    with Link() as link:
        link.set("arch", "sm_80")
        link.add_file(GOOD_INPUT)
        assert query(link.handle, 0, good) == END  # before the run
        assert link.run() == OK
        assert query(link.handle, 0, good) in (OK, END)
        assert query(link.handle, 1 << 40, good) == END
        assert query(link.handle, 0, small) == ERROR_ARGUMENT
        assert query(link.handle, 0, None) == ERROR_ARGUMENT
        assert query(None, 0, good) == ERROR_ARGUMENT


def test_wrong_calls_about_a_symbol_or_a_kernel() -> None:
    step = warpld.Step(size=ctypes.sizeof(warpld.Step))
    need = warpld.Need(size=ctypes.sizeof(warpld.Need))
    with Link() as link:
        link.set("arch", "sm_80")
        link.add_file(GOOD_INPUT)
        assert LIBRARY.warpld_get_step(link.handle, b"kernel", 0, step) == END
        assert link.run() == OK
        assert LIBRARY.warpld_get_step(link.handle, b"no such symbol", 0, step) == END
        assert LIBRARY.warpld_get_step(link.handle, None, 0, step) == ERROR_ARGUMENT
        assert LIBRARY.warpld_get_need(link.handle, 0, 3, 0, need) == ERROR_ARGUMENT
        assert LIBRARY.warpld_get_need(link.handle, 1 << 40, 0, 0, need) == END
        assert LIBRARY.warpld_get_need(link.handle, 0, 0, 0, need) == OK
