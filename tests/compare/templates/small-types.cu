//# file
#include <cuda_bf16.h>
#include <cuda_fp8.h>
__device__ __nv_bfloat162 sum$n;
__device__ signed char tiny$n[$(1|13)] = {-3};
union Bits$n { float f; unsigned u; struct { unsigned low : $(3|20), high : 10; } parts; };
__device__ int f$n(int x)
{
    Bits$n bits;
    bits.u = x;
    $calls
    bits.parts.high += tiny$n[0];
    sum$n = __hadd2(sum$n, __floats2bfloat162_rn(bits.f, 1.0f));
    return (int)__low2float(sum$n) + (int)(float)__nv_fp8_e4m3((float)x);
}
