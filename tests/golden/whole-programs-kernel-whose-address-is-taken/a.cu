// nvcc: -ewp
__global__ void child(int *out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = out[1];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void taker(void **out)
{
    *out = (void *)child;
}
