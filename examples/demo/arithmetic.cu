// Computes alpha * x + y. The host may change the constant alpha before the launch.
__constant__ float alpha = 2.0f;

__device__ unsigned long long calls;

__device__ float saxpy(float x, float y)
{
    atomicAdd(&calls, 1ull);
    return alpha * x + y;
}
