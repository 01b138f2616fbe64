"""The tests of this folder link what the tests of containers link."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "containers"))
