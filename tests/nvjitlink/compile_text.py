"""compile_text.py LIBRARY: adds PTX to a link; prints the result of that call and the error log."""

from __future__ import annotations

import sys

from library import ARCH, PTX, Library, Link

link = Link(Library(sys.argv[1]), ARCH)
print(link.add(PTX, "defines.ptx"))
print(link.errors)
