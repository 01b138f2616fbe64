//# chance 0.1
//# file
#include <cub/block/block_$(reduce).cuh>
__global__ void cub$n(int *out, int x)
{
    using Block = cub::BlockReduce<int, $(64|128)>;
    __shared__ typename Block::TempStorage storage;
    $calls
    int total = Block(storage).Sum(x);
    if (threadIdx.x == 0)
        out[0] = total;
}
