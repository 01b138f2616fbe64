"""tinygrad_compiles.py DATA: compiles PTX with tinygrad's NVPTXCompiler, which links it."""

from __future__ import annotations

import sys
from pathlib import Path

from maker import note_maker
from tinygrad.runtime.support.compiler_cuda import NVPTXCompiler

DATA = Path(sys.argv[1])
TEXTS = {
    "defines.ptx": (DATA / "defines.ptx").read_text(),
    "calls.ptx": (DATA / "calls.ptx").read_text(),
    "broken.ptx": (DATA / "broken.ptx").read_text(),
}


def compile_text(text: str, arch: str) -> str:
    try:
        code = NVPTXCompiler(arch).compile(text)
    except Exception as error:  # whatever it is, its text is compared
        return f"failed: {type(error).__name__}: {error}".replace("\n", " / ")
    note_maker(code)
    return f"ok {code[:4]!r}"


def main() -> None:
    for name, text in TEXTS.items():
        print(name, "|", compile_text(text, "sm_90"))


if __name__ == "__main__":
    main()
