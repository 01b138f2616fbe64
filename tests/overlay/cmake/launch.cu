#include <cstdio>

__device__ float multiplied(float x, int i);

__global__ void child(float *x)
{
    *x = multiplied(*x, 3);
}

__global__ void parent(float *x)
{
    child<<<1, 1>>>(x);
}

int main()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (devices)
        parent<<<1, 1>>>(nullptr);
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
