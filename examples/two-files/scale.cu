// A device function, a table in constant memory and a counter in global memory.
#include "clamp.cuh"

extern "C" {
__constant__ float weights[4] = {0.5f, 1.0f, 2.0f, 4.0f};
__device__ int calls = 7;

__device__ float scale(float x, int i)
{
    calls++;
    return clamp_unit(x) * weights[i & 3];
}
}
