"""The tests link goldens, and objects that are changed as for the options about constants."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in ("compare", "quirks", "golden", "constants"):
    sys.path.insert(0, str(TESTS / folder))
