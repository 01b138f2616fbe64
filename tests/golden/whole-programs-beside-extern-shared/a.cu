// nvcc: -ewp
extern __shared__ int dynamic[];
__device__ int start = 3;
__constant__ int factor = 4;

__device__ __noinline__ int helper(int x)
{
    __shared__ int row[16];
    row[threadIdx.x] = x;
    __syncthreads();
    return row[x & 15] * start;
}

__device__ __noinline__ int recursive(int *values, int depth)
{
    int copy[40];
    for (int i = 0; i < 40; i++)
        copy[i] = values[i + depth];
    return depth > 0 ? recursive(copy, depth - 1) + copy[depth] : copy[values[1] % 40];
}

__global__ void calls(int *out)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = factor;
    __syncthreads();
    out[threadIdx.x] = helper(tile[threadIdx.x ^ 1]);
}

__global__ void recurses(int *out)
{
    *out = recursive(out, out[3]);
}

__global__ void sized_at_launch(int *out)
{
    dynamic[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic[5];
}
