"""without_memory.py LIBRARY KIND FILE...: links the files again and again. In the Nth link, the Nth
allocation and all later ones fail. The script ends when a link makes fewer than N allocations, and
prints how many links failed. LD_PRELOAD must name the library of failing_memory.c."""

from __future__ import annotations

import ctypes
import sys

from library import ARCH, CUBIN, Library, Link

library = Library(sys.argv[1])
kind, names = int(sys.argv[2]), sys.argv[3:]
memory = ctypes.CDLL(None)
failures, missed, at = 0, 1, 0
while missed:
    at += 1
    memory.fail_allocation(ctypes.c_long(at))
    link = Link(library, ARCH, "-verbose")
    results = [link.created, link.add(CUBIN, "calls.cubin")]
    results += [link.add(kind, name) for name in names]
    results.append(link.complete())
    missed = memory.failed_allocations()
    memory.fail_allocation(ctypes.c_long(0))
    assert missed or not any(results), (at, results)
    assert link.cubin or any(results), (at, results)
    failures += any(results)
    if link.handle:
        assert link.destroy() == 0
print(failures)
