"""After an error, nvlink prints further lines that only say that the link failed. warpld prints
them under the name nvlink, but not under its own name."""

from __future__ import annotations

from pathlib import Path

from container_files import HostObject
from input_link import FATAL, TESTS, link, put


def test_lines_that_only_end_the_link_are_those_of_nvlink(tmp_path: Path) -> None:
    golden = TESTS / "golden" / "common-larger-than-definition"
    inputs = tuple(str(path) for path in sorted(golden.glob("*.cubin")))
    broken = put(tmp_path, "a.o", HostObject().write())
    architecture = (golden / "link").read_text().split("-arch=")[1].split()[0]
    for words, ending in ((inputs, "merge_elf failed"), ((broken,), "elfLink internal error")):
        outcome = link(tmp_path, *words, name="nvlink", architecture=architecture)
        assert outcome.status == FATAL and outcome.lines[-1] == f"fatal : {ending}"
        outcome = link(tmp_path, *words, architecture=architecture)
        assert outcome.status == FATAL and outcome.messages
        assert ending not in outcome.messages
