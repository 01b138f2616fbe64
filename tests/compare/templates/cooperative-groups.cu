//# file
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
__device__ int f$n(int x)
{
    namespace cg = cooperative_groups;
    $calls
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<$(16)> tile = cg::tiled_partition<$(16)>(block);
    block.sync();
    return cg::reduce(tile, x, cg::plus<int>()) + cg::coalesced_threads().size();
}
