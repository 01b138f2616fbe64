#include <cstdio>

extern __device__ int table[16];
__device__ int look_up(int i);

__global__ void kernel(int *out)
{
    *out = look_up(*out) + table[3];
}

int main()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (devices)
        kernel<<<1, 1>>>(nullptr);
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
