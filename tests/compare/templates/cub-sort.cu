//# chance 0.6
//# file
#include <cub/block/block_radix_sort.cuh>
__global__ void sort$n(int *out, int x)
{
    using Sort = cub::BlockRadixSort<int, $(32|128), $(1|4)>;
    __shared__ typename Sort::TempStorage storage;
    int keys[$(1|4)];
    $calls
    for (int &k : keys)
        k = x ^ (int)threadIdx.x;
    Sort(storage).Sort(keys);
    out[threadIdx.x] = keys[0];
}
