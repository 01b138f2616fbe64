"""For some relocations, nvlink 13.0.88 overwrites or forgets data without a message."""

from __future__ import annotations

import struct
from pathlib import Path

from cubin import read_cubin
from elftools.elf.elffile import ELFFile
from quirk_link import REPOSITORY, link

GOLDEN = REPOSITORY / "tests" / "golden"
DATA = ".nv.global.init"
G64, CONST_FIELD19_28, ABS32_HI_32 = 4, 24, 57


def section_content(path: Path, name: str) -> bytes:
    with path.open("rb") as stream:
        return bytes(ELFFile(stream).get_section_by_name(name).data())


def test_field_that_runs_over_the_end_of_its_section_is_refused(tmp_path: Path) -> None:
    """nvlink writes the whole field, and so changes bytes that follow the section in the file of
    the object."""
    folder = GOLDEN / "relocations-of-one-place"
    content = bytearray((folder / "a.cubin").read_bytes())
    with (folder / "a.cubin").open("rb") as stream:
        elf = ELFFile(stream)
        entries = elf.get_section_by_name(".rela" + DATA)
        place = entries["sh_offset"]
        size = elf.get_section_by_name(DATA)["sh_size"]
        index = next(i for i, e in enumerate(entries.iter_relocations()) if e["r_info_type"] == 2)
    struct.pack_into("<Q", content, place + index * entries["sh_entsize"], size - 3)
    bad = tmp_path / "a.cubin"
    bad.write_bytes(content)
    result = link(tmp_path, "sm_80", bad, folder / "b.cubin")
    assert result.status == 1
    assert f"section .rela{DATA}: relocation field reaches past the end" in result.messages


def test_addend_in_the_field_is_kept_after_other_parts(tmp_path: Path) -> None:
    """A relocation refers to the object's section of constants, which begins at offset 0x10 in the
    output. So 0x10 must be added to the addend in the relocation field, which is 0x20. nvlink
    forgets that addend."""
    folder = GOLDEN / "relocations-of-sections"
    content = bytearray((folder / "a.cubin").read_bytes())
    with (folder / "a.cubin").open("rb") as stream:
        elf = ELFFile(stream)
        symbols = [symbol.name for symbol in elf.get_section_by_name(".symtab").iter_symbols()]
        offset = next(
            entry["r_offset"]
            for entry in elf.get_section_by_name(".rel" + DATA).iter_relocations()
            if symbols[entry["r_info_sym"]] == ".nv.constant3"
            and entry["r_info_type"] == CONST_FIELD19_28
        )
        place = elf.get_section_by_name(DATA)["sh_offset"] + offset
    struct.pack_into("<Q", content, place, (0x20 >> 2) << 28)
    changed = tmp_path / "a.cubin"
    changed.write_bytes(content)
    result = link(tmp_path, "sm_80", folder / "b.cubin", changed)
    assert result.status == 0, result.messages
    made = section_content(result.output, DATA)
    (field,) = struct.unpack_from("<Q", made, 0x10 + offset)
    assert (field >> 28 & 0x3FFF) << 2 == 0x10 + 0x20


def test_addend_of_an_upper_half_stays_one(tmp_path: Path) -> None:
    """With --force-rela a REL entry becomes RELA, and its addend is read from the relocation field.
    Here the field is the upper half of an address. nvlink reads it as if it were a lower half."""
    folder = GOLDEN / "addends-forced-for-the-driver"
    cubin = read_cubin(folder / "a.cubin")
    code = cubin.section_index(".text.first")
    field = struct.pack("<QQ", 5 << 32, 0)
    cubin.sections[code].data[:16] = field
    cubin.section(".rel.text.first").data.clear()
    cubin.add_relocation(code, 0, ABS32_HI_32, cubin.symbol_index("near"), 0, False)
    (tmp_path / "a.cubin").write_bytes(cubin.write())
    inputs = [tmp_path / "a.cubin", folder / "b.cubin"]
    result = link(tmp_path, "sm_80", *inputs, options=("--force-rela",))
    assert result.status == 0, result.messages
    (entry,) = read_cubin(result.output).section(".rela.text.first").relocations()
    assert (entry.type, entry.addend) == (ABS32_HI_32, 5 << 32)


def test_addend_in_the_field_grows_whatever_the_size_of_the_output(tmp_path: Path) -> None:
    """In a kernel's bank, the constants of a called function follow other constants. If the driver
    resolves a relocation against them, the addend in the relocation field grows by their offset in
    the bank. nvlink refuses such a relocation. Large outputs are tested, too, because warpld writes
    their code and the kept entries separately."""
    folder = GOLDEN / "static-kernels-share-compiler-constants"
    inputs = [tmp_path / name for name in ("a.cubin", "b.cubin", "c.cubin")]
    shifts = []
    for size in (0, 1 << 20):
        for path in inputs:
            cubin = read_cubin(folder / path.name)
            for name in {".text.adds", ".text.scales"} & {s.name for s in cubin.sections}:
                code = cubin.section(name)
                code.data.extend(bytes(size))
                cubin.symbols[code.info & 0xFFFFFF].size += size
                (bank,) = (s.name for s in cubin.sections if s.name.startswith(".nv.constant2."))
                code.data[:16] = bytes(16)
                cubin.section(".rel" + name).data.clear()
                index = cubin.section_index(name)
                cubin.add_relocation(index, 0, G64, cubin.symbol_index(bank), 0, False)
            path.write_bytes(cubin.write())
        result = link(tmp_path, "sm_80", *inputs)
        assert result.status == 0, result.messages
        made = [section_content(result.output, name) for name in (".text.adds", ".text.scales")]
        shifts.append([struct.unpack_from("<Q", code)[0] for code in made])
    assert shifts == [[16, 8], [16, 8]]


def test_address_of_a_function_constants_is_that_in_the_kernel(tmp_path: Path) -> None:
    """The link itself resolves relocations against the constants of a called function, which follow
    other constants in the kernel's bank. nvlink writes offsets as if the function's constants were
    at the beginning of that bank."""
    folder = GOLDEN / "static-kernels-share-compiler-constants"
    inputs = [tmp_path / name for name in ("a.cubin", "b.cubin", "c.cubin")]
    for path in inputs:
        cubin = read_cubin(folder / path.name)
        for name in {".text.adds", ".text.scales"} & {s.name for s in cubin.sections}:
            (bank,) = (s.name for s in cubin.sections if s.name.startswith(".nv.constant2."))
            cubin.section(".rel" + name).data.clear()
            code, symbol = cubin.section_index(name), cubin.symbol_index(bank)
            cubin.add_relocation(code, 0, CONST_FIELD19_28, symbol, 4, True)
        path.write_bytes(cubin.write())
    result = link(tmp_path, "sm_80", *inputs)
    assert result.status == 0, result.messages
    made = [section_content(result.output, name) for name in (".text.adds", ".text.scales")]
    fields = [struct.unpack_from("<Q", code)[0] >> 28 & 0x3FFF for code in made]
    assert [field << 2 for field in fields] == [16 + 4, 8 + 4]
