"""PTX among the inputs is compiled by an external ptxas. Here scripts stand in for ptxas."""

from __future__ import annotations

import itertools
import os
import resource
import signal
from pathlib import Path

import pytest
from container_files import CUBIN, PTX, Entry, HostObject, cubin_entry, fat_binary
from container_link import DATA, FIRST, FIRST_90, SECOND, link, put

TEXT = b"// A comment may come first.\n.version 8.0\n.target sm_80\n.address_size 64\n"


def compiler(folder: Path, *lines: str) -> Path:
    """Writes a script that runs `lines` and stands in for ptxas. The linker calls the script with
    the arguments -arch A -m 64 -c [OPTIONS] SOURCE, and expects that it writes elf.o."""
    program = folder / "ptxas"
    program.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    program.chmod(0o755)
    return program


def good_compiler(folder: Path) -> Path:
    return compiler(folder, f'echo "$PWD|$*" >> {folder}/calls', f"cp {FIRST} elf.o")


FORMS = {
    "text": TEXT,
    "fat-binary": fat_binary(Entry(PTX, 80, TEXT + b"\0")),
    "host-object": HostObject(fat_binary(Entry(PTX, 75, TEXT))).write(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_compiled(form: str, folder: Path) -> None:
    """For targets up to sm_89 nvlink does not link PTX that has no machine code beside it. warpld
    links such PTX for all targets."""
    program = good_compiler(folder)
    result = link(folder, put(folder, "x.ptx", FORMS[form]), SECOND, f"--ptxas-path={program}")
    assert (result.status, result.messages) == (0, "")
    assert result.output == link(folder, FIRST, SECOND).output


@pytest.mark.parametrize(
    ("target", "compiled"),
    [("sm_86", "sm_86"), ("sm_90a", "sm_90a"), ("sm_100a", "sm_100a"), ("sm_100f", "sm_100")],
)
def test_compiler_is_called_as_nvlinks_own(target: str, compiled: str, folder: Path) -> None:
    program = good_compiler(folder)
    link(folder, put(folder, "x.ptx", TEXT), f"--ptxas-path={program}", architecture=target)
    place, words = (folder / "calls").read_text().strip().split("|")
    assert words == f"-arch {compiled} -m 64 -c application ptx input"
    assert not Path(place).exists(), "a temporary folder was left behind"


@pytest.mark.parametrize(("target", "is_compiled"), [("sm_103", True), ("sm_100", False)])
def test_text_comes_before_code_to_translate(target: str, is_compiled: bool, folder: Path) -> None:
    """For sm_103 warpld compiles the PTX, whereas nvlink translates the machine code of sm_100."""
    program = good_compiler(folder)
    entries = (Entry(CUBIN, 100, FIRST.read_bytes()), Entry(PTX, 100, TEXT))
    for number, order in enumerate(itertools.permutations(entries)):
        fat = put(folder, f"{number}.fatbin", fat_binary(*order))
        link(folder, fat, f"--ptxas-path={program}", architecture=target)
    calls = folder / "calls"
    words = [line.split("|")[1] for line in calls.read_text().splitlines()] if is_compiled else []
    assert calls.exists() == is_compiled
    assert words == ["-arch sm_103 -m 64 -c application ptx input"] * len(words)
    assert len(words) == 2 * is_compiled


OPTIONS = {
    "--compile-only  ": "--compile-only",
    "-O1 -v\t-maxrregcount=24 -lineinfo ": "-O1 -v -maxrregcount=24 -lineinfo",
    "--opt-level 1 -dlcm ca -dlcm=cg --maxrregcount 32": (
        "--opt-level 1 -dlcm ca -dlcm=cg --maxrregcount 32"
    ),
    # Of these options only -w is passed on, because the link itself decides on all others.
    "-arch=sm_80 --gpu-name sm_90 -m64 --machine 64 -o result --output-file=result -w": "-w",
    "": "",
}


def compiled_with(options: str, folder: Path, *more: str) -> tuple[str, str]:
    """The options that ptxas gets in addition to those of every call, and the link's messages."""
    program = good_compiler(folder)
    text = Entry(PTX, 80, TEXT, options=options)
    words: list[str | Path] = [
        put(folder, "x.fatbin", fat_binary(text)),
        SECOND,
        f"--ptxas-path={program}",
        *more,
    ]
    result = link(folder, *words)
    assert result.output == link(folder, FIRST, SECOND, *more).output
    calls = (folder / "calls").read_text().strip()
    options = calls.partition(" -m 64 -c ")[2].partition("application ptx input")[0]
    return options.strip(), result.messages


@pytest.mark.parametrize("options", OPTIONS)
def test_options_recorded_with_text_are_passed_on(options: str, folder: Path) -> None:
    """nvlink passes the recorded options on, too: without them the code would have the wrong
    optimisation level and register limit."""
    assert compiled_with(options, folder) == (OPTIONS[options], "")


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ("-optf /etc/passwd -O1", "-optf"),
        ("--options-file=/etc/passwd -O1", "--options-file=/etc/passwd"),
        ("--input-as-string x -O1", "--input-as-string"),
        ("--unknown-option -O1", "--unknown-option"),
        ("-O1 word", "word"),
        ("-O1 @file", "@file"),
        ("-O1 $(touch here)", "$(touch"),
    ],
)
def test_what_could_name_files_is_not_passed_on(options: str, refused: str, folder: Path) -> None:
    """warpld does not pass on recorded options that could name files. nvlink reads the files, or
    ends the link."""
    passed, messages = compiled_with(options, folder)
    assert passed == "-O1"
    first = messages.splitlines()[0]
    assert first == f"nvlink warning : Option '{refused}' of the PTX is not passed to ptxas"
    assert compiled_with(options, folder, "-w")[1] == ""
    assert not (folder / "here").exists()


THRESHOLD = "device-stack-protector-frame-size-threshold"
CHOSEN = {
    "-Xptxas=-O1,-v -Xptxas --verbose": "-O1 -v --verbose",
    "-maxrregcount=24": "-maxrregcount=24",
    "-maxrregcount=0 -split-compile=1": "",
    "-device-stack-protector=true": "-device-stack-protector=true",
    "-device-stack-protector=false": "-device-stack-protector=false",
    "-split-compile=0": "-split-compile=0",
    # ptxas gets the options in nvlink's order, whatever their order on the command line.
    "-split-compile=2 -device-stack-protector=true -maxrregcount=9 -Xptxas=-v": (
        "-v -maxrregcount=9 -device-stack-protector=true -split-compile=2"
    ),
    # These options are not passed on, because the link decides on the output.
    "-Xptxas=-o,x,-v,-o=x,--output-file,x,-w": "-v -w",
    # These options are passed to ptxas only as values of -Xptxas.
    f"-Xnvvm=-v -split-compile-extended=3 -{THRESHOLD}=3": "",
    f"-Xptxas=--{THRESHOLD}=3": f"--{THRESHOLD}=3",
}


@pytest.mark.parametrize("words", CHOSEN)
@pytest.mark.parametrize("recorded", ["", "-O2"])
def test_options_for_ptxas_follow_the_recorded_ones(
    words: str, recorded: str, folder: Path
) -> None:
    """The options of the command line follow the recorded options, as in nvlink. ptxas uses the
    last value of an option, so the command line overrides the recorded options."""
    options, messages = compiled_with(recorded, folder, *words.split())
    assert (options, messages) == (f"{recorded} {CHOSEN[words]}".strip(), "")


@pytest.mark.parametrize(
    "words",
    ["-Xptxas -optf,few.txt,-v", "-Xptxas=-optf=few.txt,-v", "-Xptxas=--options-file=few.txt,-v"],
)
def test_a_file_of_options_is_looked_for_here(words: str, folder: Path) -> None:
    """ptxas runs in another folder, so warpld passes it the absolute path of the file. The name of
    a file that does not exist is passed unchanged, so that the message of ptxas shows it."""
    (folder / "few.txt").write_text("-O1")
    option = words.removeprefix("-Xptxas")[1:].replace(",", " ")
    found = option.replace("few.txt", f"{folder}/few.txt")
    assert compiled_with("", folder, *words.split()) == (found, "")
    (folder / "calls").unlink()
    missing = words.replace("few", "missing").split()
    assert compiled_with("", folder, *missing) == (option.replace("few", "missing"), "")


@pytest.mark.parametrize(
    ("word", "option"),
    [
        ("-maxrregcount=1000", "-maxrregcount"),
        ("-split-compile=1000", "-split-compile"),
        ("-split-compile=-100", "-split-compile"),
        (f"-{THRESHOLD}=1000 -split-compile=1000", f"--{THRESHOLD}"),
        (f"-{THRESHOLD}=1000 -maxrregcount=1000", "-maxrregcount"),
    ],
)
def test_numbers_too_long_for_nvlink(word: str, option: str, folder: Path) -> None:
    """A number that is too long for nvlink is an error only if PTX has to be compiled."""
    words = [f"--ptxas-path={good_compiler(folder)}", *word.split()]
    result = link(folder, put(folder, "x.fatbin", FORMS["fat-binary"]), SECOND, *words)
    message = f"nvlink fatal   : Invalid argument for option '{option}'\n"
    assert (result.status, result.messages) == (1, message)
    assert not (folder / "calls").exists()
    assert link(folder, FIRST, SECOND, *words).status == 0


@pytest.mark.parametrize("options", ["-g", "--device-debug"])
@pytest.mark.parametrize("size", [0, 200_000])
def test_files_are_not_named_for_debugging(options: str, size: int, folder: Path) -> None:
    """With -g the linker passes the PTX itself as an argument: ptxas would record the name of a
    file in the tool note. PTX that is too long for an argument is passed in a file anyway."""
    program = good_compiler(folder)
    text = TEXT + b"// long\n" * (size // 8)
    fat = put(folder, "x.fatbin", fat_binary(Entry(PTX, 80, text, options=options)))
    assert link(folder, fat, SECOND, f"--ptxas-path={program}").status == 0
    call = (folder / "calls").read_text().partition("|")[2].rstrip("\n")
    start = f"-arch sm_80 -m 64 -c {options} "
    words = "application ptx input" if size else f"--input-as-string {text.decode()}".rstrip("\n")
    assert call == start + words


@pytest.mark.parametrize("number", ["80", "90a", "100", "121f"])
def test_text_for_a_virtual_target(number: str, folder: Path) -> None:
    """The PTX is compiled, so that its errors are reported, but not linked. nvlink refuses virtual
    targets from 100 on: "specified arch exceeds buffer length"."""
    fat = put(folder, "x.fatbin", FORMS["fat-binary"])
    words = [fat, f"--ptxas-path={good_compiler(folder)}"]
    result = link(folder, *words, architecture=f"compute_{number}")
    assert (result.status, result.messages, result.file) == (0, "", b"")
    assert f"-arch sm_{number.rstrip('f')} " in (folder / "calls").read_text()


def test_order_of_several_texts_is_kept(folder: Path) -> None:
    script = 'grep -q "is first" "application ptx input" && cp "{}" elf.o || cp "{}" elf.o'
    program = compiler(folder, script.format(FIRST, SECOND))
    texts = [
        put(folder, f"{name}.ptx", TEXT + f"// this is {name}\n".encode())
        for name in ("second", "first")
    ]
    output = link(folder, *texts, f"--ptxas-path={program}").output
    assert output == link(folder, SECOND, FIRST).output


def test_options_about_messages_also_count_after_text(folder: Path) -> None:
    """-Werror and -w have an effect on inputs that follow PTX. nvlink ignores -Werror
    for these inputs."""
    good = f"--ptxas-path={good_compiler(folder)}"
    fat = put(folder, "x.fatbin", fat_binary(cubin_entry(FIRST_90)))
    text = put(folder, "x.ptx", TEXT)
    assert link(folder, text, fat, good).status == 0
    assert link(folder, text, fat, good, "-Werror").status == 255
    assert link(folder, text, fat, good, "-Werror", "-w").status == 0


def test_what_the_compiler_says_is_passed_on(folder: Path) -> None:
    program = compiler(folder, "echo ptxas fatal : no such instruction >&2", "exit 255")
    result = link(folder, put(folder, "x.ptx", TEXT), f"--ptxas-path={program}")
    assert result.status == 1
    assert result.messages == (
        "ptxas fatal : no such instruction\nnvlink fatal   : elfLink fatbinary error\n"
        "nvlink note    : the PTX that could not be compiled is in 'x.ptx'\n"
    )
    assert result.file == b""


UNKNOWN_VERSION = "ptxas application ptx input, line 1; fatal   : Unsupported .version 9.9"
SYNTAX_ERROR = "ptxas application ptx input, line 3; error   : Unknown symbol"
ABORTED = "ptxas fatal   : Ptx assembly aborted due to errors"
TOO_LARGE = "ptxas error   : File uses too much global constant data"
LATER_TARGET = (
    "ptxas fatal   : SM version specified by .target is higher than default SM version assumed"
)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ([UNKNOWN_VERSION, ABORTED], [UNKNOWN_VERSION, "elfLink fatbinary error"]),
        ([SYNTAX_ERROR, ABORTED], [SYNTAX_ERROR, ABORTED, "elfLink fatbinary error"]),
        ([TOO_LARGE], [TOO_LARGE, "elfLink JIT compile failed"]),
    ],
)
def test_failures_end_as_those_of_the_built_in_compiler(
    said: list[str], told: list[str], folder: Path
) -> None:
    echo = [f"echo '{line}' >&2" for line in said]
    program = compiler(folder, *echo, "exit 255")
    result = link(folder, put(folder, "x.ptx", TEXT), f"--ptxas-path={program}")
    assert result.status == 1
    lines = [line for line in result.messages.splitlines() if not line.startswith("nvlink note ")]
    assert lines == [*told[:-1], f"nvlink fatal   : {told[-1]}"]


@pytest.mark.parametrize(
    ("said", "line", "remedy"),
    [
        (SYNTAX_ERROR, ", line 3", None),
        (SYNTAX_ERROR.replace("error", "warning"), "", None),
        (SYNTAX_ERROR.replace("3", "9" * 40), "", None),
        (TOO_LARGE, "", "the PTX is valid, but exceeds a limit of sm_80"),
        (UNKNOWN_VERSION, ", line 1", "PTX version 9.9 needs the ptxas of a later CUDA release"),
        (
            UNKNOWN_VERSION.replace("9.9", "8.6"),
            ", line 1",
            "PTX version 8.6 needs the ptxas of CUDA 12.7 or later",
        ),
        (LATER_TARGET, "", "the .target of this PTX is later than sm_80"),
    ],
)
def test_failures_name_the_input_and_the_remedy(
    said: str, line: str, remedy: str | None, folder: Path
) -> None:
    good, bad = put(folder, "good.ptx", TEXT), put(folder, "bad.ptx", TEXT)
    echo = f"case $PWD in */1) echo '{said}' >&2; exit 255;; esac"
    program = compiler(folder, echo, f"cp {FIRST} elf.o")
    lines = link(folder, good, bad, f"--ptxas-path={program}").messages.splitlines()
    notes = [line.split(" : ", 1)[1] for line in lines if line.startswith("nvlink note ")]
    assert notes[0] == f"the PTX that could not be compiled is in 'bad.ptx'{line}"
    assert [note.split(";")[0] for note in notes[1:]] == ([remedy] if remedy else [])


FAILS_ON_SECOND = ('echo "ptxas info $PWD" >&2', "case $PWD in */1) exit 1;; */0) sleep 0.1;; esac")


def test_what_it_says_comes_in_the_order_of_the_texts(folder: Path) -> None:
    """After PTX that cannot be compiled, no messages about later PTX are shown, as in nvlink."""
    program = compiler(folder, *FAILS_ON_SECOND, f"cp {FIRST} elf.o")
    texts = [put(folder, f"{name}.ptx", TEXT) for name in "abc"]
    lines = link(folder, *texts, f"--ptxas-path={program}").messages.splitlines()
    assert [line[-2:] for line in lines[:-2]] == ["/0", "/1"]
    assert lines[-2] == "nvlink fatal   : elfLink fatbinary error"
    assert lines[-1] == "nvlink note    : the PTX that could not be compiled is in 'b.ptx'"


def test_text_before_what_ends_the_link_is_compiled(folder: Path) -> None:
    """If an input ends the link, the PTX before it is compiled first, so that the messages of ptxas
    are shown. If this PTX cannot be compiled, the link reports only this failure."""
    text = put(folder, "x.ptx", TEXT)
    program = compiler(folder, *FAILS_ON_SECOND, f"cp {FIRST} elf.o")
    words = [text, "missing.cubin", text, f"--ptxas-path={program}"]
    lines = link(folder, *words).messages.splitlines()
    assert lines[0].startswith("ptxas info ")
    assert lines[1] == "nvlink fatal   : Could not open input file 'missing.cubin'"
    messages = link(folder, text, *words).messages  # the second fails
    assert "elfLink fatbinary error" in messages and "missing" not in messages


def test_report_arch_is_for_what_the_compiler_says_too(folder: Path) -> None:
    """-report-arch adds the architecture at the end of each message. In a message of several lines
    this is the end of the last line."""
    lines = ["info 1", "info 2", "    goes on", "    and on", "info 3"]
    program = compiler(folder, *(f'echo "{line}" >&2' for line in lines), f"cp {FIRST} elf.o")
    words: list[str | Path] = [put(folder, "x.ptx", TEXT), SECOND, f"--ptxas-path={program}"]
    assert link(folder, *words).messages.splitlines() == lines
    end = " (target: sm_80)"
    told = [line + end * (line not in lines[1:3]) for line in lines]
    assert link(folder, *words, "-report-arch").messages.splitlines() == told


def test_a_compiler_that_makes_no_cubin(folder: Path) -> None:
    for lines in (["exit 0"], ["kill -9 $$"], ["echo text > elf.o"]):
        program = compiler(folder, *lines)
        result = link(folder, put(folder, "x.ptx", TEXT), f"--ptxas-path={program}")
        assert result.status == 1
        assert "nvlink fatal   : " in result.messages


def test_no_compiler_is_an_error_that_says_where_it_was_looked_for(folder: Path) -> None:
    text = put(folder, "x.ptx", TEXT)
    result = link(folder, text, f"--ptxas-path={folder}/none")
    assert result.status == 1
    assert f"Cannot find ptxas to compile PTX (tried {folder}/none)" in result.messages
    empty = {
        "CUDA_HOME": f"{folder}/a",
        "CUDA_PATH": f"{folder}/b",
        "PATH": f"{folder}/c:{folder}/d",
    }
    result = link(folder, text, environment=empty)
    for place in ("a/bin", "b/bin", "c", "d"):
        assert f"{folder}/{place}/ptxas" in result.messages


@pytest.mark.parametrize("variable", ["CUDA_HOME", "CUDA_PATH", "PATH"])
def test_places_of_the_compiler(variable: str, folder: Path) -> None:
    place = folder / "bin"
    place.mkdir()
    good_compiler(place)
    values = {"PATH": "/bin:/usr/bin"}
    values[variable] = f"{place}:{values['PATH']}" if variable == "PATH" else str(folder)
    result = link(folder, put(folder, "x.ptx", TEXT), SECOND, environment=values)
    assert (result.status, result.messages) == (0, "")


def test_temporary_files_go_where_tmpdir_says(folder: Path) -> None:
    (folder / "scratch").mkdir()
    program = good_compiler(folder)
    values = {"TMPDIR": str(folder / "scratch"), "PATH": "/bin:/usr/bin"}
    link(folder, put(folder, "x.ptx", TEXT), f"--ptxas-path={program}", environment=values)
    assert (folder / "calls").read_text().startswith(f"{folder}/scratch/")
    assert list((folder / "scratch").iterdir()) == []
    assert (DATA / "first.ptx").exists()


def limit_files() -> None:
    """Limits files to a few bytes; a program that writes more gets an error, not a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


def test_text_that_does_not_fit_on_the_disk(folder: Path) -> None:
    program = good_compiler(folder)
    text = put(folder, "x.ptx", TEXT)
    failed = link(folder, text, f"--ptxas-path={program}", preexec=limit_files)
    assert failed.status == 1
    assert f"Could not write the PTX for '{program}': File too large" in failed.messages
    assert not (folder / "calls").exists()


# A script that stands in for ptxas, and warns if another compiler of the same link is running. Each
# compiler runs in a folder. While a compiler runs, the folder `busy` exists beside these folders.
ALONE = (
    "mkdir ../busy 2>/dev/null || echo ptxas warning : not alone >&2",
    "sleep 0.1",
    "rmdir ../busy",
    f"cp {FIRST} elf.o",
)


@pytest.mark.parametrize("limit", ["--threads=1", "affinity"])
def test_compilers_that_may_run_at_once(limit: str, folder: Path) -> None:
    """The link runs at most as many compilers at once as it may have threads. Both limits of this
    test allow one thread."""
    program = compiler(folder, *ALONE)
    texts = [put(folder, f"{name}.ptx", TEXT) for name in "abc"]
    processors = os.sched_getaffinity(0)
    words = [*texts, f"--ptxas-path={program}"]
    try:
        if limit == "affinity":
            os.sched_setaffinity(0, {min(processors)})
        else:
            words.append(limit)
        result = link(folder, *words)
    finally:
        os.sched_setaffinity(0, processors)
    assert "not alone" not in result.messages
    assert "Multiple definition" in result.messages  # all three were compiled


def test_what_the_compiler_says_stands_where_its_input_does(folder: Path) -> None:
    """The compiler's messages about PTX precede the messages about later inputs. The order is that
    of nvlink, which compiles each PTX input before it reads the next input."""
    program = compiler(folder, "echo ptxas warning : text >&2", f"cp {FIRST} elf.o")
    fat = put(folder, "x.fatbin", fat_binary(cubin_entry(FIRST_90)))
    text = put(folder, "x.ptx", TEXT)
    result = link(folder, text, fat, f"--ptxas-path={program}")
    said = [line for line in result.messages.splitlines() if "warning" in line]
    missing = "nvlink warning : SM Arch ('sm_80') not found in 'x.fatbin'"
    assert said == ["ptxas warning : text", missing]


def test_a_message_between_texts_stands_there_though_all_are_compiled_at_once(
    folder: Path,
) -> None:
    """If PTX cannot be compiled, there are no messages about the inputs that follow it, as in
    nvlink."""
    program = compiler(folder, *FAILS_ON_SECOND, f"cp {FIRST} elf.o")
    fat = put(folder, "x.fatbin", fat_binary(cubin_entry(FIRST_90)))
    text = put(folder, "x.ptx", TEXT)
    missing = "nvlink warning : SM Arch ('sm_80') not found in 'x.fatbin'"
    failed = "nvlink fatal   : elfLink fatbinary error"
    note = "nvlink note    : the PTX that could not be compiled is in 'x.ptx'"

    def said(*words: str) -> list[str]:
        lines = link(folder, *words, f"--ptxas-path={program}").messages.splitlines()
        return [line[-2:] if line.startswith("ptxas") else line for line in lines]

    # The folders in which the first and the second PTX are compiled end in "/0" and "/1".
    words = (fat, text, fat, fat, text, fat, text)
    assert said(*words) == [missing, "/0", missing, missing, "/1", failed, note]
    assert said(text, fat, "missing.cubin", "--no-notes") == [
        "/0",
        missing,
        "nvlink fatal   : Could not open input file 'missing.cubin'",
    ]
    assert said(text, fat, "-w") == ["/0"]
    promoted = missing.replace("warning ", "error   ")
    assert said(text, fat, text, "-Werror") == ["/0", promoted, failed]
