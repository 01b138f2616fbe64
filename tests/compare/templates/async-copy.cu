//# needs 80
//# chance 0.5
//# file
#include <cuda_pipeline.h>
__device__ int from$n[64];
__device__ int f$n(int x)
{
    __shared__ int to[64];
    $calls
    __pipeline_memcpy_async(&to[threadIdx.x], &from$n[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    return to[x & 63];
}
