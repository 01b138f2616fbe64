//# chance 0.6
//# file
#include <cuda/latch>
#include <cuda/semaphore>
__device__ cuda::$(binary_semaphore<cuda::thread_scope_device>|counting_semaphore<cuda::thread_scope_device, 4>) gate$n(1);
__device__ int f$n(int x)
{
    $calls
    gate$n.acquire();
    x += 1;
    gate$n.release();
    return x;
}
