//# chance 0.6
//# file
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ __noinline__ int halve$n(cg::thread_group group, int x) { group.sync(); return group.size() * x + group.thread_rank(); }
__device__ int f$n(int x)
{
    $calls
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition(block, $(4|16));
    auto active = cg::coalesced_threads();
    return halve$n(tile, x) + halve$n(block, x) + active.thread_rank();
}
//# file
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void fetch$n(int *out, int x)
{
    __shared__ int cells[$(64|100)];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, cells, out, sizeof(int) * 64);
    cg::wait(block);
    out[x] = cells[x & 63];
}
