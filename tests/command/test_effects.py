"""Each option does what its help says."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from command import REPOSITORY, Done, prepare, run
from elftools.elf.elffile import ELFFile
from test_grammar import TABLE, Option

GOLDEN = REPOSITORY / "tests" / "golden"
Test = TypeVar("Test", bound=Callable[..., None])
# Maps options to the golden link or the file of tests that shows their effect.
ELSEWHERE = {
    "ARCHITECTURE": "tests/golden/architecture-does-not-match",
    "OUTPUT": "tests/command/test_grammar.py",
    "LIBRARY": "tests/containers/test_libraries.py",
    "LIBRARY_PATH": "tests/containers/test_libraries.py",
    "KERNELS_USED": "tests/golden/kernels-used-by-substring",
    "IGNORE_HOST_INFO": "tests/containers/test_host_references.py",
    "KEEP_SYSTEM_LIBRARIES": "tests/containers/test_device_runtime.py",
    "REGISTER_LINK_BINARIES": "tests/containers/test_containers.py",
    "NO_ARCH_WARNING": "tests/containers/test_chosen_images.py",
    "ALLOW_EMPTY": "tests/containers/test_chosen_images.py",
    "ALLOW_NEWER_TOOLKIT": "tests/notes/test_message_options.py",
    "MERGE_CONSTANTS": "tests/constants/test_merge_constants.py",
    "REMOVE_UNUSED_CONSTANTS": "tests/constants/test_unused_constants.py",
    "TRACE": "tests/trace/test_trace.py",
    "SAVE_INPUTS": "tests/saved/test_save_inputs.py",
    "MAP": "tests/inspect/test_map.py",
    "REPORT": "tests/inspect/test_report.py",
    "PRINT_REMOVED": "tests/inspect/test_texts.py",
    "WHY": "tests/inspect/test_texts.py",
    "TRACE_SYMBOL": "tests/inspect/test_texts.py",
    "CREF": "tests/inspect/test_texts.py",
    "LIMIT": "tests/inspect/test_kernel_limits.py",
    "THREADS": "tests/unit/test_threads.c",
    "OUTPUT_ABI": "tests/golden/abi7-objects/link",
    "PTXAS_PATH": "tests/containers/test_ptx.py",
    "PTX_COMPILER": "tests/compile/test_plugins.py",
    "PTXAS_TIMEOUT": "tests/compile/test_processes.py",
    "LTO": "tests/compile/test_optimise.py",
    "DLTO": "tests/compile/test_optimise.py",
    "NVVM_PATH": "tests/compile/test_optimise.py",
    "NVJITLINK_PATH": "tests/compile/test_optimise.py",
    "NVVM_OPTIONS": "tests/compile/test_optimise.py",
    "FAST_COMPILE": "tests/compile/test_optimiser_options.py",
    "SPLIT_COMPILE_EXTENDED": "tests/compile/test_optimiser_options.py",
    "EMIT_PTX": "tests/compile/test_optimise.py",
    "PARTIAL_LTO": "tests/compile/test_optimise.py",
    "WHOLE_LTO": "tests/compile/test_optimise.py",
    **dict.fromkeys(
        ("DEVICE_LINK", "GENCODE", "CODE", "FATBIN", "CUBIN", "COMPRESS_MODE", "DEPENDENCY_FILE"),
        "tests/device_link/test_device_link.py",
    ),
    "FSYNC": "tests/torture/test_durable.py",
    "CACHE_DIR": "tests/compile/test_cache.py",
    "CACHE_URL": "tests/compile/test_remote_cache.py",
    "CACHE_SIZE": "tests/compile/test_cache.py",
    "NO_CACHE": "tests/compile/test_cache.py",
    "PTXAS_OPTIONS": "tests/containers/test_ptx.py",
    "MAX_REGISTERS": "tests/containers/test_ptx.py",
    "STACK_PROTECTOR": "tests/containers/test_ptx.py",
    "SPLIT_COMPILE": "tests/containers/test_ptx.py",
    "CPU_ARCH": "tests/device_link/test_device_link.py",
    "RESERVE_NULL": "tests/golden/null-pointer-reserved",
    "NO_SHARED_RESERVATION": "tests/golden/shared-reservation-disabled-sm90",
    "RELOCATABLE": "tests/relocatable/test_relinking.py",
    "PRESERVE_RELOCATIONS": "tests/golden/resolved-relocations",
    "FORCE_RELA": "tests/golden/addends-forced",
    "NO_DEBUG_INFO": "tests/quirks/test_debug_information.py",
    "DUMP_CALLGRAPH": "tests/command/test_call_graph.py",
    "DUMP_CALLGRAPH_MANGLED": "tests/command/test_call_graph.py",
    "DOT_FILE": "tests/command/test_call_graph.py",
    "HOST_LINKER_SCRIPT": "tests/command/test_host_script.py",
    "SHARED": "tests/command/test_host_script.py",
    "HOST_CCBIN": "tests/command/test_host_script.py",
    "HOST_LINKER_OPTIONS": "tests/command/test_host_script.py",
    "TIME": "tests/command/test_times.py",
    "NO_DEMANGLE": "tests/notes/test_message_options.py",
    "ERROR_LIMIT": "tests/notes/test_message_options.py",
    "COLOR": "tests/notes/test_message_options.py",
    "DIAGNOSTICS_FORMAT": "tests/command/test_message_formats.py",
    "DIAGNOSTICS_FILE": "tests/command/test_message_formats.py",
    "AS": "tests/command/test_first_contact.py",
    "EXTENDED_SHARED": "tests/golden/extended-shared-limit",
}
shown: set[str] = set()


def shows(*identifiers: str) -> Callable[[Test], Test]:
    shown.update(identifiers)
    return lambda test: test


@pytest.mark.parametrize("row", TABLE, ids=[row.long for row in TABLE])
def test_some_test_shows_it(row: Option) -> None:
    if row.effect == "ACTS" and row.identifier not in shown:
        assert (REPOSITORY / ELSEWHERE[row.identifier]).exists()


def link_golden(folder: Path, golden: str, *words: str, name: str = "nvlink") -> Done:
    """Copies the objects of a golden link to the folder, and links them there."""
    for cubin in (GOLDEN / golden).glob("?.cubin"):
        shutil.copy(cubin, folder)
    line = (GOLDEN / golden / "link").read_text().split()
    return run(folder, *line, *words, "-o", "output.cubin", name=name)


def link(folder: Path, *words: str, name: str = "nvlink") -> Done:
    prepare(folder)
    return run(folder, "-arch=sm_80", "a.cubin", "b.cubin", "-o", "output.cubin", *words, name=name)


def sections(folder: Path) -> dict[str, bytes]:
    file = ELFFile(io.BytesIO((folder / "output.cubin").read_bytes()))
    return {section.name: section.data() for section in file.iter_sections()}


def symbols(folder: Path) -> set[str]:
    file = ELFFile(io.BytesIO((folder / "output.cubin").read_bytes()))
    return {symbol.name for symbol in file.get_section_by_name(".symtab").iter_symbols()}


def note(folder: Path) -> bytes:
    return sections(folder)[".note.nv.tkinfo"]


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
def test_targets_that_only_cuda_12_has(tmp_path: Path, name: str) -> None:
    """Called nvlink, warpld refuses sm_70: nvlink 13.0.88 knows no target below sm_75, as
    tests/command/data/answers shows."""
    for path in (GOLDEN / "old-target-objects-sm70").glob("*.cubin"):
        shutil.copy(path, tmp_path)
    words = ("a.cubin", "b.cubin", "-suppress-stack-size-warning", "-o", "output.cubin")
    refused = [f"{name} fatal   : Value 'sm_70' is not defined for option 'arch'"]
    for option, is_warpld in ((f"--as={name}", name == "warpld"), ("--as=warpld", True)):
        done = run(tmp_path, "-arch=sm_70", *words, option, name=name)
        assert done.messages == ([] if is_warpld else refused)
        assert done.status == int(not is_warpld)
    output = tmp_path / "output.cubin"
    assert output.read_bytes() == (GOLDEN / "old-target-objects-sm70/expected.cubin").read_bytes()


def test_abi_of_targets_that_only_cuda_12_has(tmp_path: Path) -> None:
    prepare(tmp_path)
    done = run(tmp_path, "-arch=sm_70", "a.cubin", "-o", "x", "--output-abi=8", name="warpld")
    assert (done.status, len(done.messages)) == (1, 1)
    assert done.messages[0].endswith("Outputs of ABI version 8 are not possible for 'sm_70'")
    for virtual in ("compute_70", "lto_70"):
        done = run(tmp_path, f"-arch={virtual}", "a.cubin", name="warpld")
        assert (done.status, len(done.messages)) == (1, 1)
        assert f"Value '{virtual}' is not defined for option 'arch'" in done.messages[0]


@shows("DEBUG")
def test_debug_keeps_dead_functions(tmp_path: Path) -> None:
    link_golden(tmp_path, "weak-dead-function")
    without = symbols(tmp_path)
    link_golden(tmp_path, "weak-dead-function", "-g")
    assert symbols(tmp_path) > without


@shows("VERBOSE")
def test_verbose(tmp_path: Path) -> None:
    assert link(tmp_path).messages == []
    lines = link(tmp_path, "-v").messages
    assert all(line.startswith("nvlink info    : ") for line in lines)
    assert re.search(r"\d+ bytes gmem", lines[0])
    assert re.search(r"used \d+ registers, used \d+ barriers, \d+ stack", lines[2])


def test_verbose_counts_slots(tmp_path: Path) -> None:
    lines = link_golden(tmp_path, "texture-and-sampler-slots", "-v").messages
    assert lines[-1].endswith(", 1 textures, 1 samplers")


@shows("VARIABLES_USED")
def test_variables_used_alone_leaves_no_kernel(tmp_path: Path) -> None:
    link(tmp_path, "-variables-used=none")
    assert not any(name.startswith(".text.") for name in sections(tmp_path))


@shows("USE_HOST_INFO")
def test_use_host_info_gives_way(tmp_path: Path) -> None:
    told = "nvlink info    : ignore -use-host-info because -kernels-used or -variables-used is "
    assert link(tmp_path, "-use-host-info", "-kernels-used=k").messages == [told + "specified"]
    assert link(tmp_path, "-use-host-info").messages == []
    assert link(tmp_path, "-use-host-info", "-kernels-used=,").messages == []


@shows("OPTIONS_FILE")
@pytest.mark.parametrize("words", [("-optf", "options"), ("@options",)])
def test_options_file(words: tuple[str, ...], tmp_path: Path) -> None:
    assert link(tmp_path, *words).messages == link(tmp_path, "-v").messages


def test_first_options_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    messages = link(tmp_path, "-optf", "options,none,other").messages
    assert messages == ["nvlink fatal   : Could not open options file 'none'"]


@shows("WARNINGS_ARE_ERRORS", "NO_WARNINGS", "NO_STACK_WARNING")
def test_warnings(tmp_path: Path) -> None:
    golden = "recursion-unknown-stack"
    lines = link_golden(tmp_path, golden).messages
    assert lines and all(line.startswith("nvlink warning : ") for line in lines)
    errors = link_golden(tmp_path, golden, "-Werror")
    assert errors.messages == [line.replace("warning", "error  ") for line in lines]
    assert errors.status == 255
    for option in ("-w", "-suppress-stack-size-warning"):
        assert link_golden(tmp_path, golden, option).messages == []
        assert link_golden(tmp_path, golden, option, "-Werror").status == 0


@shows("NO_INFOS")
def test_disable_infos_leaves_what_was_asked_for(tmp_path: Path) -> None:
    ignored = ["-disable-infos", "-use-host-info", "-kernels-used=k"]
    assert link(tmp_path, *ignored, "-w", name="warpld").messages == []
    assert len(link(tmp_path, *ignored).messages) == 1  # as nvlink
    assert link(tmp_path, "-disable-infos", "-v").messages == link(tmp_path, "-v").messages
    assert link_golden(tmp_path, "recursion-unknown-stack", "-disable-infos").messages


@shows("EXTRA_WARNINGS")
def test_extra_warnings(tmp_path: Path) -> None:
    golden = "address-taken-function-is-not-followed"
    told = "nvlink warning : Function 'taken' has address taken but no calls to it found"
    assert link_golden(tmp_path, golden).messages == []
    assert link_golden(tmp_path, golden, "-extrawarn").messages == [told]
    called = "indirect-call-adds-stack"  # its function is called through a pointer
    assert link_golden(tmp_path, called, "-extrawarn").messages == []


@shows("REPORT_ARCH")
def test_report_arch(tmp_path: Path) -> None:
    lines = link(tmp_path, "-v", "-report-arch").messages
    assert lines == [f"{line} (target: sm_80)" for line in link(tmp_path, "-v").messages]


@shows("ALLOW_UNDEFINED_GLOBALS")
def test_undefined_globals(tmp_path: Path) -> None:
    all_lines = link_golden(tmp_path, "undefined-variable").messages
    left = link_golden(tmp_path, "undefined-variable", "--allow-undefined-globals").messages
    assert any("'missing_global'" in line for line in all_lines)
    assert not any("'missing_global'" in line for line in left)


@shows("TOOL_NAME")
def test_tool_name(tmp_path: Path) -> None:
    lines = link(tmp_path, "-v", "--tool-name=other").messages
    assert lines == [line.replace("nvlink", "other") for line in link(tmp_path, "-v").messages]


@shows("VERBOSE_TOOL_NOTE")
def test_tool_note_names_files(tmp_path: Path) -> None:
    link(tmp_path)
    assert b"a.cubin,b.cubin -o output.cubin" not in note(tmp_path)
    link(tmp_path, "--verbose-tkinfo=true")
    assert b"a.cubin,b.cubin -o output.cubin" in note(tmp_path)


# Maps arguments to the text that nvlink records for them in the tool note, after the input names.
RECORDED = {
    "-g": b"-o output.cubin -g  -arch sm_80 ",
    "--verbose-tkinfo=true": b"-o output.cubin -arch sm_80 ",
    "-g -suppress-arch-warning": b"-suppress-arch-warning  -o output.cubin -g  -arch sm_80 ",
    "-g --register-link-binaries=x/names -v": b"-o output.cubin -g  -arch sm_80 - names -v  ",
    "-g --time=x/times -extrawarn": b"-o output.cubin -g  -arch sm_80 -time times -extrawarn  ",
    "-g -lto -nvvmpath=nvvm -Ofc=mid -split-compile=2 -suppress-debug-info": (
        b"-o output.cubin -g  -arch sm_80 -lto  -nvvmpath nvvm -split-compile 2 -Ofc mid "
        b"-suppress-debug-info  "
    ),
    "-g -optf=x/none -maxrregcount=9": b"-o output.cubin -g  -arch sm_80 -maxrregcount 9 -optf  ",
}


@pytest.mark.parametrize("words", RECORDED)
def test_tool_note_has_no_folders(words: str, tmp_path: Path) -> None:
    prepare(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "none").touch()
    (tmp_path / "nvvm" / "lib64").mkdir(parents=True)
    (tmp_path / "nvvm" / "lib64" / "libnvvm.so").touch()
    line = ["-arch=sm_80", tmp_path / "a.cubin", "b.cubin", "-o", tmp_path / "output.cubin"]
    assert run(tmp_path, *line, *words.split()).status == 0
    assert b"\0a.cubin,b.cubin " + RECORDED[words] + b"\0" in note(tmp_path)
    assert b"\0output.cubin\0" in note(tmp_path)


def test_tool_note_of_debugging_without_names(tmp_path: Path) -> None:
    link(tmp_path, "-g", "--verbose-tkinfo=false", "-suppress-arch-warning", "-optf=options")
    assert b"\0-suppress-arch-warning  -g  -arch sm_80 -v  \0" in note(tmp_path)
    assert b"output.cubin" not in note(tmp_path)


def test_tool_note_has_numbers_in_decimal(tmp_path: Path) -> None:
    link(tmp_path, "-maxrregcount=0x10")
    assert b"-maxrregcount 16 " in note(tmp_path)


@shows("NO_RESERVE_NULL")
def test_unreserved_null_pointer_wins(tmp_path: Path) -> None:
    words = ["--reserve-null-pointer", "--dont-reserve-null-pointer"]
    link_golden(tmp_path, "null-pointer-reserved", words[1])  # replaces words[0]
    either = sections(tmp_path)
    line = ["-arch=sm_80", "a.cubin", "b.cubin", "-o", "output.cubin"]
    for given in (tuple(words[::-1]), ()):
        run(tmp_path, *given, *line)
        assert sections(tmp_path) == either
    run(tmp_path, words[0], *line)
    assert sections(tmp_path) != either


@shows("API_VERSION")
def test_version_of_the_interface(tmp_path: Path) -> None:
    assert link(tmp_path, "--cuda-api-version=13.0").status == 0
    assert link(tmp_path, "--cuda-api-version=12.0").status == 1


@shows("NV_HOST")
def test_host_data(tmp_path: Path) -> None:
    link(tmp_path, "--nv-host=options")
    assert sections(tmp_path)[".nv.host"] == b"-v\n"


@shows("UNIFIED_INDEX")
def test_index_file_places_unified_functions(tmp_path: Path) -> None:
    index = GOLDEN / "unified-index-of-version-2" / "unified.index"
    assert link_golden(tmp_path, "unified-without-index").status == 1
    assert link_golden(tmp_path, "unified-without-index", f"--uidx-file={index}").status == 0
    assert sections(tmp_path)[".nv.uidx"] == index.read_bytes()


@shows("NO_NOTES")
def test_no_notes(tmp_path: Path) -> None:
    golden = "too-much-shared-memory"
    assert link_golden(tmp_path, golden, name="warpld").notes > 0
    assert link_golden(tmp_path, golden, "--no-notes", name="warpld").notes == 0


LIST_OF_PASSES = REPOSITORY / "src" / "link" / "link.c"


@shows("STATISTICS")
def test_statistics(tmp_path: Path) -> None:
    """--stats prints a table of the passes, then numbers. It does not change the output file."""
    plain = link(tmp_path), sections(tmp_path)
    done = link(tmp_path, "--stats")
    assert sections(tmp_path) == plain[1]
    names = [line.split()[0] for line in done.messages]
    passes = re.findall(r"^    PASS\w*\(pass_(\w+),", LIST_OF_PASSES.read_text(), re.M)
    ran = [name for name in passes if name != "relocatable"]
    assert names[: len(ran) + 4] == ["pass", "read_inputs", *ran, "write_file", "total"]
    for line in done.messages[1 : len(ran) + 4]:
        assert re.fullmatch(r"\w+ +[\d.]+ +[\d.]+ +[\d.]+", line)
    numbers = dict(line.rsplit(maxsplit=1) for line in done.messages[len(ran) + 4 :])
    assert numbers["files"] == numbers["objects"] == "2"
    assert int(numbers["output bytes"]) == (tmp_path / "output.cubin").stat().st_size


NO_EFFECT = [row[1:4] for row in TABLE if row[4] in ("NONE", "LTO")]
VALUES = {"BOOLEAN": "true", "INTEGER": "64", "TEXT": "x", "LIST": "x"}


@pytest.mark.parametrize("long, short, argument", NO_EFFECT)
def test_option_without_effect(long: str, short: str, argument: str, tmp_path: Path) -> None:
    plain = link(tmp_path), sections(tmp_path)
    word = f"--{long}" if argument == "FLAG" else f"--{long}={VALUES[argument]}"
    done = link(tmp_path, word), sections(tmp_path)
    # The tool note records the option. All other sections have the same contents, but later offsets
    # if they follow the longer note.
    del plain[1][".note.nv.tkinfo"], done[1][".note.nv.tkinfo"]
    assert done == plain


def test_an_option_of_ptxas_that_nvlink_ignores(tmp_path: Path) -> None:
    """nvlink ignores the option without a message. Under its own name, warpld warns."""
    option = "--device-stack-protector-frame-size-threshold"
    warning = f"Option '{option}' has no effect, as in nvlink; pass it to ptxas with -Xptxas"
    assert link(tmp_path, f"{option}=8", name="warpld").messages == [f"warpld warning : {warning}"]
    assert link(tmp_path, f"{option}=8", "-w", name="warpld").messages == []
    assert link(tmp_path, f"{option}=8").messages == []
    device_link = ("--device-link", "--cubin", "-o", "output")
    done = link(tmp_path, f"{option}=8", *device_link, name="warpld")
    assert f"warpld warning : {warning}" in done.messages


@shows("HELP")
def test_help_lists_every_option(tmp_path: Path) -> None:
    done = run(tmp_path, "--help")
    assert done.status == 0
    for _, long, short, *_ in TABLE:
        assert f"\n  --{long}, -{short}" in done.output or f"\n  --{long}" in done.output


@shows("VERSION")
@pytest.mark.parametrize("name", ["nvlink", "warpld"])
def test_version(name: str, tmp_path: Path) -> None:
    """Build systems look for a word such as V13.0.88 in the output of `nvlink --version`."""
    done = run(tmp_path, "--version", name=name)
    match = re.search(r"\bV(\d+)\.(\d+)\.(\d+)\b", done.output)
    assert match and tuple(map(int, match.groups())) >= (11, 8, 0)
    assert "warpld" in done.output
    assert (done.status, done.messages) == (0, [])


@shows("EXPLAIN")
def test_explain(tmp_path: Path) -> None:
    """--explain explains one message or all messages, and refuses a code that no message has."""
    done = run(tmp_path, "--explain", "multiple-definition")
    assert done.status == 0
    lines = done.output.splitlines()
    assert lines[0] == "multiple-definition (error)"
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["message", "cause", "remedy"]
    every = run(tmp_path, "--explain=all")
    assert set(lines) < set(every.output.splitlines())
    unknown = run(tmp_path, "--explain=no-such")
    assert (unknown.status, unknown.output) == (1, "")
    assert "no-such" in unknown.messages[0]
