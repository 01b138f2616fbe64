#!/bin/sh
# Prints a software bill of materials (CycloneDX 1.6, JSON) of the programs of a build.
#
#   tools/make-sbom.sh COMPILER KIND... [ID=VERSION...]
#
# COMPILER is the compiler of the build with its flags for headers, as one argument. The bill lists
# the paragraphs of packaging/components whose `In` is one of the KINDs. ID=VERSION gives a version
# that no header contains. If SOURCE_DATE_EPOCH is set, it is the time in the bill. Otherwise the
# bill has no time, so that two builds give the same bytes.
set -eu
export LC_ALL=C

folder=$(dirname "$0")/..
compiler=$1
shift
kinds=" $* "
version=$(sed -n 's/.*WARPLD_VERSION  *"\(.*\)"/\1/p' "$folder/include/warpld.h")

# field NAME: of the paragraph.
field() { printf '%s\n' "$paragraph" | sed -n "s/^$1: //p"; }

# expand HEADER MACRO...: prints the values of the macros, with dots between them.
expand() {
    # $compiler is not quoted, because it is a command with arguments.
    # shellcheck disable=SC2086
    printf '#include <%s>\nmake_sbom %s\n' "$1" "$2" | $compiler -E -P -x c - |
        sed -n 's/^make_sbom //p' | tr -d '"' | tr ' ' '.'
}

# clang links with the libraries of gcc, so gcc itself is asked for their release.
gcc_version() {
    case $(expand stddef.h __clang__) in
    __clang__) ;;
    *) compiler=gcc ;;
    esac
    expand stddef.h "$1"
}

component_version() {
    given=${kinds##* "$(field Id)"=}
    rule=$(field Version)
    if [ "$given" != "$kinds" ]; then
        echo "${given%% *}"
    elif [ "${rule%% *}" = gcc ]; then
        gcc_version "${rule#* }"
    elif [ "$rule" != - ]; then
        expand "${rule%% *}" "${rule#* }"
    fi
}

# component TYPE NAME VERSION LICENCE PURL [CPE]
component() {
    printf '{\n      "type": "%s",\n      "bom-ref": "%s",\n' "$1" "$5"
    printf '      "name": "%s",\n      "version": "%s",\n' "$2" "$3"
    printf '      "licenses": [{"expression": "%s"}],\n' "$4"
    [ -z "${6-}" ] || printf '      "cpe": "%s:%s:*:*:*:*:*:*:*",\n' "$6" "$3"
    printf '      "purl": "%s"\n    }' "$5"
}

# third_party: prints the component of $paragraph, and adds its name in the bill to $references.
third_party() {
    release=$(component_version)
    if [ -z "$release" ]; then
        echo "make-sbom: no version of $(field Id)" >&2
        exit 1
    fi
    purl=$(field Purl)$release
    cpe=$(field Cpe | sed 's/^-$//')
    printf '%s' "$separator"
    component library "$(field Id)" "$release" "$(field Licence)" "$purl" "$cpe"
    references="$references${separator:+, }\"$purl\""
    separator=', '
}

own=pkg:generic/warpld@$version
cat <<END
{
  "\$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
  "bomFormat": "CycloneDX",
  "specVersion": "1.6",
  "version": 1,
  "metadata": {
END
[ -z "${SOURCE_DATE_EPOCH-}" ] ||
    printf '    "timestamp": "%s",\n' "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)"
cat <<END
    "lifecycles": [{"phase": "build"}],
    "component": $(component application warpld "$version" Apache-2.0 "$own")
  },
END

printf '  "components": ['
separator=
references=
# The output of sed is not quoted, so that the loop gets each id separately.
# shellcheck disable=SC2013
for id in $(sed -n 's/^Id: //p' "$folder/packaging/components"); do
    paragraph=$(sed -n "/^Id: $id\$/,/^\$/p" "$folder/packaging/components")
    case $kinds in *" $(field In) "*) third_party ;; esac
done
printf '],\n  "dependencies": [{"ref": "%s", "dependsOn": [%s]}]\n}\n' "$own" "$references"
