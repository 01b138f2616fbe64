//# file
__device__ __noinline__ int f$n(int x)
{
    $calls
    asm volatile("bar.sync $(1|3|7), 64;" ::: "memory");
    return x + __syncthreads_count(x);
}
