//# chance 0.03
//# file
__global__ void child$n(int *out) { out[0] = 1; }
__global__ void parent$n(int *out, int x)
{
    $calls
    child$n<<<1, 1>>>(out);
}
