#!/bin/sh
# Builds the wheel for systems whose C library is older than that of this machine. It uses the
# compiler of the Python package ziglang, which has the interfaces of all releases of the GNU C
# Library.
#
#   tools/make-portable-wheel.sh BUILD_FOLDER [RELEASE [MACHINE]]
#
# RELEASE of the C library is 2.28 by default. MACHINE is x86_64 or aarch64, by default the kind of
# this machine. For the other kind, headers and archives come from Debian's cross compiler and
# packages. The wheel is BUILD_FOLDER/glibc-RELEASE-MACHINE/wheel/*.whl.
set -eu

build=$(realpath -m "$1")
release=${2:-2.28}
machine=${3:-$(uname -m)}
python=${PYTHON:-/usr/bin/python3}
zig=$build/packages/zig
needed=$zig/$machine
version=0.17.1
prefix=
[ "$machine" = "$(uname -m)" ] || prefix=$machine-linux-gnu-

if ! [ -x "$zig/bin/python" ] || ! "$zig/bin/python" -c 'import ziglang' 2>/dev/null; then
    "$python" -m venv --clear "$zig"
    "$zig/bin/pip" install -q "ziglang==$version"
fi

# Copies only the headers and archives that are needed. The system's other headers do not fit the
# older C library.
rm -rf "$needed"
mkdir -p "$needed/headers" "$needed/archives"
for header in xxhash.h xxh3.h lz4.h zstd.h zstd_errors.h jansson.h jansson_config.h; do
    printf '#include <%s>\n' "$header" | "${prefix}gcc" -M -x c - 2>/dev/null | tr ' ' '\n' |
        grep "/$header\$" | head -n 1 | xargs -I '{}' cp -L '{}' "$needed/headers"
done
for archive in liblz4.a libzstd.a libjansson.a libsupc++.a; do
    cp -L "$("${prefix}gcc" -print-file-name=$archive)" "$needed/archives"
done

compiler=$needed/cc-$release
cat >"$compiler" <<END
#!/bin/sh
exec "$zig/bin/python" -m ziglang cc -target $machine-linux-gnu.$release "\$@"
END
chmod +x "$compiler"

cd "$(dirname "$0")/.."
exec make --no-print-directory -j"$(nproc)" BUILD="$build/glibc-$release-$machine" \
    CC="$compiler" OBJCOPY="${prefix}objcopy" STRIP="${prefix}strip" STATIC=0 LTO=0 COMPONENTS=zig \
    CPPFLAGS="-I$needed/headers" LDFLAGS="-L$needed/archives" wheel
