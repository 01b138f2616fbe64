#!/bin/sh
# Runs the static analyzers of clang and of gcc over src, with one process per file on all cores.
# Prints each report once, with the number of times that it was made.
#
#     tools/analyze.sh [FILE...]
#
# The exit status is 1 if an analyzer is missing or stops at an error, because then a file was not
# analyzed. Reports alone do not make it 1: docs/reliability.md explains which of them are wrong.
set -eu
cd "$(dirname "$0")/.."
flags='-std=c17 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -Iinclude -Isrc -DNVJITLINK_MAJOR=13'
report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0

# analyze COMMAND...: runs the command on each file.
analyze() {
    printf '%s\n' "$files" | xargs -d '\n' -P "$(nproc)" -n 1 "$@" -o /dev/null 2>>"$report" ||
        { echo "analyze: $1 failed for at least one file" >&2 && status=1; }
}

[ $# -gt 0 ] && files=$(printf '%s\n' "$@") || files=$(git ls-files 'src/*.c')
# $flags is not quoted, so that each flag is a separate argument.
# shellcheck disable=SC2086
analyze clang --analyze --analyzer-output text $flags
# gcc analyzes only when it makes code, so -c; with -O1 it also follows the inlined functions.
# shellcheck disable=SC2086
analyze gcc -fanalyzer -O1 $flags -c
grep -E '(warning|error): |not found|No such file' "$report" | sort | uniq -c || true
exit $status
