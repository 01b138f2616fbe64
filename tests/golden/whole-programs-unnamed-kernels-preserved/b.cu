// nvcc: -ewp
__global__ void another(int *out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = out[1];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
