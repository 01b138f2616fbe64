// Two kernels. One calls a function of shapes.cu.
namespace shapes {
extern __device__ float area(const float *points, int count);
}

namespace render {
__constant__ float curve[16] = {0, 1, 2, 4, 8};
__device__ int frames;

static __device__ __noinline__ float correct(float value)
{
    return value * curve[int(value) & 15];
}

__global__ void __launch_bounds__(512) shade(float *pixels, const float *points, int count)
{
    __shared__ float tile[512];
    int i = threadIdx.x;
    tile[i] = pixels[i];
    __syncthreads();
    pixels[i] = correct(tile[511 - i]) + shapes::area(points, count);
}

__global__ void clear(float *pixels)
{
    pixels[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        frames++;
}
} // namespace render
