"""Lists the folders whose modules tests and programs of other folders use.

pytest reads this file before the tests of any folder. A program finds the modules in its folder
without it; one that needs others is in the folder of this file and begins with `import conftest`.
Modules of these folders have different names, which tests/tidy checks.
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

# The empty name stands for tests/ itself, for the programs in it.
sys.path += [str(TESTS / folder) for folder in SHARED_FOLDERS]
