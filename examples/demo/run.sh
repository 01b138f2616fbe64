#!/bin/sh
# Links the demo's three relocatable cubins for two architectures and shows the results.
#
#   examples/demo/run.sh [BUILD_FOLDER]
set -eu
build=${1:-build}
folder=$(dirname "${0#./}")
output=$build/demo
mkdir -p "$output"

# show COMMAND...: prints the command, then runs it.
show() {
    echo "\$ $*"
    "$@"
}

echo "Three CUDA source files were compiled separately to relocatable device code:"
for source in saxpy arithmetic reduction; do
    echo "  $folder/$source.cu: $(sed -n '1s|^// ||p' "$folder/$source.cu")"
done
echo "None of them runs alone: the kernel calls functions of the other two. warpld links them."

for architecture in sm_80 sm_90; do
    echo
    show "$build/warpld" -arch="$architecture" -o "$output/saxpy.$architecture.cubin" \
        "$folder/data/saxpy.$architecture.cubin" "$folder/data/arithmetic.$architecture.cubin" \
        "$folder/data/reduction.$architecture.cubin"
    echo
    echo "Resources of the kernel, including all functions that it calls:"
    show "$build/cubintool" resources "$output/saxpy.$architecture.cubin"
done

lines=25
echo
echo "The start of the linked cubin as text ($lines of $(
    "$build/cubintool" dump "$output/saxpy.sm_90.cubin" | wc -l
) lines):"
echo "\$ $build/cubintool dump $output/saxpy.sm_90.cubin"
"$build/cubintool" dump "$output/saxpy.sm_90.cubin" | sed "${lines}q"
echo
echo "The CUDA driver loads $output/saxpy.sm_90.cubin with cuModuleLoad."
