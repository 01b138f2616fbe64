// nvcc: -ewp
__constant__ int table[4] = {1, 2, 3, 4};

__global__ void third(int *out)
{
    __shared__ int tile[128];
    tile[threadIdx.x] = out[1];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void fourth(int *out)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = out[1];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1] + table[threadIdx.x & 3];
}
