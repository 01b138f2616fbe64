//# file
__device__ int unused$n(int x) { $calls return x + 2; }
__device__ int quiet$n[$(3|100)];
static __device__ __attribute__((used)) int stays$n = 7;
__device__ __attribute__((used)) static int kept$n(int x) { return x * 5; }
