// nvcc: -ewp
__constant__ int terms[4] = {5, 6, 7, 8};
__device__ __noinline__ int turn(int x)
{
    __shared__ int row[16];
    row[x & 15] = x;
    __syncthreads();
    return row[(x + 1) & 15] * terms[x & 3];
}
__global__ void second(int *out) { *out = turn(*out); }
