#!/bin/sh
# Compiles the sources of the example to the cubins in data/. Needs nvcc and nvlink of CUDA 13.0.
set -eu
cd "$(dirname "$0")"
compile() { # source, name, options
    source=$1 name=$2
    shift 2
    nvcc -arch=sm_90 -rdc=true -cubin -lineinfo "$@" -o "data/$name.cubin" "$source"
}
compile render.cu render
compile shapes.cu shapes
compile shapes.cu shapes-before -DBEFORE
nvlink --version | tail -n 1 > data/VERSION
