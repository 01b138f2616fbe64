//# chance 0.7
//# file
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
__device__ int f$n(int x)
{
    using Block = cub::BlockReduce<$(int|float|double), $(64|256)>;
    using Warp = cub::WarpReduce<int>;
    __shared__ typename Block::TempStorage block;
    __shared__ typename Warp::TempStorage warp[$(1|4)];
    $calls
    return (int)Block(block).Sum(x) + Warp(warp[0]).Sum(x);
}
//# file
#include <cub/block/block_reduce.cuh>
__global__ void reduce$n(int *out, int x)
{
    using Block = cub::BlockReduce<$(int|float|double), $(64|256)>;
    __shared__ typename Block::TempStorage block;
    out[0] = (int)Block(block).Sum(x);
}
