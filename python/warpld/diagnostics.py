"""Messages of links, which are available as values, as exceptions and as Python warnings."""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from . import binding
from .native import text_of

SEVERITIES = {
    binding.NOTE: "note",
    binding.INFO: "info",
    binding.WARNING: "warning",
    binding.ERROR: "error",
    binding.FATAL: "fatal",
}


@dataclass(frozen=True)
class Diagnostic:
    """One message.

    severity  "info", "warning", "error" (the link fails) or "fatal" (it fails at once); "note" for
              members of `notes`
    code      stable identifier, such as "undefined-reference"; `warpld --explain CODE` describes it
    text      the message, one line
    input     the name of the input that the message is about, or None
    symbol    the mangled name of the symbol that the message is about, or None
    section   the name of the section that the text names, or None
    notes     the notes that explain the message, in order
    """

    severity: str
    code: str
    text: str
    input: str | None = None
    symbol: str | None = None
    section: str | None = None
    notes: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.severity}: {self.text} [{self.code}]"]
        lines += [f"  note: {note.text}" for note in self.notes]
        return "\n".join(lines)


class LinkError(Exception):
    """A link failed. `diagnostics` has all of its messages. `code`, `text` and `notes` are those of
    the first message that is an error."""

    def __init__(self, diagnostics: Iterable[Diagnostic], otherwise: str = "the link failed"):
        self.diagnostics = tuple(diagnostics)
        errors = [one for one in self.diagnostics if one.severity in ("error", "fatal")]
        first = errors[0] if errors else Diagnostic("fatal", "unknown", otherwise)
        self.code = first.code
        self.text = first.text
        self.notes = first.notes
        super().__init__("\n".join(map(str, errors or [first])))


class LinkWarning(UserWarning):
    """A link succeeded with a warning, which is `diagnostic`."""

    def __init__(self, diagnostic: Diagnostic):
        self.diagnostic = diagnostic
        super().__init__(str(diagnostic))


class Collector:
    """Receives the messages of one link and attaches notes to the message that they explain."""

    def __init__(self) -> None:
        self.messages: list[Diagnostic] = []

    def add(self, message: Diagnostic) -> None:
        if message.severity == "note" and self.messages:
            last = self.messages[-1]
            self.messages[-1] = replace(last, notes=(*last.notes, message))
        else:
            self.messages.append(message)

    def callback(self) -> Callable[..., None]:
        """The callback to which the library passes messages. The caller must keep a reference to it
        as long as the link exists."""

        def take(_: int, diagnostic: ctypes._Pointer[binding.Diagnostic]) -> None:
            seen = diagnostic.contents
            self.add(
                Diagnostic(
                    SEVERITIES.get(seen.severity, "fatal"),
                    text_of(seen.code) or "",
                    text_of(seen.text) or "",
                    text_of(seen.input),
                    text_of(seen.symbol),
                    text_of(seen.section),
                )
            )

        callback: Callable[..., None] = binding.DiagnosticCallback(take)
        return callback


def deliver(messages: Iterable[Diagnostic], receive: Callable[[Diagnostic], None] | None) -> None:
    """Passes on the messages of a link that succeeded: all of them to the caller's function or, if
    there is none, the warnings to Python's module `warnings`."""
    for message in messages:
        if receive:
            receive(message)
        elif message.severity == "warning":
            warnings.warn(LinkWarning(message), stacklevel=3)
