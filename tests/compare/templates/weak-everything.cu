//# chance 0.5
//# header
extern "C" __device__ int plain_weak$n(int x);
//# file
extern "C" __device__ __attribute__((weak)) int plain_weak$n(int x) { __shared__ int own[$(3|40)]; own[x % 3] = x; __syncthreads(); return own[0]; }
__device__ __attribute__((weak)) int value$n = $(0|3);
__device__ int use$n(int x) { return value$n + plain_weak$n(x); }
//# file
extern "C" __device__ __attribute__((weak)) int plain_weak$n(int x) { double d = x; $calls return (int)(d / (x + 2)); }
__device__ __attribute__((weak)) int value$n = $(0|3);
extern __device__ int use$n(int x);
__device__ int f$n(int x) { int (*pointer)(int) = x & 1 ? plain_weak$n : use$n; return pointer(x) + value$n; }
