//# chance 0.04
//# header
__global__ void worker$n(int *out, double weight);
//# file
__global__ void worker$n(int *out, double weight) { out[0] = (int)weight; }
//# file
__global__ void parent$n(int *out, int x)
{
    $calls
    worker$n<<<$(1|x), 32, $(0|64)>>>(out, 0.5);
    parent$n<<<1, 1>>>(out, x - 1);
}
__device__ int f$n(int x) { int *p = (int *)malloc(4); worker$n<<<1, x>>>(p, 1.5); return *p; }
