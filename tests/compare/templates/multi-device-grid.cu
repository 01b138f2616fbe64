//# chance 0.7
//# file
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ __noinline__ void everyone$n(cg::grid_group grid) { grid.sync(); }
__global__ void all$n(int *out, int x)
{
    __shared__ int own[$(8|24)];
    own[threadIdx.x & 7] = x;
    auto grid = cg::this_grid();
    $calls
    everyone$n(grid);
    out[grid.thread_rank()] = own[x & 7];
}
