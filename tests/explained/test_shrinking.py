"""The shrinker of the random comparisons drops parts of PTX programs."""

from __future__ import annotations

from program import Function, Module, Piece, Program, Reference, Signature, Variable
from shrink_ptx import Part, steps, without

ARCH = "sm_80"


def program() -> Program:
    """Two files. The first has a kernel, which uses a variable and calls the function in the
    second."""
    table = Variable("table", "data", "visible", "global", ".u64", 2, 8, [Reference("value"), "1"])
    value = Variable("value", "data", "visible", "global", ".u32", 1, 4, ["7"])
    calls = Piece("calls", "{ call callee; }", ("callee",))
    adds = Piece("adds", "add.u32 %acc, %acc, 1;")
    kernel = Function("kernel", "kernel", "visible", None, (), (), (".maxntid 32",), [calls, adds])
    callee = Function("callee", "function", "visible", Signature(None, ()))
    first = Module("a.ptx", "8.0", "sm_75", ("-O0",), [table, kernel, value])
    second = Module("b.ptx", "8.0", ARCH, (), [callee])
    return Program(ARCH, [first, second], {}, ["b.ptx", "a.ptx"], ["-g"])


def texts(found: Program) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(source.name, source.text, source.options) for source in found.sources()]


def test_every_part_is_dropped_from_a_copy() -> None:
    whole = program()
    before = texts(whole)
    for part in steps(whole):
        smaller = without(whole, [part])
        assert len(steps(smaller)) < len(steps(whole)), part
        assert (smaller.link_options == []) == (part.kind == "option")
    assert texts(whole) == before
    assert without(whole, steps(whole)).modules == []


def test_options_and_target_are_dropped_with_the_first_item() -> None:
    (module, _) = without(program(), [Part("item"), Part("options"), Part("target")]).modules
    assert (module.options, module.target) == ((), ARCH)
    assert module.defined() == {"kernel", "value"}


def test_nothing_refers_to_what_was_dropped() -> None:
    smaller = without(program(), [Part("module", 1), Part("item", 0, 2)])
    (module,) = smaller.modules
    (kernel,), (table,) = module.of_type(Function), module.of_type(Variable)
    assert [piece.feature for piece in kernel.pieces] == ["adds"]
    assert table.initialiser == ["0", "1"]
    assert smaller.link_order == ["a.ptx"]
