"""The options that the optimiser of LTO-IR gets: those of the command line, those that the inputs
record, and the names that host code uses. Stand-ins for NVIDIA's libraries print them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from container_files import HostObject, fat_binary
from container_link import BUILD, SECOND, Link, link, put
from optimiser_folder import lto_entry, run, set_up


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return set_up(tmp_path)


BOTH_THREADS = (
    "Incompatible options '-split-compile' and '-split-compile-extended', using "
    "'-split-compile-extended'\n"
)
THREADS_OF_PTX = (
    "Incompatible options '-emit-ptx' and '-split-compile-extended', using '-split-compile'\n"
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-split-compile=2", "-split-compile-extended=2"], BOTH_THREADS),
        (["-split-compile=0", "-split-compile-extended=0"], BOTH_THREADS),
        (["-split-compile=2", "-split-compile-extended=1"], ""),
        (["-split-compile=1", "-split-compile-extended=2"], ""),
        (["-split-compile-extended=2"], ""),
        (["-split-compile-extended=2", "-emit-ptx"], THREADS_OF_PTX),
        (["-split-compile-extended=1", "-emit-ptx"], ""),
        (["-split-compile=2", "-split-compile-extended=2", "-emit-ptx"], THREADS_OF_PTX),
    ],
)
def test_threads_that_are_not_used_are_reported(
    words: list[str], expected: str, folder: Path
) -> None:
    """nvlink reports the ignored option even with -disable-infos. warpld does the same if its name
    is nvlink, but not under its own name."""
    for name, quiet in (("nvlink", True), ("warpld", False)):
        shutil.copy(BUILD / "warpld", folder / name)
        options = ["-disable-infos"] if quiet else []
        done = run(folder, "-lto", *words, *options, "x.ltoir", name=name)
        lines = [line for line in done.messages.splitlines(True) if line.startswith(name)]
        assert "".join(lines) == (expected and f"{name} info    : {expected}")
        assert done.status == 0
    done = run(folder, "-lto", *words, "-disable-infos", "x.ltoir")
    assert "Incompatible" not in done.messages


def test_recorded_threads_count_as_those_of_the_option(folder: Path) -> None:
    recorded = "-split-compile 2 " + PLAIN
    done = link_with_options(folder, recorded, recorded, "-split-compile-extended=2")
    assert f"warpld info    : {BOTH_THREADS}" in done.messages


def test_a_negative_number_of_threads_is_only_for_the_compiler(folder: Path) -> None:
    words = ["-split-compile=-2", "-split-compile-extended=-2"]
    done = run(folder, "-lto", "-disable-infos", *words, "x.ltoir")
    assert "-split-compile=-2 app" in done.messages
    done = run(folder, "-lto", "-disable-infos", "-emit-ptx", *words, "x.ltoir")
    assert "split-compile" not in done.file.decode()


@pytest.mark.parametrize("option", ["-maxrregcount", "-split-compile"])
def test_long_numbers_are_refused_before_the_optimiser_runs(option: str, folder: Path) -> None:
    done = run(folder, "-lto", "-emit-ptx", f"{option}=9999", "x.ltoir")
    assert done.messages == f"warpld fatal   : Invalid argument for option '{option}'\n"
    assert done.status == 1


def test_the_folder_is_missed_before_the_level_is_checked(folder: Path) -> None:
    """A program with the name nvlink requires -nvvmpath. It reports that this option is missing,
    not that the level is invalid."""
    shutil.copy(BUILD / "warpld", folder / "nvlink")
    done = link(folder, "-lto", "-Ofc=bogus", "x.ltoir", name="nvlink")
    assert done.messages == "nvlink fatal   : -nvvmpath should be specified with -lto\n"


# The options that nvcc records beside LTO-IR.
PLAIN = "-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1 "
ALL_GET = "Some objects do not have '{}' specified but others do; will build everything with '{}'\n"


def link_with_options(folder: Path, first: str, second: str, *words: str) -> Link:
    """Links three inputs: a fat binary that records the compiler options `first`, a file of plain
    LTO-IR, which records no options, and a fat binary that records the options `second`."""
    put(folder, "a.fatbin", fat_binary(lto_entry(first)))
    put(folder, "b.fatbin", fat_binary(lto_entry(second)))
    return run(folder, "-lto", *words, "a.fatbin", "x.ltoir", "b.fatbin")


@pytest.mark.parametrize(
    ("first", "second", "name", "values"),
    [
        ("-maxreg 32 -ftz=1 ", "-maxreg 40 " + PLAIN, "-maxrregcount", ("32", "40")),
        (PLAIN.replace("ftz=0", "ftz=1"), PLAIN.replace("fmad=1", "fmad=0"), "-ftz", ("1", "0")),
        (PLAIN, PLAIN.replace("_div=1", "_div=0"), "-prec-div", ("1", "0")),
        (PLAIN, PLAIN.replace("_sqrt=1", "_sqrt=0"), "-prec-sqrt", ("1", "0")),
        (PLAIN.replace("fmad=1", "fmad=0"), "-split-compile 2 " + PLAIN, "-fmad", ("0", "1")),
        ("-split-compile 2 " + PLAIN, "-split-compile 4 ", "-split-compile", ("2", "4")),
    ],
)
def test_options_of_the_compiler_must_agree(
    first: str, second: str, name: str, values: tuple[str, str], folder: Path
) -> None:
    """The link reports only one difference: the first one in the order in which nvlink 13.0.88
    compares the options."""
    done = link_with_options(folder, first, second)
    assert done.messages == (
        f"warpld fatal   : Cicc option values for '{name}' do not match\n"
        f"warpld note    : 'a.fatbin' was compiled with {name}={values[0]}, and 'b.fatbin' with "
        f"{name}={values[1]}; compile all inputs with the same value\n"
    )
    assert done.status == 1 and not done.file


def test_one_limit_of_registers_is_that_of_all(folder: Path) -> None:
    done = link_with_options(folder, "-maxreg 32 -generate-line-info " + PLAIN, PLAIN)
    infos = [("-lineinfo", "-lineinfo"), ("-maxrregcount", "-maxrregcount=32")]
    assert done.messages == "".join(
        f"warpld info    : {ALL_GET.format(*info)}" for info in infos
    ) + ("ptxas info    : -arch sm_80 -m 64 -maxrregcount=32 application ptx input\n")
    done = link_with_options(folder, "-maxreg 32 ", "-maxreg 32 ", "-emit-ptx")
    assert "// option -maxrregcount=32\n" in done.file.decode() and not done.messages


def test_a_limit_of_the_link_replaces_those_of_inputs(folder: Path) -> None:
    done = link_with_options(folder, "-maxreg 32 ", "-maxreg 40 ", "-maxrregcount=50")
    assert done.status == 0 and " -maxrregcount=50 app" in done.messages


def test_threads_of_the_compiler_are_those_of_the_inputs(folder: Path) -> None:
    done = link_with_options(folder, PLAIN, "-split-compile 2 " + PLAIN)
    assert done.status == 0 and " -split-compile=2 app" in done.messages
    done = link_with_options(folder, PLAIN, "-split-compile 2 " + PLAIN, "-emit-ptx")
    assert "// option -split-compile=2\n" in done.file.decode()


def test_threads_of_the_link_yield_to_those_of_the_inputs(folder: Path) -> None:
    """If the inputs record a number of threads, nvlink 13.0.88 uses this number and ignores
    -split-compile on its command line."""
    done = link_with_options(folder, PLAIN, "-split-compile 2 " + PLAIN, "-split-compile=4")
    assert "-split-compile=2 app" in done.messages and "=4" not in done.messages
    done = link_with_options(
        folder, PLAIN, "-split-compile 2 " + PLAIN, "-split-compile=4", "-emit-ptx"
    )
    assert "-split-compile=2\n" in done.file.decode() and b"=4" not in done.file
    done = link_with_options(folder, PLAIN, PLAIN, "-split-compile=4", "-emit-ptx")
    assert "// option -split-compile=4\n" in done.file.decode()


@pytest.mark.parametrize(("level", "passed"), [("0", ""), ("mid", "-Ofc=mid ")])
def test_the_level_is_also_for_the_compiler(level: str, passed: str, folder: Path) -> None:
    done = run(folder, "-lto", f"-Ofc={level}", "x.ltoir")
    assert done.messages == f"ptxas info    : -arch sm_80 -m 64 {passed}application ptx input\n"


@pytest.mark.parametrize("level", ["-Ofc", "--Ofast-compile"])
def test_fast_compilation_without_a_level(level: str, folder: Path) -> None:
    """Without an argument the option means level 0, as in nvlink 13.0.88. The tool note records
    this level."""
    plain = "ptxas info    : -arch sm_80 -m 64 application ptx input\n"
    assert run(folder, "-lto", "x.ltoir", level).messages == plain
    done = run(folder, "-lto", level, "x.ltoir", "x.ltoir")
    assert done.messages == "warpld fatal   : Invalid argument for option '--Ofast-compile'\n"
    done = run(folder, "-lto", "x.ltoir", SECOND, level, "-disable-infos")
    assert b"-Ofc 0 " in done.file


def options_of(text: bytes) -> list[str]:
    """The options that the optimiser was called with; the stand-in writes them to its output."""
    return re.findall(r"^// option (.*)$", text.decode(), re.MULTILINE)


def test_used_variables_are_options_of_the_optimiser(folder: Path) -> None:
    done = run(folder, "-lto", "-emit-ptx", "-variables-used=v,w*", "x.ltoir")
    assert [word for word in options_of(done.file) if "used" in word] == [
        "-variables-used=v",
        "-variables-used=w*",
    ]


@pytest.mark.parametrize("has_variables", (False, True))
def test_the_optimiser_gets_what_host_objects_refer_to(has_variables: bool, folder: Path) -> None:
    references: dict[str, tuple[str, ...]] = {".nvHRKE": ("k1",), ".nvHRKI": ("k2",)}
    if has_variables:
        references |= {".nvHRDE": ("v",), ".nvHRDI": (), ".nvHRCE": ("c",), ".nvHRCI": ()}
    made = HostObject(fat_binary(lto_entry()), references=references)
    put(folder, "a.o", made.write())
    words = options_of(run(folder, "-lto", "-emit-ptx", "-use-host-info", "a.o").file)
    used = ["-kernels-used=k1", "-kernels-used=k2"]
    used += ["-variables-used=v", "-variables-used=c"] if has_variables else []
    assert sorted(word for word in words if "used=" in word) == sorted(used)
    assert ("-optimize-unused-variables" in words) == (not has_variables)
