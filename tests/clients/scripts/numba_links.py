"""numba_links.py DATA: links each kind of file through the linker of numba.cuda."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from maker import note_maker
from numba.cuda.cudadrv.driver import _have_nvjitlink, _Linker

DATA = Path(sys.argv[1])
FILES = (
    "defines.cubin",
    "defines.ptx",
    "defines.o",
    "libdefines.a",
    "defines.fatbin",
    "defines.ltoir",
    "defines.cu",
)


def link(path: Path, lto: bool) -> str:
    try:
        linker = _Linker(cc=(9, 0), lto=lto)
        linker.add_file_guess_ext(str(path))
        code = linker.complete().code
    except Exception as error:  # whatever it is, its text is compared
        return f"failed: {type(error).__name__}: {error}".replace("\n", " / ").strip("\0 /")
    if not lto and path.suffix != ".ltoir":
        note_maker(code)
    logs = [log.rstrip("\0") for log in (linker.error_log, linker.info_log)]
    return f"ok {code[:4]!r} {logs}"


def main() -> None:
    print("has nvJitLink", _have_nvjitlink())
    with tempfile.TemporaryDirectory() as scratch:
        for name in FILES:
            path = Path(shutil.copy(DATA / name, scratch))  # numba writes beside its inputs
            for lto in (False, True):
                print(name, "LTO" if lto else "", "|", link(path, lto).replace(scratch, ""))


if __name__ == "__main__":
    main()
