"""The environment for a make that another make starts through a program."""

from __future__ import annotations

import os

# These hold the outer make's jobs and the variables of its command line. They are not meant for the
# inner one, which also warns that the jobs are not available.
PASSED_ON = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")


def environment_without_outer_make() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in PASSED_ON}
