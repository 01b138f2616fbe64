#!/bin/sh
# Rebuilds the cubins of this folder from its PTX, records the tools' version, and writes the
# expected texts with the built cubintool (read the changes before you believe them).
# Needs ptxas, nvcc and nvlink of CUDA 13.0 on the PATH. With --texts, only the texts are written.
#
#   first-86.o.cubin, second-86.o.cubin  relocatable objects for sm_86
#   linked-86.cubin                      their link
#   linked-debug-86.cubin                their link with -g, which has another tool note
#   relocatable-90.cubin, linked-90.cubin, linked-100.cubin
#   whole/program-90.cubin               a whole program, without a linker
#   debug/typed-90.cubin                 the link of debug/typed.cu, compiled with -G
set -eu
cd "$(dirname "$0")"

write_texts() {
    tool=../../../build/cubintool
    for name in linked-86 linked-100 first-86.o; do
        "$tool" dump "$name.cubin" > "$name.dump.txt"
    done
    "$tool" dump --raw --section .text.square --section .strtab --section .nv.constant3 \
        --section .nv.rel.action linked-86.cubin > linked-86.raw.txt
    "$tool" resources linked-86.cubin > linked-86.resources.txt
}

if [ "${1:-}" = --texts ]; then
    write_texts
    exit
fi

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
ptxas -O1 -arch sm_90 whole/program.ptx -o whole/program-90.cubin
(cd "$work" && nvlink -g -arch sm_86 first-86.o.cubin second-86.o.cubin -o linked-debug-86.cubin)
mv "$work/linked-debug-86.cubin" .
nvcc -arch=sm_90 -G -rdc=true -cubin -o "$work/typed.cubin" debug/typed.cu
nvlink -arch=sm_90 -g "$work/typed.cubin" -o debug/typed-90.cubin
nvlink --version | tail -n 1 > VERSION
write_texts
