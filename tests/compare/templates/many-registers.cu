//# file
__device__ __noinline__ int f$n(int x)
{
    $calls
    float v[$(24|40|70)], total = 0;
#pragma unroll
    for (int i = 0; i < (int)(sizeof v / sizeof *v); i++)
        v[i] = x * i + __int_as_float(x + i);
    __threadfence();
#pragma unroll
    for (int i = 0; i < (int)(sizeof v / sizeof *v); i++)
        total += v[i] * v[(i * 5 + 1) % (sizeof v / sizeof *v)];
    return (int)total;
}
