"""Objects that no compiler makes. A link accepts some of them and refuses the others."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from linking import BUILD, REPOSITORY, Outcome
from linking import link as run_link
from mutate import Cubin
from object_file import (
    ALLOC,
    GLOBAL_INIT,
    IN_GLOBAL,
    INFO_LINK,
    NOTE,
    PROGBITS,
    VARIABLE,
    WEAK,
    WRITE,
    ObjectFile,
    Section,
)

TEXTURE, SAMPLER, SURFACE = 10, 11, 12


def link(folder: Path, *objects: ObjectFile) -> Outcome:
    paths = [made.write(folder / f"input{i}.cubin") for i, made in enumerate(objects)]
    return run_link(folder, *paths, name="warpld")


def with_weak_variables(*ranges: tuple[int, int, int]) -> ObjectFile:
    """An object with two sections of weak variables. Each range describes one variable: the number
    of its section (0 or 1), its offset in the section and its size."""
    made = ObjectFile()
    made.add_function("kernel", kernel=True, binding=WEAK)
    sections = [
        made.add_section(Section(".nv.global.init", GLOBAL_INIT, ALLOC | WRITE, bytes(32), align=8))
        for _ in range(2)
    ]
    for i, (section, start, size) in enumerate(ranges):
        made.add_symbol(f"v{i}", VARIABLE, IN_GLOBAL, sections[section], start, size, WEAK)
    return made


def test_discarded_variables_may_overlap(tmp_path: Path) -> None:
    """The copies in the second object are discarded, although some of them overlap."""
    ranges = (1, 0, 8), (0, 4, 8), (0, 0, 8), (0, 0, 6), (0, 8, 16)
    made = with_weak_variables(*ranges)
    outcome = link(tmp_path, made, made)
    assert outcome.status == 0, outcome.messages
    subprocess.run([BUILD / "cubintool", "verify", tmp_path / "output.cubin"], check=True)


@pytest.mark.parametrize(
    ("kind", "words"),
    ((TEXTURE, "a texture"), (SAMPLER, "a sampler"), (SURFACE, "a surface")),
)
def test_a_reference_and_a_variable(kind: int, words: str, tmp_path: Path) -> None:
    first, second = ObjectFile(), ObjectFile()
    first.add_function("kernel", kernel=True)
    first.add_symbol("name", kind, 0)
    table = second.add_section(Section(".nv.global.init", GLOBAL_INIT, ALLOC | WRITE, bytes(4)))
    second.add_symbol("name", VARIABLE, IN_GLOBAL, table, 0, 4)
    outcome = link(tmp_path, first, second)
    assert outcome.status != 0
    assert f"{words} reference" in outcome.messages


@pytest.mark.parametrize(("name", "is_silent"), (("other.kernel", True), ("other", False)))
def test_other_memory_of_a_function(name: str, is_silent: bool, tmp_path: Path) -> None:
    """A section that belongs to a function keeps its name in the output. If the name does not end
    with the function's name, the link warns and `cubintool verify` reports a fault."""
    made = ObjectFile()
    code = made.code_of(made.add_function("kernel", kernel=True))
    made.add_section(Section(name, PROGBITS, ALLOC | INFO_LINK, bytes(16), info=code))
    outcome = link(tmp_path, made)
    assert outcome.status == 0, outcome.messages
    assert ("(owner-name)" in outcome.messages) != is_silent
    verify = subprocess.run([BUILD / "cubintool", "verify", tmp_path / "output.cubin"], check=False)
    assert (verify.returncode == 0) == is_silent


def test_a_global_compiler_constant_is_listed_as_local(tmp_path: Path) -> None:
    """The output is the same whether the object declares the symbol of the constants as local or
    as global. nvlink 13.0.88 also writes the same symbol table for both bindings."""
    folder = REPOSITORY / "tests" / "golden" / "preserved-names-of-lost-copies"
    outputs = []
    for binding in (0x0D, 0x1D):  # local, global
        cubin = Cubin(folder / "a.cubin")
        cubin.set_symbol("kernel.const_opt.8.16", "info", binding)
        changed = tmp_path / "a.cubin"
        changed.write_bytes(cubin.data)
        others = [folder / name for name in ("b.cubin", "c.cubin")]
        outcome = run_link(tmp_path, "--preserve-relocs", changed, *others, name="warpld")
        assert (outcome.status, outcome.messages) == (0, "")
        outputs.append(outcome.output)
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("flags", (0, WRITE, ALLOC, WRITE | ALLOC))
def test_a_section_that_is_writable_but_not_memory(flags: int, tmp_path: Path) -> None:
    """The object has two note sections of one name. The output section has the flags of the first
    one, and is among the sections in memory. With the flag WRITE but not ALLOC, it breaks rules of
    `cubintool verify`. nvlink 13.0.88 links the object with each value of the flags."""
    made = ObjectFile()
    made.add_function("kernel", kernel=True)
    made.add_section(Section(".note.build", NOTE, flags, bytes(12)))
    made.add_section(Section(".note.build", NOTE, WRITE | ALLOC, bytes(12)))
    outcome = link(tmp_path, made)
    assert outcome.status == 0
    assert ("(memory-flags)" in outcome.messages) == (flags == WRITE)
    verified = subprocess.run(
        [BUILD / "cubintool", "verify", tmp_path / "output.cubin"], capture_output=True, check=False
    )
    assert (verified.returncode == 0) == (flags != WRITE)


def test_an_empty_section_in_memory(tmp_path: Path) -> None:
    """The only read-only section in memory is empty, so the output has an empty segment."""
    made = ObjectFile()
    table = made.add_section(Section(".nv.global.init", GLOBAL_INIT, ALLOC | WRITE, bytes(4)))
    made.add_symbol("v", VARIABLE, IN_GLOBAL, table, 0, 4)
    made.add_section(Section(".other", PROGBITS, ALLOC))
    outcome = link(tmp_path, made)
    assert (outcome.status, outcome.messages) == (0, "")
    subprocess.run([BUILD / "cubintool", "verify", tmp_path / "output.cubin"], check=True)


def test_objects_with_an_exception_are_read_where_nothing_is_linked(tmp_path: Path) -> None:
    made = ObjectFile()
    made.add_function("kernel", kernel=True)
    made.add_section(Section(".note.build", NOTE, WRITE, bytes(12)))
    path = made.write(tmp_path / "a.cubin")
    targetless = subprocess.run(
        [BUILD / "warpld", path, "-o", tmp_path / "output.cubin"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "the inputs contain code for sm_80" in targetless.stderr
    listed = subprocess.run(
        [BUILD / "cubintool", "list", "--json", path], capture_output=True, text=True, check=True
    )
    assert '"damaged": "no"' in listed.stdout


def test_debug_information_that_is_marked_as_memory(tmp_path: Path) -> None:
    made = ObjectFile()
    made.add_function("kernel", kernel=True)
    made.add_section(Section(".debug_abbrev", PROGBITS, ALLOC, bytes(12)))
    outcome = link(tmp_path, made)
    assert outcome.status == 0
    assert "(memory-flags)" in outcome.messages


# Name, flags, size and alignment of each section.
EMPTY_SECTIONS = {
    "before": [(".nv.global.init", WRITE, 0, 4), (".tool", WRITE, 4, 64)],
    "after": [(".nv.global.init", WRITE, 4, 4), (".tool", WRITE, 0, 64)],
    "between": [(".a", WRITE, 4, 1), (".b", WRITE, 0, 16), (".c", WRITE, 4, 4)],
    "only": [(".a", 0, 0, 1), (".b", 0, 0, 64), (".c", WRITE, 0, 1), (".d", WRITE, 0, 64)],
}


def with_sections(sections: list[tuple[str, int, int, int]]) -> ObjectFile:
    made = ObjectFile()
    for name, flags, size, align in sections:
        kind = GLOBAL_INIT if name == ".nv.global.init" else PROGBITS
        made.add_section(Section(name, kind, ALLOC | flags, b"\1" * size, align=align))
    return made


@pytest.mark.parametrize("kind", EMPTY_SECTIONS)
def test_segments_include_empty_sections(kind: str, tmp_path: Path) -> None:
    """As in outputs of nvlink 13.0.88. No segment may be larger by a byte."""
    assert link(tmp_path, with_sections(EMPTY_SECTIONS[kind])).status == 0
    output = tmp_path / "output.cubin"
    verify = [str(BUILD / "cubintool"), "verify", str(output)]
    subprocess.run(verify, check=True)
    content = output.read_bytes()
    (headers,) = struct.unpack_from("<Q", content, 32)
    for header in range(headers, len(content), 56):
        size, memory = struct.unpack_from("<QQ", content, header + 32)
        changed = bytearray(content)
        struct.pack_into("<QQ", changed, header + 32, size + 1, memory + 1)
        output.write_bytes(changed)
        done = subprocess.run(verify, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "segment-" in done.stdout
