// Direct calls: the kernel calls a function in a second file, which calls one in a third file.
extern __device__ unsigned middle(unsigned value);
extern __device__ unsigned leaf(unsigned value);
extern __device__ unsigned many_arguments(unsigned a, unsigned b, unsigned c, unsigned d,
                                          unsigned long long e, unsigned f, unsigned g, unsigned h,
                                          unsigned i, unsigned j, unsigned k, unsigned l);

extern "C" __global__ void calls(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = middle(i) ^ leaf(i);
}

extern "C" __global__ void calls_many_arguments(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = many_arguments(i, 2, i + 3, 4, 5ull << 32 | i, 6, 7, 8, 9, i * 10, 11, 12);
}
