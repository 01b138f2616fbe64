//# chance 0.7
//# needs 75
//# header
#include <cuda/atomic>
struct Flags$n { cuda::atomic<int, cuda::thread_scope_$(device|system|block)> ready; int value; };
extern __device__ Flags$n flags$n;
//# file
__device__ Flags$n flags$n;
__device__ int f$n(int x) { $calls flags$n.value = x; flags$n.ready.store(1, cuda::memory_order_release); return flags$n.value; }
//# file
__global__ void wait$n(int *out)
{
    while (!flags$n.ready.load(cuda::memory_order_acquire)) {}
    int old = 0;
    flags$n.ready.compare_exchange_strong(old, $(1|7));
    out[0] = flags$n.value + old;
}
