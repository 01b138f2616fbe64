#!/bin/sh
# Builds warpld and cubintool as single files that run on any Linux: statically linked, with musl.
#
#   tools/make-static-musl.sh BUILD_FOLDER
#
# The files are in BUILD_FOLDER/static-musl. The libraries are built from the sources of this
# machine's Debian release, because the archives in Debian's packages call functions that only the
# GNU C Library has. Of libsupc++, warpld uses only the C++ demangler. It is built from a file of
# libiberty, from which libsupc++ builds it, too.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."
build=$(realpath -m "$1")
machine=$(uname -m)
folder=$build/packages/musl
sources='libzstd lz4 xxhash jansson libiberty'
flags="-O3 -g -ffile-prefix-map=$folder=musl"

# The variables that an outer make passes on are not meant for these builds.
run_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -j"$(nproc)" "$@"; }

# fetch_sources: downloads the sources, and unpacks each into a folder with its name. apt uses
# separate package lists.
fetch_sources() (
    # shellcheck disable=SC1091
    . /etc/os-release
    mkdir -p "$folder/lists/partial"
    cd "$folder"
    echo "deb-src http://deb.debian.org/debian $VERSION_CODENAME main" >sources.list
    set -- -qq -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o "Dir::State::Lists=$folder/lists" -o APT::Sandbox::User=root
    apt-get "$@" update
    # $sources is not quoted, so that each name is a separate argument.
    # shellcheck disable=SC2086
    apt-get "$@" source --download-only $sources
    for source in $sources; do
        rm -rf "$source"
        mkdir "$source"
        tar -xf "$source"_*.orig.tar.?z -C "$source" --strip-components=1
    done
)

build_jansson() {
    cmake -S "$folder/jansson" -B "$folder/jansson/build" -DCMAKE_C_COMPILER=musl-gcc \
        -DCMAKE_C_FLAGS="$flags" -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DJANSSON_BUILD_DOCS=OFF \
        -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
    run_make -C "$folder/jansson/build"
    cp "$folder/jansson/build/lib/libjansson.a" "$folder/lib"
    cp "$folder"/jansson/build/include/*.h "$folder/include"
}

build_demangler() {
    # libsupc++ defines IN_GLIBCPP_V3, too: it gives functions the names of the C++ ABI.
    # shellcheck disable=SC2086
    musl-gcc $flags -DIN_GLIBCPP_V3 -DHAVE_STDLIB_H -DHAVE_STRING_H -I"$folder/libiberty/include" \
        -c "$folder/libiberty/libiberty/cp-demangle.c" -o "$folder/cp-demangle.o"
    ar rcsD "$folder/lib/libsupc++.a" "$folder/cp-demangle.o"
}

build_libraries() {
    mkdir -p "$folder/include" "$folder/lib"
    for library in libzstd lz4; do
        run_make -C "$folder/$library/lib" "lib${library#lib}.a" CC=musl-gcc CFLAGS="$flags"
        cp "$folder/$library/lib/lib${library#lib}.a" "$folder/lib"
        cp "$folder/$library/lib/"*.h "$folder/include"
    done
    cp "$folder"/xxhash/xxh*.h "$folder/include"
    build_jansson
    build_demangler
}

if ! [ -e "$folder/complete" ]; then
    mkdir -p "$folder"
    # Not `( ... ) || exit`, because there the shell ignores -e and continues after a failed
    # command.
    set +e
    (
        set -e
        fetch_sources
        build_libraries
    ) >"$folder/log" 2>&1
    status=$?
    set -e
    [ "$status" -eq 0 ] || { tail -n 40 "$folder/log" >&2 && exit 1; }
    touch "$folder/complete"
fi

# Neither musl nor libiberty has its version in a header.
musl_version=$("/lib/ld-musl-$machine.so.1" 2>&1 | sed -n 's/^Version //p')
libiberty_version=$(basename "$folder"/libiberty_*.orig.tar.xz .orig.tar.xz)
# musl gives each thread a stack of the size in the program's header, and 128 KiB if the header has
# no size. The GNU C Library gives each thread 8 MiB, so the header gets that size.
run_make BUILD="$build/musl" CC=musl-gcc STATIC=musl CPPFLAGS="-I$folder/include" \
    LDFLAGS="-L$folder/lib -Wl,-z,stack-size=8388608" \
    COMPONENTS="musl=$musl_version libiberty=${libiberty_version#*_}" \
    "$build/musl/portable/warpld" "$build/musl/portable/cubintool" \
    "$build/musl/portable/warpld.cdx.json"

rm -rf "$build/static-musl"
mkdir "$build/static-musl"
for program in warpld cubintool; do
    strip -o "$build/static-musl/$program" "$build/musl/portable/$program"
done
cp "$build/musl/portable/warpld.cdx.json" "$build/static-musl"
ls "$build"/static-musl/*
