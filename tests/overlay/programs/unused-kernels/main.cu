#include <cstdio>

void launch(int *out);
__device__ int used_by_others(int x);

__device__ int never_called(int x)
{
    return used_by_others(x) * 2;
}

__global__ void unused_here(int *out)
{
    *out = never_called(*out);
}

int main()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices) {
        int *out;
        cudaMallocManaged(&out, sizeof *out);
        launch(out);
        error = cudaDeviceSynchronize();
    }
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
