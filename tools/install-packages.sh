#!/bin/sh
# Installs the Debian packages of the named groups that this machine lacks.
#
#   tools/install-packages.sh GROUP...      groups: build test musl fuzz afl lint deb packages
#                                               hosts aarch64 valgrind
#
# The script looks for what each package provides (a command, a header, a Python module). So what
# was installed by other means counts, too, and a machine that has everything needs neither apt nor
# root. It prints nothing if nothing is missing.
set -eu

python=${PYTHON:-/usr/bin/python3}

has_command() { command -v "$1" >/dev/null 2>&1; }

# has_header NAME: the compiler finds it.
has_header() { printf '#include <%s>\n' "$1" | gcc -E -x c - >/dev/null 2>&1; }

# has_package NAME:ARCHITECTURE
has_package() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok'; }

has_module() { "$python" -c "import $1" >/dev/null 2>&1; }

# has_library NAME: gcc prints the bare name of a library that it does not find.
has_library() { case $(gcc -print-file-name="$1" 2>/dev/null) in */*) ;; *) false ;; esac; }

clang_has_runtime() {
    echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' |
        clang -fsanitize=address,fuzzer -x c - -o /dev/null >/dev/null 2>&1
}

# The name of the runtime's package contains clang's version.
clang_runtime_package() {
    version=$(clang -dumpversion 2>/dev/null) || version=14
    echo "libclang-rt-${version%%.*}-dev"
}

missing=
# need PACKAGE PROBE...: adds the package to $missing if the command PROBE fails.
need() {
    package=$1
    shift
    "$@" || missing="$missing $package"
}

architectures=
# need_architecture NAME: adds the architecture to $architectures if apt does not know its packages.
need_architecture() {
    apt-cache show "libc6:$1" >/dev/null 2>&1 || architectures="$architectures $1"
}

# look_for_compilers MACHINE ARCHITECTURE: looks for the compilers for another machine.
look_for_compilers() {
    need_architecture "$2"
    need "gcc-$1-linux-gnu" has_command "$1-linux-gnu-gcc"
    need "g++-$1-linux-gnu" has_command "$1-linux-gnu-g++"
}

look_for() {
    case $1 in
    build)
        need gcc has_command gcc
        need libc6-dev has_header stdlib.h
        need make has_command make
        need libxxhash-dev has_header xxhash.h
        need liblz4-dev has_header lz4.h
        need libzstd-dev has_header zstd.h
        need libjansson-dev has_header jansson.h
        need g++ has_library libsupc++.a
        ;;
    test)
        need libcmocka-dev has_header cmocka.h
        need binutils has_command readelf
        need strace has_command strace
        need curl has_command curl
        need python3 has_module sys
        need python3-pytest has_module pytest
        need python3-pyelftools has_module elftools
        need python3-venv has_module ensurepip
        need mypy has_command mypy
        need abigail-tools has_command abidiff
        need cmake has_command cmake
        need pkg-config has_command pkg-config
        ;;
    musl)
        need musl-tools has_command musl-gcc
        need cmake has_command cmake
        need dpkg-dev has_command dpkg-source
        ;;
    fuzz)
        need clang has_command clang
        need "$(clang_runtime_package)" clang_has_runtime
        ;;
    afl)
        need afl++ has_command afl-clang-fast
        ;;
    valgrind)
        need valgrind has_command valgrind
        ;;
    lint)
        need clang-format has_command clang-format
        need clang-tidy has_command clang-tidy
        need cppcheck has_command cppcheck
        need codespell has_command codespell
        need black has_command black
        need mypy has_command mypy
        ;;
    deb)
        need debhelper has_command dh
        need dpkg-dev has_command dpkg-buildpackage
        need fakeroot has_command fakeroot
        ;;
    packages)
        need lintian has_command lintian
        need mmdebstrap has_command mmdebstrap
        need autopkgtest has_command autopkgtest
        need python3-venv has_module ensurepip
        ;;
    hosts)
        need qemu-user has_command qemu-s390x
        for host in aarch64:arm64 i686:i386 s390x:s390x; do
            look_for_compilers "${host%:*}" "${host#*:}"
        done
        ;;
    aarch64)
        need qemu-user has_command qemu-aarch64
        look_for_compilers aarch64 arm64
        for library in xxhash lz4 zstd jansson; do
            need "lib$library-dev:arm64" has_package "lib$library-dev:arm64"
        done
        ;;
    *)
        echo "install-packages: no such group: $1" >&2
        exit 2
        ;;
    esac
}

fail() {
    echo "install-packages: $1" >&2
    [ -z "$architectures" ] || echo "apt knows no packages for:$architectures" >&2
    [ -z "$missing" ] || echo "These packages (Debian's names) are missing:$missing" >&2
    echo "Mend this by hand, then run the same command again." >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# run_apt ARGUMENT...: runs apt-get. Its output is shown only if it fails.
run_apt() {
    log=$(mktemp)
    status=0
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
        -o Acquire::Retries=3 "$@" </dev/null >"$log" 2>&1 || status=$?
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

for group in "$@"; do
    look_for "$group"
done
[ -n "$missing$architectures" ] || exit 0

has_command apt-get || fail "there is no apt-get here"
[ "$(id -u)" -eq 0 ] || has_command sudo || fail "installing needs root or sudo"
[ -z "$missing" ] || echo "Installing what is missing:$missing"
for architecture in $architectures; do
    as_root dpkg --add-architecture "$architecture"
done
# While a mirror is being updated, some of its lists cannot be read, often those of another
# architecture.
run_apt update || echo "install-packages: apt-get update failed; the older lists are used" >&2
# $missing is not quoted, so that each package is a separate argument.
# shellcheck disable=SC2086
run_apt install --no-install-recommends $missing || fail "apt-get install failed"

missing= architectures=
for group in "$@"; do
    look_for "$group"
done
[ -z "$missing$architectures" ] || fail "still not found after installing"
