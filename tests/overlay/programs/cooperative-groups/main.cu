#include <cooperative_groups.h>
#include <cstdio>

__device__ int warp_sum(int x);
__device__ void wait_for_grid();

__global__ void gather(int *out)
{
    extern __shared__ int room[];
    room[threadIdx.x] = warp_sum(int(threadIdx.x));
    cooperative_groups::this_thread_block().sync();
    atomicAdd(&out[0], room[threadIdx.x ^ 32]);
    wait_for_grid();
    out[1 + blockIdx.x] = out[0];
}

int main()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices) {
        int *out;
        cudaMallocManaged(&out, 3 * sizeof *out);
        void *arguments[] = {&out};
        cudaLaunchCooperativeKernel(gather, dim3(2), dim3(64), arguments, 64 * sizeof(int));
        error = cudaDeviceSynchronize();
    }
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
