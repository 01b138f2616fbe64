//# chance 0.5
//# needs 80
//# file
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
__device__ int f$n(int x)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    $calls
    barrier.arrive_and_wait();
    return x;
}
