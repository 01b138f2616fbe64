#!/bin/sh
# Makes a shared library of NVIDIA's static nvPTXCompiler, which warpld can load to compile PTX.
#
#     tools/make-ptx-plugin.sh FOLDER OUTPUT
#
# FOLDER is searched for libnvptxcompiler_static.a: a CUDA toolkit, or what the package
# nvidia-nvptxcompiler installs. warpld finds an OUTPUT that is called libwarpld-nvptxcompiler.so in
# the folders that docs/ptx-compilers.md lists; --ptx-compiler names any other. NVIDIA's licence
# does not allow others to ship it.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 FOLDER OUTPUT" >&2
    exit 2
fi
archive=$(find -L "$1" -name libnvptxcompiler_static.a -print 2>/dev/null | head -n 1)
if [ -z "$archive" ]; then
    echo "$0: there is no libnvptxcompiler_static.a below '$1'" >&2
    echo "The package nvidia-nvptxcompiler of the Python registry has one." >&2
    exit 1
fi
# Only the functions of the interface are exported, and the library calls its own copies of all
# others. So it cannot be mixed up with another copy of NVIDIA's compiler in the same program.
names=$(mktemp)
trap 'rm -f "$names"' EXIT
echo '{ global: nvPTXCompiler*; local: *; };' > "$names"
mkdir -p "$(dirname "$2")"
"${CC:-cc}" -shared -o "$2" -Wl,-soname,"$(basename "$2")" -Wl,--version-script="$names" \
    -Wl,-Bsymbolic -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -lpthread -lm -ldl
