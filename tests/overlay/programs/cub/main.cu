#include <cstdio>
#include <cub/device/device_reduce.cuh>

__device__ int block_sum(int x);

__global__ void sums(const int *in, int *out)
{
    int sum = block_sum(in[blockIdx.x * 128 + threadIdx.x]);
    if (!threadIdx.x)
        out[blockIdx.x] = sum;
}

static cudaError_t sum(const int *in, int *out, int blocks)
{
    size_t size = 0;
    void *room = nullptr;
    sums<<<blocks, 128>>>(in, out);
    cub::DeviceReduce::Sum(nullptr, size, out, out + blocks, blocks);
    cudaMalloc(&room, size);
    return cub::DeviceReduce::Sum(room, size, out, out + blocks, blocks);
}

int main()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices) {
        int *values;
        cudaMallocManaged(&values, (4 * 128 + 5) * sizeof *values);
        error = sum(values, values + 4 * 128, 4);
    }
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
