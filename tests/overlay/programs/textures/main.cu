#include <cstdio>

__device__ float sample(cudaTextureObject_t texture, float x, float y);
__device__ void store(cudaSurfaceObject_t surface, float value, int x, int y);

__constant__ cudaTextureObject_t textures[4];

__global__ void copy(cudaSurfaceObject_t surface, int count)
{
    for (int i = 0; i < count; i++)
        store(surface, sample(textures[i & 3], float(i), 0.5f), i, int(threadIdx.x));
}

int main()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices) {
        copy<<<1, 1>>>(0, 0);
        error = cudaDeviceSynchronize();
    }
    printf("%d devices: %s\n", devices, cudaGetErrorName(error));
}
