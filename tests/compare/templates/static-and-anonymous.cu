//# header
__device__ int first$n(int x);
//# file
namespace {
__device__ int counter$n = $(0|3);
__constant__ int limit$n[4] = {1, 2, 3, $(4|5)};
__device__ __noinline__ int step$n(int x) { return counter$n += x + limit$n[x & 3]; }
}
static __device__ int same$n[$(2|6)];
__device__ int first$n(int x) { same$n[x & 1] = x; return step$n(x); }
//# file
namespace {
__device__ int counter$n;
__device__ __noinline__ int step$n(int x) { return counter$n -= x; }
}
static __device__ double same$n = 2.5;
__device__ int f$n(int x) { $calls same$n += x; return first$n(x) + step$n(x) + (int)same$n; }
