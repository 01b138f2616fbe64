"""noisy.py LIBRARY: makes calls for which NVIDIA's libraries print something."""

from __future__ import annotations

import sys

from library import ARCH, CUBIN, DATA, LIBRARY, OBJECT, PTX, Library, Link

library = Library(sys.argv[1])
for option in ("-arch=sm_-1", "-arch=sm_130", "-arch=sm_9x", "-foo"):
    Link(library, option).destroy()
link = Link(library, ARCH, "-verbose", "-time")
for kind, name in ((CUBIN, "defines.cubin"), (OBJECT, "defines.o"), (LIBRARY, "libdefines.a")):
    link.add(kind, (DATA / name).read_bytes()[:2000])
    link.add(kind, name)
link.add(PTX, "broken.ptx")
link.complete()
link.destroy()
