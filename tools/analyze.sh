#!/bin/sh
# Runs the static analyzers of clang and of gcc over src, one process a file on all cores, and
# prints what they report; docs/reliability.md explains what is known.
#
#     tools/analyze.sh [FILE...]
cd "$(dirname "$0")/.." || exit 1
flags='-std=c17 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -Iinclude -Isrc'
[ $# -gt 0 ] || set -- $(git ls-files 'src/*.c')
report=$(mktemp)
trap 'rm -f "$report"' EXIT
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' \
    clang --analyze --analyzer-output text $flags '{}' -o /dev/null 2>> "$report"
# With -O1 gcc follows the inlined functions.
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' \
    gcc -fanalyzer -O1 $flags -DNVJITLINK_MAJOR=13 -c '{}' -o /dev/null 2>> "$report"
grep -E 'warning: ' "$report" | sort | uniq -c
