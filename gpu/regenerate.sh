#!/bin/sh
# Compiles gpu/kernels/*.cu to the relocatable cubins in gpu/data. Needs nvcc (CUDA 13.0). The
# cubins are committed, so that the check can run on a machine that has a driver but no CUDA
# toolkit.
set -eu
cd "$(dirname "$0")"

for architecture in sm_80 sm_90; do
    for source in kernels/*.cu; do
        name=$(basename "$source" .cu)
        nvcc -std=c++17 -arch="$architecture" -rdc=true -cubin \
            -Xptxas -suppress-stack-size-warning \
            -o "data/$name.$architecture.cubin" "$source"
    done
done
nvcc --version | sed -n 's/^Cuda compilation tools, \(.*\)$/compiled by nvcc, \1/p' >data/VERSION
