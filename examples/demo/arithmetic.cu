// y = alpha * x + y, with alpha a constant that the host may change before the launch.
__constant__ float alpha = 2.0f;

__device__ unsigned long long calls;

__device__ float saxpy(float x, float y)
{
    atomicAdd(&calls, 1ull);
    return alpha * x + y;
}
