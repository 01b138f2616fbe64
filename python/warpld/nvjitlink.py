"""warpld's libnvJitLink, for packages that link with NVIDIA's library of that name."""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes

from .native import LIBRARIES

MAJORS = (12, 13)


def nvjitlink_path(major: int = 13) -> str:
    """The path of libnvJitLink.so.12 or .13 of this package, for LD_PRELOAD or ctypes. `major` is
    the major version of the CUDA that the program uses. Raises ValueError for any other number."""
    if major not in MAJORS:
        raise ValueError(f"major is one of {MAJORS}, not {major}")
    return str(LIBRARIES / f"libnvJitLink.so.{major}")


def preload(major: int = 13) -> ctypes.CDLL:
    """Loads the library of nvjitlink_path(major), so that packages which load libnvJitLink later
    use it: cuda.core, numba-cuda and others (docs/clients.md). Call it before they are imported.
    Raises ValueError as nvjitlink_path does, and OSError if the library cannot be loaded."""
    return ctypes.CDLL(nvjitlink_path(major), mode=ctypes.RTLD_GLOBAL)
