"""From sm_100 on nvlink regenerates the native view, and damages it."""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path

import pytest
from cubin import SHT_NOBITS, SHT_PROGBITS, Cubin, read_cubin
from debug_records import code_unit, frame_rules, read_frames, read_lines
from elftools.elf.elffile import ELFFile
from quirk_link import DATA, REPOSITORY, link, relocations

DESCRIBED = REPOSITORY / "tests" / "explained" / "data"
POSITION_INDEPENDENT = REPOSITORY / "tests" / "golden" / "mercury-position-independent-code-sm100"
INSTRUCTION = 16


def linked(folder: Path, *inputs: Path, options: tuple[str, ...] = ()) -> Cubin:
    result = link(folder, "sm_100", *inputs, options=options)
    assert result.status == 0, result.messages
    return read_cubin(result.output)


def test_jump_tables_are_valid_with_a_superseded_copy(tmp_path: Path) -> None:
    """nvlink writes 0 into the jump tables. For one field of a table, its output has the relocation
    entries of both copies."""
    inputs = [DATA / "long_table.sm_100.cubin", DATA / "short_table.sm_100.cubin"]
    output = linked(tmp_path, *inputs)
    end = len(output.section(".text.pick").data)
    table = bytes(output.section(".nv.constant2.kernel").data)
    offsets = [word for (word,) in struct.iter_unpack("<I", table)]
    assert len(set(offsets)) == 8
    assert all(0 < offset < end and offset % INSTRUCTION == 0 for offset in offsets)
    entries = output.section(".nv.merc.rela.nv.constant.optimizer.kernel").relocations()
    assert set(Counter(entry.offset for entry in entries).values()) == {1}


def test_a_superseded_kernel_with_shared_memory_is_linked(tmp_path: Path) -> None:
    """nvlink fails with "Internal error: unexpected reloc" if options name kernels. warpld links
    the program in any case."""
    names = ("shared_kernel", "shared_kernel_better")
    inputs = [DATA / f"{name}.sm_100.cubin" for name in names]
    outputs = [
        [(s.name, bytes(s.data)) for s in linked(tmp_path, *inputs, options=options).sections]
        for options in ((), ("-kernels-used=kernel",))
    ]
    differing = {a[0] for a, b in zip(*outputs, strict=True) if a != b}
    assert differing == {".note.nv.tkinfo"}  # it records the command line


def test_a_kernel_that_the_host_does_not_name_has_its_slots(tmp_path: Path) -> None:
    """The kernel is kept because a variable holds its address. In nvlink's output its bank 0 ends
    after the parameters, without texture slots."""
    inputs = [DATA / "kernel_address.sm_100.cubin", DATA / "texture_kernel.sm_100.cubin"]
    output = linked(tmp_path, *inputs, options=("-kernels-used=kernel",))
    slots = relocations(tmp_path / "output.cubin", ".nv.constant0.other")
    assert list(slots.values()) == ["image"]
    assert max(slots) + 4 <= len(output.section(".nv.constant0.other").data)


REGISTERS = ".nv_debug_info_reg_sass"


def addresses(output: Cubin) -> list[tuple[str, set[int]]]:
    """The addresses in the register records of each function, in the order of the section."""
    data, at = bytes(output.section(REGISTERS).data), 0
    found = []
    while at < len(data):
        end = data.index(0, at)
        name, known = data[at:end].decode(), set()
        count, at = struct.unpack_from("<I", data, end + 1)[0], end + 5
        for _ in range(count):
            at = data.index(0, at + 4) + 13
            known |= set(struct.unpack_from("<II", data, at - 8))
        found.append((name, known))
    return found


GOLDEN = REPOSITORY / "tests" / "golden" / "mercury-registers-of-removed-code-sm100"
DEBUGGED = [GOLDEN / "a.cubin", GOLDEN / "b.cubin"]


def test_registers_of_the_used_copy_have_addresses(tmp_path: Path) -> None:
    """The second copy supersedes the first, because it uses fewer registers. nvlink then clears the
    register records of the second copy."""
    first = read_cubin(DEBUGGED[0])
    count = struct.pack("<BBHI", 4, 0x2F, 8, first.symbol_index("shared"))
    for view in (".nv.info", ".nv.merc.nv.info"):
        records = first.section(view).data
        records[bytes(records).index(count) + len(count)] = 200
    changed = tmp_path / "first.cubin"
    changed.write_bytes(first.write())
    found = addresses(linked(tmp_path, changed, DEBUGGED[1]))
    replaced, used = (places for name, places in found if name == "shared")
    assert replaced == {0}
    assert used != {0}
    assert dict(found)["dead"] == {0}


def test_registers_of_another_form_are_carried(tmp_path: Path) -> None:
    """If register records are cut off, or their header claims more records than there are, warpld
    copies their bytes."""
    cubin = read_cubin(DEBUGGED[1])
    content = bytes(cubin.section(REGISTERS).data)
    count = content.index(0) + 1
    many = content[:count] + b"\xff" * 4 + content[count + 4 :]
    for damaged in (content[:-3], content[:2], many, b"\0" * 4):
        cubin.section(REGISTERS).data = bytearray(damaged)
        changed = tmp_path / "damaged.cubin"
        changed.write_bytes(cubin.write())
        output = linked(tmp_path, changed)
        carried = bytes(output.section(REGISTERS).data)
        assert len(carried) == len(damaged)
        # warpld only clears the addresses of removed functions in records before the damage.
        pairs = zip(carried, damaged, strict=True)
        assert all(byte in (before, 0) for byte, before in pairs)
        assert carried[:1] == damaged[:1]


def test_debug_information_without_a_mercury_form_is_joined(tmp_path: Path) -> None:
    """An object has a second native section of register records, which has no Mercury counterpart.
    nvlink crashes. warpld appends the section to the native records, and the Mercury records are
    the same as without it."""
    cubin = read_cubin(DEBUGGED[0])
    cubin.add_section(REGISTERS, SHT_PROGBITS, 0, b"x", align=1)
    changed = tmp_path / "changed.cubin"
    changed.write_bytes(cubin.write())
    outputs = [linked(tmp_path, path, options=("-r",)) for path in (DEBUGGED[0], changed)]
    natives = [bytes(output.section(REGISTERS).data) for output in outputs]
    assert natives[1] == natives[0] + b"x"
    counterparts = [output.section(".nv.merc" + REGISTERS) for output in outputs]
    assert [counterpart.type for counterpart in counterparts] == [SHT_PROGBITS] * 2
    assert counterparts[0].data == counterparts[1].data


@pytest.mark.parametrize("kind", [SHT_PROGBITS, SHT_NOBITS])
def test_attributes_of_another_type_are_no_mercury_form(kind: int, tmp_path: Path) -> None:
    """warpld checks the contents of a section according to its type. So if .nv.merc.nv.info has
    another type, warpld does not accept it as the counterpart of the native attributes."""
    cubin = read_cubin(DEBUGGED[0])
    attributes = cubin.section(".nv.merc.nv.info")
    attributes.type, attributes.size = kind, len(attributes.data)
    changed = tmp_path / "changed.cubin"
    changed.write_bytes(cubin.write())
    result = link(tmp_path, "sm_100", changed)
    assert result.status == 1
    assert "do not correspond (.nv.merc.nv.info)" in result.messages


def test_reserved_shared_memory_has_no_stale_bytes(tmp_path: Path) -> None:
    """In nvlink's output the bytes of reserved shared memory contain parts of a section header."""
    result = link(tmp_path, "sm_110", DATA / "reserved_memory.sm_110.cubin")
    assert (result.status, result.messages) == (0, "")
    with result.output.open("rb") as stream:
        elf = ELFFile(stream)
        header = elf.get_section_by_name(".nv.merc.nv.shared.reserved.0").header
        stream.seek(header["sh_offset"])
        assert stream.read(header["sh_size"]) == bytes(0x80)


def test_debug_information_is_about_native_code(tmp_path: Path) -> None:
    """Frames and line tables describe the output's native code. Here one function has an alias that
    precedes it, and another function has a superseded copy."""
    inputs = [DESCRIBED / "first.sm_100.cubin", DESCRIBED / "second.sm_100.cubin"]
    output = linked(tmp_path, *inputs)
    frames = read_frames(output, ".debug_frame")
    names = [output.symbols[frame.symbol].name for frame in frames]
    assert Counter(names)["pick"] == Counter(names)["named"] == 1
    for name, frame in zip(names, frames, strict=True):
        assert frame.size == len(output.section(f".text.{name}").data)
        assert frame_rules(frame.rules, code_unit(frame.common))[-1][0] < frame.size
    unit, *_ = [u for u in read_lines(output, ".nv_debug_line_sass") if u.sequences]
    assert "pick" not in {output.symbols[s.symbol].name for s in unit.sequences}


def test_code_of_a_relative_that_must_be_translated_is_refused(tmp_path: Path) -> None:
    """From code for sm_100, nvlink generates different native code for sm_103, which is of the same
    family. warpld cannot do that."""
    result = link(tmp_path, "sm_103", DESCRIBED / "second.sm_100.cubin")
    assert result.status == 1
    assert "cannot be translated for 'sm_103'" in result.messages


EXTERNS, FINALIZER_OPTIONS = 15, 90


@pytest.mark.parametrize(
    "changed",
    [
        struct.pack("<BBHI", 4, EXTERNS, 4, 0),
        struct.pack("<BBHBBH", 4, EXTERNS, 0, 4, FINALIZER_OPTIONS, 0),
    ],
    ids=["another", "none"],
)
def test_attributes_that_name_other_symbols_do_not_correspond(
    changed: bytes, tmp_path: Path
) -> None:
    """The attributes of the two views name different symbols. nvlink uses those that the Mercury
    view names; warpld refuses the object."""
    cubin = read_cubin(REPOSITORY / "tests/golden/mercury-jump-tables-sm100/c1.cubin")
    section = cubin.section(".nv.merc.nv.info._Z2k1PiS_")
    place = section.data.index(struct.pack("<BBH", 4, EXTERNS, 4))
    section.data = section.data[:place] + changed + section.data[place + len(changed) :]
    path = tmp_path / "changed.cubin"
    path.write_bytes(cubin.write())
    result = link(tmp_path, "sm_100", path)
    assert result.status == 1
    assert "do not correspond (.nv.info.k1(int*, int*))" in result.messages


def refusal_of(first: Cubin, folder: Path) -> str:
    """The messages of a link that refuses the first of two position-independent objects."""
    changed = folder / "changed.cubin"
    changed.write_bytes(first.write())
    result = link(folder, "sm_100", changed, POSITION_INDEPENDENT / "second.cubin")
    assert result.status == 1
    return result.messages


@pytest.mark.parametrize("bank", ["user", "pic"])
def test_constants_of_other_sizes_do_not_correspond(bank: str, tmp_path: Path) -> None:
    """The Mercury section of the first object is 8 bytes larger than the native one. So the
    constants of later objects have larger offsets in the Mercury view than in the native one. But
    in nvlink's output, their symbols have the same offset in both views, which is wrong in one."""
    cubin = read_cubin(POSITION_INDEPENDENT / "first.cubin")
    cubin.section(f".nv.merc.nv.constant.{bank}").data += bytes(8)
    assert f"do not correspond (.nv.merc.nv.constant.{bank})" in refusal_of(cubin, tmp_path)


@pytest.mark.parametrize("section", [".nv.merc.nv.constant.user", ".nv.constant3"])
def test_constants_of_other_alignments_do_not_correspond(section: str, tmp_path: Path) -> None:
    cubin = read_cubin(POSITION_INDEPENDENT / "first.cubin")
    cubin.section(section).alignment = 64
    assert "do not correspond (.nv.merc.nv.constant.user)" in refusal_of(cubin, tmp_path)
