// nvcc: -ewp
__device__ int counter = 3;

__device__ __noinline__ int turned(int value)
{
    return value * (int)clock();
}

__device__ __noinline__ int twice(int value)
{
    return turned(value) + turned(value + 1);
}

__global__ void calling(int *out)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = out[1];
    __syncthreads();
    out[0] = turned(tile[3]) + turned(out[2]);
    atomicAdd(&counter, turned(out[5]));
}

__global__ void nested(int *out)
{
    out[0] = twice(out[1]) + twice(out[2]);
}
