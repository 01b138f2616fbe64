"""Options about messages do what their help says. In nvlink, -w and --disable-infos do not."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from cubin import read_cubin
from note_link import BUILD, ERRORS, FATAL, GOLDEN, Outcome, data, link, link_golden

RECURSION = "recursion-unknown-stack"
ADDRESS_TAKEN = "Function 'taken' has address taken but no calls to it found"


def severities(outcome: Outcome) -> list[str]:
    return [message.severity for message in outcome.messages]


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
def test_no_notes_hides_them_all(name: str, tmp_path: Path) -> None:
    for golden in (RECURSION, "undefined-reference", "multiple-definition", "size-does-not-match"):
        shown = link_golden(tmp_path, golden, name=name)
        hidden = link_golden(tmp_path, golden, "--no-notes", name=name)
        assert any(message.notes for message in shown.messages)
        assert not any(message.notes for message in hidden.messages)
        assert [m.text for m in hidden.messages] == [m.text for m in shown.messages]
        assert hidden.status == shown.status


def test_w_hides_warnings_and_their_notes(tmp_path: Path) -> None:
    assert severities(link_golden(tmp_path, RECURSION)) == ["warning", "warning"]
    outcome = link_golden(tmp_path, RECURSION, "-w")
    assert (outcome.status, outcome.text) == (0, "")


def test_w_hides_warnings_that_are_errors(tmp_path: Path) -> None:
    for words in (["-w", "-Werror"], ["--warning-as-error", "--disable-warnings"]):
        outcome = link_golden(tmp_path, RECURSION, *words)
        assert (outcome.status, outcome.text) == (0, "")


def test_w_hides_warnings_of_the_command_line(tmp_path: Path) -> None:
    words = (data("address_taken"), "-cpu-arch=X86_64", "-cpu-arch=AARCH64")
    (message,) = link(tmp_path, *words).messages
    assert message.text.startswith("incompatible redefinition for option 'cpu-arch'")
    assert link(tmp_path, *words, "-w").text == ""
    # The warning is printed even if another option is an error.
    assert severities(link(tmp_path, *words, "--unknown")) == ["warning", "fatal"]
    assert severities(link(tmp_path, *words, "-w", "--unknown")) == ["fatal"]


def test_w_hides_no_errors(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "undefined-reference", "-w")
    assert (outcome.status, severities(outcome)) == (ERRORS, ["error", "error"])
    assert outcome.messages[0].notes


def test_warnings_as_errors(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, RECURSION, "-Werror")
    assert (outcome.status, severities(outcome)) == (ERRORS, ["error", "error"])
    assert outcome.messages[0].notes[0].startswith("recursion:")
    assert not (tmp_path / "output.cubin").exists()


def test_disable_infos_hides_infos_and_no_warnings(tmp_path: Path) -> None:
    words = (data("address_taken"), "-use-host-info", "-kernels-used=kernel", "-extrawarn")
    assert severities(link(tmp_path, *words)) == ["info", "warning"]
    assert severities(link(tmp_path, *words, "--disable-infos")) == ["warning"]
    assert severities(link(tmp_path, *words, "-w")) == ["info"]


def test_disable_infos_keeps_the_report(tmp_path: Path) -> None:
    words = (data("address_taken"), "-v")
    report = link(tmp_path, *words)
    assert set(severities(report)) == {"info"}
    assert link(tmp_path, *words, "--disable-infos").text == report.text


@pytest.mark.parametrize("option", ["-extrawarn", "--extra-warnings"])
def test_extra_warnings(option: str, tmp_path: Path) -> None:
    taken = data("address_taken")
    assert link(tmp_path, taken).text == ""
    outcome = link(tmp_path, taken, option)
    assert (outcome.status, [m.text for m in outcome.messages]) == (0, [ADDRESS_TAKEN])
    assert link(tmp_path, taken, option, "-Werror").status == ERRORS


def test_suppress_stack_size_warning(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, RECURSION, "-suppress-stack-size-warning", "-Werror")
    assert (outcome.status, outcome.text) == (0, "")


def test_report_arch_names_the_target_in_notes_too(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "undefined-reference", "-report-arch")
    lines = outcome.text.splitlines()
    assert any(" note " in line for line in lines)
    assert all(line.endswith(" (target: sm_80)") for line in lines)


def test_an_info_has_no_note_on_its_name(tmp_path: Path) -> None:
    words = (data("calls_missing"), data("defines_missing"), "-v")
    outcome = link(tmp_path, *words)
    assert any("_Z7kernel1v" in message.text for message in outcome.messages)
    assert not any(message.notes for message in outcome.messages)


# Toolkits -----------------------------------------------------------------------------------------


def of_toolkit(folder: Path, version: int, source: Path | None = None) -> str:
    """Writes an object of the toolkit `version`. The words of .note.nv.cuinfo are the version of
    the structure, the virtual target, the toolkit, and 0."""
    cubin = read_cubin(source or data("address_taken"))
    note = cubin.section(".note.nv.cuinfo").data
    assert note[29] == 0 and note[28] in (130, 133)
    note[28:30] = version.to_bytes(2, "little")
    (folder / "a.cubin").write_bytes(cubin.write())
    return "a.cubin"


def test_a_newer_toolkit_is_refused(tmp_path: Path) -> None:
    outcome = link(tmp_path, of_toolkit(tmp_path, 131))
    assert outcome.status == FATAL
    (message,) = outcome.messages
    assert message.severity == "fatal"
    assert message.text == "Input file 'a.cubin' newer than toolkit (131 vs 130)"
    assert message.notes == ["use --allow-newer-toolkit to link it anyway"]


def test_a_newer_toolkit_can_be_allowed(tmp_path: Path) -> None:
    """With --allow-newer-toolkit a newer toolkit that warpld knows causes no message, and the
    output names that toolkit."""
    outcome = link(tmp_path, of_toolkit(tmp_path, 131), "--allow-newer-toolkit", "-Werror")
    assert (outcome.status, outcome.messages) == (0, [])
    output = read_cubin(tmp_path / "output.cubin")
    assert output.section(".note.nv.cuinfo").data[28:30] == (131).to_bytes(2, "little")


def test_an_unknown_toolkit_is_warned_of(tmp_path: Path) -> None:
    outcome = link(tmp_path, of_toolkit(tmp_path, 200), "--allow-newer-toolkit")
    assert (outcome.status, severities(outcome)) == (0, ["warning"])
    expected = "Input file 'a.cubin' is newer than the newest supported toolkit (200 vs 135)"
    assert outcome.messages[0].text.startswith(expected)
    refused = link(tmp_path, "a.cubin", "--allow-newer-toolkit", "-Werror")
    assert (refused.status, severities(refused)) == (ERRORS, ["error"])


def test_unknown_mercury_code_is_refused(tmp_path: Path) -> None:
    name = of_toolkit(tmp_path, 136, GOLDEN / "newer-objects-133-sm100" / "a.cubin")
    outcome = link(tmp_path, name, "--allow-newer-toolkit", architecture="sm_100")
    assert outcome.status == FATAL
    (message,) = outcome.messages
    assert message.text == "Input file 'a.cubin' newer than toolkit (136 vs 130)"
    assert message.notes == ["for sm_100 and later, objects up to CUDA 13.5 are supported"]


# Colours ------------------------------------------------------------------------------------------


COLOUR_VARIABLES = ("NO_COLOR", "TERM", "CLICOLOR", "CLICOLOR_FORCE")


def at_terminal(folder: Path, *words: str, **variables: str) -> str:
    """The output on standard error when that is a terminal."""
    reader, writer = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in COLOUR_VARIABLES}
    line = ["-arch=sm_80", str(data("calls_missing")), "-o", "output.cubin", "--no-demangle"]
    command = [str(BUILD / "warpld"), *line, *words]
    subprocess.run(
        command, cwd=folder, env=environment | variables, stderr=writer, timeout=60, check=False
    )
    os.close(writer)
    text = b""
    while True:
        try:
            part = os.read(reader, 65536)
        except OSError:  # Linux reports an error when no process has the terminal open any more
            part = b""
        if not part:
            break
        text += part
    os.close(reader)
    return text.decode().replace("\r\n", "\n")


def test_colours_at_a_terminal(tmp_path: Path) -> None:
    plain = link(tmp_path, data("calls_missing")).text
    coloured = at_terminal(tmp_path, TERM="xterm")
    assert coloured.startswith("warpld \x1b[1;31merror\x1b[0m   : Undefined reference to")
    assert "\nwarpld \x1b[36mnote\x1b[0m    : '_Z7missingi' is" in coloured
    for sequence in ("\x1b[1;31m", "\x1b[36m", "\x1b[0m"):
        coloured = coloured.replace(sequence, "")
    assert coloured == plain


def test_when_there_are_no_colours(tmp_path: Path) -> None:
    plain = link(tmp_path, data("calls_missing")).text
    assert at_terminal(tmp_path, TERM="xterm", NO_COLOR="1") == plain
    assert at_terminal(tmp_path, TERM="dumb") == plain
    assert at_terminal(tmp_path) == plain
    assert at_terminal(tmp_path, TERM="xterm", NO_COLOR="") != plain


def test_who_decides_about_colours(tmp_path: Path) -> None:
    """--color takes precedence over NO_COLOR, and NO_COLOR over the other variables."""
    plain = link(tmp_path, data("calls_missing")).text
    choices: list[tuple[list[str], dict[str, str], bool]] = [
        (["--color=always"], {"NO_COLOR": "1"}, True),
        (["--color=never"], {"TERM": "xterm", "CLICOLOR_FORCE": "1"}, False),
        (["--color=auto"], {"TERM": "xterm"}, True),
        (["--color=auto"], {"TERM": "xterm", "CLICOLOR": "0"}, False),
        ([], {"CLICOLOR_FORCE": "1"}, True),
        ([], {"CLICOLOR_FORCE": "0"}, False),
        ([], {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
    ]
    for words, variables, coloured in choices:
        text = at_terminal(tmp_path, *words, **variables)
        assert ("\x1b[" in text) == coloured, (words, variables)
        assert re.sub("\x1b\\[[0-9;]*m", "", text) == plain


# Names, and how much is shown ---------------------------------------------------------------------


def test_names_are_readable(tmp_path: Path) -> None:
    """warpld demangles names. Under the name nvlink and with --no-demangle, names in messages
    remain mangled, and notes give the readable form."""
    readable = link(tmp_path, data("calls_missing"), demangle=True)
    (message,) = readable.messages
    assert message.text.startswith("Undefined reference to 'missing(int)' in ")
    assert "_Z" not in readable.text
    assert not any(note.endswith("is 'missing(int)'") for note in message.notes)
    for name in ("nvlink", "warpld"):
        mangled = link(tmp_path, data("calls_missing"), name=name)
        assert mangled.messages[0].text.startswith("Undefined reference to '_Z7missingi' in ")
        assert "'_Z7missingi' is 'missing(int)'" in mangled.messages[0].notes


def test_instances_of_templates_have_their_arguments(tmp_path: Path) -> None:
    """Messages spell the name of a template's instance as c++filt does: "void ff<int>(int)". Call
    graphs spell it as nvlink does: "void ff<int>(T1)"."""
    original = data("calls_missing").read_bytes()
    (tmp_path / "a.cubin").write_bytes(original.replace(b"_Z7missingi\0", b"_Z2ffIiEvT_\0"))
    (message,) = link(tmp_path, "a.cubin", demangle=True).messages
    assert message.text == "Undefined reference to 'void ff<int>(int)' in 'a.cubin'"


def test_names_of_referrers(tmp_path: Path) -> None:
    """A note names the function that refers to an undefined symbol. warpld demangles that name. It
    does not show the function's code section, whose name contains the mangled name."""
    calls = data("calls_missing")
    (tmp_path / "a.cubin").write_bytes(calls.read_bytes())
    for demangle, name, first in (
        (True, "warpld", "'kernel4()' in 'a.cubin'"),
        (False, "warpld", "'_Z7kernel4v' in 'a.cubin'"),
        (False, "nvlink", "'kernel4()' in 'a.cubin' (section .text._Z7kernel4v)"),
    ):
        (message,) = link(tmp_path, "a.cubin", name=name, demangle=demangle).messages
        assert f"referenced by {first}" in message.notes


def test_an_error_limit(tmp_path: Path) -> None:
    """The last line says how many errors are not shown. The notes of these errors are not shown
    either."""
    golden = "undefined-reference"
    every = link_golden(tmp_path, golden, "--error-limit=0")
    count = len(every.messages)
    assert count > 1
    limited = link_golden(tmp_path, golden, "--error-limit=1")
    told = "1 more error is not shown; use --error-limit=0 to show all"
    assert limited.status == ERRORS and len(limited.messages) == 1
    assert limited.messages[0].notes == [*every.messages[0].notes, told]
    assert link_golden(tmp_path, golden, f"--error-limit={count}").text == every.text
    assert link_golden(tmp_path, golden).text == every.text


def test_the_usual_error_limit(tmp_path: Path) -> None:
    """By default, warpld shows at most twenty errors, but under the name nvlink it shows all."""
    objects = [tmp_path / f"{i:02}.cubin" for i in range(25)]
    bytes_of_one = data("calls_missing").read_bytes()
    for i, path in enumerate(objects):
        renamed = bytes_of_one.replace(b"7missing", b"7miss%03d" % i)
        path.write_bytes(renamed.replace(b"7kernel", b"7k%05d" % i))
    shown = link(tmp_path, *objects)
    errors = [message for message in shown.messages if message.severity == "error"]
    assert len(errors) == 20
    as_nvlink = link(tmp_path, *objects, name="nvlink")
    errors = [message for message in as_nvlink.messages if message.severity == "error"]
    assert len(errors) > 20


def test_warnings_about_many_inputs_are_one_line(tmp_path: Path) -> None:
    names = [f"{i}.txt" for i in range(4)]
    for name in names:
        (tmp_path / name).write_text("This is text and no object.\n" * 20)
    folded = link(tmp_path, data("address_taken"), *names)
    (warning,) = folded.messages
    assert warning.severity == "warning"
    assert "'0.txt'" in warning.text and warning.text.endswith(" (and 3 more inputs)")
    every = link(tmp_path, data("address_taken"), *names, "--error-limit=0")
    assert [message.text.count(name) for message, name in zip(every.messages, names)] == [1] * 4
