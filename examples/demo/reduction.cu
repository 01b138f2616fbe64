// Computes the sum of one value per thread over a block, in shared memory.
#define LARGEST_BLOCK 1024

__device__ float block_sum(float value)
{
    __shared__ float partial[LARGEST_BLOCK];

    partial[threadIdx.x] = value;
    for (unsigned width = blockDim.x / 2; width > 0; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width)
            partial[threadIdx.x] += partial[threadIdx.x + width];
    }
    __syncthreads();
    return partial[0];
}
