#!/bin/sh
# Compiles the sources of the demo to the relocatable cubins in data/. Needs nvcc (CUDA 13.0). The
# cubins are committed, so that the demo can run on a machine without CUDA.
set -eu
cd "$(dirname "$0")"

for architecture in sm_80 sm_90; do
    for source in saxpy arithmetic reduction; do
        nvcc -arch="$architecture" -rdc=true -cubin -o "data/$source.$architecture.cubin" \
            "$source.cu"
    done
done
nvcc --version | sed -n 's/^Cuda compilation tools, \(.*\)$/compiled by nvcc, \1/p' >data/VERSION
