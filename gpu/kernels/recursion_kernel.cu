// Recursion: a function that calls itself, and two functions in two files that call each other.
extern __device__ unsigned odd_steps(unsigned value);

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ unsigned even_steps(unsigned value)
{
    return value == 0 ? 1 : 2 + odd_steps(value - 1);
}

extern "C" __global__ void recursion(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = fibonacci(i % 12);
}

extern "C" __global__ void mutual_recursion(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = even_steps(i % 20);
}
