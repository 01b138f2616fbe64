"""The tests change objects with the means of the comparisons, and link as tests/quirks does."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in ("compare", "quirks", "containers", "golden"):
    sys.path.insert(0, str(TESTS / folder))
