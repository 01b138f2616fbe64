"""cubintool verify reports each rule that a file breaks. For each rule, a test changes a file so
that it breaks the rule. Files that the compiler and the linkers write break no rule."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from cubin_changes import Change, bytes_at, section_field, symbol_field
from cubin_file import HEADER_SIZE, PROGRAM_HEADER, CubinFile
from tool import CUBINS, DATA, LINKED, REPOSITORY, cubintool, run

OBJECT = DATA / "first-86.o.cubin"
MERCURY = DATA / "linked-100.cubin"
PROGRAM = DATA / "whole" / "program-90.cubin"

OLDER = sorted((REPOSITORY / "tests" / "golden").glob("abi7-*/*.cubin"))
CLEAN = [*CUBINS, *OLDER, PROGRAM]


@pytest.mark.parametrize("path", CLEAN, ids=[path.name for path in CLEAN])
def test_outputs_of_compiler_and_linker_are_clean(path: Path) -> None:
    assert cubintool("verify", path) == ""
    assert json.loads(cubintool("verify", "--json", path)) == [
        {"file": str(path), "violations": []}
    ]


def test_a_whole_program_is_one_of_the_compiler(tmp_path: Path) -> None:
    """In a whole program for sm_90 ptxas writes bank 0 last. That breaks a rule only if the file
    has the note of a linker."""
    name = b"ptxas\0"
    data = PROGRAM.read_bytes()
    assert data.count(name) == 1
    of_linker = tmp_path / "of-linker.cubin"
    of_linker.write_bytes(data.replace(name, b"tools\0"))
    found = cubintool("verify", of_linker, status=1)
    rules = ("layout-hole", "section-order", "symbol-kind", "symbol-local-undefined")
    assert all(rule in found for rule in rules)


UNIFIED = [
    "golden/unified-tables-of-two-files/a.cubin",
    "golden/unified-tables-of-two-files/expected.cubin",
    "quirks/data/unified_mercury.sm_100.cubin",
    "quirks/data/unified_linked.cubin",
]


DEVICE_FUNCTIONS = ["kernels-used-launched-kernel", "kernel-called-by-used-kernel"]


@pytest.mark.parametrize("name", DEVICE_FUNCTIONS)
def test_a_kernel_kept_as_a_device_function_needs_no_stack_size(name: str) -> None:
    """nvlink writes the stack size only of kernels that -kernels-used names."""
    path = REPOSITORY / "tests" / "golden" / name / "expected.cubin"
    (resources,) = json.loads(cubintool("resources", "--json", path))
    kernels = [found for found in resources["functions"] if found["kind"] == "kernel"]
    assert {kernel["stack"] is None for kernel in kernels} == {False, True}
    assert cubintool("verify", path) == ""


@pytest.mark.parametrize("name", UNIFIED)
def test_unified_tables_are_clean(name: str) -> None:
    assert cubintool("verify", REPOSITORY / "tests" / name) == ""


# --------------------------------------------------------------------------------------------------
# Changes to the parts of a file


def record_symbol(section: str, code: int, name: str) -> Change:
    def change(file: CubinFile) -> None:
        number = struct.pack("<I", file.symbol_index(name))
        file.section(section).patch(file.record(section, code) + 4, number)

    return change


def record_code(section: str, code: int, new: int) -> Change:
    return lambda file: file.section(section).patch(file.record(section, code) + 1, bytes([new]))


def same_record_twice(code: int) -> Change:
    """Makes the first record name the symbol of the second record, so that the symbol that the
    first record named has no record."""

    def change(file: CubinFile) -> None:
        info = file.section(".nv.info")
        first, second = (file.record(".nv.info", code, i) for i in (0, 1))
        info.patch(first + 4, info.data[second + 4 : second + 8])

    return change


def note_types(section: str, old: int, new: int) -> Change:
    def change(file: CubinFile) -> None:
        data = file.section(section).data
        mark = struct.pack("<I", old) + b"NVIDIA Corp"
        data[:] = data.replace(mark, struct.pack("<I", new) + b"NVIDIA Corp")

    return change


def exchanged_owners(first: str, second: str) -> Change:
    def change(file: CubinFile) -> None:
        a, b = file.section(first), file.section(second)
        a.info, b.info = b.info, a.info

    return change


def renamed_code_symbol(file: CubinFile) -> None:
    strings = file.section(".strtab").data
    at = strings.index(b"\0square\0")
    strings[at + 1 : at + 7] = b"squire"


def repeated_section_name(file: CubinFile) -> None:
    file.section(".nv.info.square").name_offset = file.section(".nv.info.helper").name_offset


def relocation_past_end(file: CubinFile) -> None:
    size = len(file.section(".text.helper").data)
    file.section(".rel.text.helper").patch(0, struct.pack("<Q", size - 2))


# --------------------------------------------------------------------------------------------------
# Changes to the bytes of a file


def raw_header(data: bytearray, file: CubinFile, section: str) -> int:
    """The offset of a section's header."""
    return int(struct.unpack_from("<Q", data, 40)[0]) + 64 * file.index(file.section(section))


def unused_room_at_end(data: bytearray, _: CubinFile) -> None:
    data += bytes(8)


def program_header(data: bytearray, file: CubinFile) -> None:
    struct.pack_into("<Q", data, 32, len(data))
    struct.pack_into("<HH", data, 54, PROGRAM_HEADER.size, 1)
    data += PROGRAM_HEADER.pack(1, 4, 0, 0, 0, HEADER_SIZE, HEADER_SIZE, 8)


def cut_section(data: bytearray, file: CubinFile) -> None:
    struct.pack_into("<Q", data, raw_header(data, file, ".nv.rel.action") + 32, 8)


def exchanged_places(data: bytearray, file: CubinFile) -> None:
    first = raw_header(data, file, ".nv.info.square") + 24
    second = raw_header(data, file, ".nv.info.add_five") + 24
    data[first : first + 8], data[second : second + 8] = (
        data[second : second + 8],
        data[first : first + 8],
    )


def larger_segment(data: bytearray, _: CubinFile) -> None:
    memory_size = struct.unpack_from("<Q", data, 32)[0] + 56 * 1 + 40
    data[memory_size] += 8


def wrong_native_code(data: bytearray, file: CubinFile) -> None:
    native = file.index(file.section(".text.helper"))
    struct.pack_into("<I", data, file.section(".nv.capmerc.text.square").offset, native)


RULES: dict[str, Change] = {
    "header-field": lambda file: file.header.__setitem__(24, 4),
    "section-address": section_field(".nv.constant3", "address", 64),
    "segment-kind": lambda file: setattr(file.segments[1], "align", 16),
    "segment-table": lambda file: file.segments.pop(0),
    "segment-missing": lambda file: file.segments.pop(2),
    "section-order": lambda file: file.swap_sections(
        file.section(".text.helper"), file.section(".nv.constant3")
    ),
    "section-name-repeated": repeated_section_name,
    "section-type": section_field(".nv.global", "type", 0x70000007),
    "owner-name": exchanged_owners(".nv.info.square", ".nv.info.helper"),
    "code-name": renamed_code_symbol,
    "code-size": symbol_field("square", 5, 0x80),
    "symbol-repeated": lambda file: symbol_field("add_five", 0, file.string("square"))(file),
    "symbol-kind": symbol_field("counter", 1, 0x1D),
    "symbol-local-undefined": symbol_field(".nv.rel.action", 3, 0),
    "kernel-undefined": symbol_field("vprintf", 2, 0x10),
    "relocation-type": bytes_at(".rel.text.helper", 8, b"\x00\x02"),
    "relocation-view": bytes_at(".rel.text.helper", 8, b"\x03\x00\x01\x00"),
    "relocation-field": relocation_past_end,
    "relocation-no-symbol": bytes_at(".rel.text.helper", 12, bytes(4)),
    "attribute-unknown": record_code(".nv.info._Z5firstPjcd", 0x1B, 200),
    "attribute-repeated": same_record_twice(0x2F),
    "attribute-not-function": record_symbol(".nv.info", 0x2F, "counter"),
    "no-register-count": same_record_twice(0x2F),
    "no-frame-size": same_record_twice(0x11),
    "no-stack-size": same_record_twice(0x12),
    "no-parameter-bank": record_symbol(".nv.info._Z5firstPjcd", 0x0A, "counter"),
    "parameter-size": lambda file: file.section(".nv.info._Z5firstPjcd").patch(
        file.record(".nv.info._Z5firstPjcd", 0x19) + 2, b"\x11"
    ),
    "parameter-bank-size": lambda file: file.section(".nv.info._Z5firstPjcd").patch(
        file.record(".nv.info._Z5firstPjcd", 0x0A) + 10, b"\x00\x10"
    ),
    "callgraph-headings": lambda file: file.section(".nv.callgraph").patch(4, b"\xfe"),
    "cuinfo-count": note_types(".note.nv.cuinfo", 1000, 1001),
    "tkinfo-missing": note_types(".note.nv.tkinfo", 2000, 2001),
}

RAW_RULES = {
    "layout-order": (LINKED, exchanged_places),
    "layout-hole": (LINKED, cut_section),
    "layout-end": (LINKED, unused_room_at_end),
    "padding": (LINKED, cut_section),
    "segment-extent": (LINKED, larger_segment),
    "segments-in-object": (OBJECT, program_header),
    "view-missing": (MERCURY, wrong_native_code),
}


def violations(path: Path) -> list[dict[str, Any]]:
    (result,) = json.loads(cubintool("verify", "--json", path, status=1))
    found: list[dict[str, Any]] = result["violations"]
    return found


def broken(slug: str, folder: Path) -> Path:
    path = folder / "broken.cubin"
    if slug in RULES:
        file = CubinFile(LINKED)
        RULES[slug](file)
        return file.write(path)
    original, change = RAW_RULES[slug]
    data = bytearray(original.read_bytes())
    change(data, CubinFile(original))
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("slug", [*RULES, *RAW_RULES])
def test_broken_rule_is_named(slug: str, tmp_path: Path) -> None:
    found = violations(broken(slug, tmp_path))
    assert slug in {violation["rule"] for violation in found}
    assert len(found) < 20


def test_every_rule_is_tested() -> None:
    table = (REPOSITORY / "src" / "tool" / "verify" / "verify_rules.def").read_text()
    slugs = re.findall(r'^VERIFY_RULE\(\w+, "([\w-]+)"', table, re.MULTILINE)
    assert set(slugs) <= {*RULES, *RAW_RULES}
    others = (REPOSITORY / "src" / "format" / "elf_rules.def").read_text()
    assert all(slug in slugs or f'"{slug}"' in others for slug in [*RULES, *RAW_RULES])


# --------------------------------------------------------------------------------------------------
# Reports


def test_line_names_file_rule_section_entry_and_value(tmp_path: Path) -> None:
    path = broken("relocation-type", tmp_path)
    assert cubintool("verify", path, status=1) == (
        f"{path}: relocation-type: section 25 (.rel.text.helper): "
        "unknown relocation type (entry 0, value 0x200)\n"
    )


def test_json_has_the_same(tmp_path: Path) -> None:
    assert violations(broken("relocation-type", tmp_path)) == [
        {
            "rule": "relocation-type",
            "section": 25,
            "section_name": ".rel.text.helper",
            "entry": 0,
            "value": 0x200,
            "text": "unknown relocation type",
        }
    ]


def test_all_violations_of_the_readers_rules_are_reported(tmp_path: Path) -> None:
    file = CubinFile(LINKED)
    file.section(".rel.text.helper").patch(12, struct.pack("<I", 9999))
    file.section(".rela.text.helper").patch(12, struct.pack("<I", 7777))
    found = violations(file.write(tmp_path / "broken.cubin"))
    assert [(v["rule"], v["section_name"], v["value"]) for v in found] == [
        ("relocation-symbol", ".rel.text.helper", 9999),
        ("relocation-symbol", ".rela.text.helper", 7777),
    ]


def test_several_files(tmp_path: Path) -> None:
    path = broken("section-address", tmp_path)
    assert cubintool("verify", LINKED, path, status=1).startswith(f"{path}: section-address: ")
    done = run("verify", path, tmp_path / "none", LINKED)
    assert done.returncode == 2
    assert "section-address" in done.stdout and "No such file" in done.stderr
