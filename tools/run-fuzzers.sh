#!/bin/sh
# Runs every fuzz target under ASan and UBSan, with libFuzzer (clang) or with AFL++.
#
#   tools/run-fuzzers.sh libfuzzer|afl SECONDS [TARGET...]    runs each target for SECONDS
#   tools/run-fuzzers.sh nightly SECONDS [TARGET...]          runs all with both, SECONDS in total
#
# TARGET is elf_view for fuzz/fuzz_elf_view.c. Both fuzzers start from the inputs in
# fuzz/corpus/TARGET and from those that earlier runs found, in build/fuzz-corpus/TARGET. libFuzzer
# adds its new inputs to the latter folder. A nightly run also adds those of AFL++, and then
# minimises the folder: it keeps only inputs that together reach all edges.
#
# An input that breaks a target is written to build/fuzz-findings/TARGET, and the exit status is 1.
# After the fault is fixed, move the input to fuzz/corpus/TARGET, which `make check` replays.
set -eu
cd "$(dirname "$0")/.."
mode=$1
seconds=$2
shift 2
if [ $# -eq 0 ]; then
    for source in fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        set -- "$@" "${name#fuzz_}"
    done
fi
failed=0

# libFuzzer runs a build in which small inputs are treated like large ones: data about them are kept
# for later links, and links with several threads use them. AFL++ runs a usual build.
build_libfuzzer() {
    make --no-print-directory CC=clang SANITIZE=fuzzer,address,undefined \
        CFLAGS="-O1 -g -DWARPLD_SMALL_SCALE" fuzz-programs
}

build_afl() {
    make --no-print-directory afl-mutator
    AFL_QUIET=1 make --no-print-directory CC=afl-clang-fast SANITIZE=address,undefined \
        BUILD=build/afl fuzz-programs
}

# prepare TARGET: makes the folders of a target, and sets $learned and $findings to them.
prepare() {
    learned=build/fuzz-corpus/$1
    findings=build/fuzz-findings/$1
    mkdir -p "$learned" "$findings"
}

report_finding() {
    echo "fuzzing $1 found something: $findings" >&2
    failed=1
}

# run_libfuzzer TARGET SECONDS
run_libfuzzer() {
    prepare "$1"
    echo "fuzzing $1 with libFuzzer for $2 s"
    build/fuzzer-address-undefined/fuzz/fuzz_"$1" -max_total_time="$2" -timeout=10 \
        -rss_limit_mb=4096 -artifact_prefix="$findings/" -print_final_stats=1 -verbosity=0 \
        "$learned" "fuzz/corpus/$1" || report_finding "$1"
}

# run_afl TARGET SECONDS: AFL++ exits with 0 even if it found something, so the script looks for
# files of findings.
run_afl() {
    prepare "$1"
    work=build/afl/out/$1
    seeds=build/afl/seeds/$1
    rm -rf "$work" "$seeds"
    mkdir -p "$work" "$seeds"
    cp "fuzz/corpus/$1"/* "$seeds"
    find "$learned" -type f -size -64k -exec cp {} "$seeds" \;
    echo "fuzzing $1 with AFL++ for $2 s"
    AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/build/fuzz/afl_mutator.so AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 \
        AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_FAST_CAL=1 \
        AFL_IGNORE_SEED_PROBLEMS=1 \
        afl-fuzz -i "$seeds" -o "$work" -V "$2" -t 10000 -m none -- \
        build/afl/fuzz/fuzz_"$1" >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log" >&2 && report_finding "$1"; }
    found=$(find "$work" -path '*/crashes/id*' -o -path '*/hangs/id*')
    for file in $found; do
        kind=$(basename "$(dirname "$file")")
        cp "$file" "$findings/afl-$kind-$(sha1sum <"$file" | cut -c 1-12)"
    done
    [ -z "$found" ] || report_finding "$1"
    grep -E '^(execs_done|corpus_count|edges_found|saved_crashes|saved_hangs)' \
        "$work/default/fuzzer_stats" || true
}

# minimise TARGET: keeps those inputs of all folders that are needed to reach all edges.
minimise() {
    prepare "$1"
    rm -rf "$learned.new"
    mkdir -p "$learned.new" "build/afl/out/$1/default/queue"
    build/fuzzer-address-undefined/fuzz/fuzz_"$1" -merge=1 -timeout=10 -rss_limit_mb=4096 \
        -artifact_prefix="$findings/" -verbosity=0 \
        "$learned.new" "fuzz/corpus/$1" "$learned" "build/afl/out/$1/default/queue" ||
        { report_finding "$1" && return; }
    rm -rf "$learned"
    mv "$learned.new" "$learned"
    echo "minimised $1: $(find "$learned" -type f | wc -l) inputs"
}

case $mode in
libfuzzer)
    build_libfuzzer
    for target in "$@"; do run_libfuzzer "$target" "$seconds"; done
    ;;
afl)
    build_afl
    for target in "$@"; do run_afl "$target" "$seconds"; done
    ;;
nightly)
    build_libfuzzer
    build_afl
    each=$((seconds / (2 * $#)))
    for target in "$@"; do
        run_libfuzzer "$target" "$each"
        run_afl "$target" "$each"
        minimise "$target"
    done
    ;;
*)
    echo "run-fuzzers: unknown fuzzer: $mode (libfuzzer, afl or nightly)" >&2
    exit 2
    ;;
esac
exit $failed
