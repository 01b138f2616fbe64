"""Signals that end the command, and whether a process that it started has begun or ended."""

from __future__ import annotations

import signal
import time
from pathlib import Path

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def expect_signals() -> None:
    """Sets the default action of signals that the program which runs the tests may ignore, as nohup
    does and a shell for `command &`."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


def ignore_children() -> None:
    """As `trap '' CHLD` in a shell does: programs inherit that SIGCHLD is ignored, and the system
    then does not keep how their children end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def has_line(file: Path) -> bool:
    return file.exists() and file.read_text().endswith("\n")


def is_gone(process: int) -> bool:
    for _ in range(1000):
        try:
            status = Path(f"/proc/{process}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True
        if status.split(") ")[1][0] == "Z":
            return True
        time.sleep(0.01)
    return False
