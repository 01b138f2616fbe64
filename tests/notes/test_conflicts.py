"""The notes below a message about two conflicting inputs say how each of them declares the name."""

from __future__ import annotations

from pathlib import Path

from container_files import EM_AARCH64, HostObject, archive, cubin_entry, fat_binary
from cubin import read_cubin
from note_link import FATAL, GOLDEN, data, link, link_golden


def test_a_function_with_two_definitions(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "multiple-definition")
    assert outcome.status == FATAL
    assert outcome.find("Multiple definition of 'twice' in 'b.cubin'").notes == [
        "'a.cubin' and 'b.cubin' both define it; "
        "if a header does, make it inline or static there, otherwise remove or rename one"
    ]
    assert "merge_elf failed" not in outcome.text


def test_a_variable_with_two_definitions(tmp_path: Path) -> None:
    """Here the same note belongs to the message about each variable. Under the name warpld it is
    printed once, under the name nvlink after each message."""
    golden = "multiple-definition-of-every-kind"
    code = (GOLDEN / golden / "b.cubin").read_bytes()
    (tmp_path / "b.cubin").write_bytes(code + b"\0")  # without the byte it would equal a.cubin
    note = (
        "'a.cubin' and 'b.cubin' both define it; if a header does, make it inline or static there, "
        "or declare it extern there and define it in one file"
    )
    outcome = link_golden(tmp_path, golden)
    names = [f"Multiple definition of '{name}'" for name in ("variable", "constant", "array")]
    assert sorted(outcome.find(name).notes for name in names) == [[], [], [note]]
    assert [note in message.notes for message in outcome.messages].count(True) == 1
    as_nvlink = link_golden(tmp_path, golden, name="nvlink")
    assert all(as_nvlink.find(name).notes == [note] for name in names)


def test_the_first_definition_and_not_the_first_reference(tmp_path: Path) -> None:
    """The error about a second definition also names the file of the first definition. nvlink names
    an earlier input instead, if it refers to the variable."""
    for name in ("near_uses", "defines_variable"):
        (tmp_path / f"{name}.cubin").write_bytes(data(name).read_bytes())
    (tmp_path / "again.cubin").write_bytes(data("defines_variable").read_bytes())
    for name, first in (("warpld", "defines_variable"), ("nvlink", "near_uses")):
        inputs = ("near_uses.cubin", "defines_variable.cubin", "again.cubin")
        message = link(tmp_path, *inputs, name=name).find("Multiple definition of 'variable'")
        assert message.text.endswith(f"in 'again.cubin', first defined in '{first}.cubin'")


def test_an_input_that_is_named_twice(tmp_path: Path) -> None:
    (tmp_path / "a.cubin").write_bytes(data("defines_missing").read_bytes())
    outcome = link(tmp_path, "a.cubin", "a.cubin")
    assert outcome.find("'_Z7missingi'").notes == [
        "'_Z7missingi' is 'missing(int)'",
        "'a.cubin' is among the inputs twice; remove one of them",
    ]


def test_members_of_one_name_with_other_contents(tmp_path: Path) -> None:
    """An archive can have several members of one name. The note says that a member is among the
    inputs twice only if their contents are equal, too."""
    first = data("defines_missing").read_bytes()
    for second in (first, first + b"\0"):
        members = [archive({"u.cubin": content}) for content in (first, second)]
        (tmp_path / "d.a").write_bytes(members[0] + members[1].removeprefix(b"!<arch>\n"))
        note = link(tmp_path, "d.a").find("'_Z7missingi'").notes[-1]
        assert ("'d.a:u.cubin' is among the inputs twice" in note) == (second == first)
        assert ("'d.a:u.cubin' and 'd.a:u.cubin' both define it" in note) == (second != first)


def test_sizes(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "size-does-not-match")
    assert outcome.find("Size doesn't match for 'table'").notes == [
        "16 bytes in 'b.cubin', 12 bytes in 'a.cubin'; declare it the same way in both"
    ]


def test_prototypes_and_the_files_that_have_them(tmp_path: Path) -> None:
    """The error names the files of the definition and of the declaration. If the definition follows
    the declaration, nvlink names the file of the definition in both positions."""
    golden = "prototype-does-not-match"
    as_nvlink = link_golden(tmp_path, golden, name="nvlink").find("Prototype doesn't match")
    assert as_nvlink.text.endswith("in 'b.cubin', first defined in 'b.cubin'")
    message = link_golden(tmp_path, golden).find("Prototype doesn't match")
    assert message.text.endswith("in 'b.cubin', first defined in 'a.cubin'")
    assert message.notes == [
        "prototype 'void (long, double or pointer)' in 'b.cubin', 'void (int or float)' in "
        "'a.cubin'; declare it the same way in both"
    ]


# The same object ----------------------------------------------------------------------------------


def test_one_file_by_two_paths(tmp_path: Path) -> None:
    (tmp_path / "a.cubin").write_bytes(data("defines_missing").read_bytes())
    outcome = link(tmp_path, "a.cubin", "./a.cubin")
    assert outcome.find("'_Z7missingi'").notes[1:] == [
        "'a.cubin' and './a.cubin' are the same file; remove one of them"
    ]


def test_one_object_in_two_archives(tmp_path: Path) -> None:
    for name in ("x", "y"):
        member = {"m.cubin": data("defines_missing").read_bytes()}
        (tmp_path / f"lib{name}.a").write_bytes(archive(member))
    outcome = link(tmp_path, data("calls_missing"), "-L.", "-lx", "-ly")
    assert outcome.find("'_Z7missingi'").notes[1:] == [
        "'./libx.a:m.cubin' and './liby.a:m.cubin' contain the same device code; "
        "remove one of them"
    ]


def test_a_pair_of_objects_is_reported_once(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "multiple-definition-of-every-kind")
    assert outcome.text.count("contain the same device code") == 1


# The declarations --------------------------------------------------------------------------------


def declared(folder: Path, name: str, *, flip: int) -> str:
    """Writes an object that defines `variable`. `flip` inverts bits of the symbol's st_other."""
    cubin = read_cubin(GOLDEN / "multiple-definition-of-every-kind" / "a.cubin")
    cubin.symbols[cubin.symbol_index("variable")].other ^= flip
    (folder / name).write_bytes(cubin.write())
    return name


def test_managed_or_not(tmp_path: Path) -> None:
    inputs = declared(tmp_path, "a.cubin", flip=0), declared(tmp_path, "b.cubin", flip=4)
    link_line = (GOLDEN / "multiple-definition-of-every-kind" / "link").read_text().split()
    (architecture,) = [w.split("=")[1] for w in link_line if w.startswith("-arch=")]
    outcome = link(tmp_path, *inputs, architecture=architecture)
    assert outcome.find("Managed attribute doesn't match for 'variable'").notes == [
        "__managed__ in 'b.cubin', __device__ in 'a.cubin'; declare it the same way in both"
    ]


def test_a_kernel_and_a_device_function(tmp_path: Path) -> None:
    outcome = link_golden(tmp_path, "error-entry-differs-readable-name")
    (message,) = [m for m in outcome.messages if "not declared __global__" in m.text]
    assert "a __global__ function in " in message.notes[-1]
    assert "a __device__ function in " in message.notes[-1]


# Libraries that are skipped -----------------------------------------------------------------------


def skipped(folder: Path, content: bytes, *words: str) -> list[str]:
    (folder / "libx.a").write_bytes(content)
    outcome = link(folder, data("calls_missing"), "-L.", "-lx", *words)
    assert "was not found" not in outcome.text
    return outcome.find("Skipping incompatible './libx.a'").notes


def test_a_library_for_another_host(tmp_path: Path) -> None:
    code = fat_binary(cubin_entry(data("defines_missing")))
    content = archive({"y.o": HostObject(code, machine=EM_AARCH64).write()})
    assert skipped(tmp_path, content, "-cpu-arch=X86_64") == [
        "the objects of './libx.a' are for the host architecture AARCH64, but the link is for "
        "X86_64 (-cpu-arch); its device code is for sm_80"
    ]


def test_libraries_that_are_none(tmp_path: Path) -> None:
    assert skipped(tmp_path, b"text, not an archive") == ["'./libx.a' is not an archive"]
    assert skipped(tmp_path, archive({"y.txt": b"text"})) == [
        "the first member, 'y.txt', of './libx.a' is neither a host object nor device code"
    ]
