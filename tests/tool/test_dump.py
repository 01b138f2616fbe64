"""cubintool dump prints the recorded text. Its JSON contains what the text contains, and both agree
with what pyelftools reads."""

from __future__ import annotations

import json
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from tool import CUBINS, DATA, LINKED, REPOSITORY, cubintool, run

elffile = pytest.importorskip("elftools.elf.elffile", reason="pyelftools is not installed")

MERCURY = DATA / "linked-100.cubin"


def dump(path: Path, *options: str) -> dict[str, Any]:
    files: list[dict[str, Any]] = json.loads(cubintool("dump", "--json", *options, path))
    (file,) = files
    return file


def section(file: dict[str, Any], name: str) -> dict[str, Any]:
    sections: list[dict[str, Any]] = file["sections"]
    (found,) = [s for s in sections if s["name"] == name]
    return found


@pytest.mark.parametrize("name", ["linked-86", "linked-100", "first-86.o"])
def test_text(name: str) -> None:
    expected = (DATA / f"{name}.dump.txt").read_text()
    assert cubintool("dump", f"{name}.cubin") == expected


def test_text_of_everything() -> None:
    expected = (DATA / "linked-86.raw.txt").read_text()
    words = [".text.square", ".strtab", ".nv.constant3", ".nv.rel.action"]
    options = [option for word in words for option in ("--section", word)]
    assert cubintool("dump", "--raw", *options, "linked-86.cubin") == expected


# --------------------------------------------------------------------------------------------------
# JSON against the text


def texts(value: object) -> list[str]:
    """The forms that a value of the JSON may have in the text."""
    if value is None:
        return ["-"]
    if isinstance(value, int):
        return [str(value), hex(value)]
    if isinstance(value, list):
        return [",".join(parts) for parts in zip(*(texts(v) for v in value))] or [""]
    assert isinstance(value, str)
    return [value]


def sections_of_text(text: str) -> dict[str, str]:
    parts = {}
    for part in text.split("\n\nSection ")[1:]:
        heading, _, body = part.partition("\n")
        parts[heading.split(",")[0]] = body
    return parts


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
def test_json_has_what_the_text_has(path: Path) -> None:
    """The text has every value of every entry of the JSON. It describes only sections that have
    entries."""
    file = dump(path)
    bodies = sections_of_text(cubintool("dump", "--no-demangle", path))
    for found in file["sections"]:
        entries = found.get("entries", [])
        body = bodies.pop(str(found["index"]), "")
        assert bool(entries) == bool(body)
        for entry in entries:
            for value in entry.values():
                assert any(text in body for text in texts(value)), (found["name"], value)
    assert not bodies


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
def test_headers_in_text(path: Path) -> None:
    file, text = dump(path), cubintool("dump", "--no-demangle", path)
    lines = [line.split(None, 1) for line in text.splitlines()]
    for name, value in file["header"].items():
        assert any([name, shown] in lines for shown in texts(value)), name
    for row in file["sections"]:
        assert any(
            line.split()[:1] == [str(row["index"])] and line.endswith(" " + row["name"])
            for line in text.splitlines()
        )


# --------------------------------------------------------------------------------------------------
# An independent reader


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
def test_sections_as_pyelftools_reads_them(path: Path) -> None:
    file = dump(path)
    with path.open("rb") as stream:
        elf = elffile.ELFFile(stream)
        assert file["header"]["sections"] == elf.num_sections()
        assert file["header"]["program_headers"] == elf.num_segments()
        for found in file["sections"]:
            header = elf.get_section(found["index"]).header
            assert found["offset"] == header["sh_offset"]
            assert found["size"] == header["sh_size"]
            assert found["alignment"] == header["sh_addralign"]
            assert found["entry_size"] == header["sh_entsize"]
            name = elf.get_section(found["index"]).name
            assert found["name"] in (name, f"{name}[{found['index']}]")


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
def test_symbols_as_pyelftools_reads_them(path: Path) -> None:
    file = dump(path)
    with path.open("rb") as stream:
        elf = elffile.ELFFile(stream)
        table = elf.get_section_by_name(".symtab")
        entries = section(file, ".symtab")["entries"]
        assert len(entries) == table.num_symbols()
        for entry, symbol in zip(entries, table.iter_symbols()):
            assert entry["value"] == symbol["st_value"]
            assert entry["size"] == symbol["st_size"]
            assert "STB_" + entry["binding"] == symbol["st_info"]["bind"]
            kind = symbol["st_info"]["type"]
            if kind in ("STT_NOTYPE", "STT_OBJECT", "STT_FUNC", "STT_SECTION"):
                assert "STT_" + entry["type"] == kind
            name = symbol.name or "(none)"
            assert entry["name"] in (name, f"{name}[{entry['index']}]")


@pytest.mark.parametrize("path", CUBINS, ids=[path.name for path in CUBINS])
def test_relocations_as_pyelftools_reads_them(path: Path) -> None:
    file = dump(path)
    labels = [entry["name"] for entry in section(file, ".symtab")["entries"]]
    count = 0
    with path.open("rb") as stream:
        elf = elffile.ELFFile(stream)
        for found in file["sections"]:
            if found["type"] not in ("REL", "RELA"):
                continue
            theirs = list(elf.get_section(found["index"]).iter_relocations())
            assert len(theirs) == len(found["entries"])
            for entry, relocation in zip(found["entries"], theirs):
                assert entry["offset"] == relocation["r_offset"]
                assert entry["symbol"] == labels[relocation["r_info_sym"]]
                assert entry["type"].startswith("R_CUDA_")
                assert entry.get("addend", 0) == relocation.entry.get("r_addend", 0)
                count += 1
    assert count > 10


# --------------------------------------------------------------------------------------------------
# Contents


def test_attributes_are_decoded() -> None:
    entries = section(dump(LINKED), ".nv.info._Z5firstPjcd")["entries"]
    assert {"attribute": "NUM_BARRIERS", "value": 2} in entries
    parameters = [entry for entry in entries if entry["attribute"] == "KPARAM_INFO"]
    parameters.sort(key=itemgetter("ordinal"))
    assert [(p["ordinal"], p["offset"], p["size"]) for p in parameters] == [
        (0, 0, 8),
        (1, 8, 1),
        (2, 16, 8),
    ]
    (bank,) = [entry for entry in entries if entry["attribute"] == "PARAM_CBANK"]
    assert bank["symbol"] == ".nv.constant0._Z5firstPjcd"
    assert (bank["offset"], bank["size"]) == (0x160, 24)


def test_large_parameters_are_decoded() -> None:
    """No compiled object of these tests has large parameters. An input of the golden link has been
    edited so that it has some."""
    golden = REPOSITORY / "tests" / "golden" / "attributes-about-symbols" / "expected.cubin"
    entries = section(dump(golden), ".nv.info.first")["entries"]
    sizes = [entry["size"] for entry in entries if entry["attribute"] == "KPARAM_INFO_V2"]
    assert sizes == [0x20000, 0x10000]


def test_texture_parameters_are_named() -> None:
    golden = REPOSITORY / "tests" / "golden" / "texture-parameters" / "expected.cubin"
    entries = section(dump(golden), ".nv.info.own")["entries"]
    parameters = [entry for entry in entries if entry["attribute"] == "KPARAM_INFO"]
    parameters.sort(key=itemgetter("ordinal"))
    assert [(p.get("index"), p.get("symbol")) for p in parameters] == [
        (0, None),
        (None, "own_texture"),
        (None, "own_sampler"),
        (None, "unused"),
    ]


def test_callgraph_is_decoded() -> None:
    entries = section(dump(LINKED), ".nv.callgraph")["entries"]
    assert {"group": "calls", "function": "_Z6secondj", "target": "vprintf"} in entries
    assert {
        "group": "calls indirectly, by prototype",
        "function": "helper",
        "prototype": "#ii",
    } in entries


def test_notes_are_decoded() -> None:
    file = dump(LINKED)
    tools = [note["tool"] for note in section(file, ".note.nv.tkinfo")["entries"]]
    assert tools == ["nvlink", "ptxas", "ptxas"]
    (cuinfo,) = section(file, ".note.nv.cuinfo")["entries"]
    assert (cuinfo["virtual_sm"], cuinfo["toolkit"]) == (75, 130)


def test_both_views_are_decoded() -> None:
    file = dump(MERCURY)
    native = section(file, ".rela.text.helper")["entries"]
    mercury = section(file, ".nv.merc.rela.text.helper")["entries"]
    assert native and all(entry["type"].startswith("R_CUDA_") for entry in native)
    assert mercury and all(entry["type"].startswith("R_MERCURY_") for entry in mercury)
    assert section(file, ".nv.merc.symtab")["entries"]
    code = section(file, ".nv.capmerc.text.helper")["entries"]
    assert code[0]["native_code"] == ".text.helper"


def test_repeated_names_have_their_index() -> None:
    names = [entry["name"] for entry in section(dump(LINKED), ".symtab")["entries"]]
    assert "twin[3]" in names and "twin" not in names and "helper" in names
    assert len(set(names)) == len(names)


# --------------------------------------------------------------------------------------------------
# Options


def test_section_option_selects() -> None:
    file = dump(LINKED, "--section", ".text.helper", "--section=.nv.info")
    assert [found["name"] for found in file["sections"]] == [".nv.info", ".text.helper"]
    assert "header" not in file
    text = cubintool("dump", "--section", ".nv.callgraph", LINKED)
    assert "ELF header" not in text and ".strtab" not in text and "vprintf" in text


def test_section_option_takes_all_of_a_name() -> None:
    assert len(dump(LINKED, "--section", ".text.twin")["sections"]) == 2


def test_unknown_section_is_an_error() -> None:
    done = run("dump", "--section", ".text", LINKED)
    assert done.returncode == 2 and "no section is named .text" in done.stderr


def test_raw_bytes_are_those_of_the_file() -> None:
    data = LINKED.read_bytes()
    checked = 0
    for found in dump(LINKED, "--raw")["sections"]:
        if found["type"] == "PROGBITS":
            contents = data[found["offset"] : found["offset"] + found["size"]]
            assert bytes.fromhex(found["bytes"]) == contents
            checked += 1
    assert checked > 8


def test_raw_strings() -> None:
    strings = section(dump(LINKED, "--raw"), ".strtab")["strings"]
    assert strings[0] == "" and "add_five" in strings
    assert "strings" not in section(dump(LINKED), ".strtab")


def test_readable_names_in_text() -> None:
    """Without options, names are readable in text but mangled in JSON. --no-demangle and --demangle
    change that."""
    text = cubintool("dump", LINKED)
    assert ".nv.info.first(unsigned int*, char, double)" in text
    assert "_Z5firstPjcd" not in text
    assert "_Z5firstPjcd" in cubintool("dump", "--no-demangle", LINKED)
    assert "first(unsigned int*, char, double)" not in cubintool("dump", "--json", LINKED)
    assert "_Z5firstPjcd" not in cubintool("dump", "--json", "--demangle", LINKED)


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    """Names that are not valid UTF-8 become valid JSON."""
    data = LINKED.read_bytes().replace(b"\0zeroed\0", b"\0zero\xe9\xff\0")
    path = tmp_path / "latin"
    path.write_bytes(data)
    names = [entry["name"] for entry in section(dump(path), ".symtab")["entries"]]
    assert "zero\xe9\xff" in names


def test_several_files() -> None:
    assert len(json.loads(cubintool("dump", "--json", *CUBINS))) == len(CUBINS)
    done = run("dump", LINKED, "regenerate.sh", MERCURY)
    assert done.returncode == 2
    assert "neither device code" in done.stderr and done.stdout.count("File ") == 2
