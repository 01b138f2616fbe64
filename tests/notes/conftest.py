"""The tests make and change inputs with what other tests have for that."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "containers"), str(TESTS / "compare")]
