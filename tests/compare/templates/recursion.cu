//# header
__device__ int odd$n(int x);
__device__ int even$n(int x);
//# file
__device__ int odd$n(int x) { $calls return x <= 0 ? 0 : even$n(x - 1); }
__device__ int factorial$n(int x) { return x <= 1 ? 1 : x * factorial$n(x - 1); }
//# file
__device__ int factorial$n(int x);
__device__ int even$n(int x) { return x <= 0 ? 1 : odd$n(x - 1) + factorial$n(x); }
__device__ int f$n(int x) { return odd$n(x); }
