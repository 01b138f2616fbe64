//# file
#include <cassert>
#include <cstdio>
__device__ int f$n(int x)
{
    $calls
    assert(x != $(13|14));
    if (x == 5)
        printf("$(value|number) %d %f\n", x, x * 0.5);
    return x;
}
//# file
#include <cstdio>
__global__ void print$n(int x) { printf("from the kernel %d\n", x); }
