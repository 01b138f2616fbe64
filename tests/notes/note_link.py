"""Links with warpld, and splits its output into messages with the notes below them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()
DATA = Path(__file__).resolve().parent / "data"
GOLDEN = REPOSITORY / "tests" / "golden"
ERRORS, FATAL = 255, 1


def data(name: str, architecture: str = "sm_80") -> Path:
    return DATA / f"{name}.{architecture}.cubin"


@dataclass
class Message:
    severity: str
    text: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    status: int
    text: str
    messages: list[Message]

    def find(self, words: str) -> Message:
        """The message that contains these words. Fails unless exactly one does."""
        (found,) = [message for message in self.messages if words in message.text]
        return found


def read_messages(text: str, tool: str) -> list[Message]:
    found: list[Message] = []
    for line in text.splitlines():
        head, words = line.split(": ", 1)
        name, severity = head.split()
        assert name == tool
        assert len(head) == len(tool) + 1 + 8
        if severity == "note":
            found[-1].notes.append(words)
        else:
            found.append(Message(severity, words))
    return found


def link(
    folder: Path,
    *words: object,
    name: str = "warpld",
    architecture: str = "sm_80",
    demangle: bool = False,
) -> Outcome:
    """Runs warpld under the name `name` in the folder. Without `demangle`, the option --no-demangle
    is added."""
    program = folder / name
    if not program.exists():
        program.symlink_to(BUILD / "warpld")
    if not demangle:
        words += ("--no-demangle",)
    done = subprocess.run(
        [str(w) for w in (program, f"-arch={architecture}", *words, "-o", "output.cubin")],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == ""
    return Outcome(done.returncode, done.stderr, read_messages(done.stderr, name))


def link_golden(folder: Path, golden: str, *words: object, name: str = "warpld") -> Outcome:
    """Links the inputs of a golden folder under the names that they have in that folder."""
    place = GOLDEN / golden
    for cubin in place.glob("*.cubin"):
        target = folder / cubin.name
        if not target.exists():
            target.symlink_to(cubin)
    arguments = (place / "link").read_text().split()
    architecture = next(a.split("=")[1] for a in arguments if a.startswith("-arch="))
    rest = [a for a in arguments if not a.startswith("-arch=")]
    return link(folder, *rest, *words, name=name, architecture=architecture)
