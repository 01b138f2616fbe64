//# chance 0.5
//# file
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__device__ int f$n(int x)
{
    $calls
    auto tile = cg::tiled_partition<$(8|16|32)>(cg::this_thread_block());
    return cg::$(reduce|inclusive_scan)(tile, x, cg::plus<int>()) + tile.shfl_down(x, 1);
}
