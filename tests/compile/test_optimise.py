"""Link-time optimisation in the command, with stand-ins for NVIDIA's libraries and for ptxas."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import container_link
import pytest
from container_files import (
    Entry,
    HostObject,
    HostSection,
    archive,
    cubin_entry,
    fat_binary,
    write_elf,
)
from container_link import BUILD, FIRST, SECOND, Link, link, put
from optimiser_folder import HEAD, IR, lto_entry, make, run, set_up

EM_X86_64 = 62
DATA = Path(__file__).resolve().parents[1] / "notes" / "data"
PARTIAL = "requested LTO but '{}' not built for LTO so doing partial LTO\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return set_up(tmp_path)


@pytest.mark.parametrize("option", ["-lto", "-dlto", "--link-time-opt"])
def test_a_whole_program_is_what_the_compiler_makes(option: str, folder: Path) -> None:
    done = run(folder, option, "x.ltoir")
    assert done.messages == "ptxas info    : -arch sm_80 -m 64 application ptx input\n"
    assert done.status == 0
    assert done.file == FIRST.read_bytes()


def test_other_inputs_are_linked_with_the_optimised_code(folder: Path) -> None:
    done = run(folder, "-lto", "x.ltoir", SECOND)
    assert done.messages == "warpld info    : " + PARTIAL.format(SECOND) + (
        "ptxas info    : -arch sm_80 -m 64 -c application ptx input\n"
    )
    assert done.output == link(folder, FIRST, SECOND, name="warpld").output


def test_the_optimised_code_is_in_the_position_of_the_first(folder: Path) -> None:
    put(folder, "y.ltoir", IR + HEAD)
    done = run(folder, "-lto", "-disable-infos", SECOND, "x.ltoir", "y.ltoir")
    assert done.output == link(folder, SECOND, FIRST, name="warpld").output


def test_the_ptx_can_be_the_output(folder: Path) -> None:
    words = ["-maxrregcount=24", "-Xnvvm=-opt=3", "-Ofc=min", "-split-compile=2"]
    done = run(folder, "-lto", "-emit-ptx", *words, "-kernels-used=k", "-g", "x.ltoir")
    options = [
        *("-arch=sm_80", "-lto", "-ptx", "-g", "-kernels-used=k"),
        *("-Xnvvm=-opt=3", "-maxrregcount=24", "-Ofc=min", "-split-compile=2"),
    ]
    expected = "".join(f"// option {option}\n" for option in options)
    assert done.file.decode() == expected + "// input x.ltoir of type 3\n" + HEAD.decode()
    assert (done.status, done.messages) == (0, "")


def test_names_that_others_need_are_kept(folder: Path) -> None:
    caller = DATA / "calls_missing.sm_80.cubin"
    done = run(folder, "-lto", "-emit-ptx", "-disable-infos", "x.ltoir", caller)
    text = done.file.decode()
    assert 'declare void @"_Z7missingi"()' in text
    assert '[1 x i8*] [i8* bitcast (void ()* @"_Z7missingi" to i8*)], section' in text
    assert "// input kept names of type 3" in text


def test_containers_go_to_the_optimiser_as_they_are(folder: Path) -> None:
    container = fat_binary(lto_entry())
    put(folder, "x.fatbin", container)
    put(folder, "libx.a", archive({"one.fatbin": container}))
    done = run(folder, "-lto", "-emit-ptx", "x.fatbin", "libx.a")
    assert "// input x.fatbin of type 4\n// input libx.a:one.fatbin of type 4\n" in (
        done.file.decode()
    )


def test_nvlink_does_not_hide_these(folder: Path) -> None:
    (folder / "nvlink").symlink_to("warpld")
    done = run(folder, "-lto", "-disable-infos", "x.ltoir", SECOND, name="nvlink")
    assert done.messages.startswith("nvlink info    : " + PARTIAL.format(SECOND))


def test_what_was_optimised_is_in_the_cache(folder: Path) -> None:
    """A link takes the optimised PTX from the cache if an earlier link had the same inputs, input
    names, options and libraries. If any of these differs, the link makes another entry."""
    words = ["-lto", "-emit-ptx", "--cache-dir=cache", "x.ltoir"]
    first = run(folder, *words)
    entries = {path.name for path in (folder / "cache").rglob("*.ptx*") if path.is_file()}
    library = folder / "cuda" / "lib64" / "libnvJitLink.so.13"
    helper = folder / "warpld-ptx-helper"
    helper.rename(folder / "away")
    assert run(folder, *words).file == first.file
    assert run(folder, "-maxrregcount=24", *words).status == 1
    put(folder, "x.ltoir", IR + HEAD + b"// more\n")
    assert run(folder, *words).status == 1
    put(folder, "x.ltoir", IR + HEAD)
    library.touch()
    assert run(folder, *words).status == 1
    (folder / "away").rename(helper)
    assert run(folder, *words).file == first.file
    assert entries <= {path.name for path in (folder / "cache").rglob("*")}


@pytest.mark.parametrize("words", [["-emit-ptx"], []], ids=["PTX", "cubin"])
def test_a_cache_folder_that_cannot_be_used_is_one_warning(words: list[str], folder: Path) -> None:
    """The link reports the folder only once, even if it needs the folder both for the optimised PTX
    and for the compiled cubin."""
    put(folder, "cache", b"a file")
    expected = run(folder, "-lto", "x.ltoir", *words)
    done = run(folder, "-lto", "x.ltoir", *words, "--cache-dir=cache")
    lines = [line for line in done.messages.splitlines() if line not in expected.messages]
    assert lines == ["warpld warning : Cannot use the cache folder 'cache': Not a directory"]
    assert (done.status, done.file) == (0, expected.file)


def test_images_without_ltoir_are_taken_from_the_cache(folder: Path) -> None:
    """A link without -lto uses the machine code of both members, and a link with -lto uses the
    LTO-IR of one. Links of the two kinds must not share a snapshot in the cache."""
    members = {
        "code.o": HostObject(fat_binary(cubin_entry(SECOND)), module_ids=("_1",)).write(),
        "both.o": HostObject(
            fat_binary(cubin_entry(FIRST), Entry(8, 80, IR + HEAD)), module_ids=("_2",)
        ).write(),
        "large.o": write_elf([HostSection(".text", bytes(70_000))], EM_X86_64),
    }
    put(folder, "libx.a", archive(members))
    words = ("-lto", "x.ltoir", "libx.a")
    expected = run(folder, *words)
    assert run(folder, "libx.a", "--cache-dir=cache").status == 0
    first = run(folder, *words, "--cache-dir=cache")
    again = run(folder, *words, "--cache-dir=cache", "--stats")
    assert (first.status, first.messages, first.file) == (0, expected.messages, expected.file)
    assert PARTIAL.format("libx.a:code.o") in first.messages
    assert again.messages.startswith(first.messages)
    assert again.file == expected.file
    assert re.search(r"images from the cache +1\n", again.messages)


def test_without_lto_ir_there_is_a_warning(folder: Path) -> None:
    done = run(folder, "-lto", FIRST)
    assert done.status == 0
    assert done.messages.endswith(
        "warpld warning : Ignoring -dlto option because no LTO objects found\n"
    )


def as_nvlink(folder: Path, *words: str | Path) -> Link:
    shutil.copy(BUILD / "warpld", folder / "nvlink")
    return run(folder, "-lto", *words, name="nvlink")


def test_nvlink_hides_that_warning_as_an_info(folder: Path) -> None:
    partial = "nvlink info    : " + PARTIAL.format(FIRST)
    warning = "nvlink warning : Ignoring -dlto option because no LTO objects found\n"
    assert as_nvlink(folder, FIRST, "-w").messages == partial + warning
    assert as_nvlink(folder, FIRST, "-disable-infos").messages == partial


def test_that_warning_ends_the_link_with_werror(folder: Path) -> None:
    done = as_nvlink(folder, FIRST, "-Werror")
    assert (done.status, done.messages.splitlines()[1:]) == (
        1,
        [
            "nvlink error   : Ignoring -dlto option because no LTO objects found",
            "nvlink fatal   : merge_elf failed",
        ],
    )


@pytest.mark.parametrize("nvvm", ["cuda/nowhere", ""])
def test_a_folder_without_a_library_does_not_end_the_search(nvvm: str, folder: Path) -> None:
    """nvcc passes -nvvmpath with a folder that does not exist if pip installed the toolkit. nvlink
    then fails, but warpld searches other folders."""
    done = run(folder, "-lto", f"-nvvmpath={nvvm}", "x.ltoir", CUDA_HOME=str(folder / "cuda"))
    assert done.status == 0


def test_called_nvlink_the_folder_must_be_given(folder: Path) -> None:
    done = link(folder, "-lto", "x.ltoir")
    assert (done.status, done.messages) == (
        1,
        "nvlink fatal   : -nvvmpath should be specified with -lto\n",
    )


def test_an_optimiser_that_fails_shows_why(folder: Path) -> None:
    put(folder, "x.ltoir", IR + HEAD + b"// bad\n")
    done = run(folder, "-lto", "x.ltoir")
    assert done.status == 1
    assert done.messages == "error   : it is bad\nwarpld fatal   : elfLink JIT compile failed\n"
    assert not done.file


def test_lto_ir_of_a_newer_release_names_it(folder: Path) -> None:
    library = make(folder / "old" / "libnvJitLink.so.12", "-DOLD")
    done = run(folder, "-lto", f"--nvjitlink-path={library}", "x.ltoir")
    assert done.status == 1
    assert done.messages.endswith(
        f"warpld note    : the LTO-IR of 'x.ltoir' is of CUDA 13.0 and newer than '{library}'; "
        "name libnvJitLink of CUDA 13.0 or later with --nvjitlink-path\n"
    )


def test_without_libraries_the_places_are_listed(folder: Path) -> None:
    done = run(folder, "-lto", "--nvjitlink-path=nowhere.so", "x.ltoir")
    fatal, note = done.messages.splitlines()
    assert fatal == "warpld fatal   : elfLink linker library load error"
    assert "libnvJitLink" in note and "(tried nowhere.so)" in note and "nvidia-nvjitlink" in note
    (folder / "cuda" / "nvvm" / "lib64" / "libnvvm.so").unlink()
    done = run(folder, "-lto", "-disable-infos", "x.ltoir", DATA / "calls_missing.sm_80.cubin")
    assert "cuda/nvvm/lib64/libnvvm.so" in done.messages or done.status == 0


@pytest.mark.parametrize("words", [[], ["--nvjitlink-path=nowhere.so"]])
def test_a_program_without_its_helper_says_so(words: list[str], folder: Path) -> None:
    """Without its helper the program cannot optimise, whether or not an option names the library.
    The statically linked program is a single file, so it has no helper either."""
    (folder / "warpld-ptx-helper").unlink()
    done = run(folder, "-lto", *words, "x.ltoir")
    fatal, note = done.messages.splitlines()
    assert fatal == "warpld fatal   : elfLink linker library load error"
    assert "needs the program warpld-ptx-helper" in note
    assert f"(tried {folder}/warpld-ptx-helper)" in note
    assert done.status == 1 and not done.file


def test_a_library_of_ours_is_no_optimiser(folder: Path) -> None:
    own = BUILD / "libnvJitLink.so.13"
    if not own.exists():
        pytest.skip("it was not built")
    done = run(folder, "-lto", f"--nvjitlink-path={own}", "x.ltoir")
    assert "elfLink linker library load error" in done.messages


@pytest.mark.parametrize(
    "option", ["--map=map", "--report=report.json", "--why=k", "--cref", "--limit=k:stack<=0"]
)
def test_what_a_compiler_made_is_not_described(option: str, folder: Path) -> None:
    done = run(folder, "-lto", "x.ltoir", option)
    assert done.status == 1 and not done.file
    assert "a compiler made all of it from LTO-IR" in done.messages
    assert run(folder, "-lto", "-disable-infos", "x.ltoir", SECOND, option).status == 0


def test_undefined_names_are_reported_with_their_inputs(folder: Path) -> None:
    """Like nvlink, warpld calls the object that it makes from the LTO-IR "lto.cubin"."""
    put(folder, "y.ltoir", IR + HEAD)
    caller = str(DATA / "calls_missing.sm_80.cubin")
    words = ["-lto", "--force-partial-lto", "x.ltoir", "y.ltoir"]
    done = run(folder, *words, STAND_IN_CUBIN=caller)
    assert done.status == 255
    lines = done.messages.splitlines()
    assert lines[0] == "warpld error   : Undefined reference to 'missing(int)' in 'lto.cubin'"
    origin = "'lto.cubin' was made from the LTO-IR in 'x.ltoir', 'y.ltoir'"
    assert f"warpld note    : {origin}" in lines


def test_the_host_registers_the_inputs_of_lto_ir(folder: Path) -> None:
    """If the LTO-IR is a whole program, nvlink 13.0.88 lists the host objects that contain it, from
    last to first. It lists no other inputs."""
    for name in ("a", "b"):
        host = HostObject(fat_binary(lto_entry()), module_ids=(f"_{name}",))
        put(folder, f"{name}.o", host.write())
    words = ["-lto", "-disable-infos", "a.o", "x.ltoir", "b.o"]
    run(folder, *words, "--register-link-binaries=names")
    head, *lines = (folder / "names").read_text().splitlines()
    assert head == "#define NUM_PRELINKED_OBJECTS 2"
    assert lines == ["DEFINE_REGISTER_FUNC(_b)", "DEFINE_REGISTER_FUNC(_a)"]
    run(folder, *words, SECOND, "--register-link-binaries=names")
    text = (folder / "names").read_text()
    assert text.index("_a)") < text.index("_b)") < text.index("second")


def test_times_are_those_of_optimiser_and_compiler(folder: Path) -> None:
    """The rows are those of nvlink 13.0.88; results from the cache have no row."""
    assert run(folder, "-lto", "-time=table", "x.ltoir").status == 0
    rows = (folder / "table").read_text().splitlines()[1:]
    assert [row.rpartition(" , warpld , ")[0] for row in rows] == [
        "lto.nvvm , cicc ,  , lto.ptx , sm_80",
        "lto.ptx , ptxas ,  , lto.cubin , sm_80",
    ]


@pytest.mark.parametrize("words", [("-r",), ("--force-partial-lto",)])
def test_all_names_are_kept_in_an_object(words: tuple[str], folder: Path) -> None:
    """The object that the optimiser makes is linked at the position of the first LTO-IR input.
    ptxas is not needed."""
    (folder / "cuda" / "ptxas").unlink()
    relocatable = [word for word in words if word == "-r"]
    done = run(folder, "-lto", *words, SECOND, "x.ltoir", "-disable-infos")
    assert (done.status, done.messages) == (0, "")
    assert done.output == link(folder, *relocatable, SECOND, FIRST, name="warpld").output


def test_the_ptx_of_such_a_link_has_the_names_of_the_object(folder: Path) -> None:
    cubin = str(container_link.DATA / "runtime.sm_80.cubin")
    done = run(folder, "-lto", "-r", "-emit-ptx", "x.ltoir", STAND_IN_CUBIN=cubin)
    text = done.file.decode()
    assert done.status == 0 and "// option -ptx" in text and "// option -r" not in text
    assert "// input kept names of type 3" in text and 'declare void @"runtime_function"' in text


def test_an_older_library_cannot_keep_all_names(folder: Path) -> None:
    library = make(folder / "old" / "libnvJitLink.so.13", "-DOLD")
    done = run(folder, "-lto", "-r", f"--nvjitlink-path={library}", "x.ltoir")
    assert (done.status, done.messages) == (
        1,
        f"Cannot use '{library}': -r and --force-partial-lto need libnvJitLink of CUDA 13.3 or "
        "later, which keeps all names of LTO-IR\nwarpld fatal   : elfLink JIT compile failed\n",
    )


def test_a_whole_program_can_be_forced(folder: Path) -> None:
    """With --force-whole-lto the device runtime is not linked, and the PTX is compiled as a whole
    program, without -c. So ptxas reports undefined functions."""
    put(folder, "x.ltoir", IR + HEAD + b".extern .func runtime_function\n")
    runtime = fat_binary(cubin_entry(container_link.DATA / "runtime.sm_80.cubin"))
    put(folder, "libcudadevrt.a", archive({"runtime.o": HostObject(runtime).write()}))
    words = ["-lto", "-disable-infos", "x.ltoir", "-L.", "-lcudadevrt"]
    assert " -c " in run(folder, *words).messages
    done = run(folder, *words, "--force-whole-lto")
    assert " -c " not in done.messages and done.file == FIRST.read_bytes()


@pytest.mark.parametrize("other", ["-r", "--force-partial-lto"])
def test_what_is_not_possible_is_refused(other: str, folder: Path) -> None:
    done = run(folder, "-lto", "--force-whole-lto", other, "x.ltoir")
    assert done.messages == (
        "warpld fatal   : Conflicting options '-force-partial-lto' and '-force-whole-lto'\n"
    )
    done = run(folder, "-lto", "-Ofc=some", "x.ltoir")
    assert done.messages == "warpld fatal   : Invalid argument for option '--Ofast-compile'\n"


FUNCTIONS = b"""
.visible .entry _Z1kPf(
.func  (.param .b32 func_retval0) _Z5applyi
(
.func  (.param .b32 func_retval0) _Z5applyi(
.func _ZN34_INTERNAL_891287ea_4_d_cu_ad0447dc5localEf(
.func _Z4normPKdi$5(
.func __internal_sin(
.weak .func _Z4weakv(
.extern .func _Z5otherv
;
.visible .func _Z4seenv()
"""


def test_functions_of_a_part_keep_their_linkage(folder: Path) -> None:
    """Functions that the optimiser makes local in a first run are kept in a second run, unless the
    source declares them static."""
    put(folder, "x.ltoir", IR + HEAD + FUNCTIONS)
    words = ["-lto", "-emit-ptx", "-disable-infos", "x.ltoir"]
    text = run(folder, *words, SECOND).file.decode()
    declared = [line for line in text.splitlines() if line.startswith("declare")]
    assert declared == ['declare void @"_Z5applyi"()']
    whole = run(folder, *words).file.decode()
    assert "declare" not in whole and "kept names" not in whole


@pytest.mark.parametrize(("fault", "processes"), [("0", [0, 0]), ("2", [0, 0, 1])])
def test_one_process_makes_the_modules_of_all_runs(
    fault: str, processes: list[int], folder: Path
) -> None:
    """A module of declarations names the functions that a run of the optimiser must keep. Another
    process makes the module of the first run and that of the second. If this process crashes when
    it makes the second module, the process of the optimiser makes the module."""
    put(folder, "x.ltoir", IR + HEAD + FUNCTIONS)
    caller, written = DATA / "calls_missing.sm_80.cubin", folder / "processes"
    variables = {"STAND_IN_PROCESSES": str(written), "STAND_IN_FAULT": fault}
    words = ["-lto", "-emit-ptx", "-disable-infos", "x.ltoir"]
    done = run(folder, *words, caller, **variables)
    declared = [line for line in done.file.decode().splitlines() if line.startswith("declare")]
    assert declared == ['declare void @"_Z7missingi"()', 'declare void @"_Z5applyi"()']
    assert (done.status, done.messages) == (0, "")
    numbers = written.read_text().split()
    assert [sorted(set(numbers), key=numbers.index).index(n) for n in numbers] == processes


LINES = b"""
.func other(
.loc 3 9 0
.visible .entry first(
{
 .loc 2 7 31, function_name $L__info_string0, inlined_at 1 4 30
 .loc 1 4 0
 .loc 3 5 0
}
 .file 1 "/src/a.cu"
 .file 2 "/src/inlined.h"
 .file 3 "/src/b.cu"
"""


def test_the_line_table_says_which_source_code_is_of(folder: Path) -> None:
    """Maps, reports and explanations name the source file of each piece of code. If the code has no
    line table, they name the object."""
    words: list[str | Path] = [
        "-lto",
        "-disable-infos",
        "x.ltoir",
        SECOND,
        "--why=first",
        "--map=map",
    ]
    done = run(folder, *words)
    assert "kernel 'first' of lto.cubin: all kernels" in done.text
    put(folder, "x.ltoir", IR + HEAD + LINES)
    traced = ["--trace-symbol=first", "--trace-symbol=value_of_first"]
    done = run(folder, *words, *traced, "--report=report.json")
    origin = "lto.cubin:/src/a.cu"
    assert f"kernel 'first' of {origin}: all kernels" in done.text
    assert f"{origin}: definition of kernel 'first', used" in done.text
    rows = [line.split() for line in (folder / "map").read_text().splitlines()]
    assert [row[-2:] for row in rows if ".text.first" in row] == [[origin, "first"]]
    assert re.search("^lto.cubin: definition of .*'value_of_first'", done.text, re.MULTILINE)
    report = json.loads((folder / "report.json").read_text())
    kernels = {report["functions"][k["function"]]["name"]: k for k in report["kernels"]}
    function = report["functions"][kernels["first"]["function"]]
    assert report["inputs"][function["input"]] == origin
    done = run(folder, *words[:4], "--limit=first:registers<=1")
    assert f"Kernel 'first' of {origin} needs" in done.messages
