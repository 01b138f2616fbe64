// nvcc: -ewp
__constant__ int factors[4] = {1, 2, 3, 4};
__device__ __noinline__ int shift(int x)
{
    __shared__ int row[16];
    row[x & 15] = x;
    __syncthreads();
    return row[(x + 1) & 15] * factors[x & 3];
}
__global__ void first(int *out) { *out = shift(*out); }
