"""The environment in which a program that make started can run another make."""

from __future__ import annotations

import os

# The outer make passes its job server and the variables of its command line in these variables. The
# inner make must not get them. It would use the wrong values of variables, and warn that the job
# server is not available.
PASSED_ON = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")


def environment_without_outer_make() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in PASSED_ON}
