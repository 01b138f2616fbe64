"""--diagnostics-format and --diagnostics-file write messages in formats that programs can read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from command import BUILD, REPOSITORY, Done, prepare, run
from test_effects import link, link_golden

UNDEFINED = REPOSITORY / "tests" / "notes" / "data" / "calls_missing.sm_80.cubin"
MEMBERS = "severity code text input member symbol readable section target notes".split()
CODE = re.compile(r'^(?:DIAGNOSTIC|EXPLANATION|COMMAND_MESSAGE)\((?:\w+, )?"([\w-]+)"', re.M)


SCHEMA = json.loads((REPOSITORY / "docs" / "message.schema.json").read_text())


def objects(text: str) -> list[dict[str, Any]]:
    assert text.isascii()
    return [json.loads(line) for line in text.splitlines()]


def link_undefined(folder: Path, *words: object, source: str = "a.o", name: str = "warpld") -> Done:
    if not (folder / source).exists():
        shutil.copy(UNDEFINED, folder / source)
    return run(folder, "-arch=sm_80", source, "-o", "output.cubin", *words, name=name)


def test_the_schema_has_the_members() -> None:
    """The schema lists the members of a message. `make check-sarif` validates messages with it."""
    message = SCHEMA["definitions"]["message"]
    assert list(message["properties"]) == message["required"] == MEMBERS


@pytest.mark.parametrize("name", ["warpld", "nvlink"])
def test_a_message_is_an_object(name: str, tmp_path: Path) -> None:
    done = link_undefined(tmp_path, "--diagnostics-format=json", name=name)
    (found,) = objects("\n".join(done.messages))
    assert done.status == 255 and list(found) == MEMBERS
    notes = found.pop("notes")
    shown = "missing(int)" if name == "warpld" else "_Z7missingi"
    assert found == {
        "severity": "error",
        "code": "undefined-reference",
        "text": f"Undefined reference to '{shown}' in 'a.o'",
        "input": "a.o",
        "member": None,
        "symbol": "_Z7missingi",
        "readable": "missing(int)",
        "section": None,
        "target": "sm_80",
    }
    assert all(list(note) == MEMBERS and note["notes"] == [] for note in notes)
    references = [note for note in notes if note["code"] == "referred-by"]
    assert references and all(note["section"].startswith(".text.") for note in references)
    assert any(note["code"] == "readable-name" for note in notes) == (name == "nvlink")


def test_a_member_of_an_archive(tmp_path: Path) -> None:
    shutil.copy(UNDEFINED, tmp_path / "member.cubin")
    subprocess.run(["ar", "rcs", "lib:x.a", "member.cubin"], cwd=tmp_path, check=True)
    done = link_undefined(tmp_path, "--diagnostics-format=json", source="lib:x.a")
    found = objects("\n".join(done.messages))[0]
    assert (found["input"], found["member"]) == ("lib:x.a", "member.cubin")


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    """A file name with quotes, control characters and bytes that are not UTF-8 can be read back
    from the messages."""
    odd = b'a"\\\x01\xff.o'
    command: list[str | bytes] = [
        str(BUILD / "warpld"),
        "-arch=sm_80",
        odd,
        "-o",
        "x",
        "--diagnostics-format",
    ]
    for form in ("json", "sarif"):
        done = subprocess.run(
            [*command, form], cwd=tmp_path, capture_output=True, timeout=60, check=False
        )
        assert done.returncode == 1
        found = json.loads(done.stderr)
        if form == "json":
            assert found["input"].encode("latin-1") == odd
        else:
            location = found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
            assert unquote(location["artifactLocation"]["uri"], "latin-1").encode("latin-1") == odd


def test_messages_of_the_command_have_codes(tmp_path: Path) -> None:
    tables = "base/diagnostics.def", "cli/explain/command_messages.def"
    known = {
        code for name in tables for code in CODE.findall((REPOSITORY / "src" / name).read_text())
    }
    used = set()
    for path in (REPOSITORY / "src" / "cli").rglob("*.c"):
        text = path.read_text()
        used |= set(re.findall(r'WARPLD_(?:INFO|WARNING|ERROR|FATAL),\s+"([a-z-]+)"', text))
        used |= set(re.findall(r'report_fatal\(command,\s+"([a-z-]+)"', text))
        used |= set(re.findall(r'\.code = "([a-z-]+)"', text))
    assert len(used) >= 8 and used <= known
    prepare(tmp_path)
    for code, words in {
        "unknown-option": ["--verbos"],
        "option-value": ["--error-limit=x"],
        "command-line": ["-arch=sm_80"],
        "options-file": ["--options-file=none"],
        "no-such-code": ["--explain=none"],
    }.items():
        line = ["--diagnostics-format=json", *words]
        done = run(tmp_path, *line, name="warpld")
        assert objects("\n".join(done.messages))[0]["code"] == code
        explained = run(tmp_path, f"--explain={code}", name="warpld")
        assert explained.output.startswith(f"{code} (fatal error)\n")


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_messages_in_a_file(form: str, tmp_path: Path) -> None:
    words = [f"--diagnostics-format={form}", "--color=auto"]
    shown = link_undefined(tmp_path, *words)
    written = link_undefined(tmp_path, *words, "--diagnostics-file=messages")
    assert (written.status, written.messages, written.notes) == (shown.status, [], 0)
    text = (tmp_path / "messages").read_text()
    kept = [line for line in text.splitlines() if not line.startswith("warpld note ")]
    assert [line.rstrip() for line in kept] == shown.messages


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    done = link_undefined(tmp_path, "--diagnostics-file=none/x")
    assert (done.status, done.messages) == (1, ["warpld fatal   : Cannot open file 'none/x'"])
    if Path("/dev/full").exists():
        done = link_undefined(tmp_path, "--diagnostics-file=/dev/full")
        assert done.status == 1
        assert done.messages == ["warpld fatal   : Cannot write to file '/dev/full'"]


def test_a_log_of_the_run(tmp_path: Path) -> None:
    done = link_undefined(tmp_path, "--diagnostics-format=sarif")
    log = json.loads("\n".join(done.messages))
    assert log["version"] == "2.1.0"
    (found,) = log["runs"]
    driver = found["tool"]["driver"]
    assert driver["name"] == "warpld"
    (rule,) = driver["rules"]
    assert rule["id"] == "undefined-reference"
    assert {"shortDescription", "fullDescription", "help"} < set(rule)
    (result,) = found["results"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == (rule["id"], 0, "error")
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "a.o"
    (symbol,) = location["logicalLocations"]
    assert symbol == {"name": "missing(int)", "decoratedName": "_Z7missingi"}
    assert all(related["message"]["text"] for related in result["relatedLocations"])
    assert found["invocations"] == [{"executionSuccessful": False, "exitCode": 255}]


def test_the_log_of_a_good_link_is_empty(tmp_path: Path) -> None:
    done = link(tmp_path, "--diagnostics-format=sarif", name="warpld")
    (found,) = json.loads("\n".join(done.messages))["runs"]
    assert done.status == 0 and found["results"] == [] and found["tool"]["driver"]["rules"] == []
    assert link(tmp_path, "--diagnostics-format=json", name="warpld").messages == []


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_limit_that_is_given_holds_for_formats(form: str, tmp_path: Path) -> None:
    line = [f"--diagnostics-format={form}", "--error-limit=1"]
    done = link_golden(tmp_path, "undefined-reference", *line, name="warpld")
    text = "\n".join(done.messages)
    if form == "json":
        codes = [found["code"] for found in objects(text)]
    else:
        codes = [found["ruleId"] for found in json.loads(text)["runs"][0]["results"]]
    assert codes == ["undefined-reference", "errors-not-shown"]


def test_notes_have_codes_that_are_explained(tmp_path: Path) -> None:
    done = link_undefined(tmp_path, "--diagnostics-format=json")
    codes = {note["code"] for found in objects(done.messages[0]) for note in found["notes"]}
    pages = REPOSITORY / "docs"
    page = "".join((pages / name).read_text() for name in ("diagnostics.md", "notes.md"))
    assert codes
    for code in (*codes, "errors-not-shown"):
        explained = run(tmp_path, f"--explain={code}", name="warpld")
        assert explained.output.startswith(f"{code} (note)\n")
        assert f"- **{code}**" in page
        meaning = re.search(rf"- \*\*{code}\*\*: .*\n    - (.*)", page)
        assert not meaning or f"  meaning: {meaning[1]}\n" in explained.output


def test_formats_hide_what_text_hides(tmp_path: Path) -> None:
    golden = "recursion-unknown-stack"
    line = ["--diagnostics-format=json", "-w"]
    assert link_golden(tmp_path, golden, *line, name="warpld").messages == []
    done = link_golden(tmp_path, golden, "--diagnostics-format=json", "--no-notes", name="warpld")
    assert all(found["notes"] == [] for found in objects("\n".join(done.messages)))
