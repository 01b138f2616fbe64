//# chance 0.5
//# file
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_$(device|system|block)> counter$n{$(0|5)};
__device__ int f$n(int x) { $calls return counter$n.fetch_add(x, cuda::memory_order_acq_rel) + counter$n.load(); }
