"""Reads packaging/components, the table of third-party software that the programs contain."""

from __future__ import annotations

from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "packaging" / "components"


def components() -> list[dict[str, str]]:
    """The paragraphs of the table, in order. Each is a map from the names of fields to values."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    paragraphs = "\n".join(lines).strip().split("\n\n")
    return [dict(line.split(": ", 1) for line in text.split("\n")) for text in paragraphs]
