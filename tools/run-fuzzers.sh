#!/bin/sh
# Runs every fuzz target for some time under ASan and UBSan; needs clang with libFuzzer.
#
#   tools/run-fuzzers.sh SECONDS [TARGET...]      TARGET: elf for fuzz/fuzz_elf.c
#
# Starts from fuzz/corpus/TARGET, keeps what it learns in build/fuzz-corpus/TARGET and what breaks
# in build/fuzz-findings/TARGET. A finding that is fixed goes to fuzz/corpus/TARGET, which
# `make check` replays.
set -eu
cd "$(dirname "$0")/.."
seconds=$1
shift
if [ $# -eq 0 ]; then
    for source in fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        set -- "$@" "${name#fuzz_}"
    done
fi

sanitizers=fuzzer,address,undefined
make --no-print-directory CC=clang SANITIZE=$sanitizers fuzz-programs

failed=0
for target in "$@"; do
    program=build/fuzzer-address-undefined/fuzz/fuzz_$target
    learned=build/fuzz-corpus/$target
    findings=build/fuzz-findings/$target
    mkdir -p "$learned" "$findings" "fuzz/corpus/$target"
    echo "fuzzing $target for $seconds s"
    if ! "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 \
        -artifact_prefix="$findings/" -print_final_stats=1 -verbosity=0 \
        "$learned" "fuzz/corpus/$target"; then
        echo "fuzzing $target found something: $findings" >&2
        failed=1
    fi
done
exit $failed
