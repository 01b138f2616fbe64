#include <cstdio>

#include "variables.cuh"

__device__ int step(int i);
static __device__ int seen;

__global__ void fill()
{
    __shared__ int sum;
    if (!threadIdx.x)
        sum = settings.offsets[counter % 5];
    __syncthreads();
    atomicAdd(&sum, step(threadIdx.x % 3));
    __syncthreads();
    table[threadIdx.x] = int(weights[threadIdx.x % 7] * sum);
    table_end[-1 - int(threadIdx.x)] = ++seen;
    shared_settings = settings;
    atomicAdd(&counter, 1);
}

int main()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices) {
        fill<<<1, 64>>>();
        error = cudaDeviceSynchronize();
        printf("%d counted\n", counter);
    }
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
