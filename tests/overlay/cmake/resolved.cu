#include <cstdio>

__device__ float multiplied(float x, int i);

__global__ void resolved_kernel(float *x)
{
    *x = multiplied(*x, 0);
}

void run_resolved()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (devices)
        resolved_kernel<<<1, 1>>>(nullptr);
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
