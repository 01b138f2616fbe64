"""Tests warpld --device-link, which links for all targets in one run, without nvcc's help."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path

import pytest
from container_files import HostObject, cubin_entry, fat_binary
from container_link import BUILD, FIRST, FIRST_90, SECOND, put

TARGETS = ("sm_80", "sm_90")
IDS = ("_11111111_4_a_cu_first", "_22222222_4_b_cu_second")


def run(folder: Path, *words: object, name: str = "warpld") -> subprocess.CompletedProcess[str]:
    program = folder / "bin" / name
    if not program.exists():
        program.parent.mkdir(exist_ok=True)
        program.symlink_to(BUILD / "warpld")
    command = [str(word) for word in (program, *words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two host objects; only the first has code for sm_90."""
    both = fat_binary(cubin_entry(FIRST), cubin_entry(FIRST_90))
    put(tmp_path, "a.o", HostObject(both, module_ids=IDS[:1]).write())
    put(tmp_path, "b.o", HostObject(fat_binary(cubin_entry(SECOND)), module_ids=IDS[1:]).write())
    return tmp_path


def images(fatbin: bytes) -> list[tuple[int, bytes]]:
    """The SM number and the bytes of each image, which must not be compressed."""
    found, offset = [], 16
    while offset < len(fatbin):
        header, payload = struct.unpack_from("<IQ", fatbin, offset + 4)
        (sm,) = struct.unpack_from("<I", fatbin, offset + 28)
        offset += header
        found.append((sm, fatbin[offset : offset + payload]))
        offset += payload
    return found


def test_cubins_are_those_of_single_links(folder: Path) -> None:
    done = run(folder, "--device-link", "--cubin", "--arch=sm_80,sm_90", "a.o", "-o", "x.%a.cubin")
    assert (done.returncode, done.stderr) == (0, "")
    for target in TARGETS:
        run(folder, f"-arch={target}", "a.o", "-o", "single")
        assert (folder / f"x.{target}.cubin").read_bytes() == (folder / "single").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        ["--arch=sm_80,sm_90"],
        ["--gpu-code=sm_80,sm_90"],
        ["-arch=compute_80", "-code=sm_80,compute_80,sm_90"],
        [f"-gencode=arch=compute_{sm},code=[sm_{sm},compute_{sm}]" for sm in (80, 90)],
        ["-gencode", 'arch=compute_80,code="sm_80,sm_90,sm_80"'],
        ["-gencode=arch=compute_80,code=sm_80", "-arch=sm_90"],
        ["-arch=compute_80", "-code=sm_90", "-gencode=arch=compute_80,code=sm_80"],
        ["-arch=compute_80", "-code=sm_80", "-code=sm_90"],
    ],
)
def test_targets_are_spelled_as_nvcc_has_them(words: list[str], folder: Path) -> None:
    done = run(folder, "--device-link", "--fatbin", *words, "a.o", "-o", "x.fatbin")
    assert (done.returncode, done.stderr) == (0, "")
    assert [sm for sm, _ in images((folder / "x.fatbin").read_bytes())] == [80, 90]


def test_the_fat_binary_has_the_cubins(folder: Path) -> None:
    run(folder, "--device-link", "--fatbin", "--arch=sm_80,sm_90", "a.o", "-o", "x.fatbin")
    for sm, image in images((folder / "x.fatbin").read_bytes()):
        run(folder, f"-arch=sm_{sm}", "a.o", "-o", "single")
        assert image.rstrip(b"\0") == (folder / "single").read_bytes().rstrip(b"\0")


@pytest.mark.parametrize("mode", ["default", "size", "speed", "balance", "none"])
def test_code_of_every_mode_of_compression_can_be_read(mode: str, folder: Path) -> None:
    words = ["--device-link", "--fatbin", "--arch=sm_80,sm_90", f"--compress-mode={mode}", "-g"]
    assert run(folder, *words, "a.o", "-o", "x.fatbin").returncode == 0
    tool: list[str | Path] = [BUILD / "cubintool", "dump", "--arch", "sm_90", folder / "x.fatbin"]
    ours = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    # Both outputs are called x.fatbin, because with -g a note records the name of the output.
    run(folder, "-arch=sm_90", "-g", "a.o", "-o", "x.fatbin")
    tool = [BUILD / "cubintool", "dump", folder / "x.fatbin"]
    theirs = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    assert ours.splitlines()[2:] == theirs.splitlines()[2:]


def test_all_messages_say_their_target(folder: Path) -> None:
    """Each message names its target. No output is written if one target fails."""
    (folder / "x.o").write_text("old")
    done = run(folder, "--device-link", "--arch=sm_90,sm_100", "a.o", "-o", "x.o")
    assert done.returncode == 255
    assert done.stderr.splitlines() == [
        "warpld warning : SM Arch ('sm_100') not found in 'a.o' (target: sm_100)",
        "warpld error   : No input has device code for 'sm_100' (target: sm_100)",
        "warpld note    : the inputs contain code for sm_80, sm_90; compile them for 'sm_100', "
        "too, or link for another target (target: sm_100)",
    ]
    assert (folder / "x.o").read_text() == "old"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--arch=sm_80,sm_90", "--cubin"], "The name of the output needs '%a'"),
        (["--arch=compute_90"], "A device link needs a real target"),
        (["--gencode=arch=compute_90"], "has no 'code='"),
        (["--gencode=arch=compute_90,code=sm_91"], "Unknown arch name 'sm_91'"),
        (["--arch=sm_80", "--trace=all"], "Conflicting options '--device-link' and '--trace'"),
        (["--arch=sm_80,sm_90", "--map=m"], "The names of maps and reports need '%a'"),
        (["--arch=sm_80,sm_90", "--report=r.html"], "The names of maps and reports need '%a'"),
        (["--arch=sm_80", "-r"], "Conflicting options '--device-link' and '--relocatable-link'"),
        (["--arch=sm_80", "--cubin", "--fatbin"], "Conflicting options '--cubin' and '--fatbin'"),
        (["--arch=sm_80", "-cpu-arch=PPC64LE"], "No host object can be made for 'PPC64LE'"),
    ],
)
def test_what_is_not_possible_is_refused(words: list[str], message: str, folder: Path) -> None:
    done = run(folder, "--device-link", *words, "a.o", "-o", "x")
    assert done.returncode == 1 and message in done.stderr
    assert not (folder / "x").exists()


def test_several_targets_need_a_device_link(folder: Path) -> None:
    done = run(folder, "-arch=sm_80,sm_90", "a.o", "-o", "x")
    assert done.stderr == "warpld fatal   : Several targets need --device-link\n"
    done = run(folder, "-arch=sm_80,sm_90", "a.o", "-o", "x", name="nvlink")
    assert "Value 'sm_80,sm_90' is not defined for option 'arch'" in done.stderr


def test_a_device_link_under_the_name_of_nvlink(folder: Path) -> None:
    for name in ("warpld", "nvlink"):
        done = run(
            folder, "--device-link", "-arch=sm_80", "a.o", "b.o", "-o", name + ".o", name=name
        )
        assert (done.returncode, done.stderr) == (0, "")
    by_nvlink, by_warpld = ((folder / f"{name}.o").read_bytes() for name in ("nvlink", "warpld"))
    assert by_nvlink == by_warpld


@pytest.mark.parametrize("option", ["--fatbin", "--cubin", "--compress-mode=none", "-code=sm_80"])
def test_options_of_a_device_link_need_one(option: str, folder: Path) -> None:
    done = run(folder, "-arch=sm_80", option, "a.o", "-o", "x")
    assert done.returncode == 1 and done.stderr.endswith(" needs --device-link\n")


def test_the_output_must_be_writable(folder: Path) -> None:
    done = run(folder, "--device-link", "--arch=sm_80", "a.o", "-o", "no/x.o")
    assert done.returncode == 1
    assert done.stderr == "warpld fatal   : Could not open output file 'no/x.o'\n"


@pytest.mark.parametrize(("machine", "number"), [("X86_64", 62), ("AARCH64", 183)])
def test_the_object_is_for_the_host(machine: str, number: int, folder: Path) -> None:
    """The object has the host's machine number, and has the same bytes each time."""
    for name in ("x.o", "y.o"):
        words = ["--arch=sm_80", f"-cpu-arch={machine}", "a.o", "b.o", "-o", name]
        assert run(folder, "--device-link", *words).returncode == 0
    content = (folder / "x.o").read_bytes()
    assert content == (folder / "y.o").read_bytes()
    assert struct.unpack_from("<HH", content, 16) == (1, number)
    for module in IDS:
        for prefix in ("__cudaRegisterLinkedBinary", "__fatbinwrap"):
            assert f"{prefix}{module}\0".encode() in content
        assert f"def {module}\0".encode() in content


def test_a_later_device_link_knows_what_was_linked(folder: Path) -> None:
    """The object that a device link made can be an input of a later device link, as with nvcc. The
    later link leaves out the objects that the earlier one has linked."""
    run(folder, "--device-link", "--arch=sm_80", "a.o", "-o", "first.o")
    words = ["--device-link", "--arch=sm_80", "--cubin", "first.o", "b.o", "a.o", "-o", "x.cubin"]
    assert run(folder, *words).returncode == 0
    run(folder, "-arch=sm_80", "b.o", "-o", "single")
    assert (folder / "x.cubin").read_bytes() == (folder / "single").read_bytes()


def test_the_files_are_listed_for_make(folder: Path) -> None:
    (folder / "a.o").rename(folder / "a $ 1.o")
    subprocess.run(["ar", "rcs", "libb.a", "b.o"], cwd=folder, check=True)
    (folder / "limits").write_text("first:registers<=200\n")
    (folder / "arguments").write_text("--limit=@limits\n")
    words = ["a $ 1.o", "a $ 1.o", "-L.", "-lb", "--dependency-file=x.d", "@arguments"]
    done = run(folder, "-arch=sm_80", *words[1:], "-o", "x.cubin")
    assert done.returncode == 0
    listed = ": \\\n  a\\ $$\\ 1.o \\\n  limits \\\n  ./libb.a\n"
    assert (folder / "x.d").read_text() == "x.cubin" + listed
    many = ["--device-link", "--cubin", "--arch=sm_80,sm_90"]
    done = run(folder, *many, *words[1:], "-o", "%a.cubin")
    assert done.returncode == 0
    assert (folder / "x.d").read_text() == "sm_80.cubin sm_90.cubin" + listed


def test_each_target_is_described(folder: Path) -> None:
    words = ["--map=%a.map", "--report=%a.json", "--report=%a.html", "--why=first", "--stats"]
    done = run(folder, "--device-link", "--arch=sm_80,sm_90", *words, "a.o", "-o", "x.o")
    assert done.returncode == 0
    for target in TARGETS:
        report = json.loads((folder / f"{target}.json").read_text())
        assert report["target"] == target
        assert "first" in (folder / f"{target}.map").read_text()
        assert target in (folder / f"{target}.html").read_text()
        assert f"{target}:\n" in done.stderr and f"{target}:\n" in done.stdout


def test_limits_are_checked_for_each_target(folder: Path) -> None:
    words = ["--arch=sm_80,sm_90", "--limit=first:registers<=1", "a.o", "-o", "x.o"]
    done = run(folder, "--device-link", *words)
    assert done.returncode == 255 and not (folder / "x.o").exists()
    errors = [line for line in done.stderr.splitlines() if " error " in line]
    assert [line.rpartition(" (target: ")[2] for line in errors] == ["sm_80)", "sm_90)"]
    done = run(folder, "--device-link", "--arch=sm_80", "--limit=first:size<=1", "a.o", "-o", "x")
    assert done.returncode == 1 and "warpld fatal" in done.stderr
