#include "shared.h"

/* A weak function that is not inlined. */
template <int N> __device__ __noinline__ int scaled(int x, int y)
{
    return x / N + y % N;
}

__global__ void first(int *out)
{
    *out = twice(*out) + next() + scaled<3>(out[1], out[2]);
}
