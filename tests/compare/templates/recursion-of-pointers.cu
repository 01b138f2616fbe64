//# header
typedef int (*walk$n)(int depth, void *next);
__device__ int leaf$n(int depth, void *next);
//# file
__device__ int leaf$n(int depth, void *next) { return depth <= 0 ? $(1|2) : ((walk$n)next)(depth - 1, next); }
//# file
__device__ int branch$n(int depth, void *next) { int x = depth; $calls return x <= 0 ? 0 : leaf$n(depth - 1, next) + ((walk$n)next)(depth - 2, next); }
__device__ walk$n start$n[2] = {leaf$n, branch$n};
__device__ int f$n(int x) { return start$n[x & 1](x, (void *)branch$n); }
