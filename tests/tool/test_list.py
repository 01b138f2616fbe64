"""cubintool list shows the images inside files of all kinds, and every command finds them there."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tool import BUILD, CUBINS, REPOSITORY, cubintool, run

CONTAINERS = REPOSITORY / "tests" / "containers" / "data"
FIRST, SECOND = CONTAINERS / "first.sm_80.cubin", CONTAINERS / "second.sm_80.cubin"
FIRST_90 = CONTAINERS / "first.sm_90.cubin"
PTX = CONTAINERS / "first.ptx"


def archive(folder: Path, name: str, *files: Path) -> Path:
    subprocess.run(["ar", "rc", folder / name, *files], check=True)
    return folder / name


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    inner = archive(tmp_path, "inner.a", FIRST, PTX)
    return archive(tmp_path, "outer.a", SECOND, inner, FIRST_90, CONTAINERS / "speed.fatbin")


def images(*words: object) -> list[dict[str, Any]]:
    (file,) = json.loads(cubintool("list", "--json", *words))
    found: list[dict[str, Any]] = file["images"]
    return found


def test_all_images_of_nested_archives(nested: Path) -> None:
    found = [(i["image"], i["member"], i["kind"], i["target"]) for i in images(nested)]
    assert found == [
        (1, "second.sm_80.cubin", "cubin", "sm_80"),
        (2, "inner.a:first.sm_80.cubin", "cubin", "sm_80"),
        (3, "inner.a:first.ptx", "PTX", "compute_80"),
        (4, "first.sm_90.cubin", "cubin", "sm_90"),
        (5, "speed.fatbin", "cubin", "sm_80"),
    ]


def test_sizes_and_packing_of_a_fat_binary() -> None:
    plain = (CONTAINERS / "first.sm_80.cubin").stat().st_size
    for name, packed in (("none", None), ("speed", "lz4"), ("size", "zstd")):
        (image,) = images(CONTAINERS / f"{name}.fatbin")
        assert (image["packed"], image["size"]) == (packed, plain)
        assert (image["stored"] < plain) == bool(packed)
        assert (image["kernels"], image["linked"], image["toolkit"]) == (1, "no", "13.0")


@pytest.mark.parametrize(
    ("choice", "numbers"),
    [
        (["--arch", "sm_90"], [4]),
        (["--member=first.sm_80.cubin"], [2]),
        (["--member", "inner.a:first.sm_80.cubin"], [2]),
        (["--image", "5"], [5]),
        (["--arch=sm_80", "--image=1"], [1]),
        (["--arch=compute_80"], [3]),
    ],
)
def test_choices(nested: Path, choice: list[str], numbers: list[int]) -> None:
    assert [image["image"] for image in images(*choice, nested)] == numbers


def test_values_of_a_choice() -> None:
    for bad in ("--image=0", "--image=x", "--image=-1"):
        assert "bad value" in run("list", bad, FIRST).stderr
    done = run("list", "--image=2", FIRST)
    assert done.returncode == 2
    assert "has no such image; it holds sm_80 cubin" in done.stderr


def test_commands_take_each_cubin_of_a_file(nested: Path) -> None:
    alone = cubintool("resources", FIRST)
    inside = cubintool("resources", "--image=2", nested)
    label = f"{nested}:inner.a:first.sm_80.cubin (sm_80, image 2)"
    assert inside == alone.replace(str(FIRST), label)
    assert cubintool("resources", nested).count("File ") == 4
    assert cubintool("dump", nested).count("File ") == 4
    assert cubintool("verify", nested) == ""


def test_diff_needs_one_cubin_on_each_side(nested: Path) -> None:
    assert cubintool("diff", "--member=first.sm_80.cubin", nested, FIRST) == ""
    assert cubintool("diff", "--image=1", nested, SECOND) == ""
    done = run("diff", nested, FIRST)
    assert done.returncode == 2 and "holds 4 cubins; choose one" in done.stderr


def test_a_packed_image_is_the_cubin() -> None:
    for name in ("speed", "size", "balance"):
        assert cubintool("diff", "--strict", CONTAINERS / f"{name}.fatbin", SECOND) == ""


def test_standard_input(nested: Path) -> None:
    command: list[str | Path] = [BUILD / "cubintool", "list", "--json", "-"]
    for path in (nested, FIRST, PTX):
        done = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=True)
        (file,) = json.loads(done.stdout)
        assert file == {"file": "standard input", "images": images(path)}


def test_comma_separated_values(tmp_path: Path) -> None:
    odd = tmp_path / 'a, "b".cubin'
    odd.write_bytes(FIRST.read_bytes())
    rows = list(csv.DictReader(io.StringIO(cubintool("list", "--csv", odd, FIRST_90))))
    assert [row["file"] for row in rows] == [str(odd), str(FIRST_90)]
    assert [row["target"] for row in rows] == ["sm_80", "sm_90"]
    kernels = list(csv.DictReader(io.StringIO(cubintool("resources", "--csv", odd))))
    assert [row["kind"] for row in kernels] == ["kernel"]


def test_headings_come_before_the_first_row(tmp_path: Path) -> None:
    """The headings are printed first, even if the first file has no rows."""
    empty = REPOSITORY / "tests" / "golden" / "no-code-only-variables" / "expected.cubin"
    lines = cubintool("resources", "--csv", empty, FIRST, SECOND).splitlines()
    assert [line.split(",")[1] for line in lines] == ["kind", "kernel", "kernel"]


def test_all_recorded_cubins_are_one_image() -> None:
    for cubin in CUBINS:
        (image,) = images(cubin)
        assert image["damaged"] == "no" and image["member"] is None


def test_files_without_device_code(tmp_path: Path) -> None:
    text, empty = tmp_path / "text", tmp_path / "empty"
    text.write_text("hello")
    empty.write_bytes(b"")
    program = BUILD / "cubintool"
    for path, message in (
        (text, "neither device code"),
        (empty, "neither device code"),
        (program, "holds no device code"),
        (tmp_path / "none", "No such file"),
        (archive(tmp_path, "empty.a"), "holds no device code"),
    ):
        for command in ("list", "dump", "resources", "verify"):
            done = run(command, path)
            assert done.returncode == 2 and message in done.stderr, (path, command)


def test_damage_is_reported_and_the_rest_listed(tmp_path: Path) -> None:
    cut = tmp_path / "cut.cubin"
    cut.write_bytes(FIRST.read_bytes()[:-100])
    speed = bytearray((CONTAINERS / "speed.fatbin").read_bytes())
    speed[200:220] = bytes(20)
    packed = tmp_path / "packed.fatbin"
    packed.write_bytes(speed)
    library = archive(tmp_path, "library.a", cut, packed, FIRST)
    assert [image["damaged"] for image in images(library)] == ["yes", "yes", "no"]
    done = run("resources", library)
    assert done.returncode == 2 and done.stdout.count("File ") == 1
    short = tmp_path / "short.a"
    short.write_bytes(library.read_bytes()[:-100])
    done = run("list", short)
    assert done.returncode == 2 and "damaged" in done.stdout and "short.a" in done.stderr


@pytest.mark.parametrize(
    ("text", "target", "version"),
    [
        (".version 7.0\n.target sm_75\n.address_size 64\n", "compute_75", "PTX 7.0"),
        (
            "/* a */ // b\n.version\t8.1 .target sm_90a, debug\n.address_size 64\n",
            "compute_90a",
            "PTX 8.1",
        ),
    ],
)
def test_heads_of_ptx(tmp_path: Path, text: str, target: str, version: str) -> None:
    path = tmp_path / "x.ptx"
    path.write_text(text)
    (image,) = images(path)
    assert (image["kind"], image["target"], image["toolkit"]) == ("PTX", target, version)


def test_sorted_and_filtered(nested: Path) -> None:
    sizes = [image["size"] for image in images("--sort=size", nested)]
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) > 2
    assert [image["image"] for image in images("--filter=*first*", nested)] == [2, 3, 4]
    assert {image["kind"] for image in images("--filter=PTX", nested)} == {"PTX"}
