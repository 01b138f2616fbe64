// Calls a function in another file, which calls the driver's printf.
extern __device__ void greet(unsigned value);

extern "C" __global__ void printing(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 5)
        greet(i);
    out[i] = i;
}
