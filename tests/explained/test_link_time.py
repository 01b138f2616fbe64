"""In links with link-time optimisation, nvlink reports some functions as defined twice, and warpld
does not. The comparison recognises this difference, and accepts no other."""

from __future__ import annotations

import pytest
from link_time import defined_functions, duplicates

PARTIAL = "nvlink info    : requested LTO but 'b.o' not built for LTO so doing partial LTO\n"
END = "nvlink fatal   : merge_elf failed\n"
TWICE = "nvlink error   : Multiple definition of '{}' in '{}', first defined in '{}'\n"
FIRST, SECOND = TWICE.format("f", "b.o", "lto.cubin"), TWICE.format("g", "lto.cubin", "a.o")


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        (PARTIAL + FIRST + END, {"f"}),
        (PARTIAL + FIRST + SECOND + END, {"f", "g"}),
        (PARTIAL + END, set()),
        (PARTIAL + FIRST + TWICE.format("h", "b.o", "a.o") + END, set()),
        (PARTIAL + FIRST + "nvlink error   : Undefined reference to 'f' in 'b.o'\n", set()),
        ("", set()),
    ],
)
def test_functions_defined_twice(errors: str, expected: set[str]) -> None:
    assert duplicates(errors) == expected


PTX = """
.extern .func  (.param .b32 func_retval0) other(
    .param .b32 other_param_0
)
;
.func  (.param .b32 func_retval0) local$1(
.visible .func seen()
.weak .func weak()
.visible .entry kernel(
    call.uni other,
"""


@pytest.mark.parametrize("name", ["local$1", "seen", "weak"])
def test_functions_with_a_body(name: str) -> None:
    assert name in defined_functions(PTX)


@pytest.mark.parametrize("name", ["other", "kernel", "other_param_0"])
def test_other_names(name: str) -> None:
    assert name not in defined_functions(PTX)
