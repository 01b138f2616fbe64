#include <cstdio>

__device__ int table[16] = {2, 3, 5, 7, 11, 13};

__device__ int look_up(int i)
{
    return table[i & 15];
}

__global__ void own_kernel(int *out)
{
    *out = look_up(*out);
}

int run_second()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (devices)
        own_kernel<<<1, 1>>>(nullptr);
    return printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
