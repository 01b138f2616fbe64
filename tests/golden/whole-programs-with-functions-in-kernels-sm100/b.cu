// nvcc: -ewp
__device__ __noinline__ int turned(int value)
{
    return value / 3 * (int)clock();
}

__global__ void another(int *out)
{
    out[0] = turned(out[1]) + turned(out[2]);
}
