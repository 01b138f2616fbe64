//# chance 0.6
//# file
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
template <int ITEMS> __global__ void copy$n(int *out, int x)
{
    using Load = cub::BlockLoad<int, 64, ITEMS, cub::$(BLOCK_LOAD_TRANSPOSE|BLOCK_LOAD_DIRECT|BLOCK_LOAD_WARP_TRANSPOSE)>;
    using Store = cub::BlockStore<int, 64, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } storage;
    int items[ITEMS];
    Load(storage.load).Load(out, items);
    __syncthreads();
    $calls
    Store(storage.store).Store(out + x, items);
}
template __global__ void copy$n<$(2|5)>(int *, int);
