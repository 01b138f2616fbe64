// Functions that a kernel of render.cu reaches, and one that nothing calls. -DBEFORE gives the file
// as it was before the last change, with fewer points.
#ifdef BEFORE
#define POINTS 16
#else
#define POINTS 40
#endif

namespace shapes {
template <typename T> __device__ __noinline__ T cross(T ax, T ay, T bx, T by)
{
    return ax * by - ay * bx;
}

__device__ __noinline__ float area(const float *points, int count)
{
    __shared__ float partial[256];
    float x[POINTS];
    for (int i = 0; i < POINTS; i++)
        x[i] = points[i * count];
    partial[threadIdx.x & 255] = x[count % POINTS];
    __syncthreads();
    return cross(x[0], x[1], partial[0], partial[1]) + (float)cross<int>(count, 1, 2, (int)x[2]);
}

__device__ float perimeter(const float *points, int count)
{
    return points[count] - points[0];
}
} // namespace shapes
