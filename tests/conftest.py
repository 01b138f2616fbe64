"""Adds folders to sys.path, so that tests and scripts can import modules of other folders.

pytest reads this file before the tests of any folder. A script that is run directly finds the
modules in its own folder without this file. A script that needs modules of other folders is in
tests/ itself, and begins with `import conftest`. tests/tidy checks that no two modules in these
folders have the same name.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
SHARED_FOLDERS = (
    "",
    "compare",
    "compile",
    "constants",
    "golden",
    "containers",
    "overlay",
    "quirks",
    "inputs",
    "torture",
    "../examples",
    "../tools",
)

# The empty name stands for tests/ itself.
sys.path += [str(TESTS / folder) for folder in SHARED_FOLDERS]
