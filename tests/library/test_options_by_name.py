"""warpld_set_option and warpld_get_option know every option of struct warpld_options."""

from __future__ import annotations

import re

import pytest
from library_link import GOOD_INPUT, LIBRARY, REPOSITORY, Link, option_names
from warpld_ctypes import (
    ERROR_ARGUMENT,
    ERROR_CANCELLED,
    ERROR_LINK,
    ERROR_MEMORY,
    OK,
    VERSION,
    PollCallback,
)

HEADER = (REPOSITORY / "include" / "warpld.h").read_text()
TABLE = (REPOSITORY / "src" / "link" / "option_names.def").read_text()
COMMAND = (REPOSITORY / "src" / "cli" / "options" / "options.def").read_text()

# Options of the library that the command lacks, or has in another form. The command records its own
# command line. Its option --cpu-arch chooses the host machine, and --register-link-binaries skips
# objects that were linked before. It always maps inputs, because it handles SIGBUS.
LIBRARY_ALONE = {
    "recorded-options",
    "recorded-output",
    "skip-linked-before",
    "host-machine",
    "as",
    "memory-limit",
    "output-undefined",
    "own-register-limit",
    "map-inputs",
    "keep-log",
}

# Fields for data in memory, which no option by name can set. Callbacks have no name either; the
# test recognises them by their types.
DATA = {"host_data", "host_size", "unified_index", "unified_index_size"}


def rows() -> list[tuple[str, str, str]]:
    return re.findall(r'(?m)^([A-Z]+)\("([a-z-]+)", (\w+)', TABLE)


def test_every_field_has_a_name_in_order() -> None:
    body = HEADER.split("struct warpld_options {")[1].split("\n};")[0]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    fields = []
    for kind, name in re.findall(r"([\w ]+?[ *]+(?:const \*)?)(\w+);", body):
        is_callback = "_callback" in kind or name.endswith("_context")
        if name != "size" and not is_callback and not name.endswith("_count") and name not in DATA:
            fields.append(name)
    assert [field for _, _, field in rows()] == fields


def test_names_are_those_of_the_command() -> None:
    commands = set(re.findall(r'(?m)^OPTION\(\w+, "([a-z-]+)"', COMMAND))
    names = {name for _, name, _ in rows()}
    assert names - commands == {name for name in LIBRARY_ALONE if name not in commands}
    assert option_names() == [name for _, name, _ in rows()]


VALUES: dict[str, list[tuple[str | None, str | None]]] = {
    "FLAG": [("true", "true"), ("false", "false"), (None, "true")],
    "WORDS": [("nvlink", "nvlink"), ("warpld", "warpld")],
    "NUMBER": [("0", "0"), ("4294967295", "4294967295"), ("007", "7")],
    "SIZE": [("18446744073709551615", "18446744073709551615")],
    "TEXT": [("a, b", "a, b"), ("", ""), (None, None)],
}
BAD: dict[str, list[str | None]] = {
    "FLAG": ["", "yes", "TRUE", "truefalse", "false,true"],
    "WORDS": [None, "", "warpld,nvlink", "ld"],
    "NUMBER": [None, "", "-1", "+1", " 1", "0x10", "1 ", "4294967296"],
    "SIZE": [None, "", "18446744073709551616", "1K"],
    "TEXT": [],
    "LIST": [None],
    "CATEGORIES": [None, "", "everything"],
}


@pytest.mark.parametrize(("kind", "name", "_"), rows(), ids=str)
def test_what_is_set_is_what_is_got(kind: str, name: str, _: str) -> None:
    with Link() as link:
        for value, shown in VALUES.get(kind, []):
            assert link.set(name, value) == OK
            assert link.get(name) == shown
            with pytest.raises(IndexError):
                link.get(name, 1)
        assert link.codes == []


@pytest.mark.parametrize(("kind", "name", "_"), rows(), ids=str)
def test_other_values_are_refused_for_good(kind: str, name: str, _: str) -> None:
    for value in BAD[kind]:
        with Link() as link:
            assert link.set("arch", "sm_80") == OK
            link.add_file(GOOD_INPUT)
            before = link.get(name) if kind not in ("LIST", "CATEGORIES") else None
            assert link.set(name, value) == ERROR_ARGUMENT
            assert link.codes == ["named-option-value"]
            if before:
                assert link.get(name) == before
            assert link.run() == ERROR_ARGUMENT


def test_lists_grow() -> None:
    with Link() as link:
        for i in range(100):
            assert link.set("kernels-used", f"kernel{i},") == OK
        assert [link.get("kernels-used", i) for i in range(100)] == [
            f"kernel{i}," for i in range(100)
        ]
        with pytest.raises(IndexError):
            link.get("kernels-used", 100)


def test_trace_categories_add_up() -> None:
    with Link() as link:
        with pytest.raises(IndexError):
            link.get("trace")
        for category in ("info", "merge"):
            assert link.set("trace", category) == OK
        assert [link.get("trace", i) for i in range(2)] == ["merge", "info"]
        assert link.set("trace", "all") == OK
        assert link.get("trace", 4) == "info"


@pytest.mark.parametrize(
    ("name", "code"),
    [("", "named-option-unknown"), ("debugs", "named-option-unknown"), (None, "null-argument")],
)
def test_unknown_names_fail_the_link(name: str | None, code: str) -> None:
    with Link() as link:
        assert link.set(name, "true") == ERROR_ARGUMENT
        assert link.codes == [code]
        assert link.set("arch", "sm_80") == ERROR_ARGUMENT
        with pytest.raises(KeyError):
            link.get("no such option")


def test_options_act_as_those_of_the_structure() -> None:
    with Link() as link:
        link.set("arch", "sm_80")
        link.set("extra-warnings", None)
        link.set("warning-as-error")
        link.add_file(GOOD_INPUT)
        assert link.run() == ERROR_LINK
        assert link.codes[0] == "uncalled"


def test_nothing_can_be_set_after_the_run() -> None:
    with Link() as link:
        link.set("arch", "sm_80")
        link.add_file(GOOD_INPUT)
        assert link.run() == OK
        assert link.set("debug", "true") == ERROR_ARGUMENT
        assert link.get("debug") == "false"


@pytest.mark.parametrize("calls", range(4))
def test_a_poll_callback_ends_the_link(calls: int) -> None:
    asked: list[None] = []

    def poll(_: object) -> bool:
        asked.append(None)
        return len(asked) > calls

    with Link(poll=PollCallback(poll)) as link:
        link.set("arch", "sm_80")
        link.add_file(GOOD_INPUT)
        assert link.run() == ERROR_CANCELLED
        assert len(asked) == calls + 1
        assert link.codes == ["cancelled"]
        assert link.run() == ERROR_ARGUMENT


def test_a_poll_callback_is_asked_before_each_pass() -> None:
    asked: list[None] = []

    def poll(_: object) -> bool:
        asked.append(None)
        return False

    with Link(poll=PollCallback(poll)) as link:
        link.set("arch", "sm_80")
        link.add_file(GOOD_INPUT)
        assert link.run() == OK
    assert len(asked) > 30


@pytest.mark.parametrize("limit", ["1", "70000"])
def test_a_memory_limit_holds(limit: str) -> None:
    with Link() as link:
        link.set("arch", "sm_80")
        link.set("memory-limit", limit)
        for _ in range(300):
            link.add_file(GOOD_INPUT)
        assert link.run() == ERROR_MEMORY
        assert link.codes[:2] == ["out-of-memory", "memory-budget"]


def test_the_version_is_a_number() -> None:
    major, minor, patch = map(int, VERSION.split("."))
    assert LIBRARY.warpld_version_number() == 10000 * major + 100 * minor + patch
