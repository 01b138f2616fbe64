#include <cstdio>

__global__ void child(int *out, int depth);
extern __device__ int depth_of_tree;

__global__ void parent(int *out)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    child<<<1, 1, 0, stream>>>(out, 1);
    out[1] = depth_of_tree;
    cudaStreamDestroy(stream);
}

int main()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices) {
        int *out;
        cudaMallocManaged(&out, 2 * sizeof *out);
        parent<<<1, 1>>>(out);
        error = cudaDeviceSynchronize();
    }
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
