"""Tests --dump-callgraph and --dot-file. Graphs that nvlink printed are in tests/golden."""

from __future__ import annotations

import re
from pathlib import Path

from command import REPOSITORY, prepare, run
from test_effects import link_golden

GRAPH = "call-graph-as-text"
EDGE = re.compile(r"(\w+) -> (\w+);")


def test_drawing_has_the_edges_of_the_text(tmp_path: Path) -> None:
    text = link_golden(tmp_path, GRAPH, "--dot-file=graph").messages
    first, *edges, last = (tmp_path / "graph").read_text().splitlines()
    assert (first, last) == ("digraph callgraph {", "}")
    nodes = dict(re.findall(r"^(\d+): [\^&]*(\w+)", "\n".join(text), re.M))
    printed = [
        (name, nodes[callee])
        for line in text
        for number, name, callees in re.findall(r"^(\d+): [\^&]*(\w+).* ->(.*)", line)
        for callee in callees.split()
    ]
    matches = [EDGE.fullmatch(line) for line in edges]
    assert [match and match.groups() for match in matches] == printed


def test_removed_functions_are_not_drawn(tmp_path: Path) -> None:
    """nvlink crashes in this link."""
    link_golden(tmp_path, "call-graph-of-removed-function", "--dot-file=graph")
    assert "unreached" not in (tmp_path / "graph").read_text()


def test_drawing_of_what_does_not_link(tmp_path: Path) -> None:
    done = link_golden(tmp_path, "undefined-reference", "--dot-file=graph")
    assert done.status == 255
    assert "kernel_a -> missing;" in (tmp_path / "graph").read_text()


def test_names_cannot_look_like_lines(tmp_path: Path) -> None:
    folder = REPOSITORY / "tests" / "golden" / "undefined-reference"
    for path in folder.glob("*.cubin"):
        content = path.read_bytes().replace(b"kernel_a", b"ker\x1b\nl_a")
        (tmp_path / path.name).write_bytes(content)
    words = [path.name for path in sorted(tmp_path.glob("*.cubin"))]
    words += ["-arch=sm_80", "-o", "output.cubin", "-dot=graph"]
    run(tmp_path, *words)
    assert r'"ker\\x1b\\x0al_a" -> missing;' in (tmp_path / "graph").read_text()


def test_unwritable_drawing_ends_the_link(tmp_path: Path) -> None:
    done = link_golden(tmp_path, "undefined-function-of-dead-function", "-dot=missing/graph")
    assert done.status == 1
    assert "nvlink fatal   : Could not open output file 'missing/graph'" in done.messages
    assert not (tmp_path / "output.cubin").exists()


def test_nothing_to_link(tmp_path: Path) -> None:
    prepare(tmp_path)
    (tmp_path / "empty").touch()
    done = run(tmp_path, "-arch=sm_80", "empty", "-o", "x", "-dump-callgraph", "-dot=graph")
    told = "No relocatable objects found. Did not generate callgraph."
    assert told in done.messages
    assert (tmp_path / "graph").read_text() == "digraph callgraph {\n}\n"


def test_messages_come_in_nvlinks_order(tmp_path: Path) -> None:
    """The order is: the graph, errors about registers, raised register counts of kernels, and the
    resources that the program uses."""
    text = "\n".join(link_golden(tmp_path, "call-graph-raises-registers", "-v").messages)
    order = ["callgraph for sm_87:", "nvlink error ", "regcount ", "nvlink info "]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_drawing_of_a_relocatable_output(tmp_path: Path) -> None:
    """With -r nvlink writes the file of --dot-file, but does not print the graph. warpld does the
    same under the name nvlink; under its own name it also prints the graph."""
    done = link_golden(tmp_path, GRAPH, "-r", "--dot-file=graph")
    assert done.messages == []
    assert "kernel -> direct;" in (tmp_path / "graph").read_text()


def test_drawing_for_a_virtual_target_is_empty(tmp_path: Path) -> None:
    prepare(tmp_path)
    words = ("-arch=compute_90", "a.cubin", "--dot-file=graph", "--dump-callgraph")
    assert run(tmp_path, *words).status == 0
    assert (tmp_path / "graph").read_text() == "digraph callgraph {\n}\n"
