//# chance 0.08
//# file
#include <cub/block/block_scan.cuh>
__device__ int f$n(int x)
{
    using Block = cub::BlockScan<int, $(32|128)>;
    __shared__ typename Block::TempStorage storage;
    $calls
    int result;
    Block(storage).ExclusiveSum(x, result);
    return result;
}
