//# file
#include <cstdio>
template <typename... T> __device__ __noinline__ void say$n(const char *format, T... values) { printf(format, values...); }
__device__ int f$n(int x)
{
    $calls
    say$n("%d %f\n", x, $(1.5|2.0));
    say$n("%s %c %llu\n", "$(text|more)", 'c', 5ull);
    return x;
}
//# file
#include <cassert>
#include <cstdio>
__device__ __noinline__ void check$n(int x) { assert(x > $(3|4) && "message"); printf("same\n"); }
__global__ void talk$n(int x) { check$n(x); printf("same\n"); if (x < 0) __trap(); }
