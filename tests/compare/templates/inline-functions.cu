//# header
__device__ __noinline__ inline int helper$n(int x) { return x * $(17|19|23) + (x >> 2); }
inline __device__ int variable$n = $(0|4|9);
__device__ int other$n(int x);
//# file
__device__ int other$n(int x) { return helper$n(x) + variable$n; }
//# file
__device__ int f$n(int x)
{
    $calls
    variable$n += x;
    return helper$n(x) + other$n(x);
}
