"""`make install` puts all files into the right folders, and programs can be built with them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WARPLD_BUILD", REPOSITORY / "build")).absolute()

PROGRAM = """
#include <stdio.h>
#include <string.h>
#include <warpld.h>

int main(void)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_90";
    struct warpld_link *link;
    enum warpld_status status = warpld_create(&options, &link);
    if (status == WARPLD_OK)
        status = warpld_add_memory(link, "text", "no cubin", 8);
    if (status == WARPLD_OK)
        status = warpld_run(link);
    warpld_destroy(link);
    puts(warpld_version());
    return status == WARPLD_OK || strcmp(warpld_version(), WARPLD_VERSION) != 0;
}
"""


def run(command: list[object], env: dict[str, str] | None = None) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=REPOSITORY, env=env)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    destination = tmp_path_factory.mktemp("root")
    run(["make", "install", f"BUILD={BUILD}", f"DESTDIR={destination}", "PREFIX=/usr"])
    return destination / "usr"


def version() -> str:
    header = (REPOSITORY / "include" / "warpld.h").read_text()
    (found,) = re.findall(r'WARPLD_VERSION\s+"([\d.]+)"', header)
    return str(found)


def files_below(folder: Path) -> set[str]:
    every = (path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return {path.relative_to(folder).as_posix() for path in every}


def make(target: str, destination: Path, *variables: str) -> None:
    run(["make", target, f"BUILD={BUILD}", f"DESTDIR={destination}", *variables])


def test_every_file_is_installed(root: Path) -> None:
    installed = {name for name in files_below(root) if not name.startswith("share/doc/")}
    expected = {
        "bin/warpld",
        "bin/cubintool",
        "bin/warpld-ptx-helper",
        "bin/warpld-overlay",
        "bin/warpld-nvcc",
        "include/warpld.h",
        "include/warpld_nvjitlink.h",
        "lib/libwarpld.a",
        "lib/libwarpld.so",
        "lib/libwarpld.so.0",
        f"lib/libwarpld.so.{version()}",
        "lib/pkgconfig/warpld.pc",
        "lib/cmake/warpld/warpldConfig.cmake",
        "lib/cmake/warpld/warpldConfigVersion.cmake",
        "lib/cmake/warpld/warpldDeviceLink.cmake",
        "lib/warpld/libnvJitLink.so.12",
        "lib/warpld/libnvJitLink.so.13",
        "share/bash-completion/completions/cubintool",
        "share/bash-completion/completions/warpld",
        "share/fish/vendor_completions.d/cubintool.fish",
        "share/fish/vendor_completions.d/warpld.fish",
        "share/zsh/site-functions/_cubintool",
        "share/zsh/site-functions/_warpld",
    }
    docs = REPOSITORY / "docs"
    manuals = {f"share/man/man1/{path.name}" for path in docs.glob("*.1")}
    manuals |= {f"share/man/man3/{path.name}" for path in docs.glob("*.3")}
    assert installed == expected | manuals


def test_documents_licences_and_examples_are_installed(root: Path) -> None:
    folder = root / "share" / "doc" / "warpld"
    assert (folder / "LICENSE").read_text() == (REPOSITORY / "LICENSE").read_text()
    pages = {f"docs/{path.name}" for path in (REPOSITORY / "docs").glob("*.md")}
    notices = (REPOSITORY / "packaging" / "third-party").glob("*.txt")
    expected = pages | {f"third-party/{path.name}" for path in notices}
    assert expected <= files_below(folder)
    assert "examples/link_two_buffers.c" in files_below(folder)


FOLDERS = ["PREFIX=/opt/w", "LIBDIR=/opt/w/lib/x", "BINDIR=/opt/w/programs", "DATADIR=/data"]


def test_uninstall_removes_what_install_put_there(tmp_path: Path) -> None:
    others = {"opt/w/programs/other", "opt/w/lib/x/warpld/plugin.so", "data/doc/warpld/notes"}
    for name in others:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    make("install", tmp_path, *FOLDERS)
    installed = files_below(tmp_path)
    assert {"opt/w/programs/warpld", "opt/w/lib/x/libwarpld.a"} <= installed
    assert "opt/w/include/warpld.h" in installed
    assert "data/man/man1/warpld.1" in installed
    make("uninstall", tmp_path, *FOLDERS)
    assert files_below(tmp_path) == others
    assert not (tmp_path / "opt/w/lib/x/cmake/warpld").exists()


def test_install_strip_removes_debug_information(root: Path, tmp_path: Path) -> None:
    make("install-strip", tmp_path, "PREFIX=/usr")
    stripped = tmp_path / "usr"
    assert files_below(stripped) == files_below(root)
    for name in ("bin/warpld", "lib/libwarpld.so", "lib/warpld/libnvJitLink.so.13"):
        assert ".debug_info" not in run(["readelf", "-SW", stripped / name])
    assert (stripped / "lib/libwarpld.a").stat().st_size < (root / "lib/libwarpld.a").stat().st_size
    assert run([stripped / "bin" / "warpld", "--version"]).startswith(f"warpld {version()},")


def test_the_installed_overlay_has_its_parts(root: Path, tmp_path: Path) -> None:
    nvcc = tmp_path / "toolkit" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text("#!/bin/sh\necho release 13.0\n")
    nvcc.chmod(0o755)
    run([root / "bin" / "warpld-overlay", tmp_path / "overlay", tmp_path / "toolkit"])
    programs = tmp_path / "overlay" / "bin"
    assert (programs / "nvlink").resolve() == root / "bin" / "warpld"
    assert run([programs / "nvcc", "--version"]) == "release 13.0\n"


def test_the_version_is_the_same_everywhere(root: Path) -> None:
    header = (REPOSITORY / "include" / "warpld.h").read_text()
    parts = [
        re.findall(rf"WARPLD_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")
    ]
    assert ".".join(part for (part,) in parts) == version()
    assert run([root / "bin" / "warpld", "--version"]).startswith(f"warpld {version()},")
    assert run([root / "bin" / "cubintool", "--version"]) == f"cubintool {version()}\n"
    assert f"## {version()}" in (REPOSITORY / "CHANGELOG.md").read_text()


def test_soname(root: Path) -> None:
    with (root / "lib" / "libwarpld.so").open("rb") as file:
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        assert [tag.soname for tag in dynamic.iter_tags("DT_SONAME")] == ["libwarpld.so.0"]


def declared_functions(root: Path) -> set[str]:
    header = (root / "include" / "warpld.h").read_text()
    return set(re.findall(r"WARPLD_API [^;]*?\b(warpld_\w+)\(", header))


def test_the_library_exports_what_the_header_declares(root: Path) -> None:
    with (root / "lib" / "libwarpld.so").open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        exported = {
            symbol.name
            for symbol in symbols
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["type"] == "STT_FUNC"
        }
    assert exported == declared_functions(root)


def test_the_archive_defines_no_other_names(root: Path) -> None:
    """If the archive defined another name, a program's function of that name would replace it."""
    names = run(["nm", "-g", "--defined-only", root / "lib" / "libwarpld.a"]).split("\n")
    defined = {line.split()[-1] for line in names if len(line.split()) == 3}
    assert defined == declared_functions(root)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("linking", ["shared", "static"])
def test_a_program_builds_and_runs(root: Path, tmp_path: Path, compiler: str, linking: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    shared = [f"-L{root}/lib", "-lwarpld", f"-Wl,-rpath,{root}/lib"]
    static = [f"{root}/lib/libwarpld.a", "-pthread", "-llz4", "-lzstd", "-lsupc++"]
    library = shared if linking == "shared" else static
    run([compiler, "-Wall", "-Werror", f"-I{root}/include", source, *library, "-o", program])
    assert run([program]).strip() == version()


def test_pkg_config_finds_it(root: Path) -> None:
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    folder = root / "lib" / "pkgconfig"
    environment = os.environ | {"PKG_CONFIG_PATH": str(folder)}
    words = run(["pkg-config", "--cflags", "--libs", "warpld"], env=environment).split()
    assert "-lwarpld" in words
    assert run(["pkg-config", "--modversion", "warpld"], env=environment).strip() == version()
    # DESTDIR is only the folder from which files are packed, so the file must not name it.
    assert str(root) not in (folder / "warpld.pc").read_text()


@pytest.mark.parametrize("flags", [[], ["--static"]])
def test_programs_build_with_the_flags_of_pkg_config(tmp_path: Path, flags: list[str]) -> None:
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    prefix = tmp_path / "prefix"
    make("install", Path(), f"PREFIX={prefix}", f"LIBDIR={prefix}/lib/own", "DESTDIR=")
    environment = os.environ | {"PKG_CONFIG_PATH": f"{prefix}/lib/own/pkgconfig"}
    words = run(["pkg-config", *flags, "--cflags", "--libs", "warpld"], env=environment).split()
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    more = ["-static"] if flags else [f"-Wl,-rpath,{prefix}/lib/own"]
    run(["gcc", source, *words, *more, "-o", program])
    assert run([program]).strip() == version()


# Uses every macro of the header that PROGRAM does not use.
MACROS = """
#include <warpld.h>

#if WARPLD_VERSION_MAJOR * 10000 + WARPLD_VERSION_MINOR * 100 + WARPLD_VERSION_PATCH < 100
#error "the version of the header"
#endif
WARPLD_API int numbers(void);
int numbers(void)
{
    const struct warpld_options options = WARPLD_OPTIONS_INIT;
    return (int)options.size + WARPLD_TOOLKIT_VERSION + WARPLD_TOOLKIT_VERSION_12 +
           WARPLD_NEWEST_TOOLKIT_VERSION + WARPLD_VERSION_NUMBER;
}
"""
LANGUAGES = ["c99", "c11", "c17", "c2x", "c++11", "c++17", "c++20"]
STRICT = ["-Wall", "-Wextra", "-pedantic-errors", "-Werror"]


def test_all_macros_are_used_below(root: Path) -> None:
    header = (root / "include" / "warpld.h").read_text()
    defined = set(re.findall(r"# *define (WARPLD_\w+)", header)) - {"WARPLD_H"}
    assert defined <= set(re.findall(r"WARPLD_\w+", PROGRAM + MACROS))


@pytest.mark.parametrize("kind", ["gcc", "clang"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_programs_compile_everywhere(root: Path, tmp_path: Path, kind: str, language: str) -> None:
    is_cpp = "++" in language
    compiler = {"gcc": "g++", "clang": "clang++"}[kind] if is_cpp else kind
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    for text in (PROGRAM, MACROS):
        source = tmp_path / ("program.cc" if is_cpp else "program.c")
        source.write_text(text)
        flags = [f"-std={language}", *STRICT, f"-I{root}/include"]
        run([compiler, *flags, "-fsyntax-only", source])
