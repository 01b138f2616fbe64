"""The map of --map accounts for each byte of the output, in every golden link."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from golden_folder import GoldenFolder, golden_folders
from maps import EXAMPLE, Map, read_map, run

LINKED = [folder for folder in golden_folders() if folder.expected_cubin.exists()]


def map_of(folder: Path, words: list[str], scratch: Path) -> tuple[Map, bytes]:
    output, path = scratch / "output.cubin", scratch / "output.map"
    done = run(*words, "-o", output, "--map", path, folder=folder)
    assert done.returncode == 0, done.stderr
    return read_map(path.read_text(errors="replace")), output.read_bytes()


def check_file(found: Map, size: int) -> None:
    """Headers, sections, padding and tables follow each other without a gap."""
    end = 0
    for whole, _ in found.parts():
        if whole.offset is None or not whole.size:
            continue
        if whole.offset < end:  # it shares the bytes of its counterpart in the other view
            assert whole.offset + whole.size <= end, whole
            continue
        assert whole.offset == end, whole
        end += whole.size
    assert end == size


def check_parts(found: Map) -> None:
    """The parts of a section follow each other without a gap, except that parts of shared memory
    may overlap."""
    for whole, parts in found.parts():
        end = 0
        for part in parts:
            address = part.address
            if address is None:
                assert part.offset is not None and whole.offset is not None
                address = part.offset - whole.offset
            assert address == end or (whole.space == "shared" and address < end), part
            end = max(end, address + part.size)
            if whole.offset is not None and part.offset is not None:
                assert part.offset == whole.offset + address
        assert not parts or end == whole.size or whole.space == "shared", whole


@pytest.mark.parametrize("folder", LINKED, ids=str)
def test_every_byte_is_accounted_for(folder: GoldenFolder, tmp_path: Path) -> None:
    found, output = map_of(folder.path, folder.arguments, tmp_path)
    check_file(found, len(output))
    check_parts(found)
    with (tmp_path / "output.cubin").open("rb") as stream:
        elf = ELFFile(stream)
        sections = [section for section in elf.iter_sections() if section.name]
        named = [whole for whole, _ in found.parts() if not whole.text.startswith("<")]
        assert [whole.text.split()[0] for whole in named] == [s.name for s in sections]
        assert [whole.size for whole in named] == [s["sh_size"] for s in sections]


def test_example(tmp_path: Path) -> None:
    found, _ = map_of(EXAMPLE, ["-arch=sm_90", "kernel.cubin", "scale.cubin"], tmp_path)
    texts = {" ".join(line.text.split()) for line in found.lines}
    assert ".text.scale scale.cubin scale" in texts
    assert "<reserved by the system>" not in texts
    variable = next(line for line in found.lines if line.text.split()[-1:] == ["total"])
    assert (variable.space, variable.size) == ("global", 4)
    assert found.totals["code"] == 0x100 + 0x400 + 0x280
    assert found.kernels[0].split()[:4] == ["24", "16", "1152", "536"]


def test_same_bytes_with_and_without(tmp_path: Path) -> None:
    words = ["-arch=sm_90", "kernel.cubin", "scale.cubin"]
    _, output = map_of(EXAMPLE, words, tmp_path)
    assert run(*words, "-o", tmp_path / "plain.cubin").returncode == 0
    assert (tmp_path / "plain.cubin").read_bytes() == output


def test_threads_change_nothing(tmp_path: Path) -> None:
    words = ["-arch=sm_90", "kernel.cubin", "scale.cubin", "-o", tmp_path / "output.cubin"]
    one, two = (run(*words, f"--threads={n}", "--map", "-").stdout for n in (1, 2))
    assert one == two
    assert one.startswith("# Map of ")


@pytest.mark.parametrize(
    "words", [["--map=-"], ["--cref"], ["--why=scale"], ["--report=r.json", "--report=-"]]
)
def test_text_is_not_mixed_with_the_output(words: list[str], tmp_path: Path) -> None:
    done = run("-arch=sm_90", "kernel.cubin", "scale.cubin", "-o", "-", *words)
    assert done.returncode == 1 and not done.stdout
    assert "cannot both be written to standard output" in done.stderr


@pytest.mark.parametrize("word", ["--map=m", "--report=r", "--why=x", "--limit=*:local=0"])
def test_virtual_target_has_no_output_to_describe(word: str, tmp_path: Path) -> None:
    words = ["-arch=compute_90", "kernel.cubin", "scale.cubin", "-o", tmp_path / "output.cubin"]
    done = run(*words, word)
    assert done.returncode == 1
    assert "need a real target" in done.stderr


def test_unwritable_map_is_an_error(tmp_path: Path) -> None:
    words = ["-arch=sm_90", "kernel.cubin", "scale.cubin", "-o", tmp_path / "output.cubin"]
    done = run(*words, "--map", tmp_path / "missing" / "map")
    assert done.returncode == 1
    assert "Could not open output file" in done.stderr
