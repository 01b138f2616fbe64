//# header
__device__ int through$n(int (*callee)(int), int x);
//# file
__device__ __noinline__ int through$n(int (*callee)(int), int x) { return callee(x) + callee(x + 1); }
//# file
static __device__ __noinline__ int one$n(int x) { return x * 3; }
static __device__ __noinline__ int two$n(int x) { $calls return x - 7; }
__device__ int f$n(int x) { return through$n(x & 1 ? one$n : two$n, x); }
