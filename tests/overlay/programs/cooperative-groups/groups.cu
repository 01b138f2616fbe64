#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ int warp_sum(int x)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    return cg::reduce(warp, x, cg::plus<int>());
}

__device__ void wait_for_grid()
{
    cg::this_grid().sync();
}
