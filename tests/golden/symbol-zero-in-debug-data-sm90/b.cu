// nvcc: -ewp
__constant__ int others[4] = {5, 6, 7, 8};
__global__ void second(int *out)
{
    __shared__ int row[16];
    row[threadIdx.x] = others[*out];
    __syncthreads();
    *out = row[threadIdx.x + 1];
}
