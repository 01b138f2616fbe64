// A function that has its own shared memory and waits at a barrier, two functions that use dynamic
// shared memory, and one that reads through a pointer.
#define BLOCK 64

extern __shared__ unsigned at_launch[];

__device__ unsigned sum_of_block(unsigned value)
{
    __shared__ unsigned values[BLOCK];
    unsigned sum = 0;

    values[threadIdx.x] = value;
    __syncthreads();
    for (unsigned i = 0; i < BLOCK; i++)
        sum += values[i];
    __syncthreads();
    return sum;
}

__device__ void keep_at_launch(unsigned value)
{
    at_launch[threadIdx.x] = value;
}

__device__ unsigned reversed_at_launch()
{
    return at_launch[BLOCK - 1 - threadIdx.x];
}

__device__ unsigned read_through(const unsigned *place)
{
    return *place;
}
