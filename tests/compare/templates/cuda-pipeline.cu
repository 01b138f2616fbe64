//# chance 0.6
//# needs 80
//# file
#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void pipe$n(int *out, int x)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, $(1|2)> state;
    __shared__ int cells[$(32|200)];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    $calls
    pipe.producer_acquire();
    cuda::memcpy_async(block, cells, out, sizeof(int) * 32, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[x] = cells[x & 31];
    pipe.consumer_release();
}
