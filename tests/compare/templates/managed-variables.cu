//# header
extern __managed__ int managed$n[$(2)];
//# file
__managed__ int managed$n[$(2)];
static __managed__ long long own$n = $(0|7);
__device__ int f$n(int x) { $calls own$n += x; return managed$n[0] + (int)own$n; }
//# file
__device__ int reader$n(int x) { return managed$n[0] * x; }
