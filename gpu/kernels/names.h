/* A template: each file that uses it defines it. */
#ifndef WARPLD_GPU_KERNELS_NAMES_H
#define WARPLD_GPU_KERNELS_NAMES_H

template <typename T> __device__ __noinline__ T defined_twice(T value)
{
    return value * 5 + 1;
}

__device__ unsigned defined_twice_here_too(unsigned value);

#endif
