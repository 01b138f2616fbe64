"""If nvcc passes --save-inputs on, each link that it runs is saved, and both linkers can repeat
that link."""

from __future__ import annotations

from pathlib import Path

from fat_binaries import assert_same_cubin, linked_images
from toolkit import PROGRAMS, needs_toolkit, run

pytestmark = needs_toolkit

TARGETS = ["-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_80,code=sm_90"]


def test_each_link_of_nvcc(overlay: Path, tmp_path: Path) -> None:
    """nvcc runs a link for each of two targets, and the second link compiles PTX. Each is saved in
    its own folder, together with the library of the device runtime."""
    sources = sorted((PROGRAMS / "device-launch").glob("*.cu"))
    run(["nvcc", "-dc", "-gencode=arch=compute_80,code=[sm_80,compute_80]", *sources], tmp_path)
    nvcc = overlay / "bin" / "nvcc"
    words = [*TARGETS, "-Xnvlink=--save-inputs=saved", "child.o", "main.o", "-o", "linked.o"]
    run([nvcc, "-dlink", *words], tmp_path)
    linked = [image.payload for image in linked_images(tmp_path / "linked.o")]
    assert len(linked) == 2
    choices: list[dict[str, str]] = [{}, {"LINKER": "nvlink"}]
    for folder, expected in zip(("saved", "saved.2"), linked, strict=True):
        place = tmp_path / folder
        assert list(place.glob("libraries/*/libcudadevrt.a"))
        for variables in choices:
            run(["sh", place / "link.sh"], Path("/"), **variables)
            (output,) = place.glob("output/*.cubin")
            assert_same_cubin(expected, output.read_bytes(), tmp_path)
            output.unlink()
