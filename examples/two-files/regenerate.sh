#!/bin/sh
# Compiles the sources of docs/worked-example.md to the relocatable cubins in data/. Needs nvcc
# (CUDA 13.0). The cubins are committed, so that the example can run on a machine without CUDA.
set -eu
cd "$(dirname "$0")"

for source in kernel scale; do
    nvcc -arch=sm_90 -rdc=true -cubin -o "data/$source.cubin" "$source.cu"
done
nvcc --version | sed -n 's/^Cuda compilation tools, \(.*\)$/compiled by nvcc, \1/p' >data/VERSION
