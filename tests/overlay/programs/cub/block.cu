#include <cub/block/block_reduce.cuh>

__device__ int block_sum(int x)
{
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    return Reduce(storage).Sum(x);
}
