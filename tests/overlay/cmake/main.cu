#include <cstdio>

__device__ float piece(float x);
__device__ float multiplied(float x, int i);

__global__ void kernel(float *x)
{
    *x = piece(*x) + multiplied(*x, 2);
}

int main()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (devices)
        kernel<<<1, 1>>>(nullptr);
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
