"""The device runtime is linked only if it is used.

nvlink 13.0.88 gives the same result for the same files, unless a test names a difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from container_files import HostObject, archive, cubin_entry, fat_binary, host
from container_link import DATA, FIRST, FIRST_90, SECOND, kernels, link, put


def test_unused_device_runtime_is_left_out(folder: Path) -> None:
    expected = link(folder, FIRST, SECOND).output
    put(folder, "libcudadevrt.a", archive({"runtime.o": host(DATA / "runtime.sm_80.cubin")}))
    result = link(folder, FIRST, SECOND, "-L.", "-lcudadevrt")
    assert result.output == expected
    kept = link(folder, FIRST, SECOND, "-L.", "-lcudadevrt", "-keep-system-libraries")
    assert kept.output != expected


def test_any_undefined_function_brings_the_device_runtime_in(folder: Path) -> None:
    """The runtime is linked even if it does not define the function, and even if no code can call
    the function."""
    put(folder, "libcudadevrt.a", archive({"runtime.o": host(DATA / "runtime.sm_80.cubin")}))
    words: list[str | Path] = [DATA / "incomplete.sm_80.cubin", "-L.", "-lcudadevrt"]
    names = [name for name, _ in link(folder, *words).output]
    assert ".nv.global" in names  # the runtime's variable
    named = link(folder, *words, "--register-link-binaries=names")
    assert (named.status, (folder / "names").read_text().count("DEFINE")) == (0, 2)


def test_an_unused_device_runtime_does_not_keep_an_old_list(folder: Path) -> None:
    """If the runtime is not used, nvlink keeps an older file of --register-link-binaries, which
    lacks objects that were added later. warpld writes the file again."""
    put(folder, "libcudadevrt.a", archive({"runtime.o": host(DATA / "runtime.sm_80.cubin")}))
    first, second = (
        put(folder, f"{cubin.name}.o", host(cubin, module_ids=(f"_{i}",)))
        for i, cubin in enumerate((FIRST, SECOND))
    )
    words = ["-L.", "-lcudadevrt", "--register-link-binaries=names"]
    for inputs, count in (([first], 1), ([first, second], 2)):
        assert link(folder, *inputs, *words).status == 0
        assert (folder / "names").read_text().count("DEFINE") == count


@pytest.mark.parametrize(("named", "all_stay"), [((), True), (("lone",), False)])
def test_references_of_the_device_runtime_are_not_enough(
    named: tuple[str, ...], all_stay: bool, folder: Path
) -> None:
    """The kernels that the runtime names do not count: if no other object names a kernel, all
    kernels are kept."""
    runtime = host(FIRST, references={".nvHRKE": ("none",), ".nvHRKI": ()})
    put(folder, "libcudadevrt.a", archive({"runtime.o": runtime}))
    references = {".nvHRKE": named, ".nvHRKI": ()}
    a = put(folder, "a.o", host(DATA / "incomplete.sm_80.cubin", references=references))
    output = link(folder, a, "-L.", "-lcudadevrt").output
    assert kernels(output, "first", "lone") == ({"first", "lone"} if all_stay else {"lone"})


@pytest.mark.parametrize("used", [False, True])
def test_objects_may_follow_the_device_runtime(used: bool, folder: Path) -> None:
    """warpld links objects that follow the runtime. nvlink does so only if it has linked the
    runtime. Otherwise it ends the link: "unexpected object after cudadevrt"."""
    put(folder, "libcudadevrt.a", archive({"runtime.o": host(DATA / "runtime.sm_80.cubin")}))
    put(folder, "libother.a", archive({"other.o": host(FIRST)}))
    object_before = DATA / "incomplete.sm_80.cubin" if used else SECOND
    result = link(folder, object_before, "-L.", "-lcudadevrt", "-lother")
    assert (result.status, result.messages) == (0, "")
    assert kernels(result.output, "first") == {"first"}
    assert (".nv.global" in [name for name, _ in result.output]) == used


def test_what_is_defined_after_the_device_runtime_does_not_count(folder: Path) -> None:
    """The runtime is linked if a function is undefined in the objects before it, even if an object
    after it defines this function. nvlink has the same rule."""
    put(folder, "libcudadevrt.a", archive({"runtime.o": host(DATA / "runtime.sm_80.cubin")}))
    put(folder, "libother.a", archive({"other.o": host(DATA / "complete.sm_80.cubin")}))
    for libraries, is_linked in (("-lcudadevrt,other", True), ("-lother,cudadevrt", False)):
        output = link(folder, DATA / "incomplete.sm_80.cubin", "-L.", libraries).output
        assert (".nv.global" in [name for name, _ in output]) == is_linked


def test_device_runtime_serves_what_follows(folder: Path) -> None:
    """warpld links the runtime if an object that follows the runtime needs it. nvlink does not, and
    reports "Undefined reference"."""
    assert registered(folder, "plain [rest,gives] uses", "sm_80") == "plain rest gives uses"


# Maps the name of a case to the inputs of a link and the objects that it links. Brackets stand for
# a libcudadevrt.a, and contain its members. "uses" refers to a function that "gives" defines.
RUNTIMES = {
    "one-of-two-members": ("uses [gives,rest]", "uses gives"),
    "both-members": ("uses [rest,gives]", "uses rest gives"),
    "one-of-two-files": ("uses [gives] [rest]", "uses gives"),
    "both-files": ("uses [rest] [gives]", "uses rest gives"),
    "what-a-runtime-uses": ("plain uses [rest] [gives] [uses]", "plain uses rest gives"),
    "behind-other-objects": ("uses [gives] plain [rest]", "uses gives plain"),
    "first": ("[rest] uses [gives]", "uses gives"),
    "nothing-missing": ("plain [rest]", "plain"),
    "kept": ("plain [rest] -keep-system-libraries", "plain rest"),
    "kept-twice": ("plain [rest] [gives] -keep-system-libraries", "plain rest gives"),
    "first-and-kept": ("[rest] plain [gives] -keep-system-libraries", "plain gives"),
    "behind-host-code-and-kept": ("host [rest] -keep-system-libraries", ""),
    "without-code-for-the-target": ("other uses [other]", "other uses other"),
}
RUNTIMES_OF_VIRTUAL_TARGETS = {
    "behind-code": ("uses [rest] plain [gives]", "uses rest plain gives"),
    "code-of-another-target": ("other [rest]", "other rest"),
    "before-code": ("[rest] plain [gives,rest]", "plain gives rest"),
    "before-code-and-kept": ("[rest] plain -keep-system-libraries", "plain"),
    "behind-host-code": ("host [rest]", ""),
}


def registered(folder: Path, words: str, target: str) -> str:
    """The objects that the link reports as linked, in order."""
    cubins = {
        "uses": DATA / "incomplete.sm_80.cubin",
        "gives": DATA / "complete.sm_80.cubin",
        "rest": DATA / "runtime.sm_80.cubin",
        "plain": FIRST,
        "other": FIRST_90,
    }
    objects = {name: host(cubin, module_ids=(f"_{name}",)) for name, cubin in cubins.items()}
    objects["host"] = HostObject(has_segment=False).write()
    line: list[str] = []
    for i, word in enumerate(words.split()):
        if word.startswith("["):
            (folder / str(i)).mkdir()
            members = {f"{name}.o": objects[name] for name in word[1:-1].split(",")}
            line.append(put(folder, f"{i}/libcudadevrt.a", archive(members)))
        else:
            line.append(put(folder, f"{word}.o", objects[word]) if word in objects else word)
    named = link(folder, *line, "--register-link-binaries=names", architecture=target)
    assert named.status == 0, named.messages
    names = (folder / "names").read_text().splitlines()[1:]
    return " ".join(name.removeprefix("DEFINE_REGISTER_FUNC(_").rstrip(")") for name in names)


@pytest.mark.parametrize("kind", RUNTIMES)
def test_objects_of_device_runtimes_are_left_out_one_by_one(kind: str, folder: Path) -> None:
    words, linked = RUNTIMES[kind]
    assert registered(folder, words, "sm_80") == linked


@pytest.mark.parametrize("kind", RUNTIMES_OF_VIRTUAL_TARGETS)
def test_device_runtimes_for_virtual_targets(kind: str, folder: Path) -> None:
    """For a virtual target nothing is linked. A device runtime that follows device code is listed
    among the linked objects, whether or not a function is missing."""
    words, linked = RUNTIMES_OF_VIRTUAL_TARGETS[kind]
    assert registered(folder, words, "compute_75") == linked
