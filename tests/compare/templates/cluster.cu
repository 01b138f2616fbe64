//# needs 90
//# file
#include <cooperative_groups.h>
__global__ void __cluster_dims__($(2|4), 1, 1) cluster$n(int *out, int x)
{
    namespace cg = cooperative_groups;
    __shared__ int cell[$(1|4)];
    $calls
    cg::cluster_group cluster = cg::this_cluster();
    cell[0] = x;
    cluster.sync();
    out[cluster.block_rank()] = *cluster.map_shared_rank(cell, cluster.block_rank() ^ 1);
    cluster.sync();
}
