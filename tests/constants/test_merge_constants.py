"""With --merge-constants equal compiler-made constants share an offset. Equal user constants never
do."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from constant_link import (
    ADDRESS,
    BANK,
    LITERALS,
    MERGE,
    REMOVE,
    add_constants,
    base,
    link,
    write,
    write_all,
)
from constant_operands import check_constants, parse_graph
from cubin import Cubin, read_cubin
from golden_folder import GoldenFolder, golden_folders
from quirk_link import BUILD

OWN, FIRST, SHORT, LONG = "own_constants", "both", "short_one", "long_one"
DATA = Path(__file__).resolve().parent / "data"
CHOICES = ((MERGE,), (REMOVE,), (MERGE, REMOVE))
# Golden links that cannot be compared: in their outputs, some symbols of literals are defined in a
# bank that does not contain these literals. The symbols belong to a copy that is not used, or to a
# function that has the name of a system function.
LEFT_OUT = {"preserved-names-of-lost-copies", "function-of-a-driver-name-own-constants"}
FOLDERS = [
    f
    for f in golden_folders()
    if f.expected_status == 0 and "-r" not in f.arguments and f.path.name not in LEFT_OUT
]


def literal_bank(function: str) -> str:
    return f".nv.constant2.{function}"


def objects(*equal: tuple[str, int]) -> list[Cubin]:
    """Two objects in which all literals differ, except for those in `equal`, which have the same
    bytes. An element of `equal` is a function and the number of one of its literals."""
    cubins = [read_cubin(LITERALS / name) for name in ("a.cubin", "b.cubin")]
    for cubin in cubins:
        for function, number in equal:
            if cubin.has_section(literal_bank(function)):
                data = cubin.section(literal_bank(function)).data
                data[8 * number : 8 * number + 8] = b"the same"
    return cubins


def wrong_operands(
    folder: Path, arguments: Sequence[str | Path], inputs: list[Path], *options: str
) -> list[str]:
    """Links with and without the options. Returns the operands whose value depends on the options.
    `arguments` is the command line of the link, and `inputs` lists the objects in it."""
    for output, words in (("plain", ()), ("changed", options)):
        command: list[str | Path] = [
            BUILD / "warpld",
            *arguments,
            *words,
            "-o",
            folder / f"{output}.cubin",
        ]
        done = subprocess.run(
            [*command, "--dump-callgraph-no-demangle"],
            cwd=inputs[0].parent,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    plain, changed = folder / "plain.cubin", folder / "changed.cubin"
    return check_constants(plain, changed, inputs, parse_graph(done.stderr), REMOVE in options)


@pytest.mark.parametrize("options", CHOICES, ids=" ".join)
@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_code_reads_what_it_did(
    folder: GoldenFolder, options: tuple[str, ...], tmp_path: Path
) -> None:
    drop = ("-dump-callgraph", "--dump-callgraph", "-dump-callgraph-no-demangle")
    arguments = [word for word in folder.arguments if word not in drop]
    inputs = [folder.path / word for word in arguments if word.endswith(".cubin")]
    assert wrong_operands(tmp_path, arguments, inputs, *options) == []


def test_check_notices_a_wrong_offset(tmp_path: Path) -> None:
    inputs = write_all(tmp_path, objects((OWN, 0), (LONG, 1)))
    assert wrong_operands(tmp_path, ("-arch=sm_80", *inputs), inputs, MERGE) == []
    changed = read_cubin(tmp_path / "changed.cubin")
    changed.section(literal_bank(FIRST)).data.reverse()
    (tmp_path / "changed.cubin").write_bytes(changed.write())
    graph = parse_graph("1: short_one [24] ->\n2: long_one [24] ->\n3: ^both [24] -> 1 2\n")
    plain = tmp_path / "plain.cubin"
    found = check_constants(plain, tmp_path / "changed.cubin", inputs, graph, removes=False)
    assert any("is not where both reads it" in text for text in found), found


def test_equal_literals_of_a_kernel_become_one(tmp_path: Path) -> None:
    """Two literals of the kernel `own_constants` equal a literal of `long_one`, which this kernel
    and another one call."""
    inputs = write_all(tmp_path, objects((OWN, 0), (OWN, 2), (LONG, 1)))
    merged = link(tmp_path, MERGE, *inputs)
    # Without merging, the bank holds the 5 literals of long_one and then the 3 of the kernel. Three
    # of these are equal, so the bank has two literals fewer.
    assert len(merged.bank(literal_bank(OWN))) == 8 * (3 + 5 - 2)
    assert merged.bank(literal_bank(OWN)).count(b"the same") == 1
    assert merged.bank(literal_bank(FIRST)).count(b"the same") == 1
    assert wrong_operands(tmp_path, ("-arch=sm_80", *inputs), inputs, MERGE) == []


def test_equal_literals_of_different_kernels_are_kept(tmp_path: Path) -> None:
    """Each kernel has its own bank, so merging would save nothing. The merged literal would also
    need an offset that is free in both banks."""
    inputs = write_all(tmp_path, objects((OWN, 0), (SHORT, 1)))
    merged = link(tmp_path, MERGE, *inputs)
    assert merged.bank(literal_bank(OWN)).count(b"the same") == 1
    assert len(merged.bank(literal_bank(OWN))) == 8 * (3 + 5)


def test_merging_is_asked_for(tmp_path: Path) -> None:
    inputs = write_all(tmp_path, objects((OWN, 0), (OWN, 2)))
    plain = link(tmp_path, *inputs)
    assert plain.bank(literal_bank(OWN)).count(b"the same") == 2


@pytest.mark.parametrize("explicit", [True, False])
def test_what_a_relocation_fills_is_not_compared(tmp_path: Path, explicit: bool) -> None:
    """Three literals have the same bytes in the input, but one of them has a relocation. Only the
    other two are merged. The relocation moves with its literal."""
    cubins = objects((OWN, 0), (OWN, 1), (OWN, 2))
    place = cubins[0].section_index(literal_bank(OWN))
    cubins[0].add_relocation(place, 8, ADDRESS, cubins[0].symbol_index("value"), 0, explicit)
    inputs = write_all(tmp_path, cubins)
    merged = link(tmp_path, MERGE, *inputs)
    bank = merged.bank(literal_bank(OWN))
    assert len(bank) == 8 * (3 + 5 - 1)
    assert bank.count(b"the same") == 2
    (entry,) = merged.relocations(literal_bank(OWN))
    assert bank[entry.offset : entry.offset + 8] == b"the same"
    code = merged.cubin.section(".text." + OWN).data
    (field,) = struct.unpack_from("<Q", code, 0x80)  # the operand that reads the second literal
    assert (field >> 40 & 0x3FFF) * 4 == entry.offset


def test_block_that_relocations_name_is_kept_whole(tmp_path: Path) -> None:
    cubins = objects((OWN, 0), (OWN, 2))
    block = cubins[0].section_index(literal_bank(OWN))
    symbol = cubins[0].section_symbol(block)
    assert symbol is not None
    table = cubins[0].section_index(".debug_frame")
    cubins[0].add_relocation(table, 0, ADDRESS, symbol, 0, explicit=True)
    merged = link(tmp_path, MERGE, *write_all(tmp_path, cubins))
    assert merged.bank(literal_bank(OWN)).count(b"the same") == 2


def test_named_constants_are_not_merged(tmp_path: Path) -> None:
    """The host may write a user constant. Other constants that had the same value must keep it."""
    inputs = []
    for number, names in enumerate((("written", "_own"), ("kept", "_other"))):
        cubin = base()
        if number:
            cubin = read_cubin(LITERALS / "a.cubin")
        add_constants(cubin, {name: (8 * i, b"12345678") for i, name in enumerate(names)})
        inputs.append(write(tmp_path, f"{number}.cubin", cubin))
    merged = link(tmp_path, MERGE, *inputs, LITERALS / "b.cubin")
    places = sorted(merged.value(name) for name in ("written", "_own", "kept", "_other"))
    assert all(b - a >= 8 for a, b in zip(places, places[1:], strict=False))
    bank = bytearray(merged.bank(BANK))
    place = merged.value("written")
    bank[place : place + 8] = b"changed!"  # as cudaMemcpyToSymbol does
    for name in names[1:]:
        assert bank[merged.value(name) : merged.value(name) + 8] == b"12345678", name


def test_relocatable_output_leaves_it_to_the_final_link(tmp_path: Path) -> None:
    for option in (MERGE, REMOVE):
        refused = link(tmp_path, "-r", option, *write_all(tmp_path, objects()))
        assert refused.status == 1
        assert f"Conflicting options '{option[1:]}' and '-relocatable-link'" in refused.messages


def test_a_bank_never_grows(tmp_path: Path) -> None:
    """No literals are merged if a kernel's bank would grow. Here kernels 1 and 2 share a literal,
    and kernels 2 and 3 share an equal one. If these two were merged, the literal that kernels 1 and
    4 share would have to follow, at offset 8 of their banks. The bank of kernel 4 would grow."""
    inputs = [DATA / "first.sm_80.cubin", DATA / "chain.sm_80.cubin"]
    plain = link(tmp_path, *inputs).literal_banks()
    assert [len(plain[f"kernel_{number}"]) for number in (1, 2, 3, 4)] == [16, 16, 8, 8]
    assert link(tmp_path, MERGE, *inputs).literal_banks() == plain
