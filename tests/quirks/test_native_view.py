"""From sm_100 on nvlink makes the native view anew, and damages it."""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path

from cubin import Cubin, read_cubin
from debug_records import code_unit, frame_rules, read_frames, read_lines
from elftools.elf.elffile import ELFFile
from quirk_link import DATA, REPOSITORY, link, relocations

DESCRIBED = REPOSITORY / "tests" / "explained" / "data"
INSTRUCTION = 16


def linked(folder: Path, *inputs: Path, options: tuple[str, ...] = ()) -> Cubin:
    result = link(folder, "sm_100", *inputs, options=options)
    assert result.status == 0, result.messages
    return read_cubin(result.output)


def test_jump_tables_lead_somewhere_with_a_replaced_copy(tmp_path: Path) -> None:
    """nvlink writes 0, and entries of both copies for one place."""
    inputs = [DATA / "long_table.sm_100.cubin", DATA / "short_table.sm_100.cubin"]
    output = linked(tmp_path, *inputs)
    end = len(output.section(".text.pick").data)
    table = bytes(output.section(".nv.constant2.kernel").data)
    places = [word for (word,) in struct.iter_unpack("<I", table)]
    assert len(set(places)) == 8
    assert all(0 < place < end and place % INSTRUCTION == 0 for place in places)
    entries = output.section(".nv.merc.rela.nv.constant.optimizer.kernel").relocations()
    assert set(Counter(entry.offset for entry in entries).values()) == {1}


def test_a_kernel_that_the_host_does_not_name_has_its_slots(tmp_path: Path) -> None:
    """It stays because a variable has its address; nvlink's bank ends behind the parameters."""
    inputs = [DATA / "kernel_address.sm_100.cubin", DATA / "texture_kernel.sm_100.cubin"]
    output = linked(tmp_path, *inputs, options=("-kernels-used=kernel",))
    slots = relocations(tmp_path / "output.cubin", ".nv.constant0.other")
    assert list(slots.values()) == ["image"]
    assert max(slots) + 4 <= len(output.section(".nv.constant0.other").data)


def test_reserved_shared_memory_has_no_stale_bytes(tmp_path: Path) -> None:
    """nvlink leaves a section header in it."""
    result = link(tmp_path, "sm_110", DATA / "reserved_memory.sm_110.cubin")
    assert (result.status, result.messages) == (0, "")
    with result.output.open("rb") as stream:
        elf = ELFFile(stream)
        header = elf.get_section_by_name(".nv.merc.nv.shared.reserved.0").header
        stream.seek(header["sh_offset"])
        assert stream.read(header["sh_size"]) == bytes(0x80)


def test_debug_information_is_about_native_code(tmp_path: Path) -> None:
    """Of a function with another name first, and of one with a replaced copy."""
    inputs = [DESCRIBED / "first.sm_100.cubin", DESCRIBED / "second.sm_100.cubin"]
    output = linked(tmp_path, *inputs)
    frames = read_frames(output, ".debug_frame")
    names = [output.symbols[frame.symbol].name for frame in frames]
    assert Counter(names)["pick"] == Counter(names)["named"] == 1
    for name, frame in zip(names, frames, strict=True):
        assert frame.size == len(output.section(f".text.{name}").data)
        assert frame_rules(frame.rules, code_unit(frame.common))[-1][0] < frame.size
    (unit, *_) = [u for u in read_lines(output, ".nv_debug_line_sass") if u.sequences]
    assert "pick" not in {output.symbols[s.symbol].name for s in unit.sequences}
