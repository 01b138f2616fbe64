//# file
#include <cuda_fp16.h>
__device__ __half2 halves$n[$(2|5)];
__device__ __align__(16) unsigned char bytes$n[$(3|21)];
__device__ int f$n(int x)
{
    $calls
    halves$n[1] = __hfma2(halves$n[0], halves$n[1], __float2half2_rn((float)x));
    __int128 wide = (__int128)x * x * x * x;
    bytes$n[x % 3] = (unsigned char)(wide >> 64);
    return (int)(wide >> 40) + bytes$n[0];
}
