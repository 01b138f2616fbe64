"""The environment for a make that another make starts through a program."""

from __future__ import annotations

import os

# These variables pass on the outer make's job server and the variables of its command line. The
# inner make must not get them: it would also warn that the job server is not available.
PASSED_ON = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")


def environment_without_outer_make() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in PASSED_ON}
