"""cubintool graph draws the callees of each kernel, shows resources as colours, and names the
functions that the link removed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cubin_file import CubinFile
from tool import BUILD, DATA, LINKED, REPOSITORY, cubintool, run

GOLDEN = REPOSITORY / "tests" / "golden"
OBJECTS = REPOSITORY / "examples" / "two-files" / "data"


def test_callees_below_kernels() -> None:
    assert cubintool("graph", LINKED).splitlines() == [
        "kernel second(unsigned int): 24 registers, frame 8, code 512",
        "  -> vprintf: not in the file",
        "kernel first(unsigned int*, char, double): 36 registers, frame 0, code 640",
        "  -> helper: 36 registers, frame 8, code 512",
        "     -> twin[14]: 24 registers, frame 0, code 384",
        "     -> (pointer to a function of type #ii)",
        "        -> &square: 24 registers, frame 0, code 256",
        "        -> &add_five: 24 registers, frame 0, code 256",
        "  -> twin[3]: 24 registers, frame 0, code 384",
    ]


def test_recursion_ends() -> None:
    lines = cubintool("graph", GOLDEN / "recursion-unknown-stack" / "expected.cubin").splitlines()
    assert "        -> ping: see above" in lines and "  -> pong: see above" in lines


def test_what_one_function_reaches() -> None:
    lines = cubintool("graph", "--root", "helper", LINKED).splitlines()
    assert lines[0].startswith("helper:") and len(lines) == 5
    nodes = re.findall(r"^  f\d+ \[", cubintool("graph", "--root=helper", "--dot", LINKED), re.M)
    assert len(nodes) == 5
    assert run("graph", "--root=nothing", LINKED).returncode == 2


@pytest.mark.parametrize(
    "by, reddest", [("registers", "helper"), ("frame", "helper"), ("code", "first")]
)
def test_colours(by: str, reddest: str) -> None:
    text = cubintool("graph", "--dot", "--by", by, LINKED)
    (label,) = {
        label
        for label in re.findall(r'label="([\w\[\]]+).*fillcolor="0.000 ', text)
        if label not in ("first", "second") or by == "code"
    }
    assert label == reddest
    assert run("graph", "--by=colour", LINKED).returncode == 2


def linked_two_files(folder: Path) -> tuple[Path, list[Path]]:
    """Links two objects that both define clamp_unit. Returns the output and the objects."""
    scale = CubinFile(OBJECTS / "scale.cubin")
    objects = [OBJECTS / "kernel.cubin", scale.write(folder / "scale.cubin")]
    output = folder / "linked.cubin"
    subprocess.run([BUILD / "warpld", "-arch=sm_90", "-o", output, *objects], check=True)
    return output, objects


def test_removed_functions(tmp_path: Path) -> None:
    output, objects = linked_two_files(tmp_path)
    text = cubintool("graph", output, *objects)
    assert "removed" not in text  # one copy of clamp_unit is in the output
    text = cubintool("graph", output, DATA / "first-86.o.cubin")
    removed = text.split("removed:\n")[1].splitlines()
    first = "kernel first(unsigned int*, char, double)"
    assert removed[-1] == f"   {first}, of {DATA}/first-86.o.cubin"
    dot = cubintool("graph", "--dot", output, DATA / "first-86.o.cubin")
    assert r'label="twin\nremoved, of ' in dot
    result = json.loads(cubintool("graph", "--json", output, DATA / "first-86.o.cubin"))
    assert {one["name"] for one in result["removed"]} >= {"twin", "_Z5firstPjcd"}


def test_one_form_of_output() -> None:
    done = run("graph", "--json", "--dot", LINKED)
    assert done.returncode == 2 and "choose one" in done.stderr


def test_json() -> None:
    functions = json.loads(cubintool("graph", "--json", LINKED))["functions"]
    named = {function["name"]: function for function in functions}
    helper = named["helper"]
    assert (helper["registers"], helper["frame"], helper["code"]) == (36, 8, 512)
    assert [functions[i]["kind"] for i in helper["calls"]] == ["function", "pointer"]
    assert named["vprintf"]["kind"] == "undefined" and named["_Z6secondj"]["kind"] == "kernel"


def test_quotes_and_backslashes_in_names(tmp_path: Path) -> None:
    file = CubinFile(LINKED)
    data = file.section(".strtab").data
    at = data.index(b"\0helper\0") + 1
    data[at : at + 6] = rb'a"\n];'
    path = file.write(tmp_path / "x.cubin")
    assert r'[label="a\"\\n];\n36' in cubintool("graph", "--dot", path)


@pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz")
def test_graphviz_reads_it(tmp_path: Path) -> None:
    text = cubintool("graph", "--dot", LINKED)
    done = subprocess.run(
        ["dot", "-Tplain"], input=text, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("\nnode ") == 9
