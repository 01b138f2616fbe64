"""Sets how a process handles signals, and waits for processes to begin or to end."""

from __future__ import annotations

import signal
import time
from pathlib import Path

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def expect_signals() -> None:
    """Restores the default action of the signals that end the command. The tests may have been
    started with some of these signals ignored: nohup ignores SIGHUP, and a shell script ignores
    SIGINT in `command &`."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


def ignore_children() -> None:
    """Ignores SIGCHLD, as `trap '' CHLD` in a shell does. Programs that this process starts also
    ignore the signal, so the system keeps no exit status of their children."""
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
