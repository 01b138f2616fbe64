#!/bin/sh
# Builds the wheel for systems with an older C library than this one has, with the compiler of the
# Python package ziglang, which has the interfaces of all releases of the GNU C Library.
#
#   tools/make-portable-wheel.sh BUILD_FOLDER [RELEASE]      RELEASE of the C library, default 2.28
#
# The wheel is BUILD_FOLDER/glibc-RELEASE/wheel/*.whl.
set -eu

build=$(realpath -m "$1")
release=${2:-2.28}
machine=$(uname -m)
python=${PYTHON:-/usr/bin/python3}
zig=$build/packages/zig
version=0.17.1

if ! [ -x "$zig/bin/python" ] || ! "$zig/bin/python" -c 'import ziglang' 2>/dev/null; then
    "$python" -m venv --clear "$zig"
    "$zig/bin/pip" install -q "ziglang==$version"
fi

# Only the headers and archives that are needed: the system's other headers are for its C library.
rm -rf "$zig/headers" "$zig/archives"
mkdir -p "$zig/headers" "$zig/archives"
for header in xxhash.h xxh3.h lz4.h zstd.h zstd_errors.h jansson.h jansson_config.h; do
    printf '#include <%s>\n' "$header" | gcc -M -x c - 2>/dev/null | tr ' ' '\n' |
        grep "/$header\$" | head -n 1 | xargs -I '{}' cp -L '{}' "$zig/headers"
done
for archive in liblz4.a libzstd.a libjansson.a libsupc++.a; do
    cp -L "$(gcc -print-file-name=$archive)" "$zig/archives"
done

compiler=$zig/cc-$release
cat >"$compiler" <<END
#!/bin/sh
exec "$zig/bin/python" -m ziglang cc -target $machine-linux-gnu.$release "\$@"
END
chmod +x "$compiler"

cd "$(dirname "$0")/.."
exec make --no-print-directory -j"$(nproc)" BUILD="$build/glibc-$release" CC="$compiler" STATIC=0 \
    LTO=0 COMPONENTS=zig CPPFLAGS="-I$zig/headers" LDFLAGS="-L$zig/archives" wheel
