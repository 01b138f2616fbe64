#!/bin/sh
# Rebuilds the cubins of this folder from first.ptx and second.ptx and records the tools' version.
# Needs ptxas and nvlink of CUDA 13.0 on the PATH.
#
#   first-86.o.cubin, second-86.o.cubin  relocatable objects for sm_86
#   linked-86.cubin                      their link
#   linked-debug-86.cubin                the same with -g: another tool note
#   relocatable-90.cubin, linked-90.cubin, linked-100.cubin
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() { # architecture
    for name in first second; do
        ptxas -c -O1 -arch "sm_$1" "$name.ptx" -o "$work/$name-$1.o.cubin"
    done
}

for architecture in 86 90 100; do
    compile "$architecture"
    nvlink -arch "sm_$architecture" "$work/first-$architecture.o.cubin" \
        "$work/second-$architecture.o.cubin" -o "linked-$architecture.cubin"
done
cp "$work/first-86.o.cubin" "$work/second-86.o.cubin" .
nvlink -r -arch sm_90 "$work/first-90.o.cubin" "$work/second-90.o.cubin" -o relocatable-90.cubin
(cd "$work" && nvlink -g -arch sm_86 first-86.o.cubin second-86.o.cubin -o linked-debug-86.cubin)
mv "$work/linked-debug-86.cubin" .
nvlink --version | tail -n 1 > VERSION
