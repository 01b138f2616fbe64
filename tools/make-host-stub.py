#!/usr/bin/env python3
"""Writes src/hostobject/stub_code.c: the code of register_linked.c, compiled for each host.

usage: make-host-stub.py [--print]

It needs gcc for x86-64 and for AArch64. The file is kept in the repository, so that warpld can be
built without these compilers. --print prints the text instead, for the test that compares it with
the file.
"""

import argparse
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / "src" / "hostobject"
SOURCE = FOLDER / "stub" / "register_linked.c"
COMPILERS = {"x86_64": "x86_64-linux-gnu-gcc", "aarch64": "aarch64-linux-gnu-gcc"}
# For each host: the name of e_machine in format/elf.h, and the types of two relocations, a relative
# one (R_X86_64_PC32, R_AARCH64_PREL32) and an absolute one (R_X86_64_64, R_AARCH64_ABS64).
NUMBERS = {"x86_64": ("EM_X86_64", 2, 1), "aarch64": ("EM_AARCH64", 261, 257)}
FLAGS = (
    *("-std=c17", "-O2", "-fPIC", "-fomit-frame-pointer", "-ffunction-sections", "-fno-lto"),
    *("-fno-stack-protector", "-fno-optimize-sibling-calls", "-fasynchronous-unwind-tables"),
    *("-Wall", "-Wextra", "-Werror", "-c"),
)
HOST_FLAGS = {
    "x86_64": ("-fcf-protection=none", "-march=x86-64", "-mtune=generic"),
    "aarch64": ("-mbranch-protection=none", "-march=armv8-a", "-mno-outline-atomics"),
}
FUNCTIONS = ("unregister_linked", "register_data", "register_module")


def compiled(host: str) -> bytes:
    compiler = COMPILERS[host]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "stub.o"
        command = [compiler, *FLAGS, *HOST_FLAGS[host], "-o", str(target), str(SOURCE)]
        subprocess.run(command, check=True)
        return target.read_bytes()


def array(kind: str, name: str, values: list[str]) -> str:
    return f"static const {kind} {name}[] = {{{', '.join(values)}}};\n"


def hexadecimal(data: bytes) -> list[str]:
    return [f"0x{byte:02x}" for byte in data]


def records_of_unwinding(data: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """Divides .eh_frame into records. Returns the CIE, which all functions share, and for each FDE
    its offset and its instructions with their padding."""
    shared = b""
    others = []
    offset = 0
    while offset < len(data):
        size = int.from_bytes(data[offset : offset + 4], "little")
        record = data[offset : offset + 4 + size]
        if int.from_bytes(record[4:8], "little") == 0:
            assert not shared and record[8:12] == b"\x01zR\0"
            shared = record
        else:
            assert record[16] == 0, "there is augmentation data"
            others.append((offset, record[17:]))
        offset += 4 + size
    # Addresses have 4 bytes and are relative to their own location (pcrel | sdata4).
    assert shared[shared.index(b"zR\0") + 3 :].count(0x1B) >= 1
    return shared, others


def unwinding_of(elf: Any) -> tuple[bytes, dict[str, bytes]]:
    section = elf.get_section_by_name(".eh_frame")
    shared, others = records_of_unwinding(section.data())
    symbols = elf.get_section_by_name(".symtab")
    found = {}
    for relocation in elf.get_section_by_name(".rela.eh_frame").iter_relocations():
        symbol = symbols.get_symbol(relocation["r_info_sym"])
        place = elf.get_section(symbol["st_shndx"]).name.removeprefix(".text.")
        for offset, instructions in others:
            if offset + 8 == relocation["r_offset"]:
                found[place] = instructions
    return shared, found


def host_table(host: str) -> str:
    elf = ELFFile(BytesIO(compiled(host)))
    symbols = elf.get_section_by_name(".symtab")
    shared, instructions = unwinding_of(elf)
    text = array("uint8_t", f"{host}_unwinding", hexadecimal(shared))
    rows = []
    for name in FUNCTIONS:
        code = elf.get_section_by_name(f".text.{name}").data()
        text += array("uint8_t", f"{host}_{name}", hexadecimal(code))
        text += array("uint8_t", f"{host}_{name}_frame", hexadecimal(instructions[name]))
        entries = []
        for relocation in elf.get_section_by_name(f".rela.text.{name}").iter_relocations():
            symbol = symbols.get_symbol(relocation["r_info_sym"])
            assert symbol.name, "a relocation has no named symbol"
            fields = (relocation["r_offset"], relocation["r_info_type"], relocation["r_addend"])
            entries.append(f"{{{', '.join(map(str, fields))}, STUB_{symbol.name.upper()}}}")
        text += array("struct stub_relocation", f"{host}_{name}_relocations", entries)
        rows.append(f"STUB_FUNCTION({host}, {name})")
    machine, relative, absolute = NUMBERS[host]
    text += f"static const struct stub_host {host}_stub = {{.machine = {machine},"
    text += f".relative_relocation = {relative}, .absolute_relocation = {absolute},"
    text += f".unwinding = STUB_BYTES({host}_unwinding), .functions = {{{','.join(rows)}}}}};\n\n"
    return text


def table() -> str:
    version = subprocess.run(
        [COMPILERS["x86_64"], "-dumpfullversion"], check=True, capture_output=True, text=True
    ).stdout.strip()
    text = "/* The compiled code of host objects; see stub_code.h. Written by\n"
    text += " * tools/make-host-stub.py "
    text += f"from stub/register_linked.c, with gcc {version}. */\n"
    text += '#include "hostobject/stub_code.h"\n\n#include <stddef.h>\n\n'
    text += '#include "format/elf.h"\n\n'
    text += "#define STUB_BYTES(name) {(name), sizeof(name)}\n"
    text += "#define STUB_FUNCTION(host, name) {STUB_BYTES(host##_##name), "
    text += "STUB_BYTES(host##_##name##_frame), host##_##name##_relocations, "
    text += "sizeof host##_##name##_relocations / sizeof *host##_##name##_relocations}\n\n"
    text += "".join(host_table(host) for host in COMPILERS)
    text += "const struct stub_host *stub_host_of(unsigned machine)\n{\n"
    for host in COMPILERS:
        text += f"if (machine == {host}_stub.machine) return &{host}_stub;\n"
    text += "return NULL;\n}\n"
    formatted = subprocess.run(
        ["clang-format", f"--assume-filename={FOLDER / 'stub_code.c'}"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return formatted.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--print", action="store_true", help="print the table")
    arguments = parser.parse_args()
    if arguments.print:
        print(table(), end="")
    else:
        (FOLDER / "stub_code.c").write_text(table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
