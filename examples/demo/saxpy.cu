// The kernel. The two functions that it calls are in the other files.
extern __device__ float saxpy(float x, float y);
extern __device__ float block_sum(float value);

extern "C" __global__ void saxpy_kernel(const float *x, float *y, float *sums, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float result = i < count ? saxpy(x[i], y[i]) : 0.0f;

    if (i < count)
        y[i] = result;
    float sum = block_sum(result);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}
