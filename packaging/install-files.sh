#!/bin/sh
# Installs, strips or removes the files of the table packaging/installed-files.
#
#   packaging/install-files.sh install|install-strip|uninstall|list NAME=VALUE...
#
# NAMEs are: those between @ signs in the table and in templates; DESTDIR, which is put before each
# destination; and STRIP, the program that strips files. `list` prints the destinations without
# DESTDIR.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."
action=$1
shift
destdir=
program=
for assignment in "$@"; do
    name=${assignment%%=*}
    value=${assignment#*=}
    case $value in
    *'|'* | *' '*) echo "install-files: no blank and no | in $name='$value'" >&2 && exit 2 ;;
    esac
    case $name in
    DESTDIR) destdir=$value ;;
    STRIP) strip=$value ;;
    *) program="$program;s|@$name@|$value|g" ;;
    esac
done
program=${program#;}

# strip_file KIND FILE: archives and libraries keep the symbols that programs link with.
strip_file() {
    case $1 in
    archive) "$strip" --strip-debug --enable-deterministic-archives "$2" ;;
    library) "$strip" --strip-unneeded "$2" ;;
    program) "$strip" "$2" ;;
    esac
}

# install_one KIND SOURCE DESTINATION
install_one() {
    install -d "$destdir$(dirname "$3")"
    case $1 in
    program | library | script) install -m 755 "$2" "$destdir$3" ;;
    archive | file) install -m 644 "$2" "$destdir$3" ;;
    filled) sed "$program" "$2" >"$destdir$3" && chmod 644 "$destdir$3" ;;
    link) ln -sf "$2" "$destdir$3" ;;
    *) echo "install-files: no such kind: $1" >&2 && exit 2 ;;
    esac
    [ "$action" != install-strip ] || strip_file "$1" "$destdir$3"
}

# act KIND SOURCE DESTINATION: does $action for one file or folder.
act() {
    case $action,$1 in
    install,folder | install-strip,folder | list,folder) ;;
    install,* | install-strip,*) install_one "$@" ;;
    uninstall,folder) rmdir "$destdir$3" 2>/dev/null || : ;;
    uninstall,*) rm -f "$destdir$3" ;;
    list,*) echo "$3" ;;
    *) echo "install-files: no such action: $action" >&2 && exit 2 ;;
    esac
}

sed -e '/^#/d' -e '/^$/d' -e "$program" packaging/installed-files |
    while read -r kind source destination; do
        case $destination in
        */)
            # The pattern is to be expanded.
            # shellcheck disable=SC2086
            for file in $source; do
                [ ! -d "$file" ] || continue
                act "$kind" "$file" "$destination$(basename "$file")"
            done
            ;;
        *) act "$kind" "$source" "$destination" ;;
        esac
    done
