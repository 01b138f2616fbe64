//# needs 90
//# file
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__($(1|2), $(1|2), 1) neighbours$n(int *out, int x)
{
    __shared__ int cells[$(16|300)];
    extern __shared__ int more$n[];
    auto cluster = cg::this_cluster();
    cells[threadIdx.x & 15] = x;
    more$n[threadIdx.x] = x;
    cluster.sync();
    $calls
    int *remote = cluster.map_shared_rank(cells, cluster.block_rank() ^ 1);
    out[x] = remote[x & 15] + more$n[0];
    cluster.sync();
}
__global__ void __launch_bounds__(128, 1, $(2|4)) ranked$n(int *out) { out[0] = cg::this_cluster().num_blocks(); }
