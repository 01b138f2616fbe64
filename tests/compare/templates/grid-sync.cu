//# file
#include <cooperative_groups.h>
__global__ void grid$n(int *out, int x)
{
    $calls
    out[threadIdx.x] = x;
    cooperative_groups::this_grid().sync();
    out[threadIdx.x] += out[threadIdx.x ^ 1];
}
