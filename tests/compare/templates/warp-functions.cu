//# file
__device__ __noinline__ int f$n(int x)
{
    $calls
    x += __shfl_xor_sync(0xffffffff, x, $(1|16));
    return __ballot_sync(0xffffffff, x) + __match_any_sync(__activemask(), x);
}
