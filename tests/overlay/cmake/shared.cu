#include <cstdio>

__device__ float multiplied(float x, int i);

__global__ void shared_kernel(float *x)
{
    *x = multiplied(*x, 1);
}

void run_shared()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (devices)
        shared_kernel<<<1, 1>>>(nullptr);
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
