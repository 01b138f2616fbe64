"""What a golden folder holds: one link, its inputs, and what nvlink made of them.

link             the link's arguments in order, one line: -arch=sm_80 a.cubin b.cubin
*.ptx, *.cu      sources; a first line `// ptxas: -O0` (`// nvcc: ...`) gives options, and
                 `// ptxas 12.0: ...` says that the compiler of that release made the object
*.cubin          the relocatable inputs made from them
patched          instead of sources: a description of inputs that no compiler writes
*.edits          how tests/patch_golden.py makes the cubin of that name from a compiled object
expected.cubin   nvlink's output, if the link succeeds. With --allow-newer-toolkit, the nvlink is
                 that of the newest release whose ptxas made an input. If the output has ABI
                 version 7, libnvJitLink 12.9 made it.
expected.stderr  what nvlink printed, if anything
expected.status  nvlink's exit status, if not 0
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent
ABI_7 = "--output-abi=7"
# Earlier targets need a linker of CUDA 12, whose default for them is ABI version 7.
FIRST_SM_OF_CUDA_13 = 75
LINKER_OF_ABI_7 = "12.9"
WORKING_FOLDER = Path("/tmp/golden")
ALLOW_NEWER = "--allow-newer-toolkit"


def numbers_of(release: str) -> tuple[int, ...]:
    """The release as a tuple that can be compared, because 12.10 is later than 12.9."""
    return tuple(int(number) for number in release.split("."))


def without_notes(lines: list[str]) -> list[str]:
    """The lines that are no notes: nvlink prints no notes, and tests/notes checks warpld's."""
    return [line for line in lines if not line.startswith("nvlink note    : ")]


@dataclass(frozen=True)
class GoldenFolder:
    path: Path

    def __str__(self) -> str:
        return self.path.name

    @property
    def arguments(self) -> list[str]:
        return (self.path / "link").read_text().split()

    @property
    def arch(self) -> str:
        return next(a.split("=")[1] for a in self.arguments if a.startswith("-arch="))

    @property
    def sources(self) -> list[Path]:
        return sorted([*self.path.glob("*.ptx"), *self.path.glob("*.cu")])

    @property
    def is_patched(self) -> bool:
        """Whether tests/patch_golden.py makes the inputs, because no compiler writes such files."""
        return (self.path / "patched").exists()

    @property
    def releases(self) -> set[str]:
        """The releases whose compiler or linker makes files of this folder, without the default
        release."""
        found = {release for source in self.sources if (release := source_release(source))}
        return found | ({LINKER_OF_ABI_7} if self.has_abi_7 else set())

    @property
    def has_abi_7(self) -> bool:
        number = int(re.sub(r"\D", "", self.arch))
        return ABI_7 in self.arguments or number < FIRST_SM_OF_CUDA_13

    @property
    def newer_linker(self) -> str | None:
        """The release of the nvlink that makes the expected output; None for the default one."""
        return max(self.releases, key=numbers_of) if ALLOW_NEWER in self.arguments else None

    @property
    def expected_cubin(self) -> Path:
        return self.path / "expected.cubin"

    @property
    def expected_status(self) -> int:
        file = self.path / "expected.status"
        return int(file.read_text()) if file.exists() else 0

    @property
    def expected_messages(self) -> list[str]:
        """Every line of the linker's standard error, as it was printed."""
        file = self.path / "expected.stderr"
        return file.read_text().splitlines() if file.exists() else []


def source_options(source: Path) -> list[str]:
    """The compiler's options in the first line of a source."""
    first = source.read_text().splitlines()[0]
    found = re.fullmatch(r"// (?:ptxas|nvcc)(?: [\d.]+)?:(.*)", first)
    return found.group(1).split() if found else []


def source_release(source: Path) -> str | None:
    """The release whose ptxas compiles a source; None for the default release."""
    found = re.match(r"// ptxas ([\d.]+):", source.read_text())
    return found.group(1) if found else None


def remove_sources() -> None:
    """Removes the sources of earlier calls, which could change the object. If a directive .file of
    the PTX names a file that exists, such as "b.cu", ptxas records its size and time."""
    for path in WORKING_FOLDER.iterdir():
        if path.suffix in (".cu", ".ptx"):
            path.unlink(missing_ok=True)


def compiled(source: Path, arch: str, ptxas: str = "ptxas") -> bytes:
    """The object of a source; options in the source may name another architecture.

    The compiler runs in WORKING_FOLDER. Debug information contains the path of that folder, so the
    folder must be the same on all machines.
    """
    options = source_options(source)
    if not any(option.startswith("-arch=") for option in options):
        options.append(f"-arch={arch}")
    kind = [] if "-ewp" in options else ["-rdc=true"]
    compiler = [ptxas, "-c"] if source.suffix == ".ptx" else ["nvcc", "-cubin", *kind]
    WORKING_FOLDER.mkdir(exist_ok=True)
    remove_sources()
    shutil.copy(source, WORKING_FOLDER)
    output = WORKING_FOLDER / source.with_suffix(".cubin").name
    command = [*compiler, *options, source.name, "-o", output.name]
    done = subprocess.run(command, cwd=WORKING_FOLDER, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"{source}: {done.stdout}{done.stderr}")
    data = output.read_bytes()
    output.unlink()
    return data


def golden_folders() -> list[GoldenFolder]:
    return [GoldenFolder(link.parent) for link in sorted(GOLDEN.glob("*/link"))]
