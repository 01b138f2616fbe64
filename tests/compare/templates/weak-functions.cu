//# chance 0.7
//# header
__device__ int choice$n(int x);
//# file
__device__ __attribute__((weak)) int choice$n(int x) { return x + 1; }
//# file
__device__ __attribute__((weak)) int choice$n(int x) { return x * 2 + 1; }
__device__ int f$n(int x) { $calls return choice$n(x); }
