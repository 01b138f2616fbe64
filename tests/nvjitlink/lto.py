"""lto.py LIBRARY OPTION...: links a cubin and LTO-IR. Prints four lines: the results of the calls,
the output (cubin or PTX), the logs, and the result of nvJitLinkDestroy."""

from __future__ import annotations

import sys

from library import ARCH, CUBIN, LTOIR, Library, Link

link = Link(Library(sys.argv[1]), ARCH, *sys.argv[2:])
results = [link.created, link.add(CUBIN, "calls.cubin"), link.add(LTOIR, "defines.ltoir")]
print(*results, link.complete())
output = link.get("LinkedPtx") or link.cubin
print(output.rstrip(b"\0")[:200] if b";" in output else b"")
print("; ".join(log.strip().replace("\n", "; ") for log in (link.errors, link.infos)))
print(link.destroy())
